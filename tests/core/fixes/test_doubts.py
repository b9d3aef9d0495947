"""What a body as a whole leaves in doubt: whose language its strings are in, and whether its writer escapes at all."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset

_S: Any = {"type": "string"}
GUARD = Guard(
    Toolset(
        Tool(
            "save",
            "",
            {
                "type": "object",
                "properties": {"text": _S, "note": _S, "keep": {"type": "boolean"}},
                "required": ["text"],
                "additionalProperties": False,
            },
            risk=Risk.WRITE,
        )
    ),
    dialects="all",
)


def texts(reply: str) -> list[Any]:
    """The text of each call that runs."""
    items = GUARD.scan(reply)
    return [(item.arguments or {})["text"] for item in items if isinstance(item, ToolBlock) and item.executable]


def fence(body: str) -> str:
    return f"```json\n{body}\n```\n"


# -- whose language ------------------------------------------------------------------------------------------------------

SLASHES = [r"s/a\/b/c/", r"<\/script>", r"\/", r"a\\\/b", r"https:\/\/example.com", r"x\/"]
PYTHON = [
    "{{'tool': 'save', 'text': '{0}', 'keep': True}}",
    "{{'tool': 'save', 'text': '{0}'}}",
    "{{'tool': 'save', 'text': \"it's {0}\"}}",
    "{{'tool': 'save', 'text': '''{0}'''}}",
    '{{"tool": "save", "text": """{0}\n"""}}',
    '{{"tool": "save", "text": \'{0}\'}}',
    "{{tool: 'save', text: '{0}'}}",
    "save(text='{0}', keep=True)",
    'save(text="{0}", keep=True)',
    "save(text = '{0}')",
    "save({{'text': '{0}'}})",
    "[{{'tool': 'save', 'text': 'a'}}, {{'tool': 'save', 'text': '{0}'}}]",
]


@pytest.mark.parametrize("text", SLASHES)
@pytest.mark.parametrize("body", PYTHON)
def test_a_slash_that_python_and_json_read_otherwise_is_refused(body: str, text: str) -> None:
    assert texts(fence(body.format(text))) == []


@pytest.mark.parametrize("text", SLASHES)
@pytest.mark.parametrize("body", ["[save(text='{0}', keep=True)]", '[save(text="{0}")]'])
def test_what_is_python_for_sure_keeps_it(body: str, text: str) -> None:
    assert texts(body.format(text)) == [text.replace("\\\\", "\\")]


@pytest.mark.parametrize(
    "body",
    [
        '{{"tool": "save", "text": "{0}",}}',
        '{{"tool": "save", "text": "{0}", "keep": True}}',
        '{{tool: "save", text: "{0}"}}',
        "{{tool: `save`, text: `{0}`}}",
        "{{tool: 'save', text: `{0}`}}",
        '{{"tool": \'save\', "text": "{0}"}}',
    ],
)
def test_a_slash_of_json_and_of_javascript_has_none(body: str) -> None:
    assert texts(fence(body.format(r"s/a\/b/c/"))) == ["s/a/b/c/"]
    assert texts(fence(body.format(r"<\/script>"))) == ["</script>"]


# -- bare quotes beside escapes ------------------------------------------------------------------------------------------

FOLDERS = [r"C:\n", r"d:\n", r"%TEMP%\n", r"..\n", r".\n", r"~\n"]
AROUND = ['say "hi" in {0}', 'run "x.exe" in {0}', 'echo "x" > {0}.txt', 'cd {0} && "a b.exe"', '"{0}" is "it"']


@pytest.mark.some(8)
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("text", AROUND)
@pytest.mark.parametrize("name", ["ew", "ina", "otes", "o_1"])
def test_beside_bare_quotes_no_line_breaks_in_a_path(text: str, folder: str, name: str) -> None:
    r"""Nobody escaped quotes there: `C:\\new` is a folder, and no line break behind `C:`."""
    said = text.format(folder + name)
    assert texts(fence(f'{{"tool": "save", "text": "{said}"}}')) == []


@pytest.mark.parametrize("text", [r'\nabla f(x)\nabla "g"', r'\nu "x"', r'\new\nested and "x"', r'"a"\nb = C:\new'])
def test_beside_bare_quotes_no_line_breaks_in_a_formula(text: str) -> None:
    """It may begin a text, whose other escapes are no layout."""
    assert texts(fence(f'{{"tool": "save", "text": "{text}"}}')) == []


@pytest.mark.parametrize(
    "text", ['say "hi"\\nand go', 'print("a")\\nprint("b")', 'if "x":\\n    go()', 'a "b".\\n\\nC: d', '\\na = "b"\\n\\nc = 1']
)
def test_beside_bare_quotes_a_line_breaks_elsewhere(text: str) -> None:
    assert texts(fence(f'{{"tool": "save", "text": "{text}"}}')) == [text.replace("\\n", "\n")]


# -- what a slip beside a quote leaves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["no", "this", "red", "black", "fine"])
@pytest.mark.parametrize("text", ['He said \\"yes\\", then WORD, and left.', "keep WORD, please", "WORD, she said", "Now WORD"])
def test_a_quote_that_changed_places_with_the_letter_behind_it_is_no_quote(word: str, text: str) -> None:
    swapped = f'\\{word[0]}"{word[1:]}\\"'
    assert texts(fence(f'{{"tool": "save", "text": "{text.replace("WORD", swapped)}"}}')) == []


def test_a_text_that_begins_again_at_its_only_bare_quote_is_refused() -> None:
    for begins, goes_on in (("// note: keep ", "this"), ("Say ", "yes, please"), ("x", "yz")):
        for cut in range(1, len(goes_on)):
            begun = f'{begins}\\"{goes_on[:cut]}'
            assert texts(fence(f'{{"tool": "save", "text": "{begun}"{begins}\\"{goes_on}\\", please"}}')) == [], begun


@pytest.mark.parametrize(
    "text",
    [
        *(f'Q: Is it "on"{mark}n{after}' for mark in "?!,;." for after in ("A: Yes.", "Anna", "X")),
        *(f'printf("%{kind}n", "atb");' for kind in "sdfiux"),
    ],
)
def test_the_letter_of_a_line_break_between_sentences_or_behind_a_format_lost_its_backslash(text: str) -> None:
    assert texts(fence(f'{{"tool": "save", "text": "{text}"}}')) == []


@pytest.mark.parametrize("text", ['Is it "on"? Now', 'printf("%s", "atb");', 'the "x".name', 'is "%s" new?'])
def test_a_text_with_bare_quotes_and_no_letter_of_a_line_break_runs(text: str) -> None:
    assert texts(fence(f'{{"tool": "save", "text": "{text}"}}')) == [text]


BARE = {
    "js": '{tool: "save", text: "%s"}',
    "lua": '{tool = "save", text = "%s"}',
    "call": 'save(text="%s")',
    "inner": '{tool: "save", arguments: {text: "%s"}}',
}
"""Blocks whose keys have no quotes."""


@pytest.mark.parametrize("block", BARE)
@pytest.mark.parametrize("key", ["note: see v1.10", "note = not me", "note=see v1", "keep: true"])
def test_a_text_holds_no_member_that_a_block_with_bare_keys_lacks(block: str, key: str) -> None:
    assert texts(fence(BARE[block] % f"all, {key}")) == []
    assert texts(fence(BARE[block] % f"all,{key}")) == []
    for own in (f"all {key}", f"all, a {key}", f"all, x{key}", f"all, {key.replace(':', '').replace('=', '')}"):
        assert texts(fence(BARE[block] % own)) == [own]
