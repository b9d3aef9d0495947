"""Tells of a callable that an app gives whether it can be asked, as far as that shows before it is called."""

from __future__ import annotations

import inspect
from collections.abc import Collection

from ..values.given import unbound


def unfit(asked: object, *, takes: int, gives: str, types: Collection[str]) -> str | None:
    """Return what is wrong with an async callable, as far as that shows before it is called; None if nothing does.

    Args:
        asked: The callable.
        takes: How many arguments it has to take.
        gives: What it has to return, in words.
        types: The names of the types of that. A plain function that is annotated to return one is not async.
    """
    if isinstance(asked, type):
        return f"{asked.__name__} is a class; make one"
    if not callable(asked):
        return f"{type(asked).__name__} cannot be called"
    name = getattr(asked, "__name__", type(asked).__name__)
    ways = (asked, type(asked).__call__)
    if any(inspect.isasyncgenfunction(way) or inspect.isgeneratorfunction(way) for way in ways):
        return f"{name} yields; return {gives}"
    wrong = unbound(asked, takes)
    if wrong is not None:
        return wrong
    try:
        signature = inspect.signature(asked)
    except (TypeError, ValueError):  # it does not tell
        return None
    returns = getattr(signature.return_annotation, "__name__", signature.return_annotation)
    if not any(inspect.iscoroutinefunction(way) for way in ways) and returns in types:
        return f"{name} is not async; make it `async def`"
    return None
