"""The corpus: streams with tool calls in them, and what must come out of each."""
