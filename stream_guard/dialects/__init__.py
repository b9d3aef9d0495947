"""The forms in which models write tool calls into text, and the readers of their bodies.

May import: values.
May not: know a tool, a schema or a stream; decide whether a call may run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .history import History
    from .table import Dialect

__all__ = ["History", "from_response_template"]

_NAME: Final = "response_template"


def from_response_template(template: Mapping[str, Any], name: str = _NAME) -> Dialect:
    """Return the dialect that a model's `response_template` describes, for `Guard(dialects=["fence", dialect])`.

    `template` is the object under that key in `tokenizer_config.json`. `name` is the name of the dialect in
    `ToolBlock.dialect`. Raises ValueError, with the key, for a template that cannot be expressed, and for a name that another
    dialect has.
    """
    from . import response_template, tables  # deferred: most guards read fences only

    if not isinstance(name, str) or not name or name == "native":
        raise ValueError(f"name must be a non-empty string other than 'native' (reserved for native calls), got {name!r}")
    if tables.is_known(name):
        raise ValueError(f"name: there is a dialect {name!r} already; give another name")
    return response_template.read(template, name)


def __getattr__(name: str) -> Any:
    if name == "History":
        from .history import History  # deferred, as above

        return History
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
