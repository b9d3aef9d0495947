"""Asking a model to correct a block that failed.

    Correction -> CorrectionRequest -> corrector -> Reply -> reply.py -> judge, fix -> drift.py -> ToolBlock

`request.py` has the request and the reply, `prompt.py` the text for a model, `reply.py` finds the block in a reply, `drift.py`
decides whether a correction changes too much, `budget.py` counts, and `correcting.py` is the block that waits for its
correction.

May import: values, scan, schema, toolset, fixes, running, judge.
May not: know a session or a task; wait. The driver of a stream asks the corrector.
"""
