"""The pattern that finds tool names in a body that is not JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..values.call_keys import TOOL_KEYS


def hint_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern that finds a call in a body that is not JSON, for all names and aliases of tools.

    A name of several words is enough by itself. A plain word, such as `create`, also stands in the comments of examples: it
    counts only in quotes or called; and `tool` only as a key.
    """
    names = sorted({*TOOL_KEYS, *words} - {"tool"}, key=lambda name: (-len(name), name))
    telling = "|".join(re.escape(name) for name in names if _SEVERAL_WORDS.search(name))
    plain = "|".join(re.escape(name) for name in names if not _SEVERAL_WORDS.search(name)) or r"(?!)"
    quote = "[\"'`\u2018-\u201f]"
    return re.compile(
        rf"(?<!\w)(?:{telling})(?!\w)"
        rf"|(?<!\w)tool(?:\\|{quote})*\s*[:=]"
        rf"|{quote}(?:{plain})\\?{quote}"
        rf"|(?<!\w)(?:{plain})\s*\("
    )


_SEVERAL_WORDS: Final = re.compile(r"[a-z0-9][_.\-A-Z]")
