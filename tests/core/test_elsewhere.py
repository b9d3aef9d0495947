"""A public name that is looked for at the top of a package says where it stands."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules

import pytest
import stream_guard_adapters

import stream_guard
from docs.site import REFERENCE
from stream_guard.elsewhere import PLACES


def test_the_places_are_those_of_the_reference() -> None:
    """All names that stand in the table are public there."""
    public = {(module, name) for _, modules in REFERENCE.values() for module, names in modules.items() for name in names}
    assert {(module, name) for module, names in PLACES.items() for name in names} <= public


def test_no_name_is_that_of_a_module_at_the_top() -> None:
    """Or else `from package import module` would say that it stands elsewhere."""
    names = {name for names in PLACES.values() for name in names}
    for package in (stream_guard, stream_guard_adapters):
        assert names.isdisjoint(module.name for module in iter_modules(package.__path__))


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in PLACES.items() for name in names])
def test_a_name_that_stands_elsewhere_says_where(module: str, name: str) -> None:
    for package in ("stream_guard", "stream_guard_adapters"):
        if module == package:
            continue
        with pytest.raises(ImportError, match=f"write `from {module} import {name}`"):
            exec(f"from {package} import {name}", {})
    with suppress(ModuleNotFoundError):  # of what the module is for
        assert hasattr(import_module(module), name)


@pytest.mark.parametrize("guess", ["Tools", "ToolSet"])
def test_a_guess_is_told_the_name(guess: str) -> None:
    with pytest.raises(ImportError, match="write `from stream_guard import Toolset`"):
        exec(f"from stream_guard import {guess}", {})


def test_any_other_name_is_missing_as_names_are() -> None:
    for package in (stream_guard, stream_guard_adapters):
        assert not hasattr(package, "nothing_of_this_name")
        with pytest.raises(AttributeError, match="has no attribute 'nothing_of_this_name'"):
            _ = package.nothing_of_this_name
