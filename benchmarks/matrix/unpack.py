"""Take some folders out of a wheel, and write a file named after its version beside them.

python -m benchmarks.matrix.unpack WHEEL FOLDER PREFIX...
"""

from __future__ import annotations

import argparse
import zipfile
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> None:
    """Unpack what begins with one of the prefixes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matrix.unpack", description="Take folders out of a wheel.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("prefixes", nargs="+")
    options = parser.parse_args(arguments)
    with zipfile.ZipFile(options.wheel) as wheel:
        wheel.extractall(options.folder, [name for name in wheel.namelist() if name.startswith(tuple(options.prefixes))])
    name, version, *_ = options.wheel.name.split("-")
    (options.folder / f"{name}-{version}.version").touch()


if __name__ == "__main__":
    main()
