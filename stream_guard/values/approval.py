"""`Approval`: what was decided about a call before it might run, and the digest of what was approved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .call_keys import without_tool

Decision = Literal["allowed", "edited", "denied", "failed", "unasked"]
"""The decision about a call. `allowed`: the call may run. `edited`: it may run with other arguments. `denied`: it was refused.
`failed`: there was no usable answer. `unasked`: nobody could be asked."""


@dataclass(frozen=True, slots=True)
class Approval:
    """The record of the decision about a call that needed an approval."""

    decision: Decision
    """The result of the request for approval."""

    digest: str | None = None
    """The digest of the call that was approved; None if no call was. It reveals a change of the call, but is no signature."""

    reason: str | None = None
    """The reason of a refusal."""

    before: dict[str, Any] | None = None
    """The arguments that were asked about; only when they were edited."""

    def covers(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether the decision lets exactly this call run: it was allowed or edited, and its digest is that of the
        approved call.
        """
        return self.decision in ("allowed", "edited") and self.digest is not None and self.digest == digest(tool, arguments)


def digest(tool: str | None, arguments: Mapping[str, Any] | None) -> str | None:
    """Return the digest of a call; None for anything else. The order of keys does not count; the type of a number does."""
    if tool is None or arguments is None:
        return None
    try:
        own = without_tool(arguments)
        from hashlib import sha256  # deferred: only approvals need it

        return "sha256:" + sha256(json.dumps([tool, own], sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    except (TypeError, ValueError, RecursionError):  # whoever changed it put in what JSON has no word for
        return None
