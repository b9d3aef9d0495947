"""The hooks of the site's build (mkdocs.yml): pages that stand outside of `docs`, and the reference of all public names.

A page of the project is written once, for readers of the repository. Here it gets its place on the site, and its links are
turned to follow: to a page of the site where there is one, else they become plain text.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # what builds the site has an environment of its own
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parent.parent

OUTSIDE: Final = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "adapters/js/README.md": "javascript.md",
    "benchmarks/README.md": "figures.md",
    "examples/README.md": "examples.md",
    "docs/README.md": "contents.md",
}
"""Pages that have another name or place on the site than in `docs`."""

REFERENCE: Final[dict[str, tuple[str, dict[str, tuple[str, ...]]]]] = {
    "guard": (
        "The guard",
        {"stream_guard": ("Guard", "Limits", "Session", "Pending", "JsonToolValidation", "validate_json_tool_block")},
    ),
    "events": (
        "Events and blocks",
        {
            "stream_guard": (
                *("ToolStatus", "ToolBlock", "ToolEvent", "Item", "End", "Status", "EndCause", "StreamEnd"),
                *("Preview", "previewed"),
                *(
                    "Call",
                    "NotExecutableError",
                    "ValidationIssue",
                    "CODES",
                    "AutoFix",
                    "Safety",
                    "Approval",
                    "Attempt",
                    "RetryHint",
                    "build_hint",
                ),
            ),
            "stream_guard.wire": (
                "STATUS",
                "BLOCK",
                "RESULT",
                "Sent",
                "to_dict",
                "to_json",
                "to_sse",
                "from_dict",
                "from_json",
            ),
        },
    ),
    "tools": (
        "Tools",
        {
            "stream_guard": ("Tool", "Toolset", "Handler", "Rule", "Risk", "SchemaError"),
            "stream_guard.tools.files": ("FILE_TOOLS", "WRITE_FILE", "EDIT_FILE", "DELETE_FILE"),
            "stream_guard.tools.lessons": ("LESSON_TOOLS", "validate_lesson_data"),
        },
    ),
    "running": (
        "Running calls",
        {
            "stream_guard": (
                "run",
                "Approve",
                "Answer",
                "ApprovalPolicy",
                "BlockOutput",
                "ToolOutput",
                "ToolResult",
                "ToolError",
            )
        },
    ),
    "corrections": (
        "Corrections",
        {
            "stream_guard": ("Corrector", "CorrectionRequest", "Reply", "CorrectionPolicy", "SYSTEM", "correction_prompt"),
            "stream_guard_adapters.openai": ("OpenAICorrector",),
            "stream_guard_adapters.anthropic": ("AnthropicCorrector",),
            "stream_guard_adapters.model_corrector": ("ModelCorrector",),
        },
    ),
    "clients": (
        "Client streams",
        {
            "stream_guard_adapters.openai": ("guard_chat", "guard_responses"),
            "stream_guard_adapters.anthropic": ("guard_messages",),
            "stream_guard_adapters.events": (
                *("guard_events", "guard_any", "guard_reply", "aguard_reply"),
                *("GuardedEvents", "GuardedIterator", "GuardedReply", "StreamSettings"),
            ),
        },
    ),
    "servers": (
        "Servers",
        {
            "stream_guard_adapters.asgi": ("StreamGuardMiddleware",),
            "stream_guard_adapters.sse": ("guarded_sse",),
            "stream_guard_adapters.bridges": ("to_ai_sdk", "to_ag_ui"),
            "stream_guard_adapters.proxy": ("proxy",),
            "stream_guard_adapters.litellm": ("StreamGuardrail",),
            "stream_guard_adapters.mcp_server": ("server", "serve"),
            "stream_guard_adapters.telemetry": ("Telemetry",),
        },
    ),
    "resume": (
        "Resumable streams",
        {
            "stream_guard_adapters.resume": (
                *(
                    "ResumableStreams",
                    "resume_routes",
                    "resume_response",
                    "Open",
                    "MemoryStore",
                    "RedisStore",
                    "ResumeStore",
                    "StreamStatus",
                    "State",
                ),
                *("Entry", "Ending", "Closing", "Lease", "Archive", "UnknownStream", "Forgotten", "Deleted"),
                *("EntriesLost", "StoreAway", "LeaseLost", "ProducerGone"),
            )
        },
    ),
    "testing": (
        "Testing",
        {
            "stream_guard.testing": (
                *(
                    "by_char",
                    "every_split",
                    "random_splits",
                    "merge_text",
                    "original",
                    "collect",
                    "FakeStream",
                    "FakeCorrector",
                ),
            ),
            "stream_guard_adapters.cassettes": (
                *(
                    "record",
                    "replay",
                    "Chunking",
                    "Form",
                    "Cassette",
                    "Recording",
                    "Replay",
                    "ReplayServer",
                    "ReplayRequest",
                    "RecordedError",
                    "import_cassettes",
                ),
            ),
            "stream_guard_adapters.batch": ("check_batch",),
            "stream_guard_adapters.virtual_time": ("virtual_time",),
        },
    ),
}
"""The pages of the reference: title, and the names of each module."""

_LINK: Final = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]*)(#[^)\s]*)?\)")
_FENCE: Final = re.compile(r"^(`{3,}|~{3,}).*?^\1`*~*[ ]*$", re.MULTILINE | re.DOTALL)
_IMAGE: Final = re.compile(r"\]\((?:\.\./)?docs/images/")


def reference_page(title: str, modules: dict[str, tuple[str, ...]]) -> str:
    """Return one page of the reference."""
    return "\n".join([f"# {title}\n", *(f"::: {module}.{name}\n" for module, names in modules.items() for name in names)])


def reference_index() -> str:
    """Return the index of the reference: every name, with the first line of its docstring."""
    import griffe

    sources = griffe.GriffeLoader(search_paths=[ROOT, ROOT / "adapters"])  # read, not imported: nothing else need be installed
    for package in ("stream_guard", "stream_guard_adapters"):
        sources.load(package)
    lines = [
        "# Python reference\n",
        "Every public name. What stands in no table here is internal, and may change in any version.\n",
    ]
    for page, (title, modules) in REFERENCE.items():
        lines += [f"\n## [{title}]({page}.md)\n", "| name | |\n|---|---|"]
        for module, names in modules.items():
            for name in names:
                doc = sources.modules_collection[f"{module}.{name}"].docstring
                summary = " ".join(doc.value.split("\n\n")[0].split()).replace("|", "\\|") if doc else ""
                lines.append(f"| [`{name}`]({page}.md#{module}.{name}) | {summary} |")
    return "\n".join(lines) + "\n"


EXAMPLES: Final = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".html"))
"""The programs whose text stands on the page of examples."""


def listings() -> str:
    """Return the text of each example, as a section of its page."""
    languages = {".py": "python", ".html": "html"}
    return "".join(
        f"\n## `{path.name}`\n\n````{languages[path.suffix]}\n{path.read_text(encoding='utf-8').rstrip()}\n````\n"
        for path in EXAMPLES
    )


_FILE: Final = re.compile(r"`?[\w./-]+\.md`?")


def title(source: str) -> str:
    """Return the title of a page: its first heading."""
    found = re.search(r"^# (.+)$", (ROOT / source).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"{source} has no heading")
    return found[1]


_PRINTED: Final = re.compile(r"^Printed (?:from|by) [^\n]*; do not edit\.\n+", re.MULTILINE)


def shown(text: str) -> str:
    """Return a page without the note for those who edit it."""
    return _PRINTED.sub("", text, count=1)


def linked(text: str, source: str, pages: dict[str, str], here: str) -> str:
    """Return a page with its links turned: `source` is its path in the project, `here` its path on the site."""

    def turned(found: re.Match[str]) -> str:
        words, path, anchor = found[1], found[2], found[3] or ""
        target = normpath(f"{Path(source).parent.as_posix()}/{path}")
        if target in pages and _FILE.fullmatch(words):
            words = title(target)
        if target not in pages:
            return words if words.startswith("`") else f"{words} (`{target}`)" if words != target else f"`{target}`"
        up = "../" * here.count("/")
        return f"[{words}]({up}{pages[target]}{anchor})"

    out, at = [], 0
    for fence in _FENCE.finditer(text):  # an example in a fence is no link
        out += [_LINK.sub(turned, text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*out, _LINK.sub(turned, text[at:])])


def pages() -> dict[str, str]:
    """Return each page's path in the project, and its path on the site."""
    inside = {f"docs/{path.name}": path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"}
    examples = {f"examples/{path.name}": f"examples.md#{path.name.replace('.', '')}" for path in EXAMPLES}
    return {**inside, **OUTSIDE, **examples}


FOUND_FIRST: Final = {"tools.md", "fixes.md", "streams.md"}
"""Pages that a search puts before those that only mention its words."""

LOCAL: Final = {
    "assets/mermaid.js": "mermaid/dist/mermaid.min.js",
    "assets/iframe-worker.js": "iframe-worker/shim/index.js",
}
"""What the theme would fetch from the network when a page is read, and where npm put it."""

_SHIM: Final = re.compile(r"https://[\w.]+/iframe-worker/shim")


def on_post_page(output: str, page: Page, **_: object) -> str:
    """Let a page use the site's own scripts, for search in a folder and for pictures."""
    up = "../" * page.url.count("/")
    if 'class="mermaid"' in output:
        output = output.replace("</head>", f'<script src="{up}assets/mermaid.js"></script></head>', 1)
    return _SHIM.sub(f"{up}assets/iframe-worker.js", output)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not files of `docs`."""
    from mkdocs.structure.files import File

    for source, place in OUTSIDE.items():
        text = _IMAGE.sub("](images/", (ROOT / source).read_text(encoding="utf-8"))
        text = linked(text, source, pages(), place) + (listings() if source == "examples/README.md" else "")
        files.append(File.generated(config, place, content=text))
    for place, package in LOCAL.items():
        path = ROOT / ".venv" / "site" / "js" / "node_modules" / package
        files.append(File.generated(config, place, abs_src_path=str(path)))
    for page, (title, modules) in REFERENCE.items():
        files.append(File.generated(config, f"reference/{page}.md", content=reference_page(title, modules)))
    files.append(File.generated(config, "reference/index.md", content=reference_index()))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turn the links of a page of `docs`, and say how much a search makes of it."""
    if page.file.src_uri in FOUND_FIRST:
        page.meta["search"] = {"boost": 2}
    if page.file.generated_by is not None:
        return markdown
    return linked(shown(markdown), f"docs/{page.file.src_uri}", pages(), page.file.src_uri)
