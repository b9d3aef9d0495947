"""Tools made of functions and models, and calls as instances of those models.

pip install "stream-guard-llm[pydantic]"
python -m examples.typed_tools
"""

from __future__ import annotations

import datetime
from typing import Literal

from pydantic import BaseModel, Field

from stream_guard import Guard, Toolset


class Invoice(BaseModel):
    """Send an invoice."""

    customer: str = Field(description="the customer's number", pattern=r"^C\d{4}$")
    amount: float = Field(gt=0)
    currency: Literal["EUR", "USD"] = "EUR"
    due: datetime.date


def remind(customer: str, *, days: int = 14) -> str:
    """Remind a customer of an open invoice."""
    return f"{customer} is reminded in {days} days"


TOOLS = Toolset.of(Invoice, remind)
GUARD = Guard(TOOLS)


def main() -> None:
    """Check three calls."""
    for text in (
        "{'tool': 'Invoice', 'customer': 'C0042', 'amount': '120.50', 'due': '2026-12-01',}",
        '{"tool": "remind", "customer": "C0042", "days": "30"}',
        '{"tool": "Invoice", "customer": "42", "amount": 10, "due": "2026-12-01"}',
    ):
        block = GUARD.check(text)
        if block.call is None:
            print("refused:", *(issue.message for issue in block.issues))
        elif block.tool == "Invoice":
            invoice = block.value(Invoice)
            print("invoice:", invoice.customer, invoice.amount, invoice.currency, invoice.due)
        else:
            print("output: ", TOOLS.run_sync(block).payload)


if __name__ == "__main__":
    main()
