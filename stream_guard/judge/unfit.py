"""Checks a callable of the app that the guard awaits, `approve` or a corrector, before it is called."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from types import FunctionType, MethodType
from typing import Any

from ..values.given import unbound


def unfit(asked: Any, *, takes: int, gives: str, types: Collection[str], annotated: bool = False) -> str | None:
    """Return what is wrong with an async callable, as far as that shows before it is called; None if nothing is wrong.

    Args:
        asked: The callable.
        takes: How many arguments it has to take.
        gives: What it has to return, in words.
        types: The names of the types of that. A plain function that is annotated to return one is not async.
        annotated: Whether a plain function has to be annotated to return an awaitable. A lambda cannot be.
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
    says = signature.return_annotation is not signature.empty
    returns = getattr(signature.return_annotation, "__name__", signature.return_annotation)
    is_async = any(inspect.iscoroutinefunction(way) for way in (*ways, inspect.unwrap(asked)))
    if not is_async and (returns in types or (annotated and not says and isinstance(asked, FunctionType | MethodType))):
        return f"{name} is not async; make it `async def`"
    return None


def unfit_approver(asked: object) -> str | None:
    """Return what is wrong with an `approve`; None if nothing is wrong that shows before it is called."""
    return unfit(asked, takes=2, gives="the answer", types=("bool", "str", "None"), annotated=True)
