"""How values show themselves: short, and whatever a model wrote is text."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from stream_guard import Guard, Limits, Tool, ToolBlock, Toolset
from stream_guard.testing import FakeCorrector
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.documents import documents


class Read(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(documents() | st.text().map(lambda text: f"```json\n{text}\n```\n"))
def test_a_block_in_a_notebook_is_a_table_that_a_model_cannot_write_into(text: str) -> None:
    for item in Guard(FILE_TOOLS, untagged="validate").scan([text]):
        if isinstance(item, ToolBlock):
            shown = Read(item._repr_html_())
            assert {*shown.tags} <= {"div", "b", "table", "tr", "th", "td", "pre"}
            assert (shown.tags.count("div"), shown.tags.count("table"), shown.tags.count("pre")) == (1, 1, 1)
            assert repr(item).isprintable()
            assert len(repr(item)) < 600


def test_a_block_in_a_notebook_says_what_was_wrong_and_what_was_mended() -> None:
    shown = Read(Guard(FILE_TOOLS).check('{"tool": "write_file", "path": "<b>.txt", "content": "<script>",}')._repr_html_())
    assert "script" not in shown.tags
    for part in ("fixed", "write_file", "<b>.txt", "comma", '"content": "<script>"'):
        assert part in shown.text


def test_values_show_themselves_short() -> None:
    """With the names and the settings that tell them apart, and no content."""
    guard = Guard(FILE_TOOLS)
    good, bad = guard.check('{"tool": "delete_file", "path": "a"}'), guard.check('{"tool": "write_file", "path": "/a"}')
    assert repr(good) == "<ToolBlock check delete_file a: valid, 36 characters, closed>"
    assert repr(bad) == "<ToolBlock check write_file /a: failed (required, path_absolute), 36 characters, closed>"
    assert repr(FILE_TOOLS["edit_file"]) == "<Tool edit_file(path, search_replace), WRITE, without a handler>"
    named = Tool("a b", "", {"type": "object", "properties": {"x": {}, "y": {}}, "required": ["y"]}, handler=str)
    assert repr(named) == '<Tool "a b"(x?, y), WRITE>'
    assert repr(guard) == "Guard(Toolset(write_file, delete_file, edit_file))"
    assert repr(Guard([named], fixes="off")) == "Guard(Toolset(a b), fixes='off')"
    limited = Guard(Toolset(named), limits=Limits(max_depth=3), corrector=FakeCorrector("x"))
    assert "limits=Limits(" in repr(limited)
    assert repr(limited).endswith("corrector=FakeCorrector)")
