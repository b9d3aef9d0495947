"""`ApprovalPolicy`: which calls need an approval, and how long it is waited for."""

from __future__ import annotations

from dataclasses import dataclass

from ..toolset.tool import Risk
from ..values.given import is_seconds


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """Which calls need an approval, and how long it is waited for."""

    risk: Risk = Risk.DESTRUCTIVE
    """The least risk of a tool whose calls need an approval."""

    timeout: float | None = 300.0
    """Seconds to wait for the answer, after which the call may not run. None: without a limit."""

    def __post_init__(self) -> None:
        if not isinstance(self.risk, Risk):
            raise TypeError(f"ApprovalPolicy.risk must be a Risk, such as Risk.WRITE, not {self.risk!r}")
        if self.timeout is not None and not is_seconds(self.timeout):
            raise ValueError(f"ApprovalPolicy.timeout must be more than 0 seconds, or None, not {self.timeout!r}")
