"""Documents as models write them, for hypothesis: prose, lists, quotes, fences of every kind, tool calls good and bad."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from stream_guard import Limits

LINE_ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
WORDS = st.sampled_from(
    [
        "Ok",
        "then",
        "`x`",
        "é",
        "😀",
        "ç\u0303",
        "```",
        "``",
        "~~~",
        "{",
        "}",
        '"',
        "tool",
        "-",
        "1.",
        "\t",
        "#",
        "\x00",
        "\u2028",
    ]
)
PROSE = st.lists(WORDS, max_size=6).map(" ".join)
INDENTS = st.sampled_from(["", "", "", "", "", "", "", " ", "   ", "    ", "\t", "- ", "1. ", "> ", "  - ", "       "])
FENCES = st.sampled_from(["```", "```", "```", "````", "~~~", "~~~~~", "``"])
INFOS = st.sampled_from(
    [
        "json",
        "json",
        "json",
        "json",
        "json",
        "json",
        "JSON",
        " json ",
        "json title=x",
        "jsonc",
        "js",
        "",
        "markdown",
        "json`",
        "python",
    ]
)
TEXTS = st.sampled_from(
    [
        "",
        "x = 1\n",
        "# T\n\n```bash\nls\n```\n",
        "a\n```\nb\n```\n",
        'say "hi"',
        "é😀",
        "\\d+",
        "}\n```\n",
        "```json\n{}\n```",
        "\ttab",
    ]
)
NAMES = st.sampled_from(
    [
        "write_file",
        "write_file",
        "write_file",
        "write_file",
        "delete_file",
        "edit_file",
        "create_file",
        "wirte_file",
        "frobnicate",
    ]
)
PATHS = st.sampled_from(["a.txt", "b/c.ts", "d.md", "src/é.ts", "../x", "", "/etc/x"])

CALLS = st.one_of(
    st.builds(lambda n, p, c: {"tool": n, "path": p, "content": c}, NAMES, PATHS, TEXTS),
    st.builds(lambda c, p, n: {"content": c, "path": p, "tool": n}, TEXTS, PATHS, NAMES),
    st.builds(lambda n, p, c: {"name": n, "arguments": {"path": p, "content": c}}, NAMES, PATHS, TEXTS),
    st.builds(lambda n, p: {"tool_calls": [{"tool": n, "path": p}, {"tool": n, "path": p}]}, NAMES, PATHS),
    st.builds(lambda n, p: [{"tool": n, "path": p}], NAMES, PATHS),
    st.sampled_from([{}, [], {"name": "demo", "version": "1"}, {"path": "x"}, {"path": "x", "content": "y"}, 42, "text", None]),
)


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """A body: a call written well, or spoilt in one of the ways that models spoil it."""
    body = json.dumps(draw(CALLS), indent=draw(st.sampled_from([None, 1, 2])), ensure_ascii=draw(st.booleans()))
    match draw(st.integers(0, 15)):
        case 0:
            body = body.replace("\\n", "\n")
        case 1:
            body = body.replace('\\"', '"')
        case 2:
            body = body[: draw(st.integers(0, len(body)))]
        case 3:
            body = body.replace("\\n", "\n").replace('\\"', '"')
        case 4:
            body += draw(st.sampled_from(["}", ",", ";", " trailing", body, "\n" + body]))
        case 5:
            at = draw(st.integers(0, len(body)))
            body = body[:at] + draw(st.sampled_from(['"', "{", "}", "\\", "'", "\n", "```", ","])) + body[at:]
    return body


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A whole reply."""
    out = ""
    for _ in range(draw(st.integers(0, 7))):
        end = draw(LINE_ENDS)
        kind = draw(st.integers(0, 5))
        if kind <= 1:
            out += draw(INDENTS) + draw(PROSE) + end * draw(st.integers(0, 2))
        elif kind == 2:
            out += draw(INDENTS) + draw(FENCES) + draw(INFOS) + end
        else:
            fence, indent = draw(FENCES), draw(INDENTS)
            close = draw(
                st.sampled_from(
                    [
                        end + fence,
                        end + fence,
                        end + fence,
                        end + fence,
                        end + indent + fence,
                        fence,
                        end + fence + "`",
                        " " + fence,
                        "",
                    ]
                )
            )
            opener = draw(st.sampled_from([end, end, end, end, " ", ""]))
            out += indent + fence + draw(INFOS) + opener + draw(bodies()) + close + draw(st.sampled_from([end, end, "", " x"]))
    return out


LIMITS = st.sampled_from([Limits(), Limits(), Limits(max_block=80, lookahead=40), Limits(lookahead=1), Limits(max_block=1)])


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """The text, cut somehow."""
    if draw(st.booleans()):
        size = draw(st.integers(1, 7))
        return [text[i : i + size] for i in range(0, len(text), size)]
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
