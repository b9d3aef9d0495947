"""Generated types: the same text everywhere, right in both languages, and of one mind with the toolset.

After a change of what is generated, `python -m tests.core.codegen.test_codegen` writes the goldens anew; read every line
of the difference.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from stream_guard import Limits, Tool, Toolset, build_hint
from stream_guard.codegen import GenerationError, checks, generate
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.arguments import check_arguments
from tests.goldens import shapes as generated
from tests.kit.broken_payloads import BOOK, CHANGES, GOOD, payload
from tests.kit.json_schema import alone, rows
from tests.kit.schemas import SCHEMAS
from tests.kit.values import VALUES

GOLDENS = Path(__file__).parents[2] / "goldens"
TREE = Tool(
    "grow-tree",
    "Grow a tree\nof nodes */ \\",
    {
        "type": "object",
        "$defs": {
            "node": {
                "type": "object",
                "description": "A node",
                "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                "required": ["label"],
            },
            "words": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/words"}}]},
        },
        "properties": {
            "root": {"$ref": "#/$defs/node"},
            "words": {"$ref": "#/$defs/words"},
            "str": {"type": "string"},
            "class": {"enum": ["a'b", 'a"b', "a\\b", True, None, 3]},
            "any": {},
            "by-name": {"type": "object", "additionalProperties": {"type": "integer"}},
            "mixed": {"type": ["integer", "array", "null"], "items": {"type": "boolean"}},
            "both": {
                "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"const": 1}}}]
            },
            "site": {"type": "string", "format": "uri", "pattern": "^https?://[^$]+$"},
            "gruesome \" ' \n key": {"type": "number"},
        },
        "required": ["root", "any"],
        "additionalProperties": False,
    },
)
AWKWARD = [
    Tool(name, "", {"properties": {"x": {"type": "integer"}}}) for name in ("tool", "Invalid", "a1", "a_1", "class", "1st", "é")
]
SHAPES = Toolset(TREE, *AWKWARD, Tool("either", "", {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}))


def goldens() -> dict[str, str]:
    return {**generate(FILE_TOOLS, "file_tools"), **generate(Toolset(BOOK), "book"), **generate(SHAPES, "shapes")}


@pytest.mark.parametrize("name", ["file_tools.py", "file_tools.ts", "book.py", "book.ts", "shapes.py", "shapes.ts"])
def test_what_is_generated(name: str) -> None:
    same = (GOLDENS / name).read_text(encoding="utf-8") == goldens()[name]
    assert same, f"{name}: if this is meant, run `python -m tests.core.codegen.test_codegen`, and read the difference"


def test_the_text_is_the_same_on_every_run() -> None:
    """Whatever the order in which Python happens to hash."""
    code = (
        "from tests.core.codegen.test_codegen import goldens\n"
        "import hashlib\n"
        "print(hashlib.sha256(repr(goldens()).encode()).hexdigest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, check=True, cwd=GOLDENS.parents[1], env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(runs) == 1


def test_generated_python_passes_mypy_strict(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="`make types` installs mypy, and checks the goldens too")
    for name, text in goldens().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    user = tmp_path / "user.py"
    user.write_text(
        "from file_tools import EditFilePayload, decode_edit_file, encode_edit_file\n"
        "def upper(text: str) -> str:\n"
        "    payload: EditFilePayload = decode_edit_file(text)\n"
        "    payload['search_replace']['new_string'] = payload['search_replace']['new_string'].upper()\n"
        "    return encode_edit_file(payload)\n"
        "WRONG: EditFilePayload = {'path': 3}\n",
        encoding="utf-8",
    )
    depth = sys.getrecursionlimit()
    try:
        output, _, _ = api.run(["--strict", "--no-incremental", "--config-file=", *map(str, sorted(tmp_path.glob("*.py")))])
    finally:
        sys.setrecursionlimit(depth)  # mypy raises it, and what goes on until there is no more depth would go on for long
    errors = [line for line in output.splitlines() if ": error:" in line]
    assert len(errors) == 1, output
    assert "user.py:6" in errors[0]


def test_generated_python_runs_without_this_package() -> None:
    """With the standard library alone."""
    code = (
        f"import sys; sys.modules['stream_guard'] = None; sys.path = [p for p in sys.path if 'site-packages' not in p]\n"
        f"sys.path.insert(0, {str(GOLDENS)!r})\n"
        "import file_tools\n"
        'print(file_tools.decode_write_file(\'{"path": "a", "content": "b"}\'))\n'
        'try: file_tools.decode_write_file(\'{"path": ""}\')\n'
        "except file_tools.InvalidPayload as error: print(error, [(i.field, i.constraint) for i in error.issues()])\n"
    )
    output = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
    assert output == (
        "{'path': 'a', 'content': 'b'}\n"
        "write_file: content breaks 'required' (2 in all) [('content', 'required'), ('path', 'minLength')]\n"
    )


@pytest.mark.parametrize(
    ("text", "constraint"),
    [
        ('{"path": "a", "path": "b"}', "json"),
        ('{"path": NaN}', "json"),
        ("{", "json"),
        (b"\xff", "json"),
        ('{"path":' * 5_000, "json"),
        ("[]", "type"),
        ('{"path": 1}', "type"),
        ('{"path": "a", "b": 1}', "additionalProperties"),
    ],
)
def test_a_text_that_is_no_payload_is_refused_with_its_issues(text: str | bytes, constraint: str) -> None:
    """And the hint builder reads them."""
    from tests.goldens import file_tools

    with pytest.raises(file_tools.InvalidPayload) as caught:
        file_tools.decode_delete_file(text)
    assert constraint in {issue.constraint for issue in caught.value.issues()}
    hint = build_hint(caught.value, FILE_TOOLS.get("delete_file"))
    assert hint is not None
    assert hint.reason == "invalid_arguments"


def test_a_payload_goes_out_and_comes_back() -> None:
    from tests.goldens import file_tools

    given: file_tools.EditFilePayload = {"path": "é", "search_replace": {"old_string": "\n", "new_string": '"'}}
    assert file_tools.decode_edit_file(file_tools.encode_edit_file(given)) == given
    given["search_replace"]["old_string"] = 3  # type: ignore[typeddict-item]
    with pytest.raises(file_tools.InvalidPayload):
        file_tools.encode_edit_file(given)


def test_a_recursive_payload_is_checked_to_its_depth() -> None:
    """A tree in a tree; and a depth that nobody can read is an issue and no crash."""
    root: Any = {"label": "x", "children": [{"label": "y", "children": [{"label": 3}]}]}
    with pytest.raises(generated.InvalidPayload) as caught:
        generated.validate_grow_tree({"root": root, "any": 1})
    assert [issue.field for issue in caught.value.issues()] == ["root.children[0].children[0].label"]
    for _ in range(5_000):
        root = {"label": "x", "children": [root]}
    with pytest.raises(generated.InvalidPayload) as caught:
        generated.validate_grow_tree({"root": root, "any": 1})
    assert [issue.constraint for issue in caught.value.issues()] == ["depth"]


@pytest.mark.parametrize("name", CHANGES)
def test_generated_checks_and_the_toolset_are_of_one_mind(name: str) -> None:
    """The same fields, the same rules."""
    ours = {(issue.field, issue.constraint) for issue in check_arguments(BOOK, payload(name), Limits())}
    theirs = {(issue.field, issue.constraint) for issue in checks._issues(BOOK.schema, payload(name), "", BOOK.schema)}
    lacking = {field.rpartition(".")[0] for field, rule in theirs if rule == "required"}
    theirs = {(f, r) for f, r in theirs if r != "additionalProperties" or f.rpartition(".")[0] not in lacking}
    assert theirs == ours


@pytest.mark.some(0)
def test_generated_checks_pass_the_suite_of_json_schema(corpora: Path) -> None:
    """Every row whose schema code can be generated for; the verdict is the suite's own."""
    checked = 0
    for row, schema in rows(corpora):
        if alone(schema) is None or row["kind"] == "format":
            continue
        try:
            generate(Toolset(Tool("t", "", {**schema, "$defs": schema.get("$defs", {})})), "t")
        except (GenerationError, ValueError):
            continue
        verdict = checks._fits(schema, row["input"], schema)
        assert verdict is row["expected"], row["id"]
        checked += 1
    assert checked > 1_000


@given(SCHEMAS, VALUES)
def test_generated_checks_judge_as_the_toolset_does(schema: Any, value: Any) -> None:
    assert checks._fits(schema, value, schema) is Tool("t", "", schema).compiled.accepts(value)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"properties": {"a": {"unevaluatedProperties": False}}}, "/properties/a: 'unevaluatedProperties' cannot be checked"),
        ({"properties": {"a": {"$ref": "#anchor"}}, "$defs": {"x": {"$anchor": "anchor"}}}, "cannot be checked|points outside"),
        ({"properties": {"a": {"pattern": "\\p{Letter}"}}}, "is not valid in Python"),
        ({"patternProperties": {"\\p{Letter}": {}}}, "is not valid in Python"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]}, "prefixItems"),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "$ref": "#/definitions/a",
                "type": "object",
                "definitions": {"a": {}},
            },
            "draft 7",
        ),
    ],
)
def test_what_generated_code_could_not_check_is_refused_with_its_place(schema: dict[str, Any], says: str) -> None:
    with pytest.raises(GenerationError, match=says):
        generate(Toolset(Tool("t", "", schema)), "t")


def test_a_format_that_is_not_checked_is_named_in_the_module() -> None:
    assert "Not checked here: the formats uri." in (generated.__doc__ or "")


def test_a_modules_name_is_one() -> None:
    for name in ("", "a-b", "../x", "A"):
        with pytest.raises(GenerationError, match="lower case"):
            generate(FILE_TOOLS, name)


# -- TypeScript --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def tsc() -> Path:
    local = Path(sys.prefix) / "node" / "node_modules" / ".bin" / "tsc"
    found = local if local.exists() else shutil.which("tsc")
    if found is None or shutil.which("node") is None:
        reason = "the TypeScript compiler is not there; `make types` installs it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return Path(found)


GUARDS = """
import { isBookCall, isBookPayload } from "./book.js";
import { isToolCall, ToolCall } from "./file_tools.js";
import { isGrowTreePayload } from "./shapes.js";

// The union is discriminated: in each case the members of that call are known.
export function about(call: ToolCall): string {
  switch (call.tool) {
    case "write_file": return call.path + call.content.length;
    case "delete_file": return call.path;
    case "edit_file": return call.search_replace.new_string;
  }
}

const rows: [unknown, string][] = JSON.parse(process.argv[2] as string);
declare const process: { argv: string[] };
const guards: Record<string, (value: unknown) => boolean> = { isBookCall, isBookPayload, isToolCall, isGrowTreePayload };
console.log(JSON.stringify(rows.map(([value, guard]) => guards[guard]!(value))));
"""


def test_generated_typescript_compiles_strictly_and_its_guards_guard(tsc: Path, tmp_path: Path) -> None:
    """A real compiler, and a real engine that runs what it made."""
    for name, text in goldens().items():
        if name.endswith(".ts"):
            (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "guards.ts").write_text(GUARDS, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    strict = [
        "--strict",
        "--noUncheckedIndexedAccess",
        "--exactOptionalPropertyTypes",
        "--target",
        "es2022",
        "--module",
        "nodenext",
    ]
    made = subprocess.run([str(tsc), *strict, "guards.ts"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout
    kinds = ("required", "type", "enum", "const")
    seen = [name for name in CHANGES if name.startswith(kinds) and name != "required by another field"]
    tree = {"root": {"label": "x", "children": [{"label": "y"}]}, "any": None}
    table: list[tuple[Any, str, bool]] = [
        (GOOD, "isBookPayload", True),
        ({**GOOD, "tool": "book"}, "isBookCall", True),
        ({**GOOD, "tool": "cook"}, "isBookCall", False),
        *((payload(name), "isBookPayload", False) for name in seen),
        ({"tool": "write_file", "path": "a", "content": ""}, "isToolCall", True),
        ({"tool": "write_file", "path": "a"}, "isToolCall", False),
        ({"tool": "delete_file", "path": "a"}, "isToolCall", True),
        ({"tool": "edit_file", "path": "a", "search_replace": {"old_string": "a", "new_string": "b"}}, "isToolCall", True),
        ({"tool": "edit_file", "path": "a", "search_replace": {"old_string": "a"}}, "isToolCall", False),
        (None, "isToolCall", False),
        ([], "isToolCall", False),
        (tree, "isGrowTreePayload", True),
        ({**tree, "class": "a\\b", "words": ["a", ["b"]], "mixed": [True], "by-name": {"x": 1}}, "isGrowTreePayload", True),
        ({**tree, "words": ["a", [3]]}, "isGrowTreePayload", False),
        ({**tree, "mixed": [1]}, "isGrowTreePayload", False),
        ({**tree, "by-name": {"x": "1"}}, "isGrowTreePayload", False),
        ({**tree, "both": {"b": 1}}, "isGrowTreePayload", False),
        ({"root": tree["root"]}, "isGrowTreePayload", False),
    ]
    rows = json.dumps([[value, guard] for value, guard, _ in table])
    ran = subprocess.run(["node", "guards.js", rows], cwd=tmp_path, capture_output=True, text=True, check=True)
    verdicts = json.loads(ran.stdout)
    assert [(value, guard, verdict) for (value, guard, _), verdict in zip(table, verdicts, strict=True)] == table


if __name__ == "__main__":
    for name, text in goldens().items():
        (GOLDENS / name).write_text(text, encoding="utf-8")


def test_what_is_copied_into_every_module_refuses_as_the_module_does() -> None:
    """The checks are a module of their own, too: the text that is copied is the text that is tested."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert checks._valid("count", schema, {"n": 1}) == {"n": 1}
    ways = {"oneOf": [{"properties": {"kind": {"const": kind}, "n": {"type": "integer"}}} for kind in ("a", "b")]}
    with pytest.raises(checks.InvalidPayload, match="breaks 'enum'"):
        checks._valid("count", ways, {"kind": "c"})
    with pytest.raises(checks.InvalidPayload, match="n breaks 'type'"):
        checks._valid(
            "count", {"oneOf": [ways["oneOf"][0], {"properties": {"m": {"const": 1}}}]}, {"kind": "a", "n": "x", "m": 2}
        )
    with pytest.raises(checks.InvalidPayload, match="count: n breaks 'required'") as caught:
        checks._valid("count", schema, {})
    assert (caught.value.tool, [issue.field for issue in caught.value.issues()]) == ("count", ["n"])
    apart = {"oneOf": [{"properties": {"x": {"const": 1}, "k": {"const": "a"}}}, {"properties": {"k": {"const": "b"}}}]}
    with pytest.raises(checks.InvalidPayload, match="k breaks 'enum'"):
        checks._valid("count", apart, {"x": 2, "k": "c"})
    with pytest.raises(checks.InvalidPayload, match="payload breaks 'type'"):
        checks._valid("count", schema, [])
    deep: dict[str, Any] = {"n": 1}
    deep["self"] = deep
    endless = {"properties": {"self": {"$ref": "#"}}}
    with pytest.raises(checks.InvalidPayload, match="breaks 'depth'"):
        checks._valid("count", endless, deep)
    assert checks._decoded("count", '{"n": 1}') == {"n": 1}
    for text in ("{", '{"n": 1, "n": 2}', '{"n": NaN}', "[" * 100_000):
        with pytest.raises(checks.InvalidPayload, match="breaks 'json'"):
            checks._decoded("count", text)
    assert checks._has_format("anything", "a-format-nobody-knows")
    assert checks._has_format("2024-02-30", "date") is False
    assert checks._has_format("2024-02-29", "date") is True


def test_what_a_schema_includes_twice_is_read_once() -> None:
    """`true` includes nothing."""
    same = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    schema = {
        "type": "object",
        "$defs": {"s": same},
        "allOf": [True, {"$ref": "#/$defs/s"}, {"$ref": "#/$defs/s"}],
    }
    files = generate(Toolset(Tool("twice", "", schema)), "twice")
    assert all("a" in text for text in files.values())
