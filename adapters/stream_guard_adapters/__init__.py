"""The edges of stream_guard: one file per provider, protocol or host."""
