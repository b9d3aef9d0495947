"""Write the printed pages anew."""

from __future__ import annotations

from pathlib import Path

from .pages import PAGES


def main() -> None:
    for name, page in PAGES.items():
        path = Path(__file__).parent / name
        path.write_text(page(), encoding="utf-8")
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


if __name__ == "__main__":
    main()
