"""The inputs of the commands: toolsets by name, texts and recorded streams by path, and how replies are read.

Readers of recorded streams are registered by packages, under the entry point `stream_guard.readers`.

Rule: an input that cannot be read raises `Unreadable`, whose message names it and the reason in one line.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Protocol, get_args

from ..dialects.table import Dialect
from ..dialects.tables import names_of
from ..running.toolset import Toolset
from ..scan.fences import Languages
from ..scan.reasoning import Reasoning
from ..values.events import FENCE, End, ToolEvent
from .signals import ENDS
from .tool_files import listed

if TYPE_CHECKING:
    from ..guard import Guard

Lanes = dict[str, list[str | End]]
"""The deltas of each lane of a recorded stream."""


class Recorded(Protocol):
    """A recorded stream, as a reader under `stream_guard.readers` returns it."""

    @property
    def is_text(self) -> bool:
        """Whether the input is the text of the file itself, so that its line numbers are those of the file."""
        ...

    @property
    def lanes(self) -> Lanes:
        """The deltas of the stream, by lane."""
        ...

    @property
    def guarded(self) -> Sequence[tuple[int, ToolEvent]]:
        """The guard's events in the recording of a guarded stream, each with the number of its block, from 1."""
        ...

    def calls(self, guard: Guard, stream_id: str) -> Iterable[tuple[int, ToolEvent]]:
        """Return the guard's events about the native calls of the stream, each with the number of its call, from 1."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """A text, which is one lane and has no native calls."""

    text: str

    @property
    def is_text(self) -> bool:
        """Always true."""
        return True

    @property
    def lanes(self) -> Lanes:
        """The text as one delta."""
        return {"text": [self.text]}

    @property
    def guarded(self) -> tuple[()]:
        """An empty tuple: a text has no events of a guard."""
        return ()

    def calls(self, guard: Guard, stream_id: str) -> tuple[()]:  # noqa: ARG002  # noqa: ARG002  # the signature of `Recorded`
        """Return an empty tuple: a text has no native calls."""
        return ()


TOOLSET: Final = (
    "module:name of a Toolset, a function or a model, or a JSON file with tool definitions (OpenAI, Anthropic, MCP) or with "
    "schemas by name"
)
"""The help text for the name of a toolset."""


class Unreadable(Exception):
    """Raised for an input that cannot be read, with the reason."""


def toolset(named: str | None) -> Toolset:
    """Return the toolset of this name; without a name, the file tools."""
    if named is None:
        from ..tools.files import FILE_TOOLS  # deferred: it compiles schemas

        return FILE_TOOLS
    module, colon, name = named.rpartition(":")
    try:
        if colon and (module.endswith(".py") or module.replace(".", "").replace("_", "").isalnum()):
            return _made(imported(module, name))
        try:
            listing = document(named)
        except Unreadable as error:
            raise Unreadable(f"{error}; expected {TOOLSET}") from None
        return listed(listing)
    except (Unreadable, *ENDS):
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise Unreadable(f"{named}: {_text(error)}") from None
    except BaseException as error:  # the module's code may raise anything
        raise Unreadable(f"{named}: {_told(error)}") from None


def _made(found: Any) -> Toolset:
    """Return an object of a module as a toolset; a toolset is made from other objects. Raises TypeError or ValueError."""
    if isinstance(found, Toolset):
        return found
    kind = type(found).__name__
    if isinstance(getattr(found, "tools", None), Toolset):
        raise TypeError(f"expected a Toolset, got {kind}: name the toolset that it was made with")
    if isinstance(found, list | tuple) and not found:
        raise ValueError(f"expected a Toolset, or a list of tools, got a {kind} with nothing in it")
    try:
        return Toolset.of(found)
    except TypeError as error:
        raise TypeError(f"expected a Toolset, or objects of which Toolset.of makes one: {error}") from None


def imported(module: str, name: str) -> Any:
    """Return an attribute of a module in the current folder, or of an installed one. Raises Unreadable."""
    if module.endswith(".py"):  # the module is given as a file
        path = PurePath(module).with_suffix("")
        inside = not path.is_absolute() and ".." not in path.parts
        where = "" if inside else f" in the folder {path.parent}"
        raise Unreadable(f"{module} is a file; write {'.'.join(path.parts) if inside else path.name}:{name}{where}")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), name, _NOTHING)
    except ImportError as error:
        raise Unreadable(f"cannot import {module}: {_text(error)}") from None
    except ENDS:
        raise
    except BaseException as error:  # the module's code may raise anything
        raise Unreadable(f"cannot import {module}: {_told(error)}") from None
    finally:
        sys.path.pop(0)
    if found is _NOTHING:
        raise Unreadable(f"the module {module} has no attribute {name!r}")
    if found is None:
        raise Unreadable(f"{name} in the module {module} is None")
    return found


_NOTHING: Final = object()
"""A value that no module has as an attribute."""

_LONG: Final = 200
"""Limit: the characters of another module's exception that are shown."""


def _told(error: BaseException) -> str:
    """Return an exception of other code as text: its type, its message, and the place where it was raised."""
    return f"{type(error).__name__}: {_text(error)}{_line(error)}"


def _text(error: BaseException) -> str:
    """Return the message of an exception on one line, if it can be read."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # its own `__str__` raises one
        return "its text cannot be read"
    return text if len(text) <= _LONG else f"{text[:_LONG]} ..."


def _line(error: BaseException) -> str:
    """Return the file and the line in which an exception was raised, in parentheses."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})" if trace is not None else ""


def takes_reading(command: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the options for how a reply is read: `--reasoning`, `--languages` and `--dialects`, as `Guard` takes them."""
    command.add_argument(
        "--reasoning",
        choices=get_args(Reasoning),
        default="skip",
        help="whether a call in reasoning (<think>) counts: no (skip), no and the reply begins there (inside), yes (scan)",
    )
    command.add_argument(
        "--languages",
        type=_languages,
        default=("json",),
        metavar="WORD,...",
        help="the info words of a fence that may hold a call; 'json,' adds a fence without one (json)",
    )
    command.add_argument(
        "--dialects",
        type=_dialects,
        default=(FENCE,),
        metavar="NAME,...",
        help="the forms in which a call may be written: 'fence,hermes', 'all', or 'none', for native calls alone (fence)",
    )


def takes_unknown(command: argparse.ArgumentParser) -> None:
    """Add the option `--allow-unknown`."""
    command.add_argument(
        "--allow-unknown",
        action="store_true",
        help="let calls pass that name none of --tools; else they are status 1",
    )


def _dialects(text: str) -> tuple[str | Dialect, ...]:
    """Return the names of dialects in a list with commas. The word `none`, alone, means no dialect."""
    try:
        return names_of([name.strip() for name in text.split(",")] if text != "none" else ())
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _languages(text: str) -> tuple[str, ...]:
    """Return the info words in a list with commas. An empty word means a fence without an info word."""
    words = tuple(word.strip() for word in text.split(","))
    try:
        Languages(words)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return words


def recorded(name: str) -> Recorded:
    """Return the recorded stream in a file, or the text of any other file."""
    with reading(name):
        for read in readers("stream_guard.readers") if name != "-" else ():
            found: Recorded | None = read(Path(name))
            if found is not None:
                return found
        return Written(text(name))


def text(name: str) -> str:
    """Return the text of a file, or of standard input for `-`, with unchanged line ends."""
    with reading(name):
        if name != "-":
            raw = Path(name).read_bytes()
        elif sys.stdin is None:
            raise Unreadable("-: there is no standard input")
        else:
            raw = sys.stdin.buffer.read()
        return raw.decode("utf-8-sig")  # editors of Windows begin texts with a mark


def document(name: str) -> Any:
    """Return the JSON in a file, or in standard input for `-`."""
    written = text(name)
    try:
        return json.loads(written)
    except ValueError as error:
        raise Unreadable(f"{name}: not JSON: {error}") from None
    except RecursionError:
        raise Unreadable(f"{name}: not JSON that can be read: it is nested too deep") from None


@contextlib.contextmanager
def reading(name: str) -> Generator[None]:
    """Raise `Unreadable` with the file's name for any error in reading it."""
    try:
        yield
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Unreadable(f"{name}: not UTF-8 text: invalid byte at offset {error.start}") from None
    except ValueError as error:
        raise Unreadable(f"{name}: {error}") from None
    except RecursionError:
        raise Unreadable(f"{name}: it is nested too deep") from None
    except MemoryError:
        raise Unreadable(f"{name}: it does not fit into memory") from None


@cache
def readers(group: str) -> tuple[Callable[..., Any], ...]:
    """Return the readers that packages have registered under an entry point. Cached, since the look-up reads all package
    metadata.
    """
    return tuple(entry.load() for entry in entry_points(group=group))
