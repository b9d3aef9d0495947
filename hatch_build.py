"""Compiles the scanner with mypyc while a wheel is built, where STREAM_GUARD_COMPILED=1 asks for that.

Without the variable the wheel is pure Python, and its build needs nothing else. With it the wheel holds the same files and,
beside them, their compiled modules, which Python imports first.

Rule: nothing is written into the tree: a compiled module there would be imported in the place of the source that is worked on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WANTED = "STREAM_GUARD_COMPILED"
"""The variable that asks for a compiled wheel."""

PURE = ("__init__.py", "states.py")
"""What of `scan` stays as it is: an empty file, and values; mypyc knows no subclass of RuntimeError."""

_SETUP = """
from mypyc.build import mypycify
from setuptools import setup

flags = ["--strict-optional", "--ignore-missing-imports", "--follow-imports=silent"]
setup(name="compiled", packages=[], ext_modules=mypycify([*flags, *{modules!r}], group_name="stream_guard.scan.all"))
"""


def modules(root: Path) -> list[str]:
    """Return the files that are compiled, as paths below the root. They take most of the time that a stream costs."""
    scan = sorted(path for path in (root / "stream_guard" / "scan").glob("*.py") if path.name not in PURE)
    return [path.relative_to(root).as_posix() for path in (*scan, root / "stream_guard" / "dialects" / "cursor.py")]


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel that is to have them."""

    _made: str | None = None

    def _wanted(self) -> bool:
        return self.target_name == "wheel" and os.environ.get(WANTED, "0") not in ("", "0")

    def dependencies(self) -> list[str]:
        """Return what the build needs besides hatchling."""
        return ["mypy[mypyc]>=1.20,<3", "setuptools>=77", "types-regex"] if self._wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile a copy of the package, and add what that gives to the wheel. An editable install stays pure."""
        if not self._wanted() or version == "editable":
            return
        self._made = tempfile.mkdtemp(prefix="stream_guard-")
        copy, built = Path(self._made, "copy"), Path(self._made, "built")
        shutil.copytree(Path(self.root, "stream_guard"), copy / "stream_guard", ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "setup.py").write_text(_SETUP.format(modules=modules(Path(self.root))), encoding="utf-8", newline="\n")
        where = ("--build-lib", str(built), "--build-temp", str(Path(self._made, "objects")))
        done = subprocess.run(
            [sys.executable, "setup.py", "build_ext", *where], cwd=copy, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(
                f"mypyc did not compile the scanner; unset {WANTED} for a pure wheel.\n{done.stdout}{done.stderr}"
            )
        for path in built.rglob("*"):
            if path.is_file():
                build_data["force_include"][str(path)] = path.relative_to(built).as_posix()
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy, which the wheel holds by now."""
        if self._made is not None:
            shutil.rmtree(self._made)
