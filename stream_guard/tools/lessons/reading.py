"""Reads values that are not written as their field demands: durations, colours, addresses, places.

Rule: each function returns the value, or None if the text could also mean another value, or means none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any, Final
from urllib.parse import urlsplit

from .names import folded, plain

# -- yes and no, numbers -----------------------------------------------------------------------------------------------

_SPOKEN: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "yes", "sim", "verdadeiro", "verdadeira", "on", "1", "v", "t", "y", "s"), True),
    **dict.fromkeys(("correct", "right", "correto", "correta", "certo", "certa", "ligado", "ativado", "enabled"), True),
    **dict.fromkeys(("false", "no", "nao", "falso", "falsa", "off", "0", "f", "n"), False),
    **dict.fromkeys(("incorrect", "wrong", "incorreto", "incorreta", "errado", "errada", "desligado", "desativado", "disabled"),
                    False),
}  # fmt: skip

_WORDS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("um", "uma", "one", "a", "an"), 1),
    **dict.fromkeys(("dois", "duas", "two"), 2),
    **dict.fromkeys(("tres", "three"), 3),
    **dict.fromkeys(("quatro", "four"), 4),
    **dict.fromkeys(("cinco", "five"), 5),
}  # fmt: skip


def flag(value: Any) -> bool | None:
    """Return the truth value of a word that means one, or of 1 or 0; else None."""
    if isinstance(value, bool):
        return value
    return _SPOKEN.get(plain(str(value))) if isinstance(value, str | int) else None


def count(value: Any) -> int | None:
    """Return the whole number that a value means (`"3"`, `3.0`, `"3 tentativas"`, `"três"`); else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return int(value) if float(value).is_integer() else None
    found = re.fullmatch(r"(-?\d{1,9}|[a-z]+)(?:[.,]0+)?(?:x|\s+[a-z]+)?", plain(value)) if isinstance(value, str) else None
    if found is None:
        return None
    return _WORDS.get(found[1]) if found[1].isalpha() else int(found[1])


# -- durations ---------------------------------------------------------------------------------------------------------

_AMOUNT: Final = r"(?P<{0}>\d{{1,4}}(?:[.,]\d+)?|uma?|an?|one|duas|two)"
_DURATION: Final = re.compile(
    rf"(?:(?:pt)?{_AMOUNT.format('hours')}\s*(?:h|hrs?|hours?|horas?)\.?)?"
    r"(?P<half>\s*(?:e|and)\s*(?:meia|a half))?"
    rf"(?:\s*(?:e|and|,)?\s*(?:pt)?{_AMOUNT.format('minutes')}\s*(?P<unit>m|mins?|minutos?|minutes?|'|’)?\.?)?"
)
_HALF: Final = frozenset({"meia hora", "half an hour", "half hour", "1/2 hora", "1/2 hour"})


def minutes(value: Any) -> float | int | None:
    """Return the minutes of a duration (`50`, `"50 min"`, `"1 hora"`, `"1h30"`, `"uma hora e meia"`, `"PT50M"`); else None."""
    if isinstance(value, int | float):
        return None if isinstance(value, bool) else value
    if not isinstance(value, str):
        return None
    said = re.sub(r"\s+", " ", plain(value))
    said = re.sub(r"^(?:cerca de|aproximadamente|about|approximately|approx\.?|~) ?", "", said)
    if said in _HALF:
        return 30
    if said in ("hora e meia", "an hour and a half"):
        return 90
    found = _DURATION.fullmatch(said)
    if (
        found is None
        or not (found["hours"] or found["minutes"])
        or (found["half"] and (not found["hours"] or found["minutes"]))
    ):
        return None
    if found["minutes"] and found["unit"] is None and found["minutes"].isalpha():
        return None
    total = 60 * _amount(found["hours"]) + (30 if found["half"] else 0) + _amount(found["minutes"])
    return int(total) if total.is_integer() else total


def _amount(text: str | None) -> float:
    if text is None:
        return 0.0
    return float(_WORDS[text]) if text.isalpha() else float(text.replace(",", "."))


# -- colours -----------------------------------------------------------------------------------------------------------

COLOUR: Final = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_RGB: Final = re.compile(r"rgba?\(([^()]+)\)")
_COLOURS: Final[Mapping[str, str]] = {
    "white": "#ffffff", "branco": "#ffffff", "branca": "#ffffff", "black": "#000000", "preto": "#000000", "preta": "#000000",
    "red": "#ff0000", "vermelho": "#ff0000", "vermelha": "#ff0000", "blue": "#0000ff", "azul": "#0000ff", "yellow": "#ffff00",
    "amarelo": "#ffff00", "amarela": "#ffff00", "green": "#008000", "verde": "#008000", "lime": "#00ff00", "orange": "#ffa500",
    "laranja": "#ffa500", "purple": "#800080", "roxo": "#800080", "roxa": "#800080", "pink": "#ffc0cb", "rosa": "#ffc0cb",
    "gray": "#808080", "grey": "#808080", "cinza": "#808080", "brown": "#a52a2a", "marrom": "#a52a2a", "cyan": "#00ffff",
    "aqua": "#00ffff", "ciano": "#00ffff", "magenta": "#ff00ff", "fuchsia": "#ff00ff", "navy": "#000080", "teal": "#008080",
    "silver": "#c0c0c0", "prata": "#c0c0c0", "maroon": "#800000", "olive": "#808000", "gold": "#ffd700", "dourado": "#ffd700",
    "violet": "#ee82ee", "violeta": "#ee82ee", "indigo": "#4b0082", "beige": "#f5f5dc", "bege": "#f5f5dc", "ivory": "#fffff0",
    "salmon": "#fa8072", "salmao": "#fa8072", "turquoise": "#40e0d0", "turquesa": "#40e0d0", "lavender": "#e6e6fa",
    "lavanda": "#e6e6fa", "coral": "#ff7f50", "khaki": "#f0e68c", "crimson": "#dc143c", "tomato": "#ff6347", "azure": "#f0ffff",
    "lightblue": "#add8e6", "azulclaro": "#add8e6", "darkblue": "#00008b", "azulescuro": "#00008b", "skyblue": "#87ceeb",
    "lightgreen": "#90ee90", "verdeclaro": "#90ee90", "darkgreen": "#006400", "verdeescuro": "#006400",
    "lightyellow": "#ffffe0", "amareloclaro": "#ffffe0", "lightgray": "#d3d3d3", "lightgrey": "#d3d3d3",
    "cinzaclaro": "#d3d3d3", "darkgray": "#a9a9a9", "darkgrey": "#a9a9a9", "cinzaescuro": "#a9a9a9", "lightpink": "#ffb6c1",
    "rosaclaro": "#ffb6c1", "whitesmoke": "#f5f5f5", "aliceblue": "#f0f8ff", "mintcream": "#f5fffa", "honeydew": "#f0fff0",
    "lightcyan": "#e0ffff", "transparent": "#00000000", "transparente": "#00000000",
}  # fmt: skip
"""The digits of common colours, by their names in CSS and in Portuguese."""


def colour(value: Any) -> str | None:
    """Return the digits of a colour (`#ffffff` for `"white"`, `"rgb(255, 255, 255)"`, `"ffffff"`); else None."""
    if not isinstance(value, str):
        return None
    said = plain(value).rstrip(";").strip()
    if COLOUR.fullmatch(said):
        return value.strip().rstrip(";").strip()
    if re.fullmatch(r"0x[0-9a-f]{6}", said):
        return f"#{said[2:]}"
    if COLOUR.fullmatch(f"#{said}") and len(said) != 4:
        return f"#{value.strip().rstrip(';').strip()}"
    named = _COLOURS.get(re.sub(r"[\s_-]", "", said))
    return named if named is not None else _rgb(said)


def _rgb(said: str) -> str | None:
    found = _RGB.fullmatch(said)
    parts = re.split(r"[\s,/]+", found[1].strip()) if found is not None else []
    if len(parts) not in (3, 4):
        return None
    levels: list[int] = []
    for place, part in enumerate(parts):
        number = re.fullmatch(r"(\d{1,3}(?:\.\d+)?|\.\d+)(%?)", part)
        if number is None:
            return None
        share = float(number[1]) / (100 if number[2] else 1 if place == 3 else 255)
        if share > 1:
            return None
        levels.append(round(share * 255))
    return "#" + "".join(f"{level:02x}" for level in levels)


# -- addresses ---------------------------------------------------------------------------------------------------------

_HOST: Final = re.compile(r"(?:[^\s/?#@\[\]<>\"\\^`{|}]+|\[[0-9a-fA-F:.]+\])", re.ASCII)
_BLANK: Final = re.compile(r"[\s\x00-\x1f]")
_BARE: Final = re.compile(r"(?:www\.|(?:m\.)?youtube\.com/|youtu\.be/|(?:player\.)?vimeo\.com/)\S+", re.IGNORECASE)
_LINK: Final = re.compile(r"!?\[[^\[\]]*\]\(\s*<?([^\s()<>]+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
_LINKED_IMAGE: Final = re.compile(r"\[!\[[^\[\]]*\]\(([^\s()]+)\)\]\(([^\s()]+)\)")
_TAGGED: Final = re.compile(
    r"<(?P<tag>iframe|img|a|video|source|embed)\b[^<>]*?\s(?:src|href)\s*=\s*(?:\"(?P<one>[^\"]*)\"|'(?P<two>[^']*)')",
    re.IGNORECASE,
)
_SIGNS: Final = {'"': '"', "'": "'", "<": ">", "`": "`", "“": "”"}


def is_address(text: str) -> bool:
    """Return whether a text is an address of the web: http or https, a host, no blanks."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    return (
        parts.scheme in ("http", "https")
        and _HOST.fullmatch(host) is not None
        and ("." in host or ":" in host or host == "localhost")
        and _BLANK.search(text) is None
    )


def address(value: Any, *, image: bool) -> str | None:
    """Return the one address in a value: bare, in an object, in Markdown, or in a tag; else None. With `image`, that of an
    image.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        there = [value[key] for key in value if plain(key) in _HOLDERS and isinstance(value[key], str) and value[key].strip()]
        value = there[0] if there and all(one == there[0] for one in there) else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if is_address(text):
        return text
    linked = _LINKED_IMAGE.fullmatch(text)
    found = _LINK.fullmatch(text)
    if linked is not None:
        text = linked[1 if image else 2]
    elif found is not None:
        text = found[1]
    elif text.startswith("<") and "=" in text:
        wanted = ("img",) if image else ("iframe", "video", "source", "embed", "a")
        told = {one["one"] or one["two"] or "" for one in _TAGGED.finditer(text) if one["tag"].lower() in wanted}
        if len(told) != 1:
            return None
        text = unescape(told.pop()).strip()
    elif len(text) > 2 and _SIGNS.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    if text.startswith("//") or _BARE.fullmatch(text):
        text = f"https:{'' if text.startswith('//') else '//'}{text}"
    return text if is_address(text) else None


_HOLDERS: Final = frozenset({"url", "src", "href", "link", "uri", "address", "endereco", "image", "video", "imagem"})
"""The keys that may hold an address."""


# -- places ------------------------------------------------------------------------------------------------------------

PERCENTAGE: Final = re.compile(r"(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%")
_SHARE: Final = re.compile(r"(\d{1,3}(?:[.,]\d+)?)\s*(?:%|percent|por ?cento)?")


def share(value: Any) -> float | None:
    """Return the number of a percentage, from 0 to 100, with or without its sign; None for pixels."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    found = _SHARE.fullmatch(plain(str(value)))
    number = float(found[1].replace(",", ".")) if found is not None else None
    return number if number is not None and number <= 100 else None


# -- kinds of lists ----------------------------------------------------------------------------------------------------

_LIST_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("bullet", "bulleted", "unordered", "ul", "marcador", "disc", "circle", "naoordenada", "dash"), "bullet"),
    **dict.fromkeys(("commarcador", "pontos", "bulletpoint", "bulletlist", "unorderedlist", "marcada"), "bullet"),
    **dict.fromkeys(
        ("numbered", "ordered", "ol", "number", "numeric", "numerada", "numerado", "decimal", "ordenada"), "numbered"
    ),
    **dict.fromkeys(("numero", "numberedlist", "orderedlist", "enumerada", "1"), "numbered"),
    **dict.fromkeys(
        ("checkbox", "check", "checklist", "todo", "tasklist", "task", "checkboxe", "listadeverificacao", "checkmark"),
        "checkbox",
    ),
    **dict.fromkeys(("caixadeselecao", "verificacao", "tarefa"), "checkbox"),
}


def list_type(value: Any) -> str | None:
    """Return the type of a list that a word means; else None."""
    return _LIST_TYPES.get(folded(value)) if isinstance(value, str) else None
