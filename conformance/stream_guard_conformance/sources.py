"""Source texts in many languages: short ones that come with the package, and files of this machine.

The package's own texts make the grammar work on any machine, with the same results. Files come from Python's standard library,
from the packages of the environment and from its `node_modules`, whatever is there: real code, with real quotes in it.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

LANGUAGES: Final = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".ts": "typescript", ".mts": "typescript",
    ".css": "css", ".html": "html", ".md": "markdown", ".mdx": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
    ".toml": "toml", ".sh": "shell", ".fish": "shell", ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++",
    ".rs": "rust", ".go": "go", ".rb": "ruby", ".php": "php", ".java": "java", ".sql": "sql", ".ps1": "powershell",
    ".svg": "svg", ".rst": "rst", ".tex": "latex", ".pyx": "cython", ".cmd": "batch",
}  # fmt: skip
PER_LANGUAGE: Final = 24
"""How many files of each language are taken."""

OWN: Final = Path(__file__).with_name("texts.txt")
"""The texts that come with this package, each under a line that names its language."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Texts by language."""

    texts: Mapping[str, tuple[str, ...]]

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages there are, in order."""
        return tuple(sorted(self.texts))

    def stretch(self, rng: Random, budget: int) -> str:
        """Return some whole lines of some text, about as long as the budget."""
        text = rng.choice(self.texts[rng.choice(self.languages)])
        lines = text.splitlines(keepends=True)
        first = rng.randrange(len(lines)) if len(text) > budget else 0
        size = rng.randint(20, max(21, budget))
        taken = ""
        for line in lines[first:]:
            if taken and len(taken) + len(line) > size:
                break
            taken += line
        return taken[: 2 * budget] if rng.random() < 0.7 else taken[: 2 * budget].rstrip("\n")


@cache
def own() -> Sources:
    """Return the texts that come with this package: the same on every machine."""
    parts = re.split(r"(?m)^%% (.+)\n", OWN.read_text(encoding="utf-8"))[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    texts["batch"] = texts["batch"].replace("\n", "\r\n")
    return Sources({language: (text,) for language, text in texts.items()})


@cache
def everything() -> Sources:
    """Return the texts that come with this package, and files of this machine."""
    found: dict[str, list[str]] = {}
    for language, path in _files():
        found.setdefault(language, []).append(path)
    texts = {language: list(held) for language, held in own().texts.items()}
    for language, paths in found.items():
        step = max(1, len(paths) // PER_LANGUAGE)
        texts.setdefault(language, []).extend(text for path in paths[::step] if (text := _read(Path(path))))
    return Sources({language: tuple(held) for language, held in texts.items() if held})


def _files() -> Iterator[tuple[str, str]]:
    """Yield files in known languages, each with its language, in an order that depends on their names alone.

    There are tens of thousands of files, and few are read: only for these are paths made.
    """
    roots = dict.fromkeys(
        map(Path, (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), f"{sys.prefix}/js/node_modules"))
    )
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name not in ("site-packages", "__pycache__", "test", "idlelib"))
            for name in sorted(names):
                language = LANGUAGES.get(os.path.splitext(name)[1])  # noqa: PTH122
                if language:
                    yield language, os.path.join(folder, name)  # noqa: PTH118


def _read(path: Path) -> str:
    """Return the first part of a file; an empty text when it holds none that a block could."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read(20_000)
    except (OSError, UnicodeDecodeError):
        return ""
    return text if text.strip() and "\0" not in text else ""
