"""What a typical change must not forget, as far as no test of the part itself holds it. CONTRIBUTING has the recipes."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from typing import get_args

import pytest
from stream_guard_adapters import resume
from stream_guard_adapters.engine import uninspected
from stream_guard_adapters.engine.uninspected import KINDS
from stream_guard_adapters.protocols import PROTOCOLS, Protocol
from stream_guard_conformance.conform.guard_parser import CHOICES
from stream_guard_conformance.corpus import apart, everyday, native_rows, unfinished
from stream_guard_conformance.corpus.protocol_rows import ERRORS, SENT, WITHOUT_BYTES, WITHOUT_ERROR, replies
from stream_guard_conformance.corpus.streams import STREAMS
from stream_guard_conformance.events import BEGINS, FRAMED, _others

from docs.client import _typedef
from docs.rooms import ADAPTERS, CORE
from stream_guard import CODES, Limits, ToolBlock, ToolResult, ToolStatus, elsewhere
from stream_guard.command import cli
from stream_guard.fixes import catalogue
from stream_guard.fixes.catalogue import CATALOGUE, Doubt, Fix, Syntax, leaving
from stream_guard.scan.fences import MIN_RUN
from stream_guard.tools.lessons.catalogue import LESSON_RULES
from stream_guard.values import codes, wording
from stream_guard.values.fence import RUNS
from stream_guard.values.fix import Safety
from tests.kit.merged import MERGED
from tests.kit.unapproved import STREAMS as UNAPPROVED

ROOT = Path(__file__).parents[2]
CONFORMANCE = ROOT / "conformance" / "stream_guard_conformance"
COMMANDS = {*cli.OWN, *(entry.name for entry in entry_points(group="stream_guard.commands"))}
STORES = {name for name in resume.__all__ if name.endswith("Store")} - {"ResumeStore"}

TESTED_IN = {
    "check": "tests/core/command/test_check.py",
    "watch": "tests/core/command/test_cli.py",
    "codegen": "tests/core/command/test_cli.py",
    "grammar": "tests/core/command/test_grammar.py",
    "schema": "tests/core/test_wire.py",
    "completion": "tests/core/command/test_mistakes.py",
    "lesson": "tests/core/tools/test_lesson_command.py",
    "proxy": "tests/network/test_gateway.py",
    "import": "tests/adapters/cassettes/test_cassette.py",
    "mcp": "tests/core/tools/test_lesson_command.py",
    "conform": "tests/conformance/test_conform.py",
    "attack": "tests/conformance/test_attack.py",
    "chaos": "tests/conformance/test_chaos.py",
}
"""Where each command is run."""

WITHOUT_EXTRA = {
    "ag_ui": "whoever asks for its objects has it",
    "litellm": "whoever runs its proxy has it",
    "ollama": "whoever passes its objects has it",
    "pydantic_ai": "a table for streams of whoever has it",
    "pytest": "whoever runs tests has it",
    "typing_extensions": "pydantic installs it, and it is imported for pydantic alone",
}
"""Packages that an adapter imports and no extra installs."""

INSTALLED_BY = {"opentelemetry": "opentelemetry-api", "yaml": "pyyaml"}
"""The packages of modules with another name."""


def text(*names: str) -> str:
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)


def leniencies() -> list[str]:
    """The names in the first table of docs/fences.md."""
    page = text("docs/fences.md").partition("## Not detected")[0]
    return re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)


def sources(folder: Path, *words: str) -> Iterator[tuple[Path, str]]:
    """The modules of a folder; with words those that have one of them, since to parse all takes seconds."""
    for path in sorted(folder.rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        if not words or any(word in code for word in words):
            yield path, code


def test_the_changelog_has_the_figures() -> None:
    """Whoever adds to one of these has something to say to users."""
    figures = (
        f"In figures: {len(leniencies())} leniencies of fences, {len(CODES)} issue codes, {len(CATALOGUE)} fixes, "
        f"{len(PROTOCOLS)} protocols, {len(fields(ToolStatus))} fields of a status and {len(fields(ToolBlock))} of a block, "
        f"{len(fields(Limits))} limits, {len(COMMANDS)} commands, {len(LESSON_RULES)} rules of lessons, {len(STORES)} stores."
    )
    latest = text("CHANGELOG.md").split("\n## ")[1]
    assert figures in " ".join(latest.split())


def test_every_file_that_contributing_names_is_there() -> None:
    """By its path from the root, or from the folder of one of the packages."""
    homes = (ROOT, CORE.folder, ADAPTERS.folder, ROOT / "adapters" / "js" / "src")
    missing = []
    for path in re.findall(r"`([\w./-]+\.(?:py|md|toml|js|json))(?:::\w+)?`", text("CONTRIBUTING.md")):
        if path not in ("NAME.py", "__init__.py") and "NAME" not in path and not any((home / path).exists() for home in homes):
            missing.append(path)
    assert not missing


def test_every_file_that_the_code_names_is_there_and_has_the_name_it_is_said_to_have() -> None:
    """A pointer such as `` `engine.py` (`tried`) `` is a path from the file's folder, one above it, or a package's."""
    stale = []
    for folder in (CORE.folder, ADAPTERS.folder, CONFORMANCE):
        for path, code in sources(folder):
            homes = (path.parent, *path.parents, CORE.folder, ADAPTERS.folder)
            for name, inside in re.findall(r"`([\w./]+\.py)`(?:\s+\(`(\w+)`)?", code):
                there = next((home / name for home in homes if (home / name).exists()), None)
                if there is None or (inside and not re.search(rf"\b{inside}\b", there.read_text(encoding="utf-8"))):
                    stale.append(f"{path.relative_to(ROOT)} names {name} {inside}".rstrip())
    assert not stale


def test_every_leniency_has_a_name_where_the_code_does_it_and_on_the_page() -> None:
    named = {name for _, code in sources(CORE.folder / "scan") for name in re.findall(r"Leniency `([a-z-]+)`", code)}
    assert named == set(leniencies())


def test_a_run_of_fence_characters_is_that_of_every_fence_or_has_a_rule_of_its_own_in_the_recipe() -> None:
    """A pattern that says the same in another place would be forgotten when the rule changes. So would a set of the characters
    with which a fence may begin.
    """
    assert {(char * MIN_RUN) for char in "`~"} == set(RUNS)
    patterns, heads = set(), set()
    for package in (CORE, ADAPTERS):
        for path, code in sources(package.folder):
            tree = ast.parse(code)
            docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
            said = [one for one in strings if isinstance(one, str)]
            name = path.relative_to(package.folder if package is CORE else ROOT).as_posix()
            if any(sign in one for one in said for sign in ("~~~", "`{3", "~{3")):
                patterns.add(name)
            if any("`~" in one for one in said):
                heads.add(name)
    step = " ".join(text("CONTRIBUTING.md").split())
    for told, found in (
        ("A pattern of their own, for a rule of their own, have", patterns - {"values/fence.py"}),
        ("The first characters of a fence are also in", heads),
    ):
        assert set(re.findall(r"`([\w/]+\.py)`", step.partition(told)[2].partition(". ")[0])) == found, told


def test_the_recipe_of_a_fence_names_every_pattern_of_a_fence_in_javascript() -> None:
    folders = (ROOT / "adapters" / "js" / "src", ROOT / "demo_server" / "page")
    files = [path for folder in folders for path in sorted(folder.rglob("*.js"))]
    own = {
        path.relative_to(ROOT).as_posix()
        for path in files
        if re.search(r"= /.*(?:`{3}|`\{3)", path.read_text(encoding="utf-8"))
    }
    recipe = text("CONTRIBUTING.md").partition("**Change what counts as a fence")[2].partition("\n**")[0]
    assert set(re.findall(r"`([\w/]+\.js)`", recipe)) == own


def test_every_issue_code_is_raised_somewhere() -> None:
    tables = {Path(codes.__file__), Path(wording.__file__)}
    code = "".join(code for path, code in sources(CORE.folder) if path not in tables)
    assert [name for name in CODES if f'"{name}"' not in code and f'"{name}.' not in code] == []


def test_the_recipe_of_an_issue_code_lists_the_files_that_report_one() -> None:
    """Where an issue is made. `values/events.py` makes again those of an event that came over the wire."""
    makers = set()
    for path, code in sources(CORE.folder, "ValidationIssue"):
        for node in ast.walk(ast.parse(code)):
            made = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ValidationIssue"
            if made or (isinstance(node, ast.Attribute) and ast.unparse(node) == "ValidationIssue.at"):
                makers.add(path.relative_to(CORE.folder).as_posix())
    step = text("CONTRIBUTING.md").partition("**Add an issue code.**")[2].partition("\n3. ")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([\w/]+\.py)`", step)) == makers - {"values/events.py"}


def test_no_module_has_a_list_of_fixes() -> None:
    """What a fix is for a check is a column of its row. Fixes that mean something only together are compared by `>=`."""
    lists = []
    for folder in (CORE.folder, ADAPTERS.folder):
        for path, code in sources(folder, *(f'"{name}"' for name in CATALOGUE)):
            tree = ast.parse(code)
            nodes = list(ast.walk(tree))
            constants = [getattr(node, "value", None) for node in tree.body]
            together = [side for node in nodes if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.GtE)
                        for side in node.comparators]  # fmt: skip
            for node in nodes:
                items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
                names = [item.value for item in items if isinstance(item, ast.Constant)]
                listed = len(names) > (node not in constants) and CATALOGUE.keys() >= set(names) and node not in together
                if listed and path != Path(catalogue.__file__):
                    lists.append(f"{path.relative_to(ROOT)}: {names}")
    assert not lists, "make a column of fixes/catalogue.py of it"


def test_a_fix_whose_row_says_nothing_lets_nothing_run() -> None:
    """Each row has to name its doubts; the defaults of the other columns allow nothing."""
    silent = Fix("SYNTAX_REPAIR", Safety.LIKELY, 0.9, "What", "Why.", "", "", ("Never.",), doubts=(), syntax=Syntax(cost=1))
    assert Fix._field_defaults.keys() == {"syntax", "about"}
    assert Syntax._field_defaults.keys() == {"writes", "puts", "leaves_out", "ends_strings", "joins"}
    assert (silent.about, silent.syntax.leaves_out, silent.syntax.ends_strings, silent.syntax.joins) == (
        "values", "nothing", False, False,
    )  # fmt: skip


def test_what_a_fix_may_leave_open_is_asked_for_and_said_of_some_fix() -> None:
    code = "".join(code for _, code in sources(CORE.folder / "fixes"))
    for doubt in get_args(Doubt):
        assert leaving(doubt), doubt
        assert f'leaving("{doubt}")' in code or f'"{doubt}" not in CATALOGUE[' in code, doubt


def test_a_fix_of_brackets_or_commas_leaves_something_open() -> None:
    """Told by its example: a comma that comes or goes may have had a member beside it, and a bracket may stand elsewhere."""
    for name, fix in CATALOGUE.items():
        changed = {sign for sign in ",{}[]" if fix.before.count(sign) != fix.after.count(sign)}
        if fix.type == "SYNTAX_REPAIR" and changed:
            assert fix.doubts, name
            assert "," not in changed or "object" in fix.doubts, name


def test_every_limit_is_kept_somewhere_and_tried_by_a_test() -> None:
    code = "".join(code for folder in (CORE.folder, ADAPTERS.folder) for _, code in sources(folder))
    tests = "".join(code for _, code in sources(ROOT / "tests"))
    for limit in fields(Limits):
        assert f"limits.{limit.name}" in code, limit.name
        assert re.search(rf"\b{limit.name}\b", tests), limit.name


def test_the_page_of_the_guard_has_every_limit_and_every_field_of_a_block() -> None:
    """Its tables are written by hand. The limits of a provider's stream are only named there."""
    page = text("docs/guard.md")
    rows = "\n".join(
        re.findall(r"^\| (`[^|]*) \|", page.partition("| field of `ToolBlock` |")[2].partition("\n\n")[0], re.MULTILINE)
    )
    assert [field.name for field in fields(ToolBlock) if f"`{field.name}`" not in rows] == []
    bounds = page.partition("\n## Limits\n")[2].partition("\n## ")[0]
    assert [limit.name for limit in fields(Limits) if f"`{limit.name}`" not in bounds] == []


def rows_of_limits(page: str) -> dict[str, int]:
    """The limits in the tables of a page, each with the number that the page gives."""
    part = text(page).partition("\n## Limits\n" if page == "docs/guard.md" else "\n### Limits\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| `([a-z_]+)`(?: \(([\d,]+)( Mi)?[^|]*\))? \|(?:.*\| ([\d,]+) \|$)?", part, re.MULTILINE)
    return {name: int((there or default).replace(",", "")) << 20 * bool(mega) for name, there, mega, default in rows}


def test_every_limit_has_a_row_with_its_number_on_a_page() -> None:
    """On that of the guard, of provider's streams, or both; the first names those that are only on the second."""
    guard, streams = rows_of_limits("docs/guard.md"), rows_of_limits("docs/streams.md")
    defaults = {limit.name: limit.default for limit in fields(Limits)}
    assert {**streams, **guard} == defaults
    assert {name: defaults[name] for name in streams} == streams
    told = text("docs/guard.md").partition("lists the limits of a provider's stream:")[2].partition("\n")[0]
    assert re.findall(r"`(\w+)`", told) == sorted(streams.keys() - guard.keys(), key=told.index)


def test_whatever_passes_uninspected_is_told_and_tried() -> None:
    """In the table of docs/streams.md, in its order; noted by the adapters, and by name in a test of theirs."""
    table = text("docs/streams.md").partition("| kind | what it is | counted |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)) == KINDS
    own = Path(uninspected.__file__)
    for where, folder in (("no module notes", ADAPTERS.folder), ("no test names", ROOT / "tests")):
        code = "".join(code for path, code in sources(folder) if path != own)
        missing = [kind for kind in KINDS if f'"{kind}"' not in code]
        assert not missing, f"{where} {missing}"


def test_every_command_is_on_the_pages() -> None:
    """test_commands.py runs what the pages have."""
    said = cli.__doc__ or ""
    pages = text("README.md") + "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    for name in COMMANDS:
        where = {
            "README.md or a page of docs/": pages,
            "CHANGELOG.md": text("CHANGELOG.md"),
            "the docstring of command/cli.py": said,
        }
        missing = [place for place, written in where.items() if f"stream-guard {name}" not in written]
        assert not missing, f"`stream-guard {name}` is missing in {missing}"


def test_the_page_of_commands_has_a_row_for_each() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", text("docs/commands.md").partition("\n## ")[0], re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)


def test_every_command_is_run_by_tests_of_its_own() -> None:
    """As a program's arguments, or as a line of a shell; that it is in a list of all commands is not enough."""
    assert COMMANDS - TESTED_IN.keys() == set(), "write tests of these commands, and name their file in TESTED_IN"
    for name, path in TESTED_IN.items():
        strings = [node.value for node in ast.walk(ast.parse(text(path))) if isinstance(node, ast.Constant)]
        run = [one for one in strings if isinstance(one, str) and (one == name or f"stream_guard {name} " in one)]
        assert run, f"{path} does not run `stream-guard {name}`"


def test_every_protocol_is_on_the_page() -> None:
    page = text("docs/streams.md")
    assert [name for name in PROTOCOLS if f"`{name}`" not in page and f'"{name}"' not in page] == []


def test_every_protocol_that_travels_has_odd_events() -> None:
    """In `events.py` of the conformance package. The other protocols are objects inside a program."""
    sent = {name for name, table in PROTOCOLS.items() if table.framing is not None}
    assert set(FRAMED) == sent
    around = {"events": ("data: ", "\n\n"), "lines": ("", "\n"), "text": ("", "")}
    assert {name: around[PROTOCOLS[name].framing or "text"] for name in sent} == FRAMED
    assert BEGINS.keys() <= sent
    assert [name for name in sent if not _others(name)] == []


def overriding(*names: str) -> set[str]:
    """The protocols whose tables have some of these methods of their own."""
    return {
        name
        for name, table in PROTOCOLS.items()
        if any(getattr(type(table), one) is not getattr(Protocol, one) for one in names)
    }


def test_every_table_of_protocols_has_a_row_for_each_that_has_such_a_thing() -> None:
    """As far as the table of a protocol says so; else a row in a table of reasons beside it says why it has none."""
    sent = {name for name, table in PROTOCOLS.items() if table.framing is not None}
    whole, native = overriding("is_reply"), overriding("whole_call")
    cut_off = {name for name, table in PROTOCOLS.items() if "length" in table.reasons.values()}
    of_the_corpus = {
        "ERRORS and WITHOUT_ERROR of corpus/protocol_rows.py": ([*ERRORS, *WITHOUT_ERROR], set(PROTOCOLS)),
        "SENT and WITHOUT_BYTES of corpus/protocol_rows.py": ([*SENT, *WITHOUT_BYTES], sent),
        "replies of corpus/protocol_rows.py": (replies(""), whole),
        "STREAMS of corpus/streams.py": (STREAMS, set(PROTOCOLS)),
        "CUT_OFF of corpus/unfinished.py": (unfinished.CUT_OFF, cut_off),
        "STREAMED of corpus/native_rows.py": (native_rows.STREAMED, native),
        "CUT_OFF of corpus/native_rows.py": (native_rows.CUT_OFF, native & cut_off),
        "STREAMED of corpus/apart.py": (apart.STREAMED, set(PROTOCOLS) - {"text"}),
        "NOTHING of corpus/everyday.py": (everyday.NOTHING, set(PROTOCOLS) - {"text"}),
        "CHOICES of conform/guard_parser.py": (CHOICES, set(PROTOCOLS)),
        "STREAMS of tests/kit/unapproved.py": (UNAPPROVED, sent - {"text"}),
    }
    for where, (rows, wanted) in of_the_corpus.items():
        assert sorted(rows) == sorted(wanted), where
    assert sorted(MERGED) == sorted(whole), "MERGED of tests/kit/merged.py"


def test_every_store_is_exported_tried_and_on_the_pages() -> None:
    classes = {
        node.name
        for _, code in sources(ADAPTERS.folder / "resume", "Store")
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Store") and node.name != "ResumeStore"
    }
    assert classes == STORES
    for name in STORES:
        for page in ("docs/streams.md", "CHANGELOG.md"):
            assert f"`{name}" in text(page) or f"{name}(" in text(page), (name, page)
        settings = [
            one.name for one in signature(getattr(resume, name)).parameters.values() if one.annotation in ("float", "int")
        ]
        assert [one for one in settings if f"`{one}`" not in text("docs/outages.md")] == [], name
        assert name in {one for names in elsewhere.PLACES.values() for one in names}, f"{name} in stream_guard/elsewhere.py"


def test_what_an_adapter_imports_comes_with_an_extra() -> None:
    extras = text("pyproject.toml").partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    core = text("pyproject.toml").partition("\ndependencies = [")[2].partition("\n]")[0]
    known = {name.replace("-", "_") for name in re.findall(r'"([\w-]+)[>=<]', extras + core)}
    imported: set[str] = set()
    for folder in (CORE.folder, ADAPTERS.folder):
        for _, code in sources(folder):
            below: list[ast.AST] = [ast.parse(code)]
            while below:
                for node in ast.iter_child_nodes(below.pop()):
                    if isinstance(node, ast.Import):
                        imported |= {alias.name.partition(".")[0] for alias in node.names}
                    elif isinstance(node, ast.ImportFrom) and not node.level:
                        imported.add((node.module or "").partition(".")[0])
                    elif not isinstance(node, ast.expr):  # no import stands in one
                        below.append(node)
    ours = {CORE.name, ADAPTERS.name, *sys.stdlib_module_names}
    packages = {INSTALLED_BY.get(name, name).replace("-", "_") for name in imported - ours}
    assert packages - known == WITHOUT_EXTRA.keys() - known


def test_every_extra_is_in_the_table_of_the_readme() -> None:
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"].keys()
    told = {
        name
        for names in re.findall(r"^\| `pip install \"[\w-]+\[([\w,-]+)\]", text("README.md"), re.MULTILINE)
        for name in names.split(",")
    }
    assert extras - told == {"all", "demo"}


def test_every_extra_is_installed_with_all_and_for_the_lowest_versions() -> None:
    extras = tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"]
    everything = re.fullmatch(r"[\w-]+\[([\w,-]+)\]", extras["all"][0])
    lowest = re.search(r'--editable "\.\[([\w,-]+)\]"', text("Makefile").partition("$(LOWEST)/.ready: ")[2])
    assert everything is not None and set(everything[1].split(",")) == extras.keys() - {"all"}
    assert lowest is not None and set(lowest[1].split(",")) == extras.keys() - {"all", "demo"}


def test_every_picture_is_shown_on_a_page_and_every_photograph_is_made() -> None:
    """A picture that no page shows is never looked at again, and goes stale."""
    folder = ROOT / "docs" / "images"
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]
    shown = {name for page in pages for name in re.findall(r"images/([\w.-]+)\)", page.read_text(encoding="utf-8"))}
    assert {path.name for path in folder.iterdir()} == shown
    taken = {f"{name}.png" for name in re.findall(r'shot\("([\w-]+)"\)', text("docs/screenshots.py"))}
    assert taken == {name for name in shown if name.endswith(".png")}


def test_no_field_of_an_event_is_given_by_its_place_but_the_first_five() -> None:
    """A field that is put before another would shift the values behind it, of the same type or not."""
    assert [field.name for field in fields(ToolStatus)][:5] == ["id", "seq", "status", "tool_type", "path"]
    made = {f"quick({kind.__name__})" for kind in (ToolStatus, ToolBlock, ToolResult)}
    found = []
    for path, code in sources(CORE.folder, *(kind.__name__ for kind in (ToolStatus, ToolBlock, ToolResult))):
        tree = ast.parse(code)
        bound = [node for node in tree.body if isinstance(node, ast.AnnAssign) and node.value is not None]
        makers = {ast.unparse(node.target) for node in bound if ast.unparse(node.value or node) in made}
        makers |= {kind.__name__ for kind in (ToolStatus, ToolBlock, ToolResult)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in makers and len(node.args) > 5:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == [], "give the others by their names"


@dataclass
class Told:
    """An event, as far as it is documented."""

    known: int
    """Known."""

    unknown: int


def test_a_field_of_an_event_says_what_it_is() -> None:
    """Or the browser's types cannot be printed."""
    with pytest.raises(ValueError, match=r"Told\.unknown has no docstring"):
        _typedef(Told)
