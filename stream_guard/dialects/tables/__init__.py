"""The dialects, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..table import Dialect

_ALL: Final[tuple[Dialect, ...]] = ()

DIALECTS: Final[Mapping[str, Dialect]] = {dialect.name: dialect for dialect in _ALL}
"""Every dialect but the fence. Where two share an opener and the beginning of a body, the first one that is enabled is taken."""
