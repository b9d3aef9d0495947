"""The functions of `attack --runs`: from a reply to the calls that they would run.

A function is asked in this process (`called`), or as a program of its own (`Program`), which `python -m
stream_guard_conformance.functions MODULE:NAME` is: it is served as a parser in Python is, with the same time and the same ends.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable
from reprlib import repr as short
from typing import Any, Final, cast

from stream_guard.spi import ENDS, Unreadable, imported

from .calls import Call
from .conform.command import CommandError, CommandParser
from .conform.parser import Answer, Ran
from .conform.serving import Unfit, command_for, main
from .conform.trying import Crashed, NoAnswer
from .toolsets import Json

Runs = Callable[[str], Iterable[tuple[str, Json]]]
"""A function from a reply to the calls that it would run, each a tool's name and arguments. An exception counts as no call."""


def called(runs: Runs, text: str) -> tuple[Call, ...]:
    """Return the calls that a function would run of a reply: none if it raises an exception, as parsers do.

    Raises Unreadable if it returns anything but pairs of a name and arguments.
    """
    try:
        returned = runs(text)
        found = list(returned) if isinstance(returned, Iterable) else returned
    except ENDS:
        raise
    except BaseException:  # whatever it raises, it has returned nothing
        return ()
    try:
        return tuple(Call(str(tool), _json(arguments)) for tool, arguments in found)
    except Exception:  # whatever was returned
        said = short(found)
        raise Unreadable(f"it returned {said}: it must yield pairs of a tool's name and its arguments") from None


def _json(arguments: Any) -> Any:
    """Return arguments as JSON; if they are not JSON, a sentence that equals no call's arguments."""
    try:
        return json.loads(json.dumps(arguments))
    except Exception:  # whatever they are
        return f"what is no JSON: {short(arguments)}"


class Program:
    """A function as a program of its own.

    Args:
        named: Its module:name.
        seconds: How long it may take for a reply.
    """

    def __init__(self, named: str, seconds: float) -> None:
        self._named: Final = named
        self._seconds: Final = seconds
        self._parser: CommandParser | None = None

    def called(self, text: str) -> tuple[Call, ...]:
        """Return the calls that the function would run of a reply: none if it raises an exception, or ends its process.

        Raises Unreadable if there is no such function, or it does not return in time, or not pairs of a name and arguments.
        """
        try:
            self._parser = self._parser or CommandParser(command_for(self._named, __name__), self._seconds)
            answer = self._parser.read({"id": "reply", "input": [text]})
        except CommandError as error:
            raise Unreadable(f"--runs {self._named}: {error}") from None
        except Crashed:
            return ()
        except NoAnswer as error:
            raise Unreadable(f"--runs {self._named}: {error}. The reply was {text!r}") from None
        return tuple(Call(item.name, item.arguments) for step in answer.steps for item in step if isinstance(item, Ran))

    def close(self) -> None:
        """End the program. The next reply begins it anew."""
        if self._parser is not None:
            self._parser.close()


class _Function:
    """A function as a parser that is served."""

    capabilities = frozenset({"fence"})

    def __init__(self, name: str, runs: Runs) -> None:
        self.name: Final = name
        self._runs: Final = runs

    def read(self, question: Json) -> Answer:
        """Return the calls that the function would run of a reply."""
        try:
            return Answer.whole(Ran(call.tool, call.arguments) for call in called(self._runs, question["input"][0]))
        except Unreadable as error:
            raise NoAnswer(str(error)) from None


def _made(named: str) -> _Function:
    """Return the function of this name as a parser. Raises Unfit."""
    module, colon, name = named.rpartition(":")
    if not colon:
        raise Unfit("expected module:name of a function")
    try:
        found: Any = imported(module, name)
    except Unreadable as error:
        raise Unfit(str(error)) from None
    if not callable(found):
        raise Unfit(f"it is no function, but of the type {type(found).__name__}")
    if inspect.iscoroutinefunction(found) or inspect.isasyncgenfunction(found):
        raise Unfit("it is async; name a plain function, such as one that calls asyncio.run")
    return _Function(named, cast("Runs", found))


if __name__ == "__main__":
    main(sys.argv[1], _made)
