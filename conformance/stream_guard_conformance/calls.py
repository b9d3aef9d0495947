"""Valid calls: arguments drawn for a tool's schema, with texts out of `sources`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from .sources import Sources
from .toolsets import Json, Toolset, ToolSpec

PROSE: Final = (
    "Meet at 5, not at 6",
    'He said "yes", then left: "no"',
    "it's Ann's turn",
    "C:\\Users\\new\\table.txt",
    "\\section{Intro}\n\\textit{one}",
    "https://example.com/a?b=1#c // see",
    "total: 1,000 (net)",
    "a, b; c",
    "{not a call}",
    "[1, 2",
    "50% off!",
    "naïve café 😀",
    "first\nsecond",
    "col\tcol",
    "# heading",
    "/* keep */ x",
    'say "hi"',
    '"quoted"',
    "a + b",
    "x",
    "true or false",
    "Größe: 12",
    "^\\d+\\.\\w*$",
    "key: value",
    "'single'",
    "“curly”",
    "<b>bold</b> &amp; more",
    "{{ name }}",
    "`tick`",
    "end with colon:",
    "Ελλάδα, 日本語",
)
VERBATIM: Final = (
    "\\section{A}\n\\textit{b}",
    "\\begin{table}\n\\frac{a}{b} \\neq \\rho \\dots",
    "^\\w+\\b\\d{2}\\t\\n$",
    "C:\\Users\\new\\temp\\file.txt",
    "re.split(r'\\s*\\|\\s*', x)\n\\bword\\b",
    "\\textbf{x} \\dots \\newline \\LaTeX",
    "cd C:\\Program Files\\nodejs\\bin && dir",
    "printf '%s\\t%d\\n' \\x41 \\u00e9 \\d",
    'x = "a\\tb\\n" + r"\\d" + "\\u{1F600}"',
)
"""LaTeX, regular expressions, Windows paths, code: some of their backslashes look like JSON's escapes."""

TRAPS: Final = (
    '", "path": "other.txt',
    'x", "amount": 1, "note": "y',
    '"}, {"title": "z',
    '", // was "y"',
    '"a" + "b"',
)
"""Texts that look like the members around them once their quotes are not escaped."""

WORDS: Final = (
    "alpha",
    "Bob",
    "inv-2024-07",
    "ops",
    "north_2",
    "main",
    "u42",
    "Zoë",
    "x.y",
    "ticket",
    "beta-3",
    "Ann",
    "true",
    "12",
)
PATHS: Final = (
    "a.txt", "src/main.py", "docs/read me.md", "lib/x-1.js", "it's.md", "data/2024-01-01.csv", "src\\win\\new.txt",
    "über/ñ.txt", "build/temp", "a,b.txt", "x (1).tex", "C:\\temp\\readme.md",
)  # fmt: skip
EMAILS: Final = ("a@example.com", "b.c@example.org", "ops+1@example.net", "d@example.com")
DATES: Final = ("2024-01-01", "2025-12-31T08:00:00Z", "2024-02-29 10:30")
URLS: Final = ("https://example.com/a", 'http://example.org/?q="x"&r=1', "https://example.net/#top")


@dataclass(frozen=True, slots=True)
class Call:
    """One call: what a guard is to hand on, and nothing else."""

    tool: str
    arguments: Json

    @property
    def key(self) -> str:
        """A text that is the same for the same call, and for no other: 1, 1.0 and true differ, the order of keys does not."""
        return self.tool + json.dumps(self.arguments, sort_keys=True)


def make_call(toolset: Toolset, sources: Sources, rng: Random, budget: int = 400) -> Call:
    """A valid call of some tool of the toolset. A tool that destroys comes half as often as others."""
    tool = rng.choices(toolset.tools, [1 if tool.destructive else 2 for tool in toolset.tools])[0]
    return Call(tool.name, make_arguments(tool, sources, rng, budget))


def make_arguments(tool: ToolSpec, sources: Sources, rng: Random, budget: int = 400) -> Json:
    """Valid arguments, in any order of keys, whose texts are about as long as the budget."""
    value: Json = _value(tool.schema, sources, rng, budget)
    return value


def _value(schema: Json, sources: Sources, rng: Random, budget: int) -> Any:
    kinds = schema["type"]
    match kinds if isinstance(kinds, str) else rng.choice(kinds):
        case "object":
            names = [name for name in schema["properties"] if name in schema["required"] or rng.random() < 0.6]
            if rng.random() < 0.3:
                rng.shuffle(names)
            return {name: _value(schema["properties"][name], sources, rng, budget // max(1, len(names) // 2)) for name in names}
        case "array":
            most = schema["maxItems"] if budget > 60 else max(1, schema["minItems"])
            count = rng.randint(schema["minItems"], most)
            return [_value(schema["items"], sources, rng, budget // max(1, count)) for _ in range(count)]
        case "string":
            return rng.choice(schema["enum"]) if "enum" in schema else _text(schema["x-text"], sources, rng, budget)
        case "integer":
            return min(schema["maximum"], max(schema["minimum"], rng.choice((1, 5, 12, 30, 500, 755, 1000, 30_000))))
        case "number":
            return rng.choice((1, 12, 12.5, 0.75, 1000, 1250.25, 99, 3e-05))
        case "boolean":
            return rng.random() < 0.5
        case _:
            return None


def _text(kind: str, sources: Sources, rng: Random, budget: int) -> str:
    match kind:
        case "code":
            if budget < 40 or rng.random() < 0.15:
                return _text("prose", sources, rng, budget)
            if rng.random() < 0.08:
                return rng.choice(VERBATIM)
            return sources.stretch(rng, budget)
        case "prose":
            return rng.choice(TRAPS) if rng.random() < 0.03 else rng.choice(PROSE)
        case "path":
            return rng.choice(PATHS)
        case "email":
            return rng.choice(EMAILS)
        case "date":
            return rng.choice(DATES)
        case "url":
            return rng.choice(URLS)
        case _:
            return rng.choice(WORDS)
