"""Write the printed pages anew."""

from __future__ import annotations

from pathlib import Path

from .client import events, marks, tools
from .dialects import dialects_page
from .limits import limits_page
from .pages import PAGES
from .rooms import architecture
from .wire import page as wire_page
from .wire import schema

HERE = Path(__file__).parent
CLIENT = HERE.parent / "adapters" / "js" / "src"
PRINTED = {
    **{HERE / name: page for name, page in PAGES.items()},
    HERE / "architecture.md": architecture,
    HERE / "dialects.md": dialects_page,
    HERE / "limits.md": limits_page,
    HERE / "wire.md": wire_page,
    HERE.parent / "stream_guard" / "events.schema.json": schema,
    CLIENT / "events.js": events,
    CLIENT / "marks.js": marks,
    CLIENT / "tools.js": tools,
}


def main() -> None:
    for path, page in PRINTED.items():
        path.write_text(page(), encoding="utf-8", newline="\n")
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


if __name__ == "__main__":
    main()
