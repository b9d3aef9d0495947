"""One block: judged, mended, announced. What it is asked about is data; it never raises for it.

May import: values, scan, schema, toolset, fixes.
May not: know a stream, a corrector or a task; wait.
"""
