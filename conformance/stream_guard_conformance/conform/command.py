"""A program as a parser: lines of JSON into its standard input, and out of its standard output.

The first line asks `{"ask": "capabilities", "version": 4}`, and the answer is `{"name": ..., "capabilities": [...]}`. Every
other line is the question of a row, with `"ask": "row"`; the answer to it is one line, as `answer.schema.json` says.

Rule 1: an answer has a bounded time and size, and nothing is read ahead of a question. A program that does not answer is
ended, and the next row has a new one.
Rule 2: a program that ends is begun anew for the row after the next question, whose row has the verdict `crashed`: whether it
ended before or after that question came cannot be known, and does not matter.
Rule 3: a program is the first of a process group. The processes that it has begun end with it, unless they left the group.
"""

from __future__ import annotations

import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Self

from ..corpus import VERSION
from ..toolsets import Json
from .parser import CRASHED, NO_ANSWER, TOO_MANY_DIGITS, Answer, brief, shown
from .trying import Crashed, NoAnswer, once

LONGEST: Final = 16 * 1024 * 1024
"""Limit: characters of an answer."""

STARTING: Final = 60.0
"""Limit: seconds that a program gets to answer its first line, where a row has fewer: it may have much to load."""

PARTING: Final = 2.0
"""Limit: seconds that a program gets to end after its input has."""

HELLO: Final[Json] = {"ask": "capabilities", "version": VERSION}
"""The first line that a program gets."""


class CommandError(Exception):
    """Raised when a program cannot be run, or does not state its capabilities."""


class CommandParser:
    """A program as a parser.

    Args:
        command: Its command line.
        seconds: How long it may take for a row.

    Raises:
        CommandError: It cannot be run, or does not say what it can do.
    """

    def __init__(self, command: str | Sequence[str], seconds: float = 10.0) -> None:
        try:
            self._command: Final = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise CommandError(f"the command {command!r} cannot be read: {error}") from None
        if not self._command:
            raise CommandError("the command is empty: give a program, such as `node my_parser.mjs`")
        self._seconds: Final = seconds
        self._process: subprocess.Popen[str] | None = None
        self._asking = threading.Thread()
        try:
            said = self._hello()
            if CRASHED in said:
                self.close()
                raise CommandError(_text(said[CRASHED]))
            name, claims = said.get("name"), said.get("capabilities")
            if not isinstance(name, str) or not isinstance(claims, list) or not all(isinstance(claim, str) for claim in claims):
                raise NoAnswer(f"it answered {shown(said)}")
            self.name = brief(name, 100)
            self.capabilities = frozenset(claims)
        except (NoAnswer, Crashed) as error:
            self.close()
            raise CommandError(
                f"{self._command[0]} did not say what it can do: it must answer the first line with "
                f'{{"name": "my parser", "capabilities": ["fence"]}}; {error}'
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, question: Json) -> Answer:
        """Return the program's answer to a row.

        Raises:
            NoAnswer: It did not answer in time, or with what cannot be read, or says so.
            Crashed: It ended, before it was asked or then, or says that its parser failed.
        """
        if self._process is None:
            self._hello()  # one that was begun anew is asked what it can do, as the first one was
        said = self._ask({"ask": "row", **question}, self._seconds)
        if said.get("id") != question["id"]:
            self.close()
            whose = f"is to {shown(said['id'])}, and not to this row" if "id" in said else "has no `id`: it may be to any row"
            raise NoAnswer(f"the answer {whose}")
        if CRASHED in said:
            raise Crashed(_text(said[CRASHED]))
        if NO_ANSWER in said:
            raise NoAnswer(_text(said[NO_ANSWER]))
        try:
            return Answer.from_json(said)
        except ValueError as error:
            raise NoAnswer(str(error)) from None
        except RecursionError:
            raise NoAnswer("the answer is nested too deep to be read") from None

    def close(self) -> int | None:
        """End the program, and return its status. Closing again does nothing; the next row begins it anew."""
        process, self._process = self._process, None
        if process is None:
            return None
        if self._asking.is_alive():  # nobody waits for its answer any more
            _kill(process)
            self._asking.join(PARTING)
        if self._asking.is_alive():  # a program that it began holds its pipes open
            return process.wait()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            return process.wait(PARTING)
        except subprocess.TimeoutExpired:
            _kill(process)
            return process.wait()
        finally:
            _kill(process)
            process.stdout.close()

    def _hello(self) -> Json:
        return self._ask(HELLO, max(STARTING, self._seconds))

    def _ask(self, question: Json, seconds: float) -> Json:
        process = self._running()
        answer: queue.Queue[str] = queue.Queue()
        self._asking = threading.Thread(target=_exchange, args=(process, json.dumps(question) + "\n", answer), daemon=True)
        self._asking.start()
        try:
            line = answer.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise NoAnswer(f"no answer within {seconds:g} seconds") from None
        self._asking.join()
        if line.endswith("\n"):
            try:
                return _object(line)
            except NoAnswer:
                self.close()  # where its next answer would begin is not known
                raise
        if len(line) >= LONGEST:
            _kill(process)
            self.close()
            raise NoAnswer(f"the answer is longer than {LONGEST:,} characters: {line[:80]!r}")
        try:
            status = process.wait(PARTING)
        except subprocess.TimeoutExpired:
            _kill(process)
            self.close()
            raise NoAnswer("the program closed its output or its input, and did not end") from None
        self.close()
        raise Crashed(f"the program ended with status {status}")  # and cut off what it said

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None:
            return self._process
        try:
            process = subprocess.Popen(  # noqa: S603  # it is what the caller asked for
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                bufsize=-1,
                start_new_session=True,
            )
        except OSError as error:
            raise CommandError(f"cannot run {self._command[0]}: {error.strerror or error}") from None
        self._process = process
        return process


def _kill(process: subprocess.Popen[str]) -> None:
    """End a program and what it has begun; only the program where there are no process groups."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):  # none of them is left
            os.killpg(process.pid, signal.SIGKILL)


def _exchange(process: subprocess.Popen[str], question: str, answer: queue.Queue[str]) -> None:
    """Write a question, and put the line that follows into a queue: without a line end if it is too long, or the program ended.

    It runs in a thread, since a program may read nothing, and write nothing.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    line = ""
    with suppress(OSError):  # it has ended
        process.stdin.write(question)
        process.stdin.flush()
        line = process.stdout.readline(LONGEST)
    answer.put(line)


def _text(given: Any) -> str:
    """Return why a program did not answer, which should be a text."""
    return given if isinstance(given, str) else shown(given)


def _object(line: str) -> Json:
    try:
        said: Any = json.loads(line, object_pairs_hook=once)
    except json.JSONDecodeError:
        raise NoAnswer(f"the answer is not JSON: {line[:80]!r}") from None
    except ValueError:  # JSON, which Python does not turn into a number
        raise NoAnswer(f"the answer has {TOO_MANY_DIGITS}: {line[:80]!r}") from None
    except RecursionError:
        raise NoAnswer(f"the answer is nested too deep to be read: {line[:80]!r}") from None
    if not isinstance(said, dict):
        raise NoAnswer(f"the answer is not an object: {line[:80]!r}")
    return said
