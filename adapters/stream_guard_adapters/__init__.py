"""The adapters: what connects the guard to providers, frameworks, servers and tools.

    entry modules    openai anthropic litellm events asgi sse proxy resume/ mcp_server telemetry batch reach pytest_plugin
                     virtual_time
    model_corrector  the base of the providers' correctors
    cassettes/       recorded streams
    engine/          guards the streams of all protocols
    protocols/       what is known of each protocol

Each imports only what stands below it, and an entry module imports no other. `docs/rooms.py` names the layers and the
exceptions, and `tests/project/test_rooms.py` checks them. Users import the entry modules, `cassettes` and `resume`.
"""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:  # as in `stream_guard`

    def __getattr__(name: str) -> object:
        from stream_guard.spi import missing  # deferred, as there

        raise missing(__name__, name)
