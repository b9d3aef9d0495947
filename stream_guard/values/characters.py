"""Patterns of characters that several rooms search for."""

from __future__ import annotations

import re
from typing import Final

from .late import late

LINE_END: Final = re.compile(r"\r\n?|\n")
"""Matches a line end. A CRLF that is cut in two counts as two line ends, with an empty line between."""

CONTROL: Final = late(r"[\x00-\x1f]")
"""Matches a control character that a string of JSON cannot hold as it is."""

BACK_OR_FEED_ESCAPE: Final = late(r"\\[bf]")
"""Matches the escape of a backspace or a form feed."""
