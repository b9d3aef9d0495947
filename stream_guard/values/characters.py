"""Patterns of characters that several rooms search for."""

from __future__ import annotations

import re
from typing import Final

LINE_END: Final = re.compile(r"\r\n?|\n")
"""Matches a line end. A CRLF that is cut in two counts as two line ends, with an empty line between."""

CONTROL: Final = re.compile(r"[\x00-\x1f]")
"""Matches a control character that a string of JSON cannot hold as it is."""

BACK_OR_FEED_ESCAPE: Final = re.compile(r"\\[bf]")
"""Matches the escape of a backspace or a form feed."""
