"""Checks of what an app gives, where it gives it.

Rule: a value that would fail later, or do something else than was meant, raises at once; the message has the name of the
argument, what it takes, and what was given.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from reprlib import Repr
from typing import Any, Final

_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxother = 80

_MANY: Final = {1: "one argument", 2: "two arguments"}


def shown(value: object) -> str:
    """Return a value as a message has it: cut short, since it may be any object of an app."""
    return _SHORT.repr(value)


def is_seconds(value: object) -> bool:
    """Return whether a value is a number of seconds to wait: an `int` or `float` above 0, but not `True`."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def is_count(value: object, least: int = 1) -> bool:
    """Return whether a value is an `int` of at least `least`; `True` and `False` are not."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def check_flag(name: str, value: object) -> None:
    """Raise TypeError for a switch that is not `True` or `False`. The string `"no"`, for example, would switch it on."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")


def check_kind(name: str, value: object, kind: type, example: str) -> None:
    """Raise TypeError for a value that is not of this kind; the message shows `example`, a value that is."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIO" else "a"
        raise TypeError(f"{name} must be {article} {kind.__name__}, such as {example}, not {shown(value)}")


def check_hook(name: str, hook: object, takes: int = 1) -> None:
    """Raise TypeError for a hook that cannot be called with `takes` arguments, or whose call would do nothing: an async
    function or a generator. `None` means no hook.
    """
    if hook is None:
        return
    wanted = f"{name} must be a function of {_MANY[takes]}, or None"
    if not callable(hook):
        raise TypeError(f"{wanted}; {shown(hook)} cannot be called")
    if is_awaited(hook):
        raise TypeError(f"{wanted}, and not async: nobody would await it. Let it put its work into a queue or a task")
    if any(map(inspect.isgeneratorfunction, _ways(hook))):
        raise TypeError(f"{wanted}, and not one that yields: nobody would run it")
    wrong = unbound(hook, takes)
    if wrong is not None:
        raise TypeError(f"{wanted}; {wrong}")


def is_awaited(asked: object) -> bool:
    """Return whether a call of `asked` only makes a coroutine or an async generator, which does nothing until awaited."""
    return any(inspect.iscoroutinefunction(way) or inspect.isasyncgenfunction(way) for way in _ways(asked))


def _ways(asked: object) -> tuple[object, object]:
    return asked, type(asked).__call__


def unbound(asked: Any, takes: int) -> str | None:
    """Return why a callable cannot be called with `takes` arguments; None if it can, or if its signature is unknown."""
    try:
        signature = inspect.signature(asked)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*[None] * takes)
    except TypeError as error:
        return f"{getattr(asked, '__name__', type(asked).__name__)}{signature} does not take {_MANY[takes]} ({error})"
    return None


def several(name: str, given: Any, what: str) -> Sequence[Any]:
    """Return the items of an argument that takes several, as a tuple. One string is an item by itself; a value without items,
    and bytes, raise TypeError.
    """
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        return tuple(given)
    raise TypeError(f"{name} must be a list of {what}, not {shown(given)}")
