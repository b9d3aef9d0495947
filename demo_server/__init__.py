"""The demo: recorded replies to play, `stream-guard watch demo_server/streams/button.jsonl`."""
