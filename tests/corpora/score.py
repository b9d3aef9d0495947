"""Scores the guard on the rows of this folder: `python -m tests.corpora.score [--aside] [--list]`.

Without `--aside` it scores the rows to work with. With it, it scores the third that is kept for the last measurement, which who
mends must not look at. `--list` names the rows that are not exact. Only the public API is used.

exact    what was meant, and nothing else, is executable; of a row that must fail: nothing is
wrong    a call or lesson came out that was not meant
refused  nothing came out, or not all of what was meant
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final, Literal

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.tools.lessons import validate_lesson_data
from tests.corpora.rows import HERE, TOOLSETS

Row = dict[str, Any]
Result = Literal["exact", "wrong", "refused"]
RESULTS: Final[tuple[Result, ...]] = ("exact", "wrong", "refused")


def rows(name: str) -> list[Row]:
    """The rows of a file."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def guards(fixes: Literal["likely", "off"] = "likely") -> dict[str, Guard]:
    """A guard for each toolset."""
    made = {}
    for name, held in TOOLSETS.items():
        tools = [Tool(one["name"], one["description"], one["schema"], risk=Risk[one["risk"].upper()]) for one in held["tools"]]
        made[name] = Guard(Toolset.of(*tools), fixes=fixes)
    return made


def same(one: object, other: object) -> bool:
    """Whether two values are the same JSON: true is no number, and 2.0 is 2."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def within(some: list[Any], meant: list[Any]) -> bool:
    """Whether some are among those that were meant, in their order."""
    left = iter(meant)
    return all(any(same(one, other) for other in left) for one in some)


def reply(row: Row, guard: Guard) -> tuple[Result, str]:
    """The result of a reply, and what came out."""
    items = guard.scan([row["text"], End(row["ended"])])
    blocks = [item for item in items if isinstance(item, ToolBlock)]
    ran = [dict(block.arguments or {}) for block in blocks if block.executable]
    shown = (
        json.dumps(ran, ensure_ascii=False)
        if ran
        else "; ".join(issue.message for block in blocks for issue in block.issues[:1])
    )
    meant = [[]] if row["expected"] is None else [row["expected"], *row.get("accept", ())]
    if any(same(ran, one) for one in meant):
        return "exact", shown
    return ("refused" if any(within(ran, one) for one in meant) else "wrong"), shown or "text"


def lesson(row: Row) -> tuple[Result, str]:
    """The result of a lesson, and what came out. One that must fail is exact if it has an issue at or inside each place."""
    out = validate_lesson_data(row["lesson"])
    if out.data is not None:
        got = json.loads(json.dumps(out.data.lesson, default=dict))
        meant = [] if row["expected"] is None else [row["expected"], *row.get("accept", ())]
        return ("exact" if any(same(got, one) for one in meant) else "wrong"), json.dumps(got, ensure_ascii=False)
    issues = [f"{issue.location}.{issue.field}".strip(".") for issue in out.error.details] if out.error else []
    if row["expected"] is not None:
        return "refused", "; ".join(issues)
    found = all(
        any(f"{issue}.".replace("[", ".").startswith(f"{place}.".replace("[", ".")) for issue in issues)
        for place in row["issues"]
    )
    return ("exact" if found else "refused"), "; ".join(issues)


class Tally:
    """Counts of results, plain and weighted."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(RESULTS, 0)
        self.weights = dict.fromkeys(RESULTS, 0)

    def add(self, result: Result, weight: int) -> None:
        """Count a result."""
        self.counts[result] += 1
        self.weights[result] += weight

    def __str__(self) -> str:
        shares = [f"{result} {100 * self.weights[result] / sum(self.weights.values()):5.1f}%" for result in RESULTS]
        counts = [f"{result} {self.counts[result]:3}" for result in RESULTS]
        return f"{sum(self.counts.values()):4} rows: {', '.join(counts)}; by frequency: {', '.join(shares)}"


def report(name: str, scored: Iterable[tuple[Row, Result, str]], *, listed: bool) -> None:
    """Print the tallies of a file: all, those to be mended, those that must fail, and each class."""
    groups: dict[str, Tally] = defaultdict(Tally)
    missed = []
    for row, result, shown in scored:
        kind = "must fail" if row["expected"] is None else "to be mended"
        for group in (" all", f" {kind}", *row["class"].split("+")):
            groups[group].add(result, row["weight"])
        if result != "exact":
            missed.append(f"{result:8} {row['id']}: {row['why']}\n    {shown[:300]}")
    print(f"## {name}")
    for group in sorted(groups):
        print(f"{group.strip():24} {groups[group]}")
    if listed:
        print(*sorted(missed), sep="\n")
    print()


def main() -> None:
    """Score both files."""
    parser = argparse.ArgumentParser(description="Score the guard on broken replies and spoilt lessons.")
    parser.add_argument("--aside", action="store_true", help="score the third kept for the last measurement")
    parser.add_argument("--list", action="store_true", help="name the rows that are not exact")
    options = parser.parse_args()
    by_name = guards()
    replies = [row for row in rows("broken_replies.jsonl") if row["aside"] == options.aside]
    lessons = [row for row in rows("lessons.jsonl") if row["aside"] == options.aside]
    report("broken replies", ((row, *reply(row, by_name[row["tool"]])) for row in replies), listed=options.list)
    report("lessons", ((row, *lesson(row)) for row in lessons), listed=options.list)


if __name__ == "__main__":
    main()
