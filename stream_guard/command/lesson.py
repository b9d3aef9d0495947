"""The command `lesson check`: validates and fixes lessons in files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .exit_status import FINDING, GOOD, UNREADABLE
from .inputs import Unreadable, document, reading
from .terminal import progress

if TYPE_CHECKING:
    from ..tools.lessons import ValidateLessonDataOutput


def command(commands: Any, *_: Callable[..., Any]) -> None:
    """Add `lesson` to the command line."""
    lesson: argparse.ArgumentParser = commands.add_parser("lesson", help="check lessons of widgets")
    check = lesson.add_subparsers(required=True, metavar="COMMAND").add_parser("check", help="check lessons in JSON files")
    check.add_argument("files", nargs="+", metavar="FILE", help="a lesson, or the input of the tool; - for standard input")
    check.add_argument(
        "--json",
        action="store_true",
        help="print each result as one line of JSON, in the form of validate_lesson_data's answer",
    )
    check.add_argument("--urls", action="store_true", help="request the URLs in the lessons to see whether they answer")
    check.add_argument("--fix", action="store_true", help="write the fixed lessons; needs -o")
    check.add_argument(
        "-o", "--out", type=Path, metavar="PATH", help="where to write: a file for one lesson, a folder for several"
    )

    def run(options: argparse.Namespace) -> int:
        if options.fix != (options.out is not None):
            check.error("--fix and -o must be given together; the input files are never overwritten")
        try:
            from ..tools.lessons import validate_lesson_data  # deferred: it needs packages that other commands do not need
        except ImportError as error:
            check.error(str(error))
        failed = unread = 0
        for name in progress(options.files):
            try:
                given = document(name)
            except Unreadable as error:
                unread += 1
                print(f"stream-guard: {error}", file=sys.stderr)
                if options.json:
                    print(json.dumps({"file": name, "unreadable": str(error)}))
                continue
            out = validate_lesson_data(given, reach=_reach() if options.urls else None)
            failed += not out.success
            text = json.dumps({"file": name, **out.to_dict()}, ensure_ascii=False) if options.json else _report(name, out)
            print(text)
            if options.fix and out.data is not None:
                _write(options.out, name, out.data.lesson, alone=len(options.files) == 1)
        return UNREADABLE if unread else FINDING if failed else GOOD

    check.set_defaults(run=run)


def _reach() -> Any:
    """Return the link checker of the adapters, since the core has no network access."""
    (entry,) = entry_points(group="stream_guard.reach")
    return entry.load()


def _report(name: str, out: ValidateLessonDataOutput) -> str:
    """Return the report on one lesson: result, fixes and issues."""
    summary = out.data.summary if out.data is not None else out.error.message if out.error is not None else ""
    lines = [f"{name}: {'valid' if out.success else 'invalid'}. {summary}"]
    if out.data is not None:
        done = ((fix.path.removeprefix("lessonData."), fix) for fix in out.data.fixes)
        lines += [f"  fixed     {at}: {fix.description} ({fix.confidence:.0%})" for at, fix in done]
    for issue in out.issues:
        word = "error    " if issue.severity == "error" else "advice   "
        lines.append(f"  {word} {issue.message.replace('lessonData.', '')}")
    return "\n".join(lines)


def _write(out: Path, name: str, lesson: dict[str, Any], *, alone: bool) -> None:
    path = out
    with reading(str(out)):
        if not alone or out.is_dir():
            out.mkdir(parents=True, exist_ok=True)
            path = out / (Path(name).name if name != "-" else "lesson.json")
        path.write_text(json.dumps(lesson, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n")
