"""The fence grammar: one line at a time, and each leniency by its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.scan.fences import MAX_INFO, MAX_LIST_INDENT, MAX_RUN, Kind, Languages, LineHead, Lists, plain_fence
from stream_guard.testing import every_split, merge_text, original
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.leniencies import CALL, LENIENCIES, NOT_DETECTED
from tests.kit.proof import Cases

JSON = Languages(("json",))


def head(line: str, *, cut: int | None = None, **settings: Any) -> LineHead:
    reader = LineHead(**settings)
    pieces = [line] if cut is None else [line[:cut], line[cut:]]
    for piece in pieces:
        if reader.kind is None:
            reader.feed(piece, 0, len(piece))
    return reader


@pytest.mark.parametrize(
    ("line", "kind", "char", "length", "info"),
    [
        ("```\n", Kind.FENCE, "`", 3, ""),
        ("   ~~~~ \r", Kind.FENCE, "~", 4, ""),
        ("```python\n", Kind.FENCE, "`", 3, "python"),
        ("``` a b \n", Kind.FENCE, "`", 3, "a b "),
        ("~~~ a`b\n", Kind.FENCE, "~", 3, "a`b"),
        ("```json\n", Kind.FENCE, "`", 3, "json"),
        ("``\n", Kind.TEXT, "`", 2, ""),
        ("``x\n", Kind.TEXT, "`", 2, ""),
        ("```a`b\n", Kind.TEXT, "`", 3, "a"),
        ("    ```\n", Kind.TEXT, "", 0, ""),
        (" \t```\n", Kind.TEXT, "", 0, ""),
        ("word\n", Kind.TEXT, "", 0, ""),
        ("  \t  \n", Kind.BLANK, "", 0, ""),
        ("  \t  x", Kind.TEXT, "", 0, ""),
        ("  \n", Kind.BLANK, "", 0, ""),
        ("\r", Kind.BLANK, "", 0, ""),
    ],
)
def test_a_line_is_text_blank_or_a_fence_however_it_is_cut(line: str, kind: Kind, char: str, length: int, info: str) -> None:
    """The rule of CommonMark, at every cut."""
    for cut in [None, *range(1, len(line))]:
        found = head(line, cut=cut)
        assert (found.kind, found.char, found.length, found.info) == (kind, char, length, info), cut


@pytest.mark.parametrize(
    ("line", "marker", "kind"),
    [
        ("- ```\n", 2, Kind.FENCE),
        ("10. ```\n", 4, Kind.FENCE),
        ("1)  ~~~ x\n", 4, Kind.FENCE),
        ("- - ```\n", 4, Kind.FENCE),
        ("-\n", 2, Kind.BLANK),
        ("-       deep\n", 2, Kind.TEXT),
        ("*bold*\n", 0, Kind.TEXT),
        ("1.5\n", 0, Kind.TEXT),
        ("1234567890. x\n", 0, Kind.TEXT),
        ("2024\n", 0, Kind.TEXT),
    ],
)
def test_list_markers_are_read_where_they_may_stand(line: str, marker: int, kind: Kind) -> None:
    """And the column is known where the item's content begins."""
    for cut in [None, *range(1, len(line))]:
        found = head(line, cut=cut, markers=True)
        assert (found.marker, found.kind) == (marker, kind)
    assert head(line, markers=False).marker == 0


@pytest.mark.parametrize(
    ("line", "may_open"),
    [
        ("`", True),
        ("```", True),
        ("```j", True),
        ("```json", True),
        ("``` \tjson", True),
        ("```JSON title", True),
        ("```x", False),
        ("```jsonc", False),
        ("```json5", False),
        ("`" * (MAX_RUN + 1), False),
        ("```" + " " * (MAX_INFO + 1), False),
        ("```json " + "x" * MAX_INFO, False),
        ("```json a`", False),
    ],
)
def test_a_line_is_held_only_while_it_could_open_a_block(line: str, may_open: bool) -> None:
    """The bounds keep what is held short."""
    assert (head(line, languages=JSON).languages is not None) is may_open


def test_languages_are_words() -> None:
    """A mistake in the settings is told at once."""
    for wrong in ((), ("a b",), ("x`",), (3,)):
        with pytest.raises(ValueError, match="language"):
            Languages(wrong)  # type: ignore[arg-type]
    assert Languages("json").match("JSON")
    assert Languages(("",)).bare
    assert not Languages(("json",)).match("")


def block_of(text: str) -> ToolBlock:
    (block,) = [item for item in Guard(FILE_TOOLS).scan([text]) if isinstance(item, ToolBlock)]
    return block


@pytest.mark.parametrize("name", LENIENCIES)
def test_each_leniency_finds_the_block_and_writes_it_the_plain_way(name: str) -> None:
    """The front end gets the one form it knows; `raw` keeps what was written."""
    text, raw = LENIENCIES[name]
    block = block_of(text)
    assert block.raw == raw
    assert block.content == f"```json\n{CALL}\n```"
    assert block.executable
    assert not block.corrected
    whole = merge_text(Guard(FILE_TOOLS).scan([text], stream_id="s"))
    assert all(merge_text(Guard(FILE_TOOLS).scan(cut, stream_id="s")) == whole for cut in every_split(text))


def test_next_opener_ends_a_call_whose_closer_was_forgotten() -> None:
    """Two calls never merge; the first is not executable, the second is."""
    text = f"```json\n{CALL}\nand\n```json\n{CALL}\n```\n"
    first, second = [item for item in Guard(FILE_TOOLS).scan([text]) if isinstance(item, ToolBlock)]
    assert first.raw == f"```json\n{CALL}\nand\n"
    assert not first.executable
    assert first.issues[0].code == "ambiguous_end"
    assert second.executable


def test_string_keeps_fences_inside_a_file_that_is_being_written() -> None:
    """Raw line ends, nested fences with and without info; the block ends at its own closer."""
    content = "# Demo\n\n```bash\nls\n```\n\nand\n\n```\nplain\n```\n\nend\n"
    text = '```json\n{"tool": "write_file", "path": "R.md", "content": "' + content + '"}\n```\nDone.'
    items = list(Guard(FILE_TOOLS).scan([text]))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.raw == text.removesuffix("\nDone.")
    assert block.found[0].code == "control_character"
    assert block.arguments == {"tool": "write_file", "path": "R.md", "content": content}
    assert items[-1] == "\nDone."


def test_surrogates_are_joined() -> None:
    """Inside a block and outside."""
    halves = [
        "a \ud83d",
        "\ude00 b\n```json\n",
        '{"tool": "write_file", "path": "a", "content": "\ud83d',
        '\ude00"}\n```\n',
        "\ud83d",
    ]
    items = list(Guard(FILE_TOOLS).scan(halves))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.arguments is not None
    assert block.arguments["content"] == "😀"
    assert items[0] == "a "
    assert original(items).startswith("a 😀 b")
    assert items[-1] == "\ud83d"
    assert list(Guard(FILE_TOOLS).scan(["x\ud83d", "y"])) == ["x", "\ud83dy"]


@pytest.mark.promise("P1")
def test_a_pair_of_surrogates_is_one_character_however_it_is_cut(cases: Cases) -> None:
    """In prose, in a block, escaped or not: whole, by character, and at every cut."""
    body = '{"tool": "write_file", "path": "a\ud83d\ude00", "content": "\ud83d\ude00\ude00 \\ud83d\\ude00"}'
    block = f"a \ud83d\ude00\n```json\n{body}\n```\n\ud83d\ude00\ud83d"
    for text in (block, "\ud83d\ude00", "x\ud83d\ude00", "\ude00\ud83d"):
        whole = merge_text(Guard(FILE_TOOLS).scan([text], stream_id="s"))
        cuts = [list(text), *([text[:at], text[at:]] for at in range(1, len(text)))]
        assert all(merge_text(Guard(FILE_TOOLS).scan(cut, stream_id="s")) == whole for cut in cuts)
        cases(len(cuts) + 1)


@pytest.mark.parametrize(
    "text",
    [
        f"````markdown\n```json\n{CALL}\n```\n````\n",
        f"~~~\n```json\n{CALL}\n```\n~~~\n",
        f"    ```json\n    {CALL}\n    ```\n",
        f"text ```json\n{CALL}\n```",
        "```json```\n",
        f"```jsonc\n{CALL}\n```\n",
    ],
)
def test_what_is_not_a_block_of_ours_flows_on(text: str) -> None:
    """As text, without a word."""
    assert merge_text(Guard(FILE_TOOLS).scan([text])) == [text]


@pytest.mark.parametrize("name", NOT_DETECTED)
def test_what_the_pages_say_is_not_detected_is_not(name: str) -> None:
    """A rule that detects it makes a row of docs/fences.md, and the limitation in README.md, untrue."""
    text, blocks, told = NOT_DETECTED[name]
    assert sum(isinstance(item, ToolBlock) for item in Guard(FILE_TOOLS).scan([text])) == blocks
    assert blocks or merge_text(Guard(FILE_TOOLS).scan([text])) == [text]
    root = Path(__file__).parents[3]
    assert told in (root / "README.md").read_text(encoding="utf-8")
    page = (root / "docs" / "fences.md").read_text(encoding="utf-8").partition("## Not detected")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE) == [*NOT_DETECTED]


def test_a_list_ends_where_commonmark_ends_it() -> None:
    """And with it the leave to indent."""
    deep = f"    ```json\n    {CALL}\n    ```\n"
    for before, found in [
        ("- a\n\n", 1),
        ("- a\n", 1),
        ("- a\n\nb\n\n", 0),
        ("- a\nlazy\n", 1),
        ("- a\n# h\n", 0),
        ("- a\n```\n```\n\n", 0),
        ("", 0),
        ("- a\n  b\n\n", 1),
        ("- a\n\n b\n\n", 0),
    ]:
        blocks = [item for item in Guard(FILE_TOOLS).scan([before + deep]) if isinstance(item, ToolBlock)]
        assert len(blocks) == found, before


def test_crlf_split_over_two_deltas_is_one_line_end() -> None:
    """Body, place and raw are the same as when it comes whole."""
    text = f"a\r\n```json\r\n{CALL[:-1]}\r\n```\r\nb"
    whole = merge_text(Guard(FILE_TOOLS).scan([text], stream_id="s"))
    (block,) = [item for item in whole if isinstance(item, ToolBlock)]
    assert (block.found[0].line, block.found[0].code) == (2, "unterminated")
    assert block.raw == f"```json\r\n{CALL[:-1]}\r\n```"
    assert all(merge_text(Guard(FILE_TOOLS).scan(cut, stream_id="s")) == whole for cut in every_split(text))


def test_a_tool_call_may_have_any_fence_and_line_end() -> None:
    """Tildes, longer runs, CRLF and CR."""
    for opener, closer in [("```json", "```"), ("~~~json", "~~~"), ("`````json", "``````"), ("  ``` json", "   ```")]:
        for end in ("\n", "\r\n", "\r"):
            block = block_of(f"hi{end}{opener}{end}{CALL}{end}{closer}{end}")
            assert block.executable
            assert block.raw == f"{opener.lstrip()}{end}{CALL}{end}{closer}"


def test_the_deepest_fence_in_a_list_is_bounded() -> None:
    """Past the bound it is text."""
    for indent, found in [(MAX_LIST_INDENT, 1), (MAX_LIST_INDENT + 1, 0)]:
        text = f"- a\n{' ' * indent}```json\n{CALL}\n{' ' * 9}```\n"
        assert len([item for item in Guard(FILE_TOOLS).scan([text]) if isinstance(item, ToolBlock)]) == found


def test_the_page_lists_every_leniency_and_only_those() -> None:
    """docs/fences.md, and the tests by the same names."""
    page = (Path(__file__).parents[3] / "docs" / "fences.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE))
    here = Path(__file__).read_text(encoding="utf-8")
    tested = {
        name
        for name in listed
        if name in LENIENCIES
        or name in NOT_DETECTED
        or re.search(rf"(def test_{name.replace('-', '_')}_|# {name}$)", here, re.MULTILINE)
    }
    untested = listed - tested
    assert not untested, f"add rows for {untested} to LENIENCIES of tests/kit/leniencies.py, or tests called test_NAME_... here"
    unlisted = set(LENIENCIES) - listed
    assert not unlisted, f"add rows for {unlisted} to the table of docs/fences.md"


BARE = Guard(FILE_TOOLS, languages=("json", ""))


def bare(text: str) -> list[Any]:
    """What a guard of fences without a language makes of a text, at every cut."""
    found: list[list[Any]] = []
    for cut in every_split(text):
        items: list[Any] = merge_text(BARE.scan(cut, stream_id="s"))
        assert original(items) == text
        if items not in found:
            found.append(items)
    assert len(found) == 1
    return found[0]


@pytest.mark.some(7)
@pytest.mark.parametrize("opener", ["```json", "```", "~~~", "``` ", "```JSON title=x"])
@pytest.mark.parametrize("before", ["Here it is: ", "a `b` ", "`` ```json `` is ", "- do ", "x ```json y ```\n\nnow "])
def test_behind_prose_a_fence_may_open_where_fences_of_no_language_are_ours(opener: str, before: str) -> None:
    """What stands before it leaves as text, and so does what stands behind its closer. Tildes are no such fence."""
    items = bare(f"{before}{opener}\n{CALL}\n```\nafter\n\n```json\n{CALL}\n```")
    raws = [item.raw for item in items if isinstance(item, ToolBlock)]
    if opener == "~~~":
        assert not raws
    else:
        assert raws == [f"{opener}\n{CALL}\n```", f"```json\n{CALL}\n```"]
        assert items[0] == before


@pytest.mark.parametrize(
    "text",
    [
        "It opens with ```json\nand ends with ```\n",
        "It opens with ```\nand ends with ```\n",
        "a ``` b ``` c\nd ```e```\n",
        "see ```json",
        "As in ```json\n0\n```\n",
        "x\n\n    ```json\n" + CALL + "\n    ```\n",
        "x\n\n\t- ```json\n\t" + CALL + "\n\t```\n",
        "```\ncode = {1: 2}\n```\n",
        "```\n\n\tcode\n```\n",
        "```\n```\n",
        "a ```\n\n```\n",
        '```\n{"name": "x", "version": 1}\n```\n',
        'As in ```json\n{"name": "x", "version": 1}\n```\n',
        "```\n[1, 2]\n```\n",
        "```\n[section]\n```\n",
    ],
)
def test_what_else_stands_in_a_fence_of_no_language_flows_on(text: str) -> None:
    """Nobody hears of it, and a call behind it is still found."""
    items = bare(f"{text}\n\n```json\n{CALL}\n```") if not text.endswith("json") else bare(text)
    assert items[0] == (f"{text}\n\n" if not text.endswith("json") else text)
    assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True] * (not text.endswith("json"))


@pytest.mark.parametrize("opener", ["```\n", "text ```\n", "text ```json\n", "```\n\n  "])
def test_code_in_such_a_fence_leaves_at_its_first_character(opener: str) -> None:
    """Only what begins as an object or a list does is held, and nothing is announced before it is known to be a call."""
    session = BARE.session("s", asks=False)
    left: list[Any] = [*session.feed(opener), *session.feed("x")]
    assert "".join(left) == f"{opener}x"
    assert not session.holding
    session = BARE.session("s", asks=False)
    assert all(isinstance(item, str) for item in session.feed(f'{opener}{{"tool": "delete'))
    assert session.holding
    (status,) = session.feed('_file"')
    assert isinstance(status, ToolStatus)


def test_a_head_that_is_known_is_not_read_again() -> None:
    """And an info string that is too long is kept as far as it is wanted."""
    reader = head("```json\n", languages=JSON)
    assert reader.finish() is Kind.FENCE
    reader = LineHead()
    for piece in ("```", "x" * MAX_INFO, "y" * 10, "z\n"):
        if reader.kind is None:
            reader.feed(piece, 0, len(piece))
    assert reader.info == "x" * MAX_INFO
    any_language = Languages(("json", ""))
    assert head('```{"a": 1}\n', languages=any_language).kind is Kind.INLINE
    assert head("``` {\n", languages=any_language).kind is Kind.INLINE
    near = head("```js {\n", languages=JSON)  # it could have been ours for two letters
    assert (near.languages, near.info) == (None, "js {")


@pytest.mark.parametrize("settings", [{}, {"limit": 0}, {"markers": True, "reasoning": True}, {"short": True, "limit": 64}])
def test_a_plain_fence_is_read_as_its_characters_would_be(settings: dict[str, Any]) -> None:
    for languages in (None, JSON, Languages(("json", "")), Languages.none()):
        for run in (2, 3, 4, 64, 65):
            for info in ("", "json", "JSON", "jso", "python", "~", "a" * 64):
                for line_end in ("\n", "\r\n"):
                    line = "`" * run + info + line_end
                    slow, plain = head(line, languages=languages, **settings), plain_fence(line, 0, languages)
                    assert (plain is None) == (not 3 <= run <= 64), line
                    for name in FACTS if plain is not None else ():
                        assert getattr(plain, name) == getattr(slow, name), (line, name)
    for line in ("```json", "``` json\n", "```json x\n", "``` \n", "```js`\n", "```json{}\n", "```[\n", "~~~\n", "x\n"):
        assert plain_fence(line, 0, JSON) is None, line


FACTS = (
    "kind",
    "char",
    "length",
    "info",
    "languages",
    "lead",
    "indent",
    "column",
    "marker",
    "numbered",
    "bullet",
    "stray",
    "begun",
)


def test_an_item_right_of_the_outermost_one_changes_nothing() -> None:
    """Only the outermost item counts."""
    lists = Lists()
    for line, deep in (("- a\n", True), ("  - b\n", True), ("    more\n", True), ("\n", True), ("x\n", False)):
        lists.line(head(line, limit=lists.limit, markers=True))
        assert lists.open is deep, line
