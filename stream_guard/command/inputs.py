"""The inputs of the commands: toolsets by name, texts and recorded streams by path.

How recorded streams are read is not known here: packages register readers under the entry point `stream_guard.readers`.

Rule: what cannot be read is an `Unreadable` that says which and why, in one line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from ..toolset.toolset import Toolset
from ..values.events import End

Lanes = dict[str, list[str | End]]
"""The deltas of each lane of a recorded stream."""

TOOLSET: Final = "module:name of a Toolset, or a JSON file with tool definitions (OpenAI, Anthropic, MCP)"
"""The help text for the name of a toolset."""


class Unreadable(Exception):
    """Raised for an input that cannot be read, with the reason."""


def toolset(named: str | None) -> Toolset:
    """Return the toolset of this name; without a name, the file tools."""
    if named is None:
        from ..tools.files import FILE_TOOLS  # deferred: compiles schemas

        return FILE_TOOLS
    module, colon, name = named.rpartition(":")
    try:
        if colon and module.replace(".", "").replace("_", "").isalnum():
            found = imported(module, name)
            return found if isinstance(found, Toolset) else Toolset.of(found)
        return Toolset.of(json.loads(Path(named).read_text(encoding="utf-8")))
    except OSError as error:
        raise Unreadable(f"{named}: {error.strerror or error}; expected {TOOLSET}") from None
    except (TypeError, ValueError) as error:
        raise Unreadable(f"{named}: {error}") from None


def imported(module: str, name: str) -> Any:
    """Return an attribute of a module in the current folder, or of an installed one."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as error:
        raise Unreadable(f"cannot import {module}: {error}") from None
    finally:
        sys.path.pop(0)
    if found is None:
        raise Unreadable(f"the module {module} has no attribute {name!r}")
    return found


def lanes(name: str) -> Lanes:
    """Return the lanes of a file: those of a recorded stream, or its text as one lane."""
    try:
        if name == "-":
            return {"text": [sys.stdin.read()]}
        path = Path(name)
        for read in readers("stream_guard.readers"):
            found: Lanes | None = read(path)
            if found is not None:
                return found
        return {"text": [path.read_text(encoding="utf-8")]}
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Unreadable(f"{name}: not UTF-8 text: invalid byte at offset {error.start}") from None
    except ValueError as error:
        raise Unreadable(f"{name}: {error}") from None


@cache
def readers(group: str) -> tuple[Callable[..., Any], ...]:
    """Return the readers that packages have registered under an entry point. Cached: the look-up reads all package metadata."""
    return tuple(entry.load() for entry in entry_points(group=group))
