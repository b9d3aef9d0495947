"""Whether a string in the place of a list of strings is the only item of that list. Such a string may also hold several items,
say which items are left out, or say that there are no items, or all. Then a list with that string as an item would mean
something else.

Rule 1: an item has no sign that separates items in any language, and begins with a letter, a digit or a sign that begins a
name.
Rule 2: a word about the list as a whole is no item of it: `none`, `all`, `the same`, a truth value, in the languages of the
table.
Rule 3: the table cannot be complete. A word is in it where it has no other use as a tag, an id, a name or a path.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
"""Matches an address of mail."""

_SIGNS: Final = frozenset("\n,;|")
_ONE_ITEM: Final = re.compile(r"(?:[@#$/]|~(?=\w*/)|\.{1,2}(?=[\w/])|(?=\w))[^\s,;|&\[\]{}()<>\"'`]{1,200}")
"""Matches one item of a list: a word, a name or a path without blanks, commas or brackets."""

_TO: Final = r"(?:[-\u2010-\u2015~:/+]|\.{2,3}|\u2026)"
_DAY: Final = r"(?:mo|tu|we|th|fr|sa|su)[a-z]{0,7}"
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_TIME: Final = r"\d{1,2}(?::\d\d)+"
_RANGE: Final = re.compile(
    rf"\d+(?:[-\u2010-\u2015~:]|\.{{2,3}})\d+|(?P<name>[^\W\d_]{{1,8}}[-_]?)\d+{_TO}(?P=name)\d+|{_TIME}{_TO}{_TIME}"
    rf"|{_DAY}{_TO}{_DAY}|{_MONTH}{_TO}{_MONTH}|.*(?<=\w)(?:\.\.|\u2026|~)\w.*"
)
"""Matches a text that means several items: a range of numbers, of names that differ by one, of times or of days (`1-5`,
`A1-A3`, `mon-fri`); `a..b`, `a~b`."""

_JOINED: Final = re.compile(r"(?<=\w)\+(?=\w)|%|(?<!\A)#|@.*@")
"""Matches a sign that may join two items: `a+b`, `#a#b`, `a%2Cb`, two mail addresses."""

_SLASH: Final = re.compile(r"[/\\]")
"""Matches a slash, which may also separate two items: `Mon/Wed`."""

_PATH: Final = re.compile(
    r"(?:\.{0,2}|~\w*|[A-Za-z]:)[/\\].*|[A-Za-z][\w+.-]*://.*|.*[/\\][^/\\]*\.\w{1,8}|[\da-f]+[.:][\da-f.:]*/\d+"
)
"""Matches a text whose slashes separate no items: a path that begins as one or ends in a file, or the address of a web page or
network."""

_ALL_BUT: Final = re.compile(r"(?:not|no|non|except|but|without|all|any|every)[-_:.](?=.*\d).*")
"""Matches words that select items of a list, including words with a number: `not-A1`, `all-7`."""

_WORDS: Final = frozenset(
    unicodedata.normalize(
        "NFKC",
        """
    none null nil nul na nan nope no not non neither never nobody noone nothing nowhere empty void undefined unknown unset
    unspecified unassigned missing notapplicable notavailable notset notgiven tbd tba zero 0 without
    all any anyone anybody anything both each every everyone everybody everything everywhere either other others same default
    defaults auto automatic
    true false yes yeah yep on off y n t f enabled disabled enable disable
    kein keine keiner keines keinen keinem niemand nichts nirgends leer unbekannt entfällt alle alles jeder jede jedes beide
    wahr falsch ja nein ohne egal
    aucun aucune aucuns aucunes personne rien vide inconnu tous toutes tout toute vrai faux oui sans néant
    ninguno ninguna ningunos ningunas ningún nadie nada vacío vacio desconocido todos todas todo toda verdadero falso sí si sin
    nenhum nenhuma nenhuns nenhumas ninguém ninguem vazio desconhecido verdadeiro sim não nao sem ambos ambas
    nessuno nessuna nessun niente nulla vuoto sconosciuto tutti tutte tutto tutta vero senza entrambi entrambe
    geen niemand niets leeg onbekend alle allemaal iedereen waar onwaar nee zonder
    ingen inget inga intet ingenting okänd alla allt sant falskt nej utan uten uden ikke
    brak żaden żadna żadne żadnego nikt nic pusty puste wszyscy wszystkie wszystko prawda fałsz tak nie bez
    žádný žádná žádné nikdo všichni všechny všechno ano ne
    yok hiç hiçbiri hiçbir kimse boş hepsi tümü herkes evet hayır doğru yanlış
    нет никто ничего никакой ни пусто пустой неизвестно все всё всех да истина ложь правда без немає ніхто нічого всі так ні
    κανένα κανείς κανένας καμία τίποτα όλα όλοι ναι όχι
    אין ריק כולם הכל כן לא
    لا لاشيء لايوجد فارغ الكل كل جميع نعم بدون
    कोई कोईनहीं नहीं कुछनहीं सभी सब हाँ
    無 无 無し 无人 没有 沒有 空 全部 所有 都 是 否 不 未知 なし 無い ない すべて 全て はい いいえ 不明
    없음 없다 모두 전부 네 예 아니요
    không khôngcó tấtcả tidakada tidak semua ya kosong tiada
    """,
    )
    .casefold()
    .split()
)
"""Words about the items of a list as a whole: none of them, all, the same."""


def is_one_item(text: str) -> bool:
    """Return whether a string is one item of a list of strings, and no word about the list as a whole."""
    if ADDRESS.fullmatch(text):
        return True
    if _ONE_ITEM.fullmatch(text) is None or _JOINED.search(text) or (_SLASH.search(text) and not _PATH.fullmatch(text)):
        return False
    return not parts_items(text) and not speaks_of_items(text)


def parts_items(text: str) -> bool:
    """Return whether a string has a sign that separates the items of a list, in any script."""
    return any(sign in _SIGNS or (not sign.isascii() and unicodedata.category(sign) in _PARTING) for sign in text)


_PARTING: Final = frozenset({"Po", "Sm", "Zl", "Zp"})
"""The Unicode categories of commas, full stops, bullets and bars, and of characters that end lines and paragraphs."""


def speaks_of_items(text: str) -> bool:
    """Return whether a string tells which items there are (none, all, 1 to 5), is a yes or a no, or has no word at all."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in plain).split()
    if not words or "".join(words) in _WORDS or all(word in _WORDS for word in words):
        return True
    return _RANGE.fullmatch(plain) is not None or _ALL_BUT.fullmatch(plain) is not None
