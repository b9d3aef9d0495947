"""How much of each module its own tests reach, branch by branch. `make coverage`.

A module's own tests are those that are about it. What only others happen to run is not counted: whoever changes a module can
see in its own tests what it has to do.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
CORE: Final = ROOT / "stream_guard"

ALSO: Final = {
    "__init__": ("guard",),
    "__main__": ("cli",),
    "calls": ("turn",),
    "codegen/*": ("codegen",),
    "command/*": ("cli", "check", "mistakes"),
    "command/__init__": ("cli",),
    "command/lesson": ("lesson_command",),
    "command/outcomes": ("outcomes",),
    "correct/*": ("pending", "guarded"),
    "correct/corrections": ("corrections", "pending", "guarded"),
    "correct/drift": ("pending", "drift"),
    "correct/letters": ("pending", "drift"),
    "correct/origin": ("pending", "drift"),
    "correct/places": ("pending", "drift"),
    "correct/values": ("pending", "drift"),
    "dialects/__init__": ("tables",),
    "dialects/bodies/__init__": ("bodies",),
    "dialects/bodies/quoted": ("pycall", "bracecall"),
    "dialects/bodies/tags": ("function_parameter", "arg_key_value", "invoke_parameter"),
    "dialects/body": ("bodies",),
    "dialects/call": ("bodies",),
    "dialects/table": ("tables",),
    "dialects/tables/*": ("tables",),
    "dialects/write": ("tables",),
    "fixes/__init__": ("engine",),
    "fixes/catalogue": ("engine",),
    "fixes/check": ("checks", "line_breaks"),
    "fixes/checks": ("checks", "engine"),
    "fixes/doubts": ("swallowed", "reader", "strangers"),
    "fixes/engine": ("engine",),
    "fixes/frame": ("native_arguments", "engine"),
    "fixes/gate": ("engine",),
    "fixes/line_breaks": ("line_breaks", "widths", "lines", "swallowed", "reader", "strangers"),
    "fixes/line_ends": ("line_ends", "line_breaks", "widths"),
    "fixes/mended": ("checks", "engine"),
    "fixes/one_fault": ("one_fault", "left_over"),
    "fixes/reader": ("reader", "engine"),
    "fixes/reading": ("reader", "engine"),
    "fixes/records": ("engine",),
    "fixes/remarks": ("remarks",),
    "fixes/shape": ("shape", "engine", "spelling"),
    "fixes/shared_damage": ("worn", "engine"),
    "fixes/strings": ("strings", "engine"),
    "fixes/undo": ("engine",),
    "fixes/widths": ("widths", "line_breaks"),
    "fixes/wraps": ("wraps", "line_breaks", "widths"),
    "fixes/writing": ("engine",),
    "json_tool_block": ("guard", "validate"),
    "grammars/*": ("both_directions", "grammars", "numbers", "regexes", "structural_tag"),
    "judge/*": ("guard", "pending"),
    "judge/plain_form": ("plain_form",),
    "scan/__init__": ("scanner",),
    "scan/block_reader": ("scanner", "fences"),
    "scan/call_reader": ("scanner", "held_call", "openers"),
    "scan/followers": ("named", "unended", "unfenced"),
    "scan/held_block": ("scanner", "fences"),
    "scan/prose_reader": ("scanner", "fences", "reasoning"),
    "scan/scanner": ("scanner", "fences"),
    "scan/states": ("scanner",),
    "scan/stream_text": ("scanner",),
    "schema/__init__": ("schema",),
    "schema/fields": ("fields", "schema"),
    "schema/json_text": ("json_text", "calling"),
    "schema/lookalikes": ("spelling",),
    "schema/other_errors": ("other_errors",),
    "schema/spelling": ("spelling", "fields"),
    "schema/unions": ("schema",),
    "running/__init__": ("running",),
    "running/awaiting": ("running", "calling"),
    "running/calling": ("calling", "running", "turn"),
    "running/messages": ("turn",),
    "running/toolset": ("calling", "running"),
    "schema/violations": ("validate", "schema"),
    "schema/words": ("spelling",),
    "spi": ("rooms",),
    "stream/*": ("guarded", "calling"),
    "stream/session": ("guard", "pending"),
    "stream/turn": ("turn",),
    "testing": ("testing", "guarded"),
    "tools/__init__": ("engine",),
    "tools/files": ("engine",),
    "tools/lessons/*": ("lessons", "lesson_names", "lesson_values"),
    "toolset/__init__": ("schema",),
    "toolset/arguments": ("validate", "engine", "calling"),
    "toolset/hints": ("hints", "hint_table", "other_errors"),
    "toolset/listings": ("sources", "outline"),
    "toolset/naming": ("intent",),
    "toolset/tool": ("schema", "sources"),
    "toolset/results": ("calling",),
    "toolset/tools": ("schema", "spelling", "running"),
    "toolset/validate": ("validate", "engine"),
    "values/*": ("wire", "validate", "wire"),
    "values/block": ("guard", "scanner"),
    "values/call": ("running",),
    "values/events": ("wire", "guard", "running"),
    "values/hint": ("hints", "calling"),
    "values/issues": ("validate", "calling"),
    "values/late": ("late",),
    "values/limits": ("guard",),
    "values/log": ("log",),
    "values/quoting": ("quoting",),
    "values/quick": ("quick",),
    "values/shown": ("shown",),
    "values/surrogates": ("strings", "swallowed"),
}
"""The tests of the modules whose name is not their tests' name, or that have more than one file of them."""


def own(module: str) -> tuple[str, ...]:
    """The files of a module's own tests."""
    folder, _, name = module.rpartition("/")
    named = ALSO.get(module) or ALSO.get(f"{folder}/*") or (name,)
    places = [ROOT / "tests" / room for room in ("core", "project")]
    found = [path for stem in named for place in places for path in place.rglob(f"test_{stem}.py")]
    return tuple(dict.fromkeys(str(path.relative_to(ROOT)) for path in found))


def modules() -> list[str]:
    """Every module of the core."""
    return sorted(str(path.relative_to(CORE).with_suffix("")) for path in CORE.rglob("*.py"))


def _flat(file: str) -> str:
    """A path as the name of one file."""
    return file.replace("/", "-")


def run(file: str, folder: Path) -> None:
    """Run a file of tests, and keep what it reached; what fails because it is measured, and slower, has reached it too."""
    command = [sys.executable, "-m", "coverage", "run", f"--data-file={folder / _flat(file)}", "-m", "pytest", "-q", file]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"WHOLE": "1"}, capture_output=True, text=True, check=False)
    print(f"{file}: {(done.stdout.strip() or done.stderr.strip()).splitlines()[-1]}", flush=True)


def reached(module: str, folder: Path) -> tuple[float, str]:
    """How much of a module its own tests reach, in per cent, and which lines and branches they do not."""
    import coverage  # deferred: whoever only asks what this does need not have it
    from coverage.exceptions import CoverageException

    measured = coverage.Coverage(data_file=None, config_file=str(ROOT / "pyproject.toml"))
    for file in own(module):
        for path in folder.glob(f"{_flat(file)}*"):  # one for each process that it started
            data = coverage.CoverageData(basename=str(path))
            try:
                data.read()
            except CoverageException:
                continue  # of a process that was killed, as some tests do
            measured.get_data().update(data)
    out = io.StringIO()
    share = measured.report(include=[str(CORE / f"{module}.py")], file=out, show_missing=True)
    line = next(line for line in out.getvalue().splitlines() if f"{module}.py" in line)
    return share, line.rpartition("%")[2].strip()


def main() -> int:
    """Measure, and say what is missing."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("modules", nargs="*", help="such as scan/scanner or fixes/reader; all when none is named")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = options.parse_args()
    wanted = given.modules or modules()
    files = sorted({file for module in wanted for file in own(module)})
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(lambda file: run(file, Path(folder)), files))
        found = {module: reached(module, Path(folder)) for module in wanted}
    for module, (share, missing) in found.items():
        print(f"{module:28} {share:6.2f} %  {', '.join(own(module))}{f'; not reached: {missing}' if missing else ''}")
    less = sum(share < 100 for share, _ in found.values())
    print(f"{len(found) - less} of {len(found)} modules are reached in every branch by their own tests")
    return 1 if less else 0


if __name__ == "__main__":
    sys.exit(main())
