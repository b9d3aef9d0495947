"""Go over stored replies: how many calls were valid, fixed or failed, and why. `stream-guard check` does the same for files.

pip install stream-guard-llm
python -m examples.stored_replies replies/*.txt
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from stream_guard import End, Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)


def main(names: list[str]) -> None:
    """Print the counts."""
    outcomes: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    for name in names:
        text = Path(name).read_text(encoding="utf-8")
        for item in GUARD.scan([text, End("stop")]):  # a stored reply is one that the model ended
            if isinstance(item, ToolBlock):
                outcomes[item.outcome] += 1
                codes.update(issue.code for issue in item.issues)
                rules.update(fix.rule for fix in item.fixes)
    for title, counts in (("outcomes", outcomes), ("issues", codes), ("fixes", rules)):
        print(f"{title}:", ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "none")


if __name__ == "__main__":
    main(sys.argv[1:])
