"""The site: the reference has every public name, the tutorial shows the program that runs, and links of pages are turned."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from docs.site import OUTSIDE, REFERENCE, linked, pages, shown

ROOT = Path(__file__).parents[2]
NAMED = {(module, name) for _, modules in REFERENCE.values() for module, names in modules.items() for name in names}
COMPLETE = ("stream_guard", "stream_guard.testing", "stream_guard_adapters.events", "stream_guard_adapters.cassettes",
            "stream_guard_adapters.resume")  # fmt: skip


def _public(module: str) -> set[str]:
    found = importlib.import_module(module)
    own = {name for name, thing in vars(found).items() if getattr(thing, "__module__", None) == module and len(name) > 1}
    return {name for name in getattr(found, "__all__", own) if not name.startswith("_")}


@pytest.mark.parametrize("module", COMPLETE)
def test_the_reference_has_every_public_name(module: str) -> None:
    assert {name for where, name in NAMED if where == module} == _public(module)


def test_every_name_of_the_reference_is_there_once() -> None:
    assert len(NAMED) == sum(len(names) for _, modules in REFERENCE.values() for names in modules.values())
    for module, name in NAMED - {("stream_guard_adapters.litellm", "StreamGuardrail")}:  # LiteLLM asks the network for prices
        assert hasattr(importlib.import_module(module), name), (module, name)


def test_what_the_adapters_pages_import_is_in_the_reference() -> None:
    """A name that a page tells users to import is public, and public names are in the reference."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    found = re.findall(r"^\s*from (stream_guard(?:_adapters|\.testing|\.wire)[\w.]*) import ([\w, ]+)", text, re.MULTILINE)
    assert len(found) > 10
    for module, names in found:
        for name in names.split(", "):
            assert (module, name.strip()) in NAMED, (module, name)


def test_the_tutorial_shows_the_program_that_is_run() -> None:
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```(python|html)\n(.*?)^```$", tutorial, re.MULTILINE | re.DOTALL)
    assert len(shown) >= 8
    for kind, code in shown:
        whole = (ROOT / "examples" / ("backend.py" if kind == "python" else "backend.html")).read_text(encoding="utf-8")
        assert code.strip("\n") in whole, code
    program = (ROOT / "examples" / "backend.py").read_text(encoding="utf-8")
    body = program.partition("import annotations\n")[2]
    assert set(body.split("\n")) <= set("\n".join(code for _, code in shown).split("\n"))  # and nothing is left out


def test_a_link_leads_to_the_page_of_the_site_or_is_plain_text() -> None:
    pages = {"docs/guard.md": "guard.md", **OUTSIDE}
    text = "[a](guard.md#x) [b](../README.md) [`c`](../examples/a.py) [d](../tests) [e](https://a.example)\n```\n[f](guard.md)\n```\n"
    assert linked(text, "docs/b.md", pages, "sub/b.md") == (
        "[a](../guard.md#x) [b](../index.md) `c` d (`tests`) [e](https://a.example)\n```\n[f](guard.md)\n```\n"
    )


def test_a_link_whose_words_are_a_file_has_the_title_of_its_page() -> None:
    pages = {"docs/guard.md": "guard.md", **OUTSIDE}
    text = "[guard.md](guard.md#settings), [docs/guard.md](guard.md), [`guard.md`](guard.md), [the guard](guard.md)"
    link = "[The guard](guard.md)"
    assert linked(text, "docs/b.md", pages, "b.md") == f"{link[:-1]}#settings), {link}, {link}, [the guard](guard.md)"


def test_a_note_for_those_who_edit_a_page_is_not_on_the_site() -> None:
    printed = [page for page in (ROOT / "docs").glob("*.md") if "do not edit" in page.read_text(encoding="utf-8")]
    assert len(printed) >= 8
    for page in printed:
        text = page.read_text(encoding="utf-8")
        assert "do not edit" not in shown(text), page.name
        assert len(text) - len(shown(text)) < 120


_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
_NAME = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:md|py|js|html|toml|yml))`")
_TOP = {path.name for path in ROOT.iterdir() if path.is_dir()}


def _prose(page: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.sub(r"^(`{3,})[^`\n]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def _anchors(page: str) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", _prose(page), re.MULTILINE)
    return set(re.findall(r'<\w+ id="([^"]+)"', (ROOT / page).read_text(encoding="utf-8"))) | {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", sorted(source for source in pages() if source.endswith(".md")))
def test_every_link_leads_to_another_place_and_every_named_file_is_there(page: str) -> None:
    anchors: dict[str, set[str]] = {}
    for path, anchor in _LINK.findall(_prose(page)):
        target = (ROOT / page).parent.joinpath(path).resolve() if path else ROOT / page
        assert target.exists(), path
        name = target.relative_to(ROOT).as_posix()
        assert anchor or pages().get(name) != pages()[page], f"{path} is the page itself"
        if anchor and name.endswith(".md"):
            known = anchors.setdefault(name, _anchors(name))
            assert anchor in known, f"{path}#{anchor}"
    for name in _NAME.findall(_prose(page)):
        if name.split("/")[0] in _TOP and "/NAME." not in name:
            assert (ROOT / name).exists(), name


def test_every_page_has_its_place_on_the_site() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    placed = set(re.findall(r"([\w/]+\.md)$", nav, re.MULTILINE))
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert placed == pages | set(OUTSIDE.values()) | {f"reference/{page}.md" for page in REFERENCE} | {"reference/index.md"}
