"""Reasoning in a text: what opens and closes it, and that nothing in it is a call."""

from __future__ import annotations

import logging
import random
from itertools import product
from typing import Any

import pytest
import regex

from stream_guard import End, Guard, StreamEnd, ToolBlock, ToolStatus
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.turns import RESULTS, TURNS
from stream_guard.scan import reasoning
from stream_guard.scan.reasoning import FIRSTS, HEADERS, MAX_MARK, PAIRS, closer_begun, closer_of, opener_in
from stream_guard.scan.states import Unclosed
from stream_guard.testing import by_char, merge_text, original
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some, splits
from tests.kit.dialects import RAW
from tests.kit.leniencies import CALL
from tests.kit.scanning import scanner_of

BLOCK = f"```json\n{CALL}\n```"
THOUGHT = f"I could write\n{BLOCK}\nor not.\n"
MODES: list[Any] = ["skip", "inside", "scan"]

pytestmark = pytest.mark.some


def blocks(text: str, mode: Any = "skip") -> list[str]:
    """The blocks of a text, at every cut or some; where each begins."""
    guard = Guard(FILE_TOOLS, reasoning=mode)
    found: list[list[Any]] = []
    for chunks in splits(text, 12):
        items: list[Any] = merge_text(guard.scan(chunks, stream_id="s"))
        assert original(items) == text
        if items not in found:
            found.append(items)
    (items,) = found
    return [item.raw for item in items if isinstance(item, ToolBlock) and item.executable]


MADE_UP = [(opener, closer) for opener, closers in ({**RESULTS, **TURNS}).items() for closer in closers]
ALL = [*PAIRS.items(), *MADE_UP]
SOME = {*RESULTS, "<|im_start|>user", "<start_of_turn>user", "[INST]", "<role>HUMAN</role>", "<|start|>function", "[|user|]"}
"""Those that are read at every cut: the others have the same shapes."""

SHAPED = {
    "<think_fast>": "</think_fast>",
    "<think_faster>": "</think_faster>",
    "<minimax:think>": "</minimax:think>",
    "<abc:thinking>": "</abc:thinking>",
    "<a.b-c|thought_of-it:d >": "</a.b-c|thought_of-it:d>",
    "<|plamo:begin_think:plamo|>": "<|plamo:end_think:plamo|>",
    "<|think_start|>": "<|think_end|>",
    "<|abc_thinking_begin|>": "<|abc_thinking_end|>",
    "<｜begin▁of▁thinking｜>": "<｜end▁of▁thinking｜>",
    "<|channel|>analysis <|message|>": "<|end|>",
    '<details type="reasoning">': "</details>",
    '<think type="deep">': "</think>",
    "<abc:thinking  a='b' c=d >": "</abc:thinking>",
    '<reasoning xml:lang="x y" effort="">': "</reasoning>",
}
"""Marks that no table has: their shape shows what they are."""

SUFFIXED = {
    opener.replace(">", ":opensource>"): closer.replace(">", ":opensource>")
    for opener, closer in (*PAIRS.items(), *((one, closers[0]) for one, closers in RESULTS.items()))
    if opener[1:-1].replace("_", "").isalpha()
}
"""Tags as a model writes them whose special tokens have a suffix."""


def test_a_suffix_belongs_to_the_mark() -> None:
    """Reasoning ends with the closer of its own suffix; what is no suffix opens none; and any closer ends it from inside."""
    assert len(SUFFIXED) > 10
    assert blocks(f"<think:a>\n{THOUGHT}</think>\n</think:b>\n{BLOCK}\n</think:a >\n{BLOCK}") == [BLOCK]
    assert blocks(f"<think>\n{THOUGHT}</think:a>\n{BLOCK}\n</think>\n{BLOCK}") == [BLOCK]
    assert blocks(f"<think:tool>\n{THOUGHT}</think:tool>\n{BLOCK}\n") == [BLOCK]  # it is not the opener of a call
    assert blocks(f"{THOUGHT}</think:6124c78e>\n{BLOCK}", "inside") == [BLOCK]
    for text in ("<think:", "<think:>", "<think:a b>", "<think:a/>", "<thinker:a>", f"<think:{'a' * 33}>"):
        assert blocks(f"{text}\n{BLOCK}") == [BLOCK], text


@pytest.mark.some(120)
@pytest.mark.parametrize(
    ("opener", "closer"),
    [*(pair for pair in ALL if pair[0] in {*PAIRS, *SOME}), *SUFFIXED.items(), *SHAPED.items()],
)
@pytest.mark.parametrize("before", ["", "Hello.\n", "  ", "- item\n\n"])
def test_a_call_in_reasoning_is_text_and_one_behind_it_a_call(opener: str, closer: str, before: str) -> None:
    """At the beginning of the reply or of a line, at every cut; in any case of its letters."""
    assert blocks(f"{before}{opener}{BLOCK}{closer.upper()}\n{BLOCK}") == [BLOCK]
    assert blocks(f"{before}{opener.upper()}\n{THOUGHT}{closer.lower()}\n\n{BLOCK}\nafter") == [BLOCK]


@pytest.mark.parametrize(
    "text",
    [
        f"The tag <think> opens it.\n{BLOCK}",
        f"`<think>` opens it.\n{BLOCK}",
        f"```html\n<think>\n```\n{BLOCK}",
        f"````\n<think>\n````\n{BLOCK}",
        f"    <think>\n\n{BLOCK}",
        f"<thinker>\n{BLOCK}",
        f"<rethink>\n{BLOCK}",
        f"<abc:thinker>\n{BLOCK}",
        f"<think_>\n{BLOCK}",
        *(
            f"<{tag}_{word}{blank}>: high\n{BLOCK}"
            for tag in ("reasoning", "thinking", "abc:think")
            for word in ("effort", "budget", "mode", "level")
            for blank in ("", " ")
        ),
        f"<reason>\n{BLOCK}",
        f"<thinking-card title='x'>\n{BLOCK}",
        f"<thought experiment>\n{BLOCK}",
        f"<think a=b\n>\n{BLOCK}",
        f"<thinker a=b>\n{BLOCK}",
        f"<|thinking|>\n{BLOCK}",
        f"<|begin_thinker|>\n{BLOCK}",
        f"<|im_start|>assistant\n{BLOCK}",
        f"<|im_end|>\n{BLOCK}",
        f"the user says <|im_start|>user\n{BLOCK}",
        f"[INSTALL]\n{BLOCK}",
        f"<think\n{BLOCK}",
        f"<thin\n{BLOCK}",
        f"<div>\n[link](x)\n[T\n<|x|>\n◁\n{BLOCK}",
        f"</think>\n{BLOCK}",
    ],
)
def test_what_only_speaks_of_reasoning_opens_none(text: str) -> None:
    """In the middle of a line, in inline code, in a fence, in an indented example, and what is no opener at all."""
    assert blocks(text) == [BLOCK]


def test_an_opener_in_a_call_opens_nothing() -> None:
    text = '```json\n{"tool": "write_file", "path": "a", "content": "x\n<think>\ny"}\n```\n' + BLOCK
    assert len(blocks(text)) == 2


def test_only_its_own_closer_ends_it_and_the_first_one_does() -> None:
    """Wherever it stands: also in a fence, and in the middle of a line."""
    assert blocks(f"<think>\n{THOUGHT}</thinking>\n{BLOCK}\n</think>{BLOCK}\n") == [BLOCK]
    assert blocks(f"<think>\n```py\n<think>\n</think>\n{BLOCK}\n") == [BLOCK]
    assert (
        blocks(f"<think>a < b </thin </think{THOUGHT}</think> Now:\n{BLOCK}\n<think>{THOUGHT}</think>\n{BLOCK}") == [BLOCK] * 2
    )


def test_behind_the_closer_a_line_begins() -> None:
    """Models write the fence right behind it. A list that was open in the reasoning is over."""
    assert blocks(f"<think>\n- a\n\n  - b</think>{BLOCK}\n") == [BLOCK]
    assert blocks(f"<think>\n- a\n\n  - b</think>\n      {BLOCK}\n") == []


@pytest.mark.parametrize("closer", PAIRS.values())
def test_inside_begins_in_reasoning_and_ends_at_the_first_closer_of_any_kind(closer: str) -> None:
    """The prompt has opened it. An opener of its own changes nothing; afterwards it is as `skip`."""
    for opener in ("", "<think>", "\n<thinking>\n"):
        text = f"{opener}{THOUGHT}{closer}\n{BLOCK}\n<think>{THOUGHT}</think>\n{BLOCK}"
        assert blocks(text, "inside") == [BLOCK] * 2


def test_every_text_of_a_scanner_begins_inside() -> None:
    """Also the one that follows an end."""
    items = list(
        Guard(FILE_TOOLS, reasoning="inside").scan([BLOCK, "</think>", End(), BLOCK, "</think>\n", BLOCK, End("stop")])
    )
    assert sum(isinstance(item, ToolBlock) for item in items) == 1


def test_scan_looks_into_reasoning() -> None:
    """As it does into any text."""
    assert blocks(f"<think>\n{THOUGHT}</think>\n{BLOCK}", "scan") == [BLOCK] * 2


@pytest.mark.parametrize("mode", MODES)
def test_reasoning_that_is_never_closed_runs_to_the_end_and_is_reported(mode: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing in it runs; the log says so, without a word of it."""
    text = f"<think>\n{THOUGHT}</thin"
    causes: tuple[StreamEnd, ...] = ("unknown", "stop", "length")
    for cause in causes:
        for chunks in ([text], by_char(text)):
            scanner = scanner_of(reasoning=mode)
            items = [item for chunk in chunks for item in scanner.feed(chunk)] + scanner.end(cause)
            assert (Unclosed() in items) is (mode != "scan")
            assert not any(isinstance(item, Unclosed) for item in scanner.feed("more\n") + scanner.end()) or mode == "inside"
    with caplog.at_level(logging.WARNING, "stream_guard"):
        assert len(blocks(text, mode)) == (mode == "scan")
    assert ("never closed" in caplog.text) is (mode != "scan")
    assert "write" not in caplog.text


def test_a_text_of_nothing_is_not_reported() -> None:
    """Neither is one whose reasoning was closed."""
    for mode in MODES:
        for text in ("", "<think>x</think>", "<think></think>\n"):
            scanner = scanner_of(reasoning=mode)
            assert Unclosed() not in [*scanner.feed(text), *scanner.end()]


def test_reasoning_leaves_as_the_very_deltas_at_once() -> None:
    """It is prose: nothing of it is held, and nothing copied."""
    deltas = ["<th", "ink>", "\n", "```js", "on\n", '{"tool": "del', "``", "</", "think", ">", "x"]
    session = Guard(FILE_TOOLS).session("s")
    for delta in deltas:
        (item,) = session.feed(delta)
        assert item is delta


def test_one_block_is_checked_whatever_its_guard_skips() -> None:
    """`check` takes a block, and no reply."""
    for mode in MODES:
        assert Guard(FILE_TOOLS, reasoning=mode).check(BLOCK).executable
    assert not any(isinstance(item, ToolStatus) for item in Guard(FILE_TOOLS, reasoning="inside").scan([BLOCK]))
    with pytest.raises(ValueError, match="reasoning must be 'skip' or 'inside' or 'scan', got 'think'"):
        Guard(FILE_TOOLS, reasoning="think")  # type: ignore[arg-type]


def test_an_opener_is_known_as_soon_as_it_is_whole() -> None:
    """Until then it may become one, or cannot any more."""
    for opener, closer in (*ALL, *SHAPED.items()):
        assert max(len(opener), len(closer)) <= MAX_MARK
        assert opener_in(opener + "x") == opener
        assert {opener_in(opener[:size]) for size in range(1, len(opener))} == {""}
        assert opener_in("x" + opener) is None
        assert closer_of(opener.upper()).search(f"x{closer}")
        assert closer[0] in FIRSTS
        for size in range(1, len(closer)):
            assert closer_begun(f"x<y{closer[:size]}") == closer[:size]
    assert closer_begun("<" + "x" * MAX_MARK) == closer_begun("") == ""


REASONING = {
    "<think>": (
        *(
            "hermes",
            "jamba",
            "nemotron_nano_v2",
            "internlm2",
            "granite3",
            "qwen3_coder",
            "deepseek_v32_dsml",
            "deepseek_v4_dsml",
        ),
        *("minimax_m2", "minicpm5", "glm45", "hunyuan_v3", "dots", "deepseek_v3", "deepseek_v31", "kimi_k2", "lfm2", "olmo3"),
    ),
    "<longcat_think>": ("longcat",),
    "<|START_THINKING|>": ("cohere_command",),
    "<|inner_prefix|>": ("apertus",),
    "<seed:think>": ("seed_oss",),
    "<antThinking>": ("claude_xml",),
    "<thinking>": ("cline_xml",),
    "<ifm|think>": ("k2_horizon",),
    "[THINK]": ("mistral",),
    "<|channel|>analysis<|message|>": ("harmony",),
    "<|channel>thought": ("gemma4",),
}
"""The mark with which the models of each dialect begin to reason."""

NO_REASONING = {
    *("granite_20b_fc", "phi4_mini", "llama3_json", "json_array", "gigachat3", "pythonic", "llama4_pythonic", "functiongemma"),
    *("inkling", "muse_glimmer"),  # none is known
    *("bolt_artifact", "aider_search_replace", "v4a_patch"),  # any model
}


def test_what_may_become_a_mark_by_its_shape_is_waited_for() -> None:
    """The pattern of beginnings says the shape again: `regex` can match in part too, and takes up to ten times as long."""
    shaped = regex.compile(reasoning._SHAPED, regex.IGNORECASE)
    drawn = random.Random(7)
    for _ in range(20_000):
        mark = [
            *drawn.choice(
                [
                    *SHAPED,
                    *PAIRS,
                    "<div class",
                    "<mythink_mode>",
                    "<think of>",
                    "<seed:thoughts>",
                    "<|im_start|>",
                    "<reasoning >",
                ]
            )
        ]
        del mark[drawn.randint(1, len(mark)) :]
        for at in (drawn.randrange(len(mark)) for _ in range(drawn.randrange(3))):
            mark[at : at + drawn.randrange(2)] = [drawn.choice("<think:rough_|.- >begin\u2581\uff5c1\n")]
        text = "".join(mark)
        found = shaped.match(text, partial=True)
        if found is not None and found.partial:
            assert opener_in(text) is not None, text


def test_the_reasoning_of_the_models_of_every_dialect_is_known() -> None:
    """Or it is stated that they have none in their text."""
    marks = {name: mark for mark, names in REASONING.items() for name in names}
    assert marks.keys() | NO_REASONING == DIALECTS.keys()
    assert not marks.keys() & NO_REASONING


@pytest.mark.some(150)
@pytest.mark.parametrize(("opener", "closer"), PAIRS.items())
@pytest.mark.parametrize("name", [name for name, dialect in DIALECTS.items() if not dialect.tools])
def test_a_call_of_no_dialect_runs_from_reasoning(opener: str, closer: str, name: str) -> None:
    """By itself and among all dialects; behind the closer it runs."""
    call = DIALECTS[name].write([("delete_file", {"path": "x"})])
    text = f"{opener}\nmaybe\n{call}\nno {closer}\n"
    for dialects in ("all", [name]):
        guard = Guard(FILE_TOOLS, dialects=dialects)
        for pieces in ([text], by_char(text)):
            assert not [item for item in guard.scan(pieces) if isinstance(item, ToolBlock)]
    found = [item for item in Guard(FILE_TOOLS, dialects=[name]).scan([text, call, End("stop")]) if isinstance(item, ToolBlock)]
    assert [block.executable for block in found] == [True]


INSIDE = [name for name, dialect in DIALECTS.items() if not dialect.tools and name != "inkling"]
"""Where a call does not end with what ends reasoning."""


def ran(text: str, *dialects: str) -> list[bool]:
    """Whether each block of a reply that begins in reasoning and has ended may run, in whatever pieces it comes."""
    found: list[list[bool]] = []
    for read in ("all", ["fence", *dialects], ["fence"]):
        guard = Guard(FILE_TOOLS, dialects=read, reasoning="inside")
        for pieces in ([text], by_char(text), text.splitlines(keepends=True)):
            items: list[Any] = merge_text(guard.scan([*pieces, End("stop")]))
            assert original(items) == text
            found.append([item.executable for item in items if isinstance(item, ToolBlock)])
    assert all(one == found[0] for one in found), found
    return found[0]


@pytest.mark.parametrize("name", INSIDE)
def test_a_call_that_was_considered_in_the_reasoning_a_text_begins_in_refuses_none_behind_it(name: str) -> None:
    """As behind an opener that is written."""
    draft = DIALECTS[name].write([("write_file", {"path": "x", "content": "a\nb"})])
    for before, between in (("I could write\n", "\nbut no.\n"), ("", "\n"), ("So: ", "\nNo, "), (f"{draft}\nor\n", " \n\n")):
        assert ran(f"{before}{draft}{between}</think>\n\n{BLOCK}\n\nDone.\n", name) == [True]


@pytest.mark.parametrize("name", RAW)
def test_the_closer_of_reasoning_in_a_value_makes_nothing_of_what_stands_in_the_value_behind_it(name: str) -> None:
    """Whatever the value holds before it: where the closers of its call do, they come once more."""
    call = DIALECTS[name].write([("write_file", {"path": "x", "content": "HERE"})])
    begin, _, end = call.partition("HERE")
    for held in ("see", f"see\n{call}\n", call.removesuffix(end), f"\n{end}\n", f"see{end}\n", f"see{end}"):
        for before in ("", "I write it.\n"):
            value = f"{held}</think>\n\n{BLOCK}\n"
            assert not any(ran(f"{before}{begin}{value}{end}\n", name)), value
    for held in ("see", "see\n", f"see\n{call}\n"):
        assert not any(ran(f"{begin}{held}</think>\n\n{BLOCK}\n", name)), held


def test_a_block_behind_a_call_that_was_considered_waits_for_the_end_of_the_reply() -> None:
    """The closer of that call shows, wherever it stands, that its value has held what seemed to end it."""
    draft = DIALECTS["qwen3_coder"].write([("write_file", {"path": "x", "content": "a"})])
    session = Guard(FILE_TOOLS, reasoning="inside").session("s")
    items = session.feed(f"{draft}\n</think>\n{BLOCK}\nDone")
    assert not any(isinstance(item, ToolBlock) for item in items)
    (block,) = (item for item in session.end("stop") if isinstance(item, ToolBlock))
    assert block.executable
    for rest in ("</tool_call>", "a </function>\n"):
        session.feed(f"{draft}\n</think>\n{BLOCK}\n{rest}")
        found = [item for item in session.end("stop") if isinstance(item, ToolBlock)]
        assert not any(block.executable for block in found)


@pytest.mark.parametrize(("opener", "closer"), MADE_UP)
def test_a_call_in_a_result_or_turn_that_the_model_made_up_is_quoted(opener: str, closer: str) -> None:
    """Behind a call of its own, at every cut; what stands behind the result is read."""
    call, guard = DIALECTS["hermes"].write([("delete_file", {"path": "x"})]), Guard(FILE_TOOLS, dialects="all")
    for between in ("", "\n"):
        text = f"{call.rstrip()}{between}{opener}\n{call}\n{closer}\n{call}\n"
        for pieces in splits(text, 6) if opener in SOME else ([text], by_char(text), text.splitlines(keepends=True)):
            items: list[Any] = merge_text(guard.scan([*pieces, End("stop")]))
            assert original(items) == text
            assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True, True], pieces


@pytest.mark.parametrize("opener", ["<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"])
@pytest.mark.parametrize("closer", ["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"])
def test_a_closer_of_another_effort_ends_reasoning(opener: str, closer: str) -> None:
    """The model mixes them up."""
    assert blocks(f"{opener}\n{THOUGHT}{closer}\n{BLOCK}") == [BLOCK]


TOKENS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|end|>",
    "<｜end▁of▁sentence｜>",
    "</s>",
    "<seed:eos>",
    "<end_of_turn>",
    "<turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|endoftext|>",
)
"""What templates end a turn with."""

GUARDS = {"fence": Guard(FILE_TOOLS, dialects=["fence"]), "all": Guard(FILE_TOOLS, dialects="all")}
MADE_UP_OR_REASONING = [*((opener, closer) for opener, closer in PAIRS.items()), *MADE_UP]


@pytest.mark.some(120)
@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize(("opener", "closer"), MADE_UP_OR_REASONING)
def test_an_opener_behind_the_end_of_a_turn_counts(token: str, opener: str, closer: str) -> None:
    """Whatever stands before that on its line, at some cuts; behind the closer and a line end a call runs."""
    call = DIALECTS["hermes"].write([("delete_file", {"path": "x"})])
    around = (("Hi.", "\n"), ("", "\n"), (f"{'A long line. ' * 12}", "go \n"), ("Hi <b>you</b>.", "\n\n"))
    cells = product(around, ("fence", "all"), (1, 5, 1_000))
    for (before, between), dialects, size in some(cells, 8, kind=lambda cell: cell[:2]):
        text = f"{before}{token}{opener}{between}{THOUGHT}{call}\n{closer}\n{BLOCK}"
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        items: list[Any] = merge_text(GUARDS[dialects].scan([*pieces, End("stop")]))
        assert original(items) == text
        assert [item.raw for item in items if isinstance(item, ToolBlock)] == [BLOCK], (dialects, text)


@pytest.mark.parametrize("opener", ["<|user|>", "<|observation|>", "<｜User｜>", "<|im_user|>", "<|tool_response_start|>"])
def test_a_turn_of_one_token_counts_at_the_end_of_a_line(opener: str) -> None:
    """As the templates write it that end no turn of the model."""
    for dialects in (["fence"], "all"):
        for text in (f"Hi.{opener}\n{THOUGHT}", f"{'A long line. ' * 12}{opener}  \r\n{THOUGHT}"):
            for pieces in splits(text, 12):
                items: list[Any] = merge_text(Guard(FILE_TOOLS, dialects=dialects).scan([*pieces, End("stop")]))
                assert original(items) == text
                assert not any(isinstance(item, ToolBlock) for item in items)


@pytest.mark.parametrize(
    "line",
    [
        "`<|im_end|><|im_start|>user` begins it.",
        "Both `<|end|>` and `</s>[INST]` do.",
        "The token `<|user|>`",
        "a < b </s> c <|im_end|> d",
        "<|im_end|> <|im_start|>assistant",
        "x<|im_end|><|im_start|>user hi<|im_end|>",
        f"x<|im_end|><|im_start|>user {'hi ' * 400}<|im_end|>",
        f"{'x <|im_end|> ' * 200}",
    ],
)
def test_what_is_in_code_or_has_ended_in_the_line_opens_nothing(line: str) -> None:
    """In each way to read it, and at some cuts."""
    text = f"{line}\n{BLOCK}"
    for dialects in (["fence"], "all"):
        guard = Guard(FILE_TOOLS, dialects=dialects)
        for pieces in ([text], by_char(text), [text[at : at + 5] for at in range(0, len(text), 5)]):
            assert [item.executable for item in guard.scan(pieces) if isinstance(item, ToolBlock)] == [True]


def test_a_turn_goes_on_behind_what_is_kept_of_its_line() -> None:
    """Nothing of a long line is lost to the bound of what is kept."""
    for fill in (0, 900, 960, 1000, 1020, 1050, 3000):
        for behind in ("", "x" * 3000):
            text = f"a <|x|>{'y' * fill} Hi.<|im_end|><|im_start|>user {behind}\n{BLOCK}"
            for pieces in ([text], by_char(text), [text[at : at + 7] for at in range(0, len(text), 7)]):
                assert not any(isinstance(item, ToolBlock) for item in Guard(FILE_TOOLS).scan([*pieces, End("stop")])), fill


HARMONY_CALL = DIALECTS["harmony"].write([("delete_file", {"path": "x"})])
ANALYSIS = "<|channel|>analysis<|message|>hm<|end|>"


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("before", ["", ANALYSIS, f"{ANALYSIS}<|start|>assistant{ANALYSIS}", "Hi.<|end|>"])
def test_a_message_that_is_no_call_refuses_nothing(header: str, before: str) -> None:
    """A fence straight behind its header is read, and so is a call behind it."""
    for text in (f"{header}{BLOCK}", f"{header}I will.<|end|>\n{BLOCK}", f"{header}Hi\n\n{BLOCK}"):
        for dialects in (["fence"], ["fence", "hermes"], "all"):
            for pieces in splits(before + text, 6):
                items: list[Any] = list(Guard(FILE_TOOLS, dialects=dialects).scan([*pieces, End("stop")]))
                blocks = [item.executable for item in items if isinstance(item, ToolBlock)]
                in_line = dialects == ["fence"] and before == "Hi.<|end|>" and text == f"{header}{BLOCK}"
                assert blocks == ([] if in_line else [True]), (dialects, pieces)
    for text in (f"{header}I will.<|end|>{HARMONY_CALL}", f"{header}I will.<|end|><|start|>assistant{ANALYSIS}{HARMONY_CALL}"):
        for dialects in (["harmony"], "all"):
            for pieces in splits(before + text, 6):
                items = list(Guard(FILE_TOOLS, dialects=dialects).scan([*pieces, End("stop")]))
                assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True], (dialects, pieces)


IN_WORDS = {
    "Here is my thought process:": "\nHere is my response:",
    "Here's my thought process:": "\n**Here's my response:**",
    "Here\u2019s my thought process:": "\r\n  here is my response:",
    "/think\n": "<|im_end|>\n<|im_start|>assistant",
    "/think  \r\n": "<|im_start|>assistant",
}
"""Openers made of words, and their closers."""


@pytest.mark.parametrize(("opener", "closer"), IN_WORDS.items())
def test_reasoning_that_opens_with_words_does_so_at_the_beginning_of_a_reply(opener: str, closer: str) -> None:
    """At every cut. A call behind its closer runs, also where the text begins inside; anywhere else the words are text."""
    for before in ("", "\n\n", "\r\n"):
        assert blocks(f"{before}{opener}{THOUGHT}{closer}\n{BLOCK}") == [BLOCK]
        assert blocks(f"{before}{opener} no\n{THOUGHT}and no\n{BLOCK}") == []
        if not opener.startswith("/"):
            assert blocks(f"{before}{opener}{THOUGHT}{closer}\n{BLOCK}", "inside") == [BLOCK]
            assert blocks(f"{before}{opener}{THOUGHT}I say: {closer.strip()}\n{BLOCK}") == []
            assert blocks(f"{before}{opener}{THOUGHT}</think>\n{BLOCK}", "inside") == [BLOCK]
    for text in (
        f"Hi.\n{opener}",
        f"  {opener}",
        f"- {opener}",
        f"`{opener}`",
        f"```\n{opener}\n```\n",
        opener.rstrip(" :*\r\n")[:-1],
    ):
        assert blocks(f"{text}\n{BLOCK}") == [BLOCK], text
    assert blocks(f"{opener}{THOUGHT}", "scan") == [BLOCK]
    assert blocks(f"{THOUGHT}{closer}\n{BLOCK}", "inside") == []


def test_each_reply_of_a_scanner_may_begin_with_words_of_reasoning() -> None:
    text = f"Here is my thought process:\n{BLOCK}\n"
    items = Guard(FILE_TOOLS).scan(
        [text, End(), text, "Here is my response:\n", BLOCK, End("stop"), "Hi.\n", text, End("stop")]
    )
    assert sum(isinstance(item, ToolBlock) for item in items) == 2


def test_a_second_analysis_is_reasoning() -> None:
    """A call in it was considered, and not made."""
    text = f"{ANALYSIS}<|start|>assistant{ANALYSIS[:-7]}\n{THOUGHT}{HARMONY_CALL}"
    for dialects in (["fence"], ["harmony"], "all"):
        for pieces in splits(text, 12):
            assert not any(isinstance(item, ToolBlock) for item in Guard(FILE_TOOLS, dialects=dialects).scan(pieces))


@pytest.mark.parametrize(
    "prose",
    [
        "functools.partial fits.",
        "- functools: caching\n- os: files",
        "functools, itertools and operator.",
        "functools is fine.",
    ],
)
def test_a_word_that_is_the_opener_of_a_dialect_refuses_nothing(prose: str) -> None:
    """Without the bracket that a call has."""
    for dialects in (["fence"], ["fence", "phi4_mini"], "all"):
        for pieces in splits(f"{prose}\n\n{BLOCK}", 12):
            items = Guard(FILE_TOOLS, dialects=dialects).scan(pieces)
            assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True]
