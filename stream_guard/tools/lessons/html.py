"""The HTML in the texts of a lesson: whether it is well-formed and safe, and the text that a reader sees.

Rule 1: most texts have no markup, or plain tags in pairs, and are judged here. A parser judges the others.
Rule 2: HTML is safe if the sanitiser leaves it unchanged.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Final

try:
    import nh3
    from justhtml import JustHTML
except ImportError as missing:
    raise ImportError(f'lessons need the package {missing.name}; run pip install "stream-guard-llm[lessons]"') from None

_TAG: Final = re.compile(r"<(/?)([a-z][a-z0-9]*)\s*/?>", re.IGNORECASE)
_ANY_TAG: Final = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:[\s/][^>]*)?>", re.IGNORECASE)
_MARKUP: Final = re.compile(r"<[^>]*>")
_VOID: Final = frozenset({"br", "hr", "img", "input", "source", "track", "col", "wbr", "area", "embed"})
_PLAIN: Final = frozenset({
    "p", "b", "i", "u", "s", "em", "strong", "small", "sub", "sup", "br", "hr", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5",
    "h6", "blockquote", "code", "pre", "span", "div",
})  # fmt: skip
_BLOCKS: Final = frozenset({
    "p", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "div", "table", "figure",
})  # fmt: skip
_DECLARATION: Final = re.compile(r"\s*(?:[a-z-]+\s*:[\w\s.,#%()'+-]*)?", re.IGNORECASE)
_RISKY_STYLE: Final = re.compile(r"url|expression|import|behavior|binding|position|z-index|javascript", re.IGNORECASE)
"""Matches a property or value of a style that loads something, runs something, or covers other parts of the page."""

_GENERAL: Final = frozenset({"class", "style", "dir", "role"})
"""Attributes that any tag may have: they change how a text looks, or how it is read aloud."""


def _attribute(_: str, name: str, value: str) -> str | None:
    """Return the value of an attribute that may stay; None for one that is removed."""
    if name != "style":
        return value
    plain = all(_DECLARATION.fullmatch(declaration) for declaration in value.split(";"))
    return value if plain and _RISKY_STYLE.search(value) is None else None


_CLEANER: Final = nh3.Cleaner(
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
    attributes={**nh3.ALLOWED_ATTRIBUTES, "*": nh3.ALLOWED_ATTRIBUTES.get("*", set()) | _GENERAL},
    generic_attribute_prefixes={"aria-"},
    attribute_filter=_attribute,
)


def clean(text: str) -> str:
    """Return the text without scripts, event handlers and dangerous addresses, and with its tags closed."""
    return text if _is_plain(text) else _CLEANER.clean(text)


def is_safe(text: str) -> bool:
    """Return whether the sanitiser leaves a text unchanged. Differences in spelling do not count."""
    return _is_plain(text) or _told(_CLEANER.clean(text)) == _told(text)


def flaw(text: str) -> str | None:
    """Return the first flaw of the markup and its place; None if there is none."""
    if "<" not in text or _is_plain(text):
        return None
    errors = JustHTML(text, fragment=True, collect_errors=True).errors
    if errors:
        return f"{errors[0].code} at line {errors[0].line}, column {errors[0].column}"
    return "an opening or closing tag without its counterpart" if _unpaired(_ANY_TAG.findall(text)) else None


def visible(text: str) -> str:
    """Return the text that a reader sees."""
    return text.strip() if "<" not in text and "&" not in text else " ".join(unescape(_MARKUP.sub(" ", text)).split())


def is_wrapped(text: str) -> bool:
    """Return whether a text begins with a block element."""
    first = _TAG.match(text.lstrip())
    return first is not None and first[2].lower() in _BLOCKS


def wrapped(text: str) -> str:
    """Return the text as a paragraph, with signs that are no markup escaped."""
    inner = text.strip()
    return f"<p>{inner if flaw(inner) is None and _MARKUP.search(inner) else escape(unescape(inner), quote=False)}</p>"


def _is_plain(text: str) -> bool:
    """Return whether a text has no markup other than plain tags in pairs."""
    if "<" not in text:
        return True
    tags = _TAG.findall(text)
    return text.count("<") == len(tags) and all(name.lower() in _PLAIN for _, name in tags) and not _unpaired(tags)


def _unpaired(tags: list[tuple[str, str]]) -> bool:
    """Return whether a tag has no partner, or is at a place where it is not allowed."""
    open_: list[str] = []
    paragraphs = 0  # how many paragraphs are open
    for slash, name in tags:
        name = name.lower()
        if slash:
            if not open_ or open_.pop() != name:
                return True
            paragraphs -= name == "p"
        elif name not in _VOID:
            if paragraphs and name in _BLOCKS:
                return True  # another block ends a paragraph
            open_.append(name)
            paragraphs += name == "p"
    return bool(open_)


def _told(text: str) -> str:
    """Return one spelling for all texts that a browser reads alike."""
    return JustHTML(text, fragment=True, sanitize=False).to_html(pretty=False)
