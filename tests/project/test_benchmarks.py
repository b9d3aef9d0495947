"""The fixtures of the benchmarks, and that every contestant comes to the right value."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import dialects, fixtures, repair
from benchmarks.contestants import PEERS, VALIDATORS, body, body_alone, compiled, guard, toolset
from stream_guard import Guard
from stream_guard.schema.json_text import parse
from stream_guard.tools.files import FILE_TOOLS

SIZE = 400
ROOT = Path(__file__).parents[2]


def test_the_fixtures_are_what_they_say() -> None:
    text = fixtures.prose(10_000)
    assert len(text) == 10_000
    assert list(Guard(FILE_TOOLS).scan([text])) == [text]
    for size in (1_000, 64_000, 1_000_000):
        assert 0.9 * size < len(fixtures.body(size)) < size + 100
        assert json.loads(fixtures.body(size)) == fixtures.call(size)
    assert "".join(fixtures.deltas(text)) == text
    assert {len(delta) for delta in fixtures.deltas(text)} == {4}


def test_the_guard_finds_the_call() -> None:
    assert guard(fixtures.deltas(fixtures.reply(SIZE))) == fixtures.call(SIZE)


PEER = """
import json, sys
from benchmarks import fixtures
from benchmarks.contestants import PEERS

try:
    print(json.dumps(PEERS[sys.argv[1]](fixtures.deltas(fixtures.body(int(sys.argv[2]))))))
except ImportError as error:
    print(f"{error.name} is not installed; `make bench` installs it")
"""


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_comes_to_the_same_value(name: str) -> None:
    """In a process of its own: some leave event loops and warnings behind."""
    done = subprocess.run(
        [sys.executable, "-c", PEER, name, str(SIZE)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    said = done.stdout.splitlines()[-1]
    if said.endswith("installs it"):
        pytest.skip(said)
    assert json.loads(said) == fixtures.call(SIZE)


@pytest.mark.parametrize("name", VALIDATORS)
def test_every_validator_takes_the_good_call_and_no_other(name: str) -> None:
    try:
        is_valid = VALIDATORS[name]()
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed; `make bench` installs it")
    good = fixtures.arguments(10_000)
    assert is_valid(good)
    for change in ({"path": ""}, {"path": 3}, {"content": None}, {"more": 1}):
        assert not is_valid({**good, **change})
    assert not is_valid({"path": "a"})


def test_a_body_is_judged_alike_with_and_without_the_guard() -> None:
    alone = body_alone()
    for text, verdict in ((fixtures.body(10_000), True), ('{"tool": "write_file", "path": "a"}', False)):
        assert body(text) is alone(text) is verdict


def test_five_hundred_tools_are_five_hundred() -> None:
    schemas = fixtures.schemas(500)
    assert len(toolset(schemas)) == len(compiled(schemas)) == len({json.dumps(schema) for schema in schemas}) == 500


@pytest.mark.parametrize("name", repair.CONTESTANTS)
def test_every_repairer_mends_what_it_says_it_mends(name: str) -> None:
    """A trailing comma, for one; and a score counts what it says."""
    try:
        contestant = repair.CONTESTANTS[name]()
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed; `make bench` installs it")
    call = {"tool": "write_file", "path": "a.txt", "content": "x"}
    broken = [repair.Broken(json.dumps(call)[:-1] + end, [call]) for end in (",}", ", }")]
    made = repair.score(contestant, [*broken, repair.Broken(broken[0].body, [{}])])
    if name == "partial-json-parser":
        assert (made.exact, made.refused) in ((0, 3), (2, 0))
    else:
        assert (made.exact, made.wrong, made.refused) == (2, 1, 0)
    assert len(made.seconds) == 3


def test_the_faults_are_faults() -> None:
    rows = repair.faults(50, least=200, most=4_000)
    assert all(200 <= len(row.body) <= 4_000 and not parse(row.body).ok for row in rows)
    assert repair.score(repair.guard(), rows).wrong == 0


@pytest.mark.parametrize("dialect", dialects.COMPARED)
def test_the_guard_reads_the_calls_that_are_measured_in_dialects(dialect: str) -> None:
    """As they are, and where markers stay whole; and the page has a row for each."""
    written = dialects.text(dialect, SIZE)
    assert "".join(dialects.whole_markers(written)) == written
    for deltas in (fixtures.deltas(written), dialects.whole_markers(written)):
        said = dialects.ours(dialect)(deltas)
        assert {key: value for key, value in said.items() if key != "tool"} == dialects.call(SIZE)
    assert f"| `{dialect}` |" in dialects.PAGE.read_text(encoding="utf-8")
