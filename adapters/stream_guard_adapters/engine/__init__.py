"""Guards the streams of all protocols: events or bytes in, the same out, with the guard's events among them.

Owns: the texts and the calls of one stream (`lanes`, `native_calls`, `promotion`), its bytes (`framing`, `body`,
`same_shape`), its limits (`capacity`), its settings, and the stream as the caller sees it (`guarded_events`).
May import: protocols.
May not: know of an entry module or a recording. It names no protocol except plain text, which has no events; everything about
a protocol is in its table.
"""
