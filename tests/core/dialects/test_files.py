"""The fields of tools for files, and the paths that stand alone."""

from __future__ import annotations

import pytest

from stream_guard.dialects.files import BARE_PATH, SAMPLES, only, path_of, value_of
from stream_guard.dialects.tables import DIALECTS


def test_a_text_is_found_under_any_of_its_names_and_inside_another_field() -> None:
    nested = {"path": "a", "search_replace": {"old_string": "x", "new_string": "y"}}
    for arguments in (nested, {"file_path": "a", "search": "x", "replace": "y"}):
        assert only(arguments, "path", "search", "replace") == ("a", "x", "y")
        assert value_of(arguments, "search") == "x"


@pytest.mark.parametrize("arguments", [{}, {"path": 1}, {"path": "a", "file_path": "b"}, {"path": "a", "mode": "w"}])
def test_what_is_missing_or_too_much_is_an_error(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="a call in this dialect"):
        only(arguments, "path")


@pytest.mark.parametrize("path", ["a.txt", "src/a.py", "Makefile", ".env", "../x", "a/[id]/page(1).tsx", "~/a"])
def test_a_bare_path_is_known_for_one(path: str) -> None:
    assert BARE_PATH.fullmatch(path)


@pytest.mark.parametrize(
    "line", ["", "Here it is", "so:", "Done.", "**a**", "`a`", "# a", "=======", "```", "> a", "a" * 600, "-" * 5]
)
def test_a_line_of_markdown_or_of_prose_is_no_bare_path(line: str) -> None:
    assert not BARE_PATH.fullmatch(line)


@pytest.mark.parametrize("path", ["", " a", "a ", "a\nb", "a\x00b"])
def test_a_path_that_cannot_stand_in_its_line_is_an_error(path: str) -> None:
    with pytest.raises(ValueError, match="the path must be one line"):
        path_of(path)
    assert path_of("a b/c.txt") == "a b/c.txt"


def test_every_sample_can_be_written_in_some_dialect() -> None:
    for name, arguments in SAMPLES:
        assert any(name in dialect.tools and dialect.whole for dialect in DIALECTS.values())
        assert DIALECTS["v4a_patch"].write([(name, arguments)])
