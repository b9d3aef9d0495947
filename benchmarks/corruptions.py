"""Single faults, put into valid blocks the way models put them there.

Each corruption takes a call and a source of chance and returns the broken body, or None where the call offers no such fault.
What comes out may by chance still be valid JSON, of this or of another call; whoever uses them looks first.
"""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

Call = dict[str, Any]
Corruption = Callable[[Call, Random], str | None]

CODE = ("content", "old_string", "new_string")


def spelt(call: Call, chance: Random) -> str:
    """The call as JSON, in one of the ways models lay it out."""
    return json.dumps(call, indent=chance.choice([None, None, 2, 4]), ensure_ascii=chance.random() < 0.2)


def _one(pattern: str, becomes: str) -> Corruption:
    """One place of the body, changed."""

    def corrupt(call: Call, chance: Random) -> str | None:
        body = spelt(call, chance)
        found = list(re.finditer(pattern, body))
        if not found:
            return None
        place = chance.choice(found)
        return body[: place.start()] + place.expand(becomes) + body[place.end() :]

    return corrupt


def _strings(change: Callable[[str], str]) -> Corruption:
    """The JSON of every string of code, changed."""

    def corrupt(call: Call, chance: Random) -> str | None:
        marks: dict[str, str] = {}

        def marked(value: Any, key: str) -> Any:
            if isinstance(value, dict):
                return {inner: marked(item, inner) for inner, item in value.items()}
            if key in CODE and isinstance(value, str):
                mark = f"@@{len(marks)}@@"
                marks[json.dumps(mark)] = change(json.dumps(value, ensure_ascii=False))
                return mark
            return value

        body = spelt(marked(call, ""), chance)
        for mark, text in marks.items():
            body = body.replace(mark, text, 1)
        return body

    return corrupt


def _unescaped(text: str) -> str:
    return '"' + re.sub(r'(?<!\\)((?:\\\\)*)\\"', r'\1"', text[1:-1]) + '"'


def _raw(text: str) -> str:
    return re.sub(r"(?<!\\)((?:\\\\)*)\\n", "\\1\n", text)


def _raw_tabs(text: str) -> str:
    return re.sub(r"(?<!\\)((?:\\\\)*)\\t", "\\1\t", text)


def _body(change: Callable[[str, Random], str | None]) -> Corruption:
    return lambda call, chance: change(spelt(call, chance), chance)


def _python(call: Call, _: Random) -> str | None:
    return repr(call)


def _smart(call: Call, chance: Random) -> str | None:
    if any("”" in text or "“" in text for text in _texts(call)):
        return None
    body = spelt(call, chance)
    return re.sub(r'"((?:\\.|[^"\\])*)"', lambda found: "“" + found[1] + "”", body)


def _backtick(call: Call, chance: Random) -> str | None:
    if any("`" in text or "\\" in text or "${" in text for text in _texts(call)):
        return None
    return _delimited(call, chance, "`")


def _triple(call: Call, chance: Random) -> str | None:
    if any('"""' in text or "\\" in text or text.endswith('"') for text in _texts(call)):
        return None
    return _delimited(call, chance, '"""')


def _delimited(call: Call, chance: Random, mark: str) -> str | None:
    return _strings(lambda text: mark + json.loads(text) + mark)(call, chance)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _concatenated(call: Call, chance: Random) -> str | None:
    text = next((value for value in _texts(call) if value.count("\n") > 1), None)
    if text is None:
        return None
    half = text.index("\n") + 1
    body = spelt(call, chance)
    whole = json.dumps(text, ensure_ascii="\\u" in body)
    if body.count(whole) != 1:
        return None
    first, second = (json.dumps(part, ensure_ascii="\\u" in body) for part in (text[:half], text[half:]))
    return body.replace(whole, f"{first} +\n{second}")


CORRUPTIONS: dict[str, Corruption] = {
    "one quote unescaped": _one(r'(?<!\\)((?:\\\\)*)\\"', r'\1"'),
    "all quotes unescaped": _strings(_unescaped),
    "all quotes unescaped, lines raw": _strings(lambda text: _raw(_unescaped(text))),
    "one line raw": _one(r"(?<!\\)\\n", "\n"),
    "all lines raw": _strings(_raw),
    "tabs raw": _strings(_raw_tabs),
    "one backslash not doubled": _one(r"(?<!\\)\\\\(?=[^\"\\/bfnrtu])", r"\\"),
    "no backslash doubled": _strings(lambda text: text.replace("\\\\", "\\")),
    "trailing comma": _body(lambda body, _: re.sub(r"(\s*)\}\Z", r",\1}", body)),
    "inner trailing comma": _one(r'"\s*\}', '",}'),
    "missing comma": _body(lambda body, chance: _drop(body, r'(?<="), ?(?=\s*"(?:path|content|new_string)":)', chance)),
    "missing brace": _body(lambda body, _: body.rstrip()[:-1]),
    "extra brace": _body(lambda body, _: body + "}"),
    "extra bracket": _body(lambda body, _: body + "\n]"),
    "semicolon": _body(lambda body, _: body + ";"),
    "doubled braces": _body(lambda body, _: "{" + body + "}"),
    "other separator": _body(lambda body, _: body.replace('"path":', '"path" =', 1)),
    "unquoted keys": _body(lambda body, _: re.sub(r'([{,]\s*)"(tool|path|search_replace)":', r"\1\2:", body, count=2)),
    "python": _python,
    "smart quotes": _smart,
    "backticks": _backtick,
    "triple quotes": _triple,
    "concatenation": _concatenated,
    "comment": _body(lambda body, _: body.replace("{", "{ // the call\n", 1)),
    "comment at the end": _body(lambda body, _: re.sub(r"\}\Z", "\n# that is all\n}", body)),
    "prose before": _body(lambda body, _: "Here is the call:\n" + body),
    "prose after": _body(lambda body, _: body + "\n\nThis does it."),
    "invisible": _body(lambda body, _: "\ufeff" + body.replace(": ", ":\u00a0", 2)),
    "two calls": _body(lambda body, _: body + "\n" + body.replace('"path": "', '"path": "other/', 1)),
    "cut off": _body(lambda body, chance: body[: chance.randrange(len(body) // 2, len(body) - 1)]),
    "closing quote lost": _body(lambda body, _: re.sub(r'"(\s*\}+)\Z', r"\1", body)),
    "escaped as a whole": _body(lambda body, _: json.dumps(body, ensure_ascii=False)[1:-1]),
}  # fmt: skip
"""Every fault, by its name."""


def _drop(body: str, pattern: str, chance: Random) -> str | None:
    found = list(re.finditer(pattern, body))
    if not found:
        return None
    place = chance.choice(found)
    return body[: place.start()] + " " + body[place.end() :]


ROOT = Path(__file__).resolve().parents[1]


def own_sources() -> list[Path]:
    """The code of this repository, which is the same on every machine."""
    kinds = ("stream_guard/**/*.py", "adapters/**/*.py", "adapters/js/src/*.js", "tests/js/*.*", "tests/goldens/*.ts")
    found = {path for kind in kinds for path in ROOT.glob(kind) if "node_modules" not in path.parts}
    return sorted(path for path in found if path.is_file() and 50 < path.stat().st_size < 200_000)


def sources() -> list[Path]:
    """Real files: this repository's, the standard library's, and what pages and scripts the installed packages bring."""
    root = ROOT
    library = Path(sysconfig.get_paths()["stdlib"])
    installed = Path(sysconfig.get_paths()["purelib"])
    found = [
        *root.glob("stream_guard/**/*.py"), *root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("tests/goldens/*.ts"),
        *library.glob("*.py"), *library.glob("json/*.py"), *library.glob("test/test_*.py"),
    ]  # fmt: skip
    for kind in ("js", "html", "css", "sh", "md", "toml", "json"):
        found += sorted(installed.rglob(f"*.{kind}"))[:80]
    return sorted(path for path in found if path.is_file() and 50 < path.stat().st_size < 200_000)


def calls(chance: Random, files: Sequence[Path] | None = None) -> Iterator[Call]:
    """Valid calls without end, their code from these files, or from real ones of this machine."""
    files = sources() if files is None else files
    while True:
        path = chance.choice(files)
        try:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        except UnicodeDecodeError:
            continue
        start = chance.randrange(max(1, len(lines) - 5))
        piece = "".join(lines[start : start + chance.randrange(1, 80)])[:6_000]
        name = f"src/{path.name}"
        if chance.random() < 0.3:
            half = piece.find("\n") + 1 or len(piece) // 2
            edit = {"old_string": piece[:half], "new_string": piece[half:]}
            yield {"tool": "edit_file", "path": name, "search_replace": edit}
        elif chance.random() < 0.2:
            yield {"tool": "write_file", "content": piece, "path": name}
        else:
            yield {"tool": "write_file", "path": name, "content": piece}
