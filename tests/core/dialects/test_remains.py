"""A raw value with the rest of a marker, or with a token of a chat template, is no value that was meant."""

from __future__ import annotations

from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.remains import holds_a_token, holds_remains
from stream_guard.dialects.tables import DIALECTS

TOKENS: Final = (
    *(
        "<|im_end|>",
        "<|im_start|>",
        "<|endoftext|>",
        "<|observation|>",
        "<|eot_id|>",
        "<|/tool_call|>",
        "<｜end▁of▁sentence｜>",
    ),
    *(
        "</s>",
        "<eos>",
        "<turn|>",
        "<end_of_turn>",
        "<seed:eos>",
        "[|endofturn|]",
        "[e~[",
        "[/INST]",
        "[TOOL_CALLS]",
        "[/TOOL_CALLS]",
    ),
)
SPEAKING: Final = (
    'end = "{}"',
    "end = '{}'",
    "It ends with `{}`.",
    'prompt = f"{}system\\n{{text}}{}"',
    "Like this:\n```\nhi{}\n```\nSo.",
    "| `{}` | the end |",
)
BARE: Final = ("home{}", "home{}\n", "{}home", "a\n{}\nb", "it's{}", 'say "x" {}', "```\nx\n```\n{}")


@pytest.mark.parametrize("token", TOKENS)
def test_a_text_may_speak_of_a_token_but_not_hold_it(token: str) -> None:
    for text in BARE:
        assert holds_a_token(text.replace("{}", token)), text
    for text in SPEAKING:
        assert not holds_a_token(text.replace("{}", token)), text


@pytest.mark.parametrize(
    "text",
    [
        "<s>old</s>",
        "a <| b |> c",
        "x |> f <| y",
        "[ARGS] [OPTIONS]",
        "<div>|</div>",
        "<start_date>1</start_date>",
        "a[|x|] = 1",
    ],
)
def test_what_looks_like_a_token_is_none(text: str) -> None:
    assert not holds_a_token(text)


MARKERS: Final = ("<tool_call>", "<function=", "<parameter=", "</parameter>", "</function>", "</tool_call>")
HEADS: Final = ("<parameter=slug>", '<parameter name="slug">')
ENDS: Final = ("</parameter>",)


@pytest.mark.parametrize(
    "text",
    [
        "home\nparameter=purge>\ntrue",
        "home\narameter=slug>\nhome",
        "home\n  meter=slug>\nhome",
        'home\nparameter name="purge">true'.replace(">true", ">"),
        "home\n/parameter",
        "home\n/parameter>",
        "home\n\\function",
        'home\nslug">\nhouse',
        'home\n"slug">\nhouse',
        "home\nlug>\nhouse",
        "home\n<parameter",
        "home\n<para\nx",
        "home</par>",
        "home</param>",
        "home\n</func>\n",
        "home\n</pontent>\nhome",
        'hoame="slug">home',
        "home='slug'>home",
        "home=slug>home",
        "hoarameter=slug>home",
        "hog>home",
        'h">home',
        "home</parg>home",
        "x.py</par.py",
        "x.py</y",
        "fix it<it",
        "home</parlo",
        'home</padonly">false',
        "a<b && c</ && c",
        "i<n; ig>i<n; i++",
        "diff <(ls>diff <(ls a) b",
        '<p>\n<hlug"><p>\n<h1>home</h1>',
        "<ul>\n<li>a</li>\n</ul></pi>a</li>\n</ul>",
        "home</parade>false",
        "hell>hello world",
        "hell>\nhello",
        '"home>"homes"',
        '/// <>/// <reference path="a" />',
        'say "hi"</p then',
    ],
)
def test_the_rest_of_a_marker(text: str) -> None:
    assert holds_remains(text, MARKERS, "slug", HEADS, ENDS)
    assert holds_remains(text.replace("\n", "\r\n"), MARKERS, "slug", HEADS, ENDS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/parameter",
        "/function/x",
        "a / parameter",
        "def f(parameter=slug):",
        "if parameter=slug > 3:",
        "<p>\n</p>",
        "<div>\n</div>\n<div>",
        '<input name="slug">',
        '<input\n  name="slug"\n  id="slug">',
        '<param\n  name="slug">',
        "<param>x</param>",
        "home</div>",
        "a\n</div>\nb",
        "x=slug>y",
        'if x["slug"] > 0:',
        'x = "slug" if a > b else c',
        "x = 'slug' > y",
        "<slug>home</slug>",
        "1>1.txt",
        "home > home",
        "<b>home</b><b>home",
        "sort </proc/cpuinfo",
        "<path>x</path>",
        "x</path>",
        "a0<0",
        "<b>a</b></b>",
        "<td>\n<td>\nx",
        "<td></td>",
        "<><b/></>",
        "<div>\n</div>\n</p>\n</div>\n",
        "a->a->b",
        "=> a => b",
        "</div>\n</div>\n",
        'const a: Pick<Page, "body"> = b as Omit<Partial<Page>, "slug">;',
        'type A = B<{ a: string; b: "c" }, "slug">;',
        '<a onclick="if(a>b){c()}" class="slug">x</a>',
        '<a href="<?= $a->b ?>" class="slug">x</a>',
        'sort < in | grep "slug">out',
        "#include <slug>\n#include <home>",
        "- <https://a.b/slug>\n- <https://a.b/home>",
        "size>size_max",
        "a.x>a.y",
        "a.ug>a.ab",
        "x.size<size",
        "wc -l </file",
        're.sub(r"</p[^>]*>", "", text)',
        's.startswith("</p")',
        "it ends with `</p`",
        "x</paragraph>\n</pages>",
        "<p>\n<p class='a'>",
        '<p id="slug">\n<p id="slug-2">',
        '<p id="my-slug"><p id="my-slot">',
    ],
)
def test_what_is_no_rest_of_a_marker(text: str) -> None:
    assert not holds_remains(text, MARKERS, "slug", HEADS, ENDS)


S: Final = {"type": "string"}
PAGE: Final[dict[str, Any]] = {"slug": S, "purge": {"type": "boolean"}}
SCHEMA: Final = {"type": "object", "properties": PAGE, "required": ["slug"], "additionalProperties": False}
GUARD: Final = Guard(Toolset(Tool("delete_page", "", SCHEMA, risk=Risk.DESTRUCTIVE)), dialects="all", fixes="off")
RAW: Final = (
    *("qwen3_coder", "seed_oss", "minimax_m2", "claude_xml", "muse_glimmer", "minicpm5", "dots", "glm45", "hunyuan_v3"),
    *("k2_horizon", "cline_xml", "deepseek_v32_dsml", "deepseek_v4_dsml"),
)


def _ran(text: str) -> list[Any]:
    items = GUARD.scan([text, End("stop")])
    return [item.arguments for item in items if isinstance(item, ToolBlock) and item.executable]


@pytest.mark.parametrize("name", RAW)
def test_no_call_runs_with_a_token_in_a_raw_value(name: str) -> None:
    written = DIALECTS[name].write([("delete_page", {"slug": "HOLE"})])
    assert _ran(written)
    for token in TOKENS:
        for text in (f"home{token}", f"home\n{token}\nuser"):
            assert not _ran(written.replace("HOLE", text)), text
    for token in ("<|im_end|>", "</s>", "[/INST]"):
        assert _ran(written.replace("HOLE", f"end = `{token}`")), token


@pytest.mark.parametrize("name", RAW)
def test_no_call_runs_with_the_rest_of_a_marker_in_a_raw_value(name: str) -> None:
    written = DIALECTS[name].write([("delete_page", {"slug": "HOLE"})])
    before = written[: written.index("HOLE")]
    opener = before[before.rindex("<") :].strip()
    if "slug" not in opener:
        opener = ""
    for at in range(1, len(opener) - 7):
        for text in (f"home\n{opener[at:]}\nhome", f"home\n{opener[at:]}\nhouse", f"ho{opener[at:]}home"):
            assert not _ran(written.replace("HOLE", text)), text


D: Final = Guard(
    Toolset(
        Tool(
            "run_shell",
            "",
            {
                "type": "object",
                "properties": {"command": S, "stdin": S, "timeout": {"type": "integer"}},
                "required": ["command"],
                "additionalProperties": False,
            },
            risk=Risk.DESTRUCTIVE,
        )
    ),
    dialects="all",
)
QUOTED: Final = '<function name="run_shell"><param name="command">HOLE</param></function>\n'
PLAIN: Final = "<tool_call>\n<function=run_shell>\n<parameter=command>\nHOLE\n</parameter>\n</function>\n</tool_call>\n"
GEMMA: Final = '<|tool_call>call:run_shell{command:<|"|>ls<|"|>,HOLE}<tool_call|>\n'


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (QUOTED, 'hele="timeout">30'),
        (QUOTED, 'heldin">30'),
        (QUOTED, 'he</dstdin">30'),
        (QUOTED, 'he<="stdin">30'),
        (QUOTED, 'i<n; heout">30'),
        (PLAIN, "ls\n/rameter=stdin>\nhello"),
        (PLAIN, "x = 1 << 3tdin>\nhello"),
        (QUOTED, 'he=timeout heldin" string="true">30'),
        (QUOTED, 'f(a<b, heout="timeout">30'),
        (QUOTED, '<hldin">30'),
        (QUOTED, 'update< name="stdin">30'),
        (GEMMA, "stdin:out:30"),
    ],
)
def test_the_rest_of_the_opener_of_a_field_that_is_not_there(written: str, text: str) -> None:
    blocks = [block for block in D.scan([written.replace("HOLE", text), End("stop")]) if isinstance(block, ToolBlock)]
    assert [issue.code for block in blocks for issue in block.issues].count("ambiguous_value"), text
    assert not any(block.executable for block in blocks)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (QUOTED, 'echo "on stdin">log'),
        (QUOTED, '<input\n  onChange={() => x}\n  className="stdin">'),
        (QUOTED, 'x = y">'),
        (QUOTED, 'echo "of\nstdin">log'),
        (QUOTED, 'run --mode="stdin">log'),
        (QUOTED, 'make CC="stdin">log'),
        (QUOTED, '<Select<Item> name="stdin">a</Select>'),
        (QUOTED, "html += '<div' + (a<b ? '' : 'x') + ' class=\"stdin\">';"),
        (PLAIN, "std::map<std::pair<int, int>, Timeout>\n  m;"),
        (PLAIN, "Class<? extends Stdin>\n  x;"),
        (PLAIN, "$ a\nmy_stdin> b\nmy_stdin>\n$ c"),
        (GEMMA, 'stdin:<|"|>f<|x, y|>stdin<|"|>'),
        (PLAIN, "template <typename A, typename Timeout>\nclass B"),
        (PLAIN, "<input\n  type=stdin>\n"),
        (GEMMA, 'stdin:<|"|>out:30<|"|>'),
        (GEMMA, "timeout:30"),
    ],
)
def test_what_is_no_rest_of_an_opener(written: str, text: str) -> None:
    blocks = [block for block in D.scan([written.replace("HOLE", text), End("stop")]) if isinstance(block, ToolBlock)]
    assert [block.executable for block in blocks] == [True], [issue for block in blocks for issue in block.issues]
