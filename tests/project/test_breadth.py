"""What is broad is tried in part, and whole where that is asked for."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from stream_guard.testing import every_split
from tests import conftest
from tests.kit import breadth

MAKEFILE = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
CELLS = [*product("abcdef", range(40))]


@pytest.fixture(autouse=True)
def in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `make test` does, whatever runs these tests."""
    monkeypatch.setattr(breadth, "WHOLE", False)
    monkeypatch.setattr(conftest, "WHOLE", False)
    monkeypatch.setattr(breadth.Running, "marked", True)


def test_every_kind_is_tried_and_the_same_cells_each_time() -> None:
    tried = breadth.some(CELLS, 10, kind=lambda cell: cell[0])
    assert len(tried) == 10
    assert {kind for kind, _ in tried} == set("abcdef")
    assert tried == sorted(tried) == breadth.some(iter(CELLS), 10, kind=lambda cell: cell[0])
    assert len(breadth.some(CELLS, 2, kind=lambda cell: cell[0])) == 6, "a kind is never left out"


def test_a_text_is_cut_at_some_places_and_by_character() -> None:
    text = "0123456789"
    tried = [*breadth.splits(text, 4)]
    assert len(tried) == 5
    assert tried[-1] == list(text)
    assert all(cut in [*every_split(text)] for cut in tried)
    assert tried == [*breadth.splits(text, 4)]


def test_each_value_of_each_parameter_is_tried() -> None:
    """Of each test by itself, however many of its cases are to be tried."""
    cases = [(test, most, {"x": x, "y": y}) for test, most in (("one", 30), ("two", 1)) for x in range(20) for y in range(5)]
    tried = [cases[at] for at in sorted(breadth.of_each_test(cases))]
    for name, least, most in (("one", 30, 30), ("two", 20, 25)):
        of_it = [values for test, _, values in tried if test == name]
        assert least <= len(of_it) <= most
        assert {values["x"] for values in of_it} == set(range(20))
        assert {values["y"] for values in of_it} == set(range(5))


def test_a_mark_leaves_out_cases_unless_one_is_asked_for_by_name(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.conftest import pytest_collection_modifyitems")
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.some(6)
        @pytest.mark.parametrize(("x", "y"), [(x, str(x)) for x in range(4)])
        @pytest.mark.parametrize("z", [[], {}])
        def test_broad(x, y, z): pass

        @pytest.mark.some(0)
        def test_long(): pass

        @pytest.mark.some(0)
        @pytest.mark.parametrize("x", [1, 2])
        def test_long_too(x): pass
        """
    )
    for asked, count in (([], 6), (["-k", "test_broad"], 8), (["-k", "3-3"], 2), (["-k", "long"], 3)):
        told = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-W", "ignore", *asked).parseoutcomes()
        assert told.get("passed") == count, asked


def test_all_of_it_is_tried_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breadth, "WHOLE", True)
    assert breadth.some(CELLS, 10) == CELLS
    assert [*breadth.splits("012345", 1)] == [*every_split("012345")]


def test_a_test_that_tries_some_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else `make more` would not try the rest."""
    monkeypatch.setattr(breadth.Running, "marked", False)
    for tried in (lambda: breadth.some(CELLS, 10), lambda: [*breadth.splits("012345", 1)]):
        with pytest.raises(AssertionError, match="is marked `some`"):
            tried()


@pytest.mark.parametrize("word", ["more", "prove"])
def test_the_words_that_try_all_ask_for_it(word: str) -> None:
    (recipe,) = re.findall(rf"^{word}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe.lstrip().startswith("WHOLE=1 ")
    assert word == "prove" or "-m 'more or some'" in recipe
