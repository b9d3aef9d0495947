"""`stream-guard attack`: the fault grammar on tools of one's own, what it reports, and what it advises."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stream_guard_conformance.advice import advise
from stream_guard_conformance.attack import attack, prepare
from stream_guard_conformance.functions import called
from stream_guard_conformance.run import Own, run
from stream_guard_conformance.run import main as own_toolsets
from stream_guard_conformance.toolsets import FILES
from stream_guard_conformance.verdicts import Verdict

from stream_guard import Guard, Risk, Tool, Toolset, ValidationIssue
from stream_guard.command.cli import main
from stream_guard.spi import ENDS
from stream_guard.values.fix import AutoFix
from tests.kit.lessons import BASES
from tests.kit.proof import Cases

SHOP_BLOCKS = int(os.environ.get("BLOCKS", "1500")) // 15
"""How many blocks of the shop are tried; more under `make more`."""

TEXT: Any = {"type": "string"}


def closed(required: str = "", **fields: Any) -> Any:
    return {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}


UUID: Any = {"type": "string", "format": "uuid"}
ITEM = closed(
    "sku count",
    sku={"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$"},
    count={"type": "integer", "minimum": 1, "maximum": 99},
    note={"type": "string", "maxLength": 80},
)
HOME = closed("kind door", kind={"const": "home"}, door={"type": "integer"})
PICKUP = closed("kind shop", kind={"const": "pickup"}, shop=UUID)
ORDER = closed(
    "items",
    items={"type": "array", "minItems": 1, "items": ITEM},
    deliver={"anyOf": [HOME, PICKUP]},
    express={"type": "boolean"},
)
FIND = closed("query", query=TEXT, since={"type": "string", "format": "date"}, limit={"type": ["integer", "null"]})
SHOP = Toolset(
    Tool("order_items", "", ORDER),
    Tool("find_orders", "", FIND),
    Tool("cancel_order", "", closed("order", order=UUID), risk=Risk.DESTRUCTIVE),
)
"""Records, a pattern, formats, bounds, a union with a constant, several types; and a tool that takes something away."""


def raises(reply: str) -> Iterable[tuple[str, dict[str, Any]]]:
    raise ValueError(reply)


def whatever_it_says(reply: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """A parser that accepts everything: it reads what it can, and runs it."""
    body = reply.partition("```json\n")[2].partition("\n```")[0]
    tool = re.search(r'"(?:tool|name)"\s*:+\s*"(\w+)"', body)
    if tool:
        yield tool[1], dict(re.findall(r'"(\w+)"\s*:\s*"([^"]*)"', body))


def leaves(reply: str) -> Iterable[tuple[str, dict[str, Any]]]:
    raise SystemExit(3)


def cancelled(reply: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """A parser whose own loop is cancelled."""

    async def reads() -> list[tuple[str, dict[str, Any]]]:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)
        return []

    return asyncio.run(reads())


def yields_an_object(reply: str) -> Iterable[tuple[str, Any]]:
    """A parser that makes what is no JSON of its arguments."""
    yield "find_orders", {"query": object()}


def yields_names(reply: str) -> Iterable[str]:
    """No parser as the command takes them."""
    yield "find_orders"


def never_returns(reply: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """A parser that has no end for some broken blocks."""
    if not _sound(reply):
        while True:
            pass
    return whatever_it_says(reply)


def ends_its_process(reply: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """A parser in C that fails on broken blocks."""
    if not _sound(reply):
        os._exit(3)
    return whatever_it_says(reply)


def prints(reply: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """A parser that says what it reads, and reads what is not for it."""
    print(reply, sys.stdin.read())
    return whatever_it_says(reply)


def _sound(reply: str) -> bool:
    """Return whether the block of a reply is JSON."""
    try:
        json.loads(reply.partition("```json\n")[2].partition("\n```")[0])
    except ValueError:
        return False
    return True


async def waits(reply: str) -> list[tuple[str, Any]]:
    return []


@pytest.mark.more
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("fixes", ["likely", "lossless"])
def test_nothing_of_a_shop_runs_that_was_not_meant(fixes: Any, cases: Cases) -> None:
    guard = Guard(SHOP, fixes=fixes)
    report = attack(prepare(guard), guard, SHOP_BLOCKS, faults=(1, 2, 3))
    total = report.table.total()
    cases(total.tried)
    assert total.tried > 0.98 * SHOP_BLOCKS
    assert not report.table.wrong()
    assert not report.left_out
    assert total[Verdict.EXACT]


def test_a_guard_of_those_settings_is_attacked() -> None:
    """Without fixes, what is exact was valid JSON all along."""
    exact = []
    for fixes in ("off", "likely"):
        guard = Guard(SHOP, fixes=fixes)
        exact.append(attack(prepare(guard), guard, 100).table.exact())
    assert exact[0] < exact[1] / 2


def test_what_accepts_everything_is_caught() -> None:
    """With the smallest block of each kind, and the number that draws it again."""
    guard = Guard(SHOP)
    report = attack(prepare(guard, whatever_it_says), guard, 300)
    wrong = report.table.wrong()
    assert len(wrong) > 30
    told = json.loads(json.dumps(report.to_dict()))
    assert told["verdicts"]["wrong"] == sum(kind.get("wrong", 0) for kind in told["kinds"].values()) > 100
    assert {"kinds", "text", "ran", "meant", "way", "number"} <= told["wrong"][0].keys()


@pytest.mark.parametrize("runs", [raises, leaves])
def test_a_parser_that_raises_runs_nothing(runs: Any) -> None:
    guard = Guard(SHOP)
    total = attack(prepare(guard, runs), guard, 20).table.total()
    assert total.tried == 20
    assert total[Verdict.EXACT] == total[Verdict.WRONG] == total[Verdict.GATED] == 0


def test_arguments_that_are_no_json_are_none_that_were_meant() -> None:
    guard = Guard(SHOP)
    report = attack(prepare(guard, yields_an_object), guard, 20)
    assert report.table.wrong()
    assert "what is no JSON: {'query': <object" in json.dumps(report.to_dict())


def test_a_tool_whose_arguments_contain_themselves_without_end_is_named_and_left_out() -> None:
    endless = Tool("nest", "", {**closed("x", x={"$ref": "#/$defs/x"}), "$defs": {"x": closed("x", x={"$ref": "#/$defs/x"})}})
    guard = Guard(Toolset(endless, *SHOP))
    report = attack(prepare(guard), guard, 20)
    assert report.left_out.keys() == {"nest"}
    assert not report.table.wrong()


def test_a_tool_with_rules_is_attacked_with_its_examples() -> None:
    """A draw does not know what a rule asks for; without examples it says so."""

    def long(arguments: Any) -> Iterable[ValidationIssue]:
        if len(str(arguments.get("name"))) != 13:
            yield ValidationIssue("schema", "a name has 13 letters", field="name")

    bare = Tool("ship", "", closed("name kind", name=TEXT, kind={"enum": ["a", "b"]}), rules=(long,))
    with pytest.raises(ValueError, match=r"no tool can be attacked: ship: none of 300 arguments .* examples"):
        prepare(Guard(Toolset(bare)))
    examples = ({"name": "Thirteen long", "kind": "a"}, {"name": "abcdefghijklm", "kind": "b"})
    given = Tool("ship", "", bare.schema, rules=(long,), examples=examples)
    subject = prepare(Guard(Toolset(given, *SHOP)))
    assert subject.left_out == {}
    assert {example["name"] for example in subject.toolsets[0].by_name["ship"].examples} == {"Thirteen long", "abcdefghijklm"}
    alone = prepare(Guard(Toolset(given)))
    kinds = ("trailing_comma", "bare_keys", "single_quotes", "missing_comma", "cut_open")  # which have a place
    assert run(100, kinds=kinds, processes=0, subject=alone).total().tried == 100


@pytest.mark.some(0)
def test_a_file_has_calls_for_tools_whose_arguments_cannot_be_drawn(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lessons have rules that no draw follows; calls that are not valid are left aside."""
    target = ["attack", "shop_app:LESSONS", "--blocks", "20", "--processes", "0"]
    assert main(target) == 2
    assert "give the tool examples=(...), or name a file of calls with --examples" in capsys.readouterr().err
    calls = [{"tool": "validate_lesson_data", "lessonData": lesson} for lesson in (*BASES.values(), {"no": "lesson"})]
    (app / "calls.jsonl").write_text("".join(f"{json.dumps(call)}\n" for call in calls), encoding="utf-8")
    assert main([*target, "--examples", "calls.jsonl"]) == 0
    assert "20 blocks" in capsys.readouterr().out
    for bad in ("[]", '{"path": "a"}', "{", "7"):
        (app / "bad.jsonl").write_text(f"{json.dumps(calls[0])}\n{bad}\n", encoding="utf-8")
        assert main([*target, "--examples", "bad.jsonl"]) == 2
        assert "bad.jsonl:2: expected a call as JSON" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["stream_guard.tools.files:FILE_TOOLS", "stream_guard.tools.lessons:LESSON_TOOLS"])
@pytest.mark.some(0)
def test_our_own_tools_are_attacked_out_of_the_box(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the lessons have examples."""
    assert main(["attack", target, "--blocks", "40", "--processes", "0"]) == 0
    out = capsys.readouterr().out
    assert "40 blocks" in out
    assert "not attacked" not in out


def test_what_a_tools_own_function_makes_of_a_call_is_no_wrong_call() -> None:
    def mend(arguments: Any) -> tuple[dict[str, Any], tuple[AutoFix, ...]]:
        return {"kind": "a", **arguments}, ()

    guard = Guard(Toolset(Tool("ship", "", closed("name kind", name=TEXT, kind={"enum": ["a", "b"]}), mend=mend)))
    assert not attack(prepare(guard), guard, 200).table.wrong()


def test_a_subject_has_tools_of_its_own() -> None:

    class Files(Own):
        toolsets = (FILES,)

    assert run(200, kinds=("trailing_comma", "bare_quotes"), processes=0, subject=Files()).total().tried == 200


# -- the advice


def said(*tools: Tool) -> set[tuple[str, str, tuple[str, ...]]]:
    return {(advice.tool, advice.about, advice.fields) for advice in advise(Toolset(*tools))}


def test_each_sort_of_advice() -> None:
    user = {"$ref": "#/$defs/user"}
    assert said(Tool("get_report", "", closed()), Tool("get_reports", "", closed())) == {
        ("get_report", "names", ("get_reports",))
    }
    assert said(Tool("purge_all", "", closed())) == {("purge_all", "risk", ())}
    assert said(Tool("purge_all", "", closed(), risk=Risk.DESTRUCTIVE)) == set()
    assert said(Tool("a", "", {"type": "object", "properties": {"x": {"type": "integer"}}})) == {
        ("a", "open", ("(arguments)",))
    }
    assert said(
        Tool("a", "", {**closed(one=user, two=user), "$defs": {"user": {"properties": {"id": {"type": "integer"}}}}})
    ) == {("a", "open", ("one", "two"))}
    assert said(Tool("a", "", closed(title=TEXT, note=TEXT, path={**TEXT, "pattern": "x"}))) == {
        ("a", "texts", ("title and note",))
    }
    assert said(Tool("a", "", closed(at={"type": ["string", "integer"]}))) == {("a", "union", ("at (string or integer)",))}
    assert said(Tool("a", "", closed(at={"anyOf": [TEXT, {"type": "boolean"}]}))) == {
        ("a", "union", ("at (string or boolean)",))
    }
    assert said(Tool("a", "", closed(recipient={"enum": ["a"]}, recipients={"enum": ["a"]}))) == {
        ("a", "fields", ("recipient and recipients",))
    }
    assert said(Tool("a", "", closed(input={"enum": ["a"]}))) == {("a", "envelope", ("input",))}


def test_tools_with_nothing_to_say_of_them_get_no_advice() -> None:
    form = closed(
        "kind", kind={"enum": ["a"]}, size={"type": ["integer", "null"]}, tree={"type": "array", "items": {"$ref": "#"}}
    )
    assert said(Tool("show_map", "", form), Tool("hide_list", "", closed(text=TEXT))) == set()


# -- the command


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop_app.py").write_text(
        "from dataclasses import replace\n"
        "from stream_guard import Guard, Toolset\n"
        "from stream_guard.tools.lessons import VALIDATE_LESSON_DATA\n"
        "from tests.conformance.test_attack import SHOP as TOOLS, cancelled, leaves, raises, waits\n"
        "from tests.conformance.test_attack import ends_its_process, never_returns, prints, whatever_it_says, yields_names\n"
        "GUARD = Guard(TOOLS, fixes='lossless')\nNUMBER = 7\nEMPTY = None\n"
        "LESSONS = Toolset(replace(VALIDATE_LESSON_DATA, examples=()))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "shop_app", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # a function is a program of its own
    return tmp_path


def test_the_command_reports_and_exits_with_zero(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", "shop_app:TOOLS", "--blocks", "60", "--processes", "0"]) == 0
    out = capsys.readouterr().out
    assert "shop_app:TOOLS: 60 blocks with 1 to 2 faults of" in out
    assert re.search(r"^  wrong +0  something ran that was not meant$", out, re.MULTILINE)
    assert "find_orders: query" not in out
    assert "decimal_comma" in out  # no number of the shop has a point


def test_the_command_prints_what_ran_wrongly_and_how_to_draw_it_again(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The printed command has each option that the block depends on, and no other; the shell reads it as it is meant."""
    given = "--runs shop_app:whatever_it_says --faults 1 --seed 3 --languages json, --dialects fence,hermes --reasoning scan"
    assert main(["attack", "shop_app:TOOLS", *given.split(), "--blocks", "40", "--processes", "0"]) == 1
    found = re.findall(r"again: stream-guard (.*)", capsys.readouterr().out)
    assert len(found) > 3
    for line in found[:2]:
        assert "--blocks" not in line
        assert "--fixes" not in line
        assert main(shlex.split(line)) == 1
        again = capsys.readouterr().out
        assert "wrong" in again.splitlines()[0]
        assert "ran (runs):" in again
    for option in ("--runs", "--faults 1..1", "--seed 3", "--languages json,", "--dialects fence,hermes", "--reasoning scan"):
        assert option in found[0]


def test_a_report_says_of_which_tools_blocks_are_gated_and_what_to_do(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", "shop_app:TOOLS", "--blocks", "60", "--processes", "0"]) == 0
    out = capsys.readouterr().out
    assert "gated: cancel_order: a call of a destructive tool is fixed only where nothing is assumed" in out
    assert '"annotations": {"destructiveHint": false}' in out


def test_the_command_prints_json(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", "shop_app:GUARD", "--blocks", "30", "--json", "--processes", "0", "--seed", "4"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["target"], told["seed"], told["tried"], told["wrong"]) == ("shop_app:GUARD", 4, 30, [])


@pytest.mark.parametrize("option", [["--blocks", "0"], ["--faults", "3..1"], ["--kinds"], ["--processes", "-1"]])
def test_our_own_toolsets_are_tried_on_something(option: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        own_toolsets(["--blocks", "1", *option])
    assert ended.value.code == 2


def test_one_block_is_printed_as_json(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["attack", "shop_app:TOOLS", "--block", "6", "--json"]
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["target"], told["seed"], told["faults"], told["number"]) == ("shop_app:TOOLS", 1, [1, 2], 6)
    assert told.keys() == {"target", "seed", "faults", "number", "kinds", "verdict", "text", "meant"}
    wrong = set()
    for number in range(8):
        status = main(["attack", "shop_app:TOOLS", "--runs", "shop_app:whatever_it_says", "--block", str(number), "--json"])
        told = json.loads(capsys.readouterr().out)
        assert (status == 1) == (told["verdict"] == "wrong") == ("ran" in told)
        wrong.add(status)
    assert wrong == {0, 1}


@pytest.mark.some(0)
def test_processes_come_to_the_same(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each imports the app anew."""
    arguments = ["attack", "shop_app:TOOLS", "--blocks", "260", "--faults", "1", "--json"]
    assert main([*arguments, "--processes", "0"]) == 0
    command = [sys.executable, "-m", "stream_guard", *arguments, "--processes", "2"]
    path = {"PYTHONPATH": ":".join([*sys.path, str(app)])}
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=True)
    assert done.stdout == capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none:TOOLS"], "cannot import none"),
        (["shop_app:NONE"], "the module shop_app has no attribute 'NONE'"),
        (["shop_app:NUMBER"], "shop_app:NUMBER"),
        (["nothing"], "expected module:name of a Toolset"),
        (["shop_app:GUARD", "--fixes", "off"], "shop_app:GUARD is a Guard, which has its own settings; leave out --fixes"),
        (["shop_app:TOOLS", "--runs", "shop_app"], "expected module:name of a function"),
        (["shop_app:TOOLS", "--runs", "shop_app:NUMBER"], "it is no function, but of the type int"),
        (["shop_app:TOOLS", "--runs", "shop_app:waits"], "--runs shop_app:waits: it is async"),
        (["shop_app:TOOLS", "--runs", "shop_app:raises"], "--runs shop_app:raises runs no call of 50 blocks without a fault"),
        (["shop_app:TOOLS", "--runs", "shop_app:cancelled"], "shop_app:cancelled runs no call of 50 blocks"),
        (["shop_app:EMPTY"], "EMPTY in the module shop_app is None"),
        (["shop_app:TOOLS", "--runs", "shop_app:EMPTY"], "EMPTY in the module shop_app is None"),
        (["shop_app:TOOLS", "--runs", "shop_app:leaves", "--block", "3"], "shop_app:leaves runs no call of 50 blocks"),
        (["shop_app:TOOLS", "--languages", "yaml"], "shop_app:TOOLS, with these settings, runs no call of 50 blocks"),
        (
            ["shop_app:TOOLS", "--runs", "shop_app:yields_names"],
            "--runs shop_app:yields_names: it returned ['find_orders']: it must yield pairs of a tool's name and its arguments",
        ),
    ],
)
def test_what_cannot_be_attacked_is_named(
    app: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["attack", *arguments, "--processes", "0"]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_function_that_does_not_return_is_named_with_the_reply(
    app: Path, processes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--runs", "shop_app:never_returns", "--timeout", "0.9", "--blocks", "600", "--processes", processes]
    assert main(["attack", "shop_app:TOOLS", *arguments]) == 2
    says = "--runs shop_app:never_returns: no answer within 0.9 seconds. The reply was '"
    assert says in capsys.readouterr().err


def test_a_function_that_ends_its_process_runs_nothing_of_that_reply(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--runs", "shop_app:ends_its_process", "--faults", "1", "--blocks", "3", "--processes", "0", "--json"]
    main(["attack", "shop_app:TOOLS", *arguments])
    told = json.loads(capsys.readouterr().out)
    assert told["tried"] == 3
    assert told["verdicts"]["refused"] > 0


def test_what_a_function_prints_is_not_in_the_report(app: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--runs", "shop_app:prints", "--blocks", "4", "--processes", "0", "--json"]
    main(["attack", "shop_app:TOOLS", *arguments])
    told = capfd.readouterr()
    assert json.loads(told.out)["tried"] == 4
    assert "```json" in told.err


class Panic(BaseException):
    """As code in Rust raises it."""


@pytest.mark.parametrize("error", [ValueError, SystemExit, asyncio.CancelledError, GeneratorExit, Panic])
def test_whatever_a_function_raises_is_a_reply_of_which_nothing_runs(error: type[BaseException]) -> None:
    def parse(_: str) -> Iterator[tuple[str, Any]]:
        yield "find_orders", {}
        raise error

    assert called(parse, "x") == ()


@pytest.mark.parametrize("end", ENDS)
def test_a_function_does_not_swallow_the_end_of_the_command(end: type[BaseException]) -> None:
    def parse(_: str) -> Iterator[tuple[str, Any]]:
        raise end

    with pytest.raises(end):
        called(parse, "x")


@pytest.mark.parametrize(
    "option",
    [
        ["--blocks", "0"],
        ["--faults", "3..1"],
        ["--faults", "x"],
        ["--fixes", "all"],
        ["--block", "-1"],
        ["--processes", "-2"],
        ["--timeout", "0"],
        ["--timeout", "inf"],
    ],
)
def test_a_wrong_option_is_refused(app: Path, option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["attack", "shop_app:TOOLS", *option])
    assert ended.value.code == 2
    assert option[1] in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("sign", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_attack_says_how_far_it_is_and_ends_at_once_with_its_workers(app: Path, sign: int, status: int) -> None:
    """However the signal reaches it: nothing is left, and nothing else is said."""
    command = [sys.executable, "-m", "stream_guard", "attack", "shop_app:TOOLS", "--blocks", "100000", "--processes", "2"]
    with subprocess.Popen(command, cwd=app, stderr=subprocess.PIPE, text=True, start_new_session=True) as attacking:
        assert attacking.stderr is not None
        assert attacking.stderr.readline() == "stream-guard: trying 100,000 blocks\n"
        os.killpg(attacking.pid, sign)
        left = attacking.stderr.read()
        # Python ends by the signal itself if Ctrl-C came while a class was being made; a shell gives both this status.
        assert attacking.wait() in (status, -sign)
    assert left == ""
    with pytest.raises(ProcessLookupError):
        os.killpg(attacking.pid, 0)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("processes", ["0", "2"])
def test_an_attack_ends_on_sigterm_while_a_function_runs_and_the_function_with_it(app: Path, processes: str) -> None:
    """The function holds the writing end of a pipe. The pipe comes to its end when all its programs have ended."""
    pipe = app / "pipe"
    os.mkfifo(pipe)
    (app / "slow_app.py").write_text(
        "import time\n"
        "from tests.conformance.test_attack import _sound, whatever_it_says\n"
        "def reads(reply):\n"
        "    if _sound(reply):\n        return whatever_it_says(reply)\n"
        f"    with open({str(pipe)!r}, 'w') as held:\n"
        "        print('reads', file=held, flush=True)\n        time.sleep(3_600)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "stream_guard", "attack", "shop_app:TOOLS", "--runs", "slow_app:reads"]
    arguments = ["--timeout", "3600", "--blocks", "600", "--processes", processes]
    with subprocess.Popen([*command, *arguments], cwd=app, stderr=subprocess.DEVNULL) as attacking:
        try:
            with pipe.open(encoding="utf-8") as held:
                assert held.readline() == "reads\n"
                attacking.terminate()
                assert attacking.wait(timeout=300) == 143
                assert set(held) <= {"reads\n"}
        finally:
            attacking.kill()


def test_an_example_of_a_tool_that_is_none_is_refused(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (app / "calls.jsonl").write_text('{"tool": "find_order", "query": "x"}\n', encoding="utf-8")
    assert main(["attack", "shop_app:TOOLS", "--examples", "calls.jsonl", "--processes", "0"]) == 2
    assert "calls.jsonl: shop_app:TOOLS has no tool called 'find_order'" in capsys.readouterr().err


@pytest.mark.some(0)
def test_an_attack_says_how_far_it_is_at_each_tenth(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", "shop_app:TOOLS", "--blocks", "300", "--processes", "0"]) == 0
    first, *tenths = capsys.readouterr().err.splitlines()
    assert first == "stream-guard: trying 300 blocks"
    assert [line.split(" tried")[0] for line in tenths] == [f"stream-guard: {done} of 300 blocks" for done in (250, 300)]
