"""Fence detection against markdown-it-py: the same fences, but for what docs/fences.md names."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.kit.leniencies import LENIENCIES
from tests.kit.oracle import commonmark, explain, fences_of, lines_of

DOCUMENTS = int(os.environ.get("ORACLE", "1000"))
"""How many random documents; 50,000 under `make more`."""

LINES = """
```|```json|````|~~~|~~~ py|``` a b|```a`b|`` x|text||  |    code|- item|1. one|  - sub|12) x|* |> quote|> ```|
   ```|    ```|      ```|\t```|
- ```|  ```py|# head|---|***|- - -|<div>|<!-- x|~~~~|   ~~~|    text|  text|x ```|10. y|   - z|\t- t|
[a]: /b|===|+|1.\tq|         deep|```json x|``` json|~~~json|{"a": 1}|}```|-     five|text `code` text|  > q|\f
""".replace("\n", "").split("|")


UNEXPLAINED = "no leniency of tests/kit/oracle.py explains why the scanner and CommonMark differ; give a new one a name there"


def document(dice: random.Random) -> str:
    end = dice.choice(["\n", "\n", "\n", "\r\n", "\r"])
    return end.join(dice.choices(LINES, k=dice.randint(1, 14))) + dice.choice(["", end])


@pytest.mark.more
def test_random_documents_have_the_fences_that_commonmark_sees() -> None:
    """Every difference is explained by name, and most documents show none."""
    seen: Counter[str] = Counter()
    for seed in range(DOCUMENTS):
        text = document(random.Random(seed))
        why = explain(text)
        assert why is not None, f"{UNEXPLAINED}: {(seed, text, fences_of(text), commonmark(text)[:2])}"
        seen[why] += 1
    assert seen[""] > DOCUMENTS / 2
    assert set(seen) <= {"", "quote", "html", "end-opener", "list-indent", "list-outdent", "marker-line"}


@pytest.mark.more
def test_documents_without_lists_quotes_or_html_agree_to_the_letter() -> None:
    """There nothing is left to explain, but an opener at the very end."""
    plain = [line for line in LINES if line[:1] in "`~" or line.strip() in ("text", "code", "") or line.startswith("    ")]
    plain = [line for line in plain if not line.lstrip().startswith(("-", "1", "+", "*"))]
    for seed in range(DOCUMENTS):
        dice = random.Random(seed)
        text = "\n".join(dice.choices(plain, k=dice.randint(1, 10))) + "\n"
        assert fences_of(text) == commonmark(text)[0], text


@pytest.mark.parametrize("name", LENIENCIES)
def test_the_example_of_each_leniency_is_explained_by_its_name(name: str) -> None:
    """Where CommonMark sees other fences; most only change which of them are ours."""
    assert explain(LENIENCIES[name][0]) in ("", name)


def test_the_fence_examples_of_the_commonmark_spec(corpora: Path) -> None:
    """Each as the spec has it, but where a deviation says so."""
    rows = [json.loads(line) for line in (corpora / "commonmark_fences.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 40
    seen: Counter[str] = Counter()
    for row in rows:
        text = row["input"]
        why = explain(text)
        assert why is not None, f"{UNEXPLAINED}: {row['id']}"
        seen[why] += 1
        if not why:
            assert len(fences_of(text)) == len(row["expected"]), row["id"]
        for cut in range(1, len(text)):
            assert fences_of(text, [text[:cut], text[cut:]]) == fences_of(text), (row["id"], cut)
    assert seen[""] >= 36
    assert lines_of("a\r\nb\rc\n") == ["a", "b", "c", ""]
