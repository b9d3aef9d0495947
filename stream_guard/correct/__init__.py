"""Asking a model to correct a block that failed.

    Correction -> CorrectionRequest -> corrector -> Reply -> reply.py -> judge, fix -> drift.py -> ToolBlock

`request.py` has what is asked and answered, `prompt.py` the text for a model, `reply.py` finds the block in what comes back,
`drift.py` says what a correction may not change, `budget.py` counts, and `correcting.py` is the block that waits for all this.

May import: values, scan, schema, toolset, fixes, running, judge.
May not: know a session or a task; wait. Who drives a stream asks the corrector.
"""
