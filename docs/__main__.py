"""Write the printed pages anew."""

from __future__ import annotations

from pathlib import Path

from .client import events
from .pages import PAGES

HERE = Path(__file__).parent
PRINTED = {**{HERE / name: page for name, page in PAGES.items()}, HERE.parent / "adapters" / "js" / "src" / "events.js": events}


def main() -> None:
    for path, page in PRINTED.items():
        path.write_text(page(), encoding="utf-8")
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


if __name__ == "__main__":
    main()
