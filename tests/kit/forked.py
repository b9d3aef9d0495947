"""Command lines in Python, run again and again: what they import is imported once, and each run is a process of its own.

    python forked.py [IMPORTED ...] < runs, one a line      -> what each shows, one a line

A run is JSON with `module`, `arguments`, `folder` and `variables`; what it shows is JSON with `code`, `out` and `err`. This is
run by itself, in the environment of those commands, and imports nothing of this project.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import tempfile
from importlib import import_module
from typing import Any

SECONDS = 150
"""How long a run may take."""


def run(asked: Any) -> Any:
    """Run a command once, as `python -m` does, and return what its user has of it."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            signal.alarm(SECONDS)
            os.chdir(asked["folder"])
            os.environ |= asked["variables"]
            for number, opened in ((0, os.open(os.devnull, os.O_RDONLY)), (1, out.fileno()), (2, err.fileno())):
                os.dup2(opened, number)
            sys.path.insert(0, asked["folder"])
            sys.argv = [asked["module"], *asked["arguments"]]
            runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)
            sys.exit()  # out of all that stands around it, as any program ends
        _, status = os.waitpid(child, 0)
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read().decode(errors="replace"))
    return {"code": os.waitstatus_to_exitcode(status), "out": said[0], "err": said[1]}


def main() -> int:
    """Run a command for each line of the input."""
    for name in sys.argv[1:]:
        import_module(name)
    for line in iter(sys.stdin.readline, ""):
        print(json.dumps(run(json.loads(line))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
