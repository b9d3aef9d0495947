"""The modules of public names that are often imported from the top of a package, where they are not defined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "stream_guard": ("Toolset",),
    "stream_guard.testing": (
        "FakeCorrector", "FakeStream", "by_char", "collect", "every_split", "merge_text", "original", "random_splits",
    ),
    "stream_guard.tools.files": ("DELETE_FILE", "EDIT_FILE", "FILE_TOOLS", "WRITE_FILE"),
    "stream_guard.tools.lessons": ("LESSON_TOOLS", "validate_lesson_data"),
    "stream_guard.wire": ("from_dict", "from_json", "to_dict", "to_json", "to_sse"),
    "stream_guard_adapters.anthropic": ("AnthropicCorrector", "guard_messages"),
    "stream_guard_adapters.asgi": ("StreamGuardMiddleware",),
    "stream_guard_adapters.batch": ("check_batch",),
    "stream_guard_adapters.bridges": ("to_ag_ui", "to_ai_sdk"),
    "stream_guard_adapters.cassettes": (
        "Cassette", "RecordedError", "Recording", "Replay", "ReplayRequest", "ReplayServer", "import_cassettes", "record",
        "replay",
    ),
    "stream_guard_adapters.events": (
        "GuardedEvents", "GuardedIterator", "GuardedReply", "StreamSettings", "aguard_reply", "guard_any", "guard_events",
        "guard_reply",
    ),
    "stream_guard_adapters.litellm": ("StreamGuardrail",),
    "stream_guard_adapters.model_corrector": ("ModelCorrector",),
    "stream_guard_adapters.openai": ("OpenAICorrector", "guard_chat", "guard_responses"),
    "stream_guard_adapters.resume": ("MemoryStore", "RedisStore", "ResumableStreams", "resume_response", "resume_routes"),
    "stream_guard_adapters.sse": ("guarded_sse",),
    "stream_guard_adapters.telemetry": ("Telemetry",),
}  # fmt: skip
"""The names of each module that are looked for at the top. None is the name of a module there, which is imported as ever."""

_GUESSED: Final = {"Tools": "Toolset", "ToolSet": "Toolset"}


def missing(package: str, name: str) -> Exception:
    """Return the exception for a name that a package does not have.

    Where another module has it that is an ImportError: of an AttributeError `from package import name` would say nothing.
    """
    public = _GUESSED.get(name, name)
    there = next((module for module, names in PLACES.items() if public in names), None)
    if there is None:
        return AttributeError(f"module {package!r} has no attribute {name!r}")
    return ImportError(f"cannot import name {name!r} from {package!r}: write `from {there} import {public}`", name=name)
