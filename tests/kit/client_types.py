"""The types that clients declare for the messages of their APIs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pydantic
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam

PARAMS: dict[str, Any] = {
    "chat": ChatCompletionMessageParam,
    "responses": ResponseInputItemParam,
    "messages": MessageParam,
    "text": ChatCompletionMessageParam,
}


def taken(api: str, made: Sequence[Any]) -> None:
    """The client's own types take every message, whole."""
    for message in made:
        adapter_of(api).validate_python(message, strict=False)


@cache
def adapter_of(api: str) -> pydantic.TypeAdapter[Any]:
    return pydantic.TypeAdapter(PARAMS[api])
