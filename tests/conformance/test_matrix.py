"""The page that shows other parsers on the corpus: what a cell says, and that the page is of this corpus."""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import html5lib
import pytest
from markdown_it import MarkdownIt
from stream_guard_conformance.conform import Finding, Result, Verdict
from stream_guard_conformance.corpus import VERSION, Row, corpus, digest

from benchmarks.matrix.__main__ import PICTURES, Column, _folded, cell, page, pictures
from benchmarks.matrix.peers import Naive
from benchmarks.matrix.refused import REASONS
from benchmarks.matrix.unpack import main as unpack

PAGE = Path(__file__).parents[2] / "docs" / "matrix.md"


def test_the_page_is_of_this_corpus() -> None:
    """`make matrix` prints it."""
    text = PAGE.read_text(encoding="utf-8")
    assert f"version {VERSION}: {len(corpus()):,} streams, SHA-256 `{digest(corpus())[:16]}…`" in text


def test_the_pages_have_the_number_of_rows() -> None:
    for name in ("CHANGELOG.md", "docs/conformance.md"):
        assert f"{len(corpus()):,}" in (PAGE.parents[1] / name).read_text(encoding="utf-8")


def test_a_cell_says_what_is_right_of_what_applies() -> None:
    assert "–" in cell(Counter({Verdict.NOT_CLAIMED: 3}))
    assert cell(Counter({Verdict.PASSED: 3, Verdict.NOT_CLAIMED: 1})) == "3 of 3"
    told = cell(Counter({Verdict.PASSED: 1, Verdict.REFUSED: 2, Verdict.UNSAFE: 1, Verdict.CALL_WRONG: 1, Verdict.LATE: 1}))
    assert told == "3 of 6<br>**2 ran wrongly**<br>2 refused"


def column(*found: tuple[Row, Verdict]) -> Column:
    return Column([Result(row, Finding(verdict, "came out: '<x>'")) for row, verdict in found])


@cache
def rows() -> tuple[Row, Row]:
    """A row of prose and one with a broken call: made where a test asks, for the corpus takes seconds."""
    prose = next(row for row in corpus() if row.kind == "text/prose" and "<b>" in row.input[0])
    return prose, next(row for row in corpus() if row.kind == "broken/comments" and row.calls)


def columns() -> tuple[Column, Column, Column]:
    """What the guard makes of the two rows, a peer, and another."""
    prose, broken = rows()
    return (
        column((prose, Verdict.PASSED), (broken, Verdict.REFUSED)),
        column((prose, Verdict.TEXT_LOST), (broken, Verdict.PASSED)),
        column((prose, Verdict.PASSED), (broken, Verdict.CALL_WRONG)),
    )


def test_the_page_shows_wrong_rows_as_text_and_cells_lead_to_them() -> None:
    (prose, _), (ours, peer, other) = rows(), columns()
    text = "\n".join(page({"ours": ours, "peer 1": peer, "peer 2": other}))
    assert f"<code>{prose.id}</code>: text lost" in text
    assert "&lt;b&gt;" in text
    assert "&lt;x&gt;" in text
    link = f"peer-1-{prose.id.replace('/', '-')}-text-lost"
    assert f"| 1 of 1 | [0 of 1](#{link}) | 1 of 1 |" in text
    assert f'id="{link}"' in text


STRUCTURES = {
    "a fence": '```json\n{"tool": 1}\n```',
    "a fence without an end": "~~~~\ntext",
    "a fence in a quote": "> ```\n> x\n> ```",
    "a list": "- one\n  - two\n\n1. three",
    "a heading": "# One\n\nTwo\n===\n\n## Three {#other}",
    "HTML": "</pre></p></details><details><summary>no</summary><!-- <script>x</script>",
    "HTML in a fence": '```html\n</pre>\n<p id="x">\n```',
    "a table": "| a | b |\n|---|---|\n| c | d |",
    "links": "[a](guard.md) ![b](c.png) [d]: https://e.example\n[f][d] <https://g.example>",
    "a rule": "a\n\n---\n\n***\n\n___",
    "emphasis": "*a* **b** _c_ `d` ~~e~~ a\\*b",
    "entities": "&amp; &#96; &lt;",
    "indented code": "a\n\n    b",
    "an admonition": '!!! note "x"\n    y\n\n??? more\n    z',
    "a front matter": "---\na: b\n---",
    "line breaks around": "\n\na  \nb\n\n",
}
"""Texts that Markdown, or what the site adds to it, reads as more than text."""

_SITE = PAGE.parents[1] / ".venv" / "site" / "bin" / "python"
_AS_THE_SITE = """
import sys
from markdown import Markdown
from mkdocs.config import load_config
config = load_config("mkdocs.yml")
print(Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs).convert(sys.stdin.read()))
"""


def rows_shown(built: str) -> list[list[str]]:
    """Return the texts of each row that a reader can open, as a browser has them."""
    tree = html5lib.parse(built, treebuilder="etree", namespaceHTMLElements=False)
    return [["".join(part.itertext()) for part in row if part.tag in ("summary", "p", "pre")] for row in tree.iter("details")]


def as_the_site(text: str) -> str:
    """Return a page as the site builds it."""
    if not _SITE.exists():
        pytest.skip("`make site` installs what builds the site")
    run = [str(_SITE), "-c", _AS_THE_SITE]
    return subprocess.run(run, input=text, capture_output=True, text=True, check=True, cwd=PAGE.parents[1]).stdout


@pytest.mark.parametrize("built", [MarkdownIt("commonmark", {"html": True}).enable("table").render, as_the_site])
def test_no_row_is_taken_for_markdown(built: Callable[[str], str]) -> None:
    """Whatever stands in a row, and whatever stands in the one before it."""
    texts = [*STRUCTURES.values(), *(one + "\n\n" + other for one in STRUCTURES.values() for other in STRUCTURES.values())]
    prose, _ = rows()
    lines = [
        line
        for at, text in enumerate(texts)
        for line in _folded(replace(prose, why=text, input=(text,), form="text"), text, f"row-{at}", text)
    ]
    shown = rows_shown(built("\n".join(lines)))
    assert len(shown) == len(texts)
    for (summary, why, pre, calls, seen), text in zip(shown, texts, strict=True):
        assert (summary, why, pre) == (f"{prose.id}: {text}", text, text)
        assert calls.startswith("Must run: [")
        assert seen == f"What it did: {text}"


@pytest.mark.parametrize("built", [MarkdownIt("commonmark", {"html": True}).enable("table").render, as_the_site])
def test_the_page_has_all_its_rows_when_it_is_built(built: Callable[[str], str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    html = built(text)
    assert len(rows_shown(html)) == text.count("<details>")
    assert set(re.findall(r'<p id="([^"]+)"', html)) == set(re.findall(r'<p id="([^"]+)"', text))


def test_what_a_peer_reads_and_the_guard_refuses_has_a_reason_and_a_row_to_open() -> None:
    (_, broken), (ours, peer, other) = rows(), columns()
    text = "\n".join(page({"ours": ours, "peer 1": peer, "peer 2": other}))
    (line,) = re.findall(r"^\| broken/comments \| (.*) \|$", text, re.MULTILINE)
    assert line.startswith(f"1 of {sum(row.kind == broken.kind for row in corpus()):,}, such as [`{broken.id}`](#refused-")
    assert REASONS[broken.kind] in line
    assert line.endswith("| 1 right, 1 ran wrongly")
    assert f"<code>{broken.id}</code>: read by peer 1" in text


def test_every_link_of_the_page_leads_somewhere_on_it_and_its_pictures_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    anchors = re.findall(r'id="([^"]+)"', text)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= set(anchors)
    assert re.findall(r"\]\(images/([\w-]+)\.svg\)", text) == list(PICTURES)
    for name in PICTURES:
        assert ET.parse(PAGE.parent / "images" / f"{name}.svg").getroot().get("role") == "img"


def test_a_picture_says_in_words_what_it_shows_and_its_bars_add_up() -> None:
    ours, peer, _ = columns()
    drawn = pictures({"ours": ours, "peer <1>": peer})
    assert list(drawn) == list(PICTURES)
    for picture in drawn.values():
        root = ET.fromstring(picture)
        named = {str(node.get("id")): node.text for node in root if node.get("id")}
        assert root.get("aria-labelledby") == " ".join(named)
        assert all(f"{name}: " in str(named["says"]) for name in ("ours", "peer <1>"))
    bars = [node for node in ET.fromstring(drawn["matrix"]) if node.get("height") == "21"]
    assert sum(float(bar.get("width", 0)) for bar in bars) == 2 * 500
    assert "prefers-color-scheme: dark" in drawn["matrix"]


def test_folders_come_out_of_a_wheel_with_its_version(tmp_path: Path) -> None:
    wheel = tmp_path / "some-1.2.3-py3-none-any.whl"
    with ZipFile(wheel, "w") as made:
        for name in ("some/parsers/a.py", "some/other/b.py"):
            made.writestr(name, "")
    unpack([str(wheel), str(tmp_path / "out"), "some/parsers/"])
    found = [str(path.relative_to(tmp_path / "out")) for path in sorted((tmp_path / "out").rglob("*")) if path.is_file()]
    assert found == ["some/parsers/a.py", "some-1.2.3.version"] or found == ["some-1.2.3.version", "some/parsers/a.py"]


def test_the_naive_client_runs_valid_calls_of_closed_fences() -> None:
    client = Naive("x", json.loads)
    call = next(
        row for row in corpus() if row.kind == "fence/calls" and len(row.calls) == 1 and "````" not in "".join(row.input)
    )
    names = [item.name for step in client.read(call.question()).steps for item in step if hasattr(item, "name")]
    assert names == [call.calls[0].name]
    cut = next(row for row in corpus() if row.kind == "cut-off/in-a-call" and not row.calls)
    assert not [item for step in client.read(cut.question()).steps for item in step if hasattr(item, "name")]
