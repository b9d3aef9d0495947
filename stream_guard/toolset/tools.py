"""`Tools`: the names, fields and definitions of the tools that a model may call. A `Toolset` also runs them.

Rule: everything that can be computed from the tools is computed when the object is made. A call costs look-ups only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, Never, Self

from ..dialects.table import Dialect
from ..dialects.tables import names_of, of_name
from ..schema.spelling import Names, tokens
from ..schema.words import NAMESPACES, opposites
from ..values.call_keys import TOOL_KEY, KnownName, folded
from ..values.events import FENCE
from ..values.surrogates import ends_in_half
from . import listings
from .naming import Mentions, apart, distinctive_keys, field_keys, joints, known_name
from .tool import Risk, Tool

if TYPE_CHECKING:
    from ..grammars import Described, Grammar


def _bare(name: str) -> str:
    """Return the part of a name after a provider's namespace (`functions.`); empty if it has no namespace."""
    prefix = next((prefix for prefix in NAMESPACES if name.startswith(prefix)), None)
    return name[len(prefix) :] if prefix is not None else ""


def _shortens(words: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Return whether `words` are the first word of a name and, in their order, some of its other words.

    A word that has an opposite, and a number, must not be among the words left out, since it changes the action.
    """
    left = list(known)
    for word in words:
        if word not in left:
            return False
        left.remove(word)
    kept = iter(known)
    return bool(left) and words[:1] == known[:1] and all(word in kept for word in words) and not any(map(_decides, left))


def _decides(word: str) -> bool:
    return word in opposites() or word in _EVERYTHING or not word.isalpha()


_EVERYTHING: Final = frozenset({"all", "any", "every", "everything"})
"""Words in a name that make a call affect more than it names: `all`, `every`."""


class Tools:
    """Tools that are offered together. Immutable, and safe to share between threads."""

    def __init__(self, *tools: Tool) -> None:
        if not all(isinstance(tool, Tool) for tool in tools):
            raise TypeError(
                "Toolset takes Tool objects; for functions, models, tool definitions, and lists of them, use Toolset.of"
            )
        self._tools: Final[dict[str, Tool]] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"duplicate tool name: {tool.name!r}")
            self._tools[tool.name] = tool
        if not tools:
            raise ValueError("a toolset needs at least one tool, got none")
        self.is_heavy: Final = any(tool.compiled.is_heavy for tool in tools)
        """Whether a short call may take long to validate."""
        self._names: Final = Names(self._tools, ((alias, tool.name) for tool in tools for alias in tool.aliases))
        self.fields: Final = frozenset(
            name for tool in tools for name in (*tool.fields.members, *tool.field_aliases) if name != TOOL_KEY
        )
        """Every top-level field of every tool, aliases included."""
        self._keys: Final = {tool.name: field_keys([tool]) for tool in tools}
        self.keys: Final = frozenset().union(*self._keys.values())
        """The keys of `fields` in their folded form."""
        self._exact: Final = {
            tool.name: known_name(_bare(tool.name) or tool.name, tool, self._keys[tool.name]) for tool in tools
        }
        words = [
            [word for word in tokens(_bare(name) or name) if word] for tool in tools for name in (tool.name, *tool.aliases)
        ]
        self.spellings: Final = frozenset("".join(parts) for parts in words if len(parts) > 1)
        """The names of tools with two words or more, aliases included, folded."""
        self.joints: Final = joints((parts[0], parts[1]) for parts in words if len(parts) > 1)
        """Matches the place where the first two words of such a name meet, in any spelling: between `write` and `file`."""
        self.apart: Final = apart(parts for parts in words if len(parts) > 1)
        """Matches a line that begins with such a name, with blanks between its words."""
        self.distinctive: Final = distinctive_keys(tools)
        """The keys of `keys` that show a call even though its tool is unknown."""
        self.mentions: Final = Mentions(tools, self.known)
        """A function that is given the beginning of a body that is not JSON, and returns whether it names a tool as a call
        does."""

    @classmethod
    def of(cls, *sources: object, **changes: Never) -> Self:
        """Return a toolset for the sources that `Tool.of` accepts, for lists of them, and for listings (`{"tools": [...]}`)."""
        from .sources import tools  # deferred: what only a model or a function needs

        if changes:
            name = next(iter(changes))
            raise TypeError(f"{cls.__name__}.of takes only sources; give {name}= to each: Tool.of(source, {name}=...)")
        return cls(*tools(sources))

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool:
        try:
            return self._tools[name]
        except KeyError:
            raise KeyError(f"no tool is called {name!r}; there are {', '.join(self._tools)}") from None

    def __add__(self, other: Tools) -> Self:
        """Return a toolset with the tools of both. Raises ValueError if a name is in both."""
        return type(self)(*self, *other) if isinstance(other, Tools) else NotImplemented

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._tools)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in order."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """Return the tool of exactly this name; None if there is none."""
        return self._tools.get(name)

    def meant(self, name: str) -> Tool | None:
        """Return the tool that a name certainly means; None when there is none.

        A tool is meant by its name or an alias, in any spelling of the same words, also after a provider's namespace
        (`functions.`). A tool that is not destructive is also meant by the plural of an alias, and with one mistyped letter
        inside a long word.
        """
        exact = self._tools.get(name)
        if exact is not None:
            return exact
        bare = {self._names.spelt(part) for part in (name, _bare(name)) if part} - {None}
        if bare:
            return self._tools[str(bare.pop())] if len(bare) == 1 else None
        slip = self._tools.get(self._names.meant(name) or "")
        return slip if slip is not None and slip.risk < Risk.DESTRUCTIVE else None

    def possible(self, name: str) -> tuple[Tool, ...]:
        """Return the tools that a name may mean: the one that is certainly meant, or else all whose names it shortens.

        `write` may mean `write_file` and `write_row`: the action is named. `turn` does not mean `turn_on`, and half a name
        never means a destructive tool. No call is run because of this; a corrector may be asked which tool is meant.
        """
        certain = self.meant(name)
        if certain is not None:
            return (certain,)
        words = tokens(_bare(name) or name)
        return tuple(
            tool
            for tool in self
            if tool.risk < Risk.DESTRUCTIVE and any(_shortens(words, tokens(known)) for known in (tool.name, *tool.aliases))
        )

    def near(self, name: str) -> Tool | None:
        """Return the tool to suggest ("did you mean"): the tool that is certainly meant, or the only tool with a similar name.

        No call is run because of it. An opposite, or another number or unit, is not a similar name.
        """
        return self.meant(name) or self._tools.get(self._names.near(_bare(name) or name) or "")

    def knows(self, name: str) -> bool:
        """Return whether a block with this tool name is held: the name is a tool's name or alias, or close to one."""
        return self.near(name) is not None

    def begins(self, name: str) -> bool:
        """Return whether a name that is not complete yet may become the name of a tool."""
        begun = folded(name[:-1] if ends_in_half(name) else name)
        return any(folded(known).startswith(begun) for tool in self for known in (tool.name, *tool.aliases))

    def known(self, name: str) -> KnownName | None:
        """Return what is known of the tool that a name means or is close to; None if a block with this name is not held."""
        exact = self._exact.get(name)
        if exact is not None:
            return exact
        tool = self.near(name)
        return known_name(_bare(name) or name, tool, self._keys[tool.name]) if tool is not None else None

    # -- definitions for providers and prompts ---------------------------------------------------------------------------

    def to_openai(self, api: Literal["chat", "responses"] = "chat") -> list[Any]:
        """Return the `tools` of a request to OpenAI, for chat completions or the responses API: a list of objects."""
        return [listings.openai(tool, api) for tool in self]

    def to_anthropic(self) -> list[Any]:
        """Return the `tools` of a request to Anthropic: a list of objects."""
        return [listings.anthropic(tool) for tool in self]

    def to_mcp(self) -> list[dict[str, Any]]:
        """Return the `tools` of an MCP listing."""
        return [listings.mcp(tool) for tool in self]

    def to_prompt(self, language: str = "json", *, dialect: str | Dialect = FENCE) -> str:
        """Return the text that teaches a model to write calls as fenced blocks of this language, or in another dialect.

        Raises ValueError for an unknown dialect, for a dialect that carries files and can call no tool of this toolset, and
        for a name of a tool or a field that the dialect does not read; docs/dialects.md lists them.
        """
        if dialect == FENCE:
            return listings.prompt(self, language)
        names_of([dialect])
        return listings.dialect_prompt(self, of_name(dialect))

    # -- grammars for servers that constrain what a model writes ---------------------------------------------------------

    def to_lark(self, dialect: str = FENCE, *, prose: bool = True) -> Grammar:
        """Return the grammar of replies in Lark, for llguidance and for OpenAI's custom tools.

        With `prose` a reply is free text with calls in it, else one call alone. docs/grammars.md says what a grammar cannot
        express.

        Raises:
            GrammarError: The dialect has no grammar, or cannot express the name of a tool or field. It is a ValueError.
        """
        from ..grammars import to_lark  # deferred: what only an export needs

        return to_lark(self._described(), dialect, prose=prose)

    def to_gbnf(self, dialect: str = FENCE, *, prose: bool = True) -> Grammar:
        """Return the grammar of replies in GBNF, for llama.cpp.

        With `prose` it applies from the first of its triggers on (`grammar_lazy`); without, to a reply that is one call.

        Raises:
            GrammarError: As by `to_lark`.
        """
        from ..grammars import to_gbnf  # deferred, as above

        return to_gbnf(self._described(), dialect, prose=prose)

    def to_structural_tag(self, dialect: str = FENCE, *, prose: bool = True, shape: Literal["new", "old"] = "new") -> Grammar:
        """Return the grammar of replies as the JSON of a structural tag, for vLLM and SGLang.

        The `old` shape has room for a JSON Schema between two texts.

        Raises:
            GrammarError: As by `to_lark`; or the old shape has no room for the dialect.
        """
        from ..grammars import to_structural_tag  # deferred, as above

        return to_structural_tag(self._described(), dialect, prose=prose, shape=shape)

    def to_json_schema(self, *, strict: bool = True) -> Grammar:
        """Return the JSON Schema of one call as a fence holds it: for replies that are JSON and nothing else.

        With `strict` all members are required, as OpenAI's strict mode demands: null means that a member is left out.
        """
        from ..grammars import to_json_schema  # deferred, as above

        return to_json_schema(self._described(), strict=strict)

    def _described(self) -> list[Described]:
        from ..grammars import Described  # deferred, as above

        return [
            Described(tool.name, tool.compiled, tuple(getattr(rule, "__name__", "rule") for rule in tool.rules))
            for tool in self
        ]
