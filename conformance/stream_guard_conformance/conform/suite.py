"""`ConformanceSuite`: the corpus as tests of pytest, for a parser in Python.

    from stream_guard_conformance.conform.suite import ConformanceSuite

    class TestMyParser(ConformanceSuite):
        def make_parser(self):
            return MyParser()

There is a test for each class of rows. One that needs what the parser does not claim is skipped. pytest does not come with the
package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ..corpus import Row, corpus
from ..events import rows as odd_rows
from .checking import Verdict, applies
from .parser import Parser
from .trying import tried, unknown_claims


class ConformanceSuite:
    """Tests of a parser. Inherit from it, and say how the parser is made."""

    only: ClassVar[str | Sequence[str]] = ()
    """The classes that are tried, or the beginnings of their names; all when there is none."""

    known: ClassVar[Mapping[str, str]] = {}
    """Rows that are known to fail, by id, each with the reason. One that passes, or does not exist, is an error."""

    events: ClassVar[int] = 0
    """How many streams of odd events are tried, too."""

    def make_parser(self) -> Parser:
        """Return a new parser."""
        raise NotImplementedError("say how the parser is made: def make_parser(self): return MyParser()")

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Make a test for each class of rows."""
        rows = list(self._rows())
        names = dict.fromkeys(row.kind for row in rows)
        only = (self.only,) if isinstance(self.only, str) else tuple(self.only)
        if nothing := [name for name in only if not any(kind.startswith(name) for kind in names)]:
            raise ValueError(f"{type(self).__name__}.only: no class begins with {' or '.join(nothing)}")
        if unknown := sorted(self.known.keys() - {row.id for row in rows}):
            raise ValueError(f"{type(self).__name__}.known: no row is called {' or '.join(unknown)}")
        metafunc.parametrize("conformance_class", [name for name in names if not only or name.startswith(only)])

    def test_rows_of_a_class(self, conformance_class: str) -> None:
        """Every row of the class has a verdict that is right."""
        import pytest  # deferred: only who tests has it

        parser = self.make_parser()
        unknown = unknown_claims(parser)
        assert not unknown, "; ".join(unknown)
        rows = [row for row in self._rows() if row.kind == conformance_class]
        if not any(applies(row, parser.capabilities) for row in rows):
            pytest.skip(f"{parser.name} does not claim what the rows of {conformance_class} need")
        results = [result for result in tried(rows, parser) if result.verdict is not Verdict.NOT_CLAIMED]
        wrong = [result for result in results if not result.verdict.right and result.row.id not in self.known]
        lines = [f"{each.row.id}: {each.verdict}: {each.finding.says}\n  {each.row.why}" for each in wrong[:5]]
        assert not wrong, f"{len(wrong)} of {len(rows)} rows are wrong:\n" + "\n".join(lines)
        passing = [result.row.id for result in results if result.verdict.right and result.row.id in self.known]
        assert not passing, f"these rows are known to fail, and pass: {', '.join(passing)}"

    def _rows(self) -> Iterator[Row]:
        yield from corpus()
        yield from odd_rows(self.events)
