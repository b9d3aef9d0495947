"""The tools a model may call, and what is known about them before any call.

Rule: everything that can be worked out from a toolset is worked out when it is made. A call costs look-ups only.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal

from . import listings
from .scan.intent import hint_pattern
from .schema.fields import Field, split
from .schema.schema import Schema, SchemaError
from .schema.spelling import Names
from .schema.violations import issue
from .schema.words import NAMESPACES
from .values.issues import ValidationIssue, dotted
from .values.limits import Limits

if TYPE_CHECKING:
    from .boundary import ToolOutput
    from .values.fix import AutoFix
from .values.call_keys import TOOL_KEY

Handler = Callable[[Any], Any]
"""What runs a tool. A plain function is run in a thread, so that it does not hold up the loop."""
Rule = Callable[[Mapping[str, Any]], Iterable[ValidationIssue]]
"""What a schema cannot say about a call's arguments."""
Mender = Callable[[Mapping[str, Any]], "tuple[dict[str, Any], tuple[AutoFix, ...]]"]
"""What mends a call's arguments. It changes nothing that is right, and what it was given not at all."""


class Risk(IntEnum):
    """What a tool can do to the world. Ordered."""

    READ = 1
    """Changes nothing."""

    WRITE = 2
    """Changes something that can be changed back."""

    DESTRUCTIVE = 3
    """Takes something away."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `Tool.of` makes one from a function, a model, or a provider's entry."""

    name: str
    """What the model must call it."""

    description: str
    """What it does, for a person or a model."""

    schema: Mapping[str, Any]
    """The JSON Schema of its arguments. That of a whole block will do: its `tool` field is taken out."""

    output_schema: Mapping[str, Any] | None = None
    """The JSON Schema of its result, if that is to be checked."""

    rules: tuple[Rule, ...] = ()
    """Rules beyond the schema, in order. Each sees the arguments as they are, so it must expect any type."""

    aliases: tuple[str, ...] = ()
    """What models call it instead. An alias is recognised as a call of this tool; it is still an issue."""

    risk: Risk = Risk.WRITE
    """What it can do to the world: how far its names are read, and how far its calls are mended."""

    examples: tuple[Mapping[str, Any], ...] = ()
    """Arguments of good calls, to show to models. Each must be valid."""

    field_aliases: Mapping[str, str] = field(default_factory=dict)
    """What models call its fields instead: alias to field, dotted where it stands inside another."""

    mend: Mender | None = None
    """What can be mended of its arguments beyond their form, when they are not valid."""

    handler: Handler | None = None
    """What runs it: takes the arguments, returns the result or an awaitable of it."""

    compiled: Schema = field(init=False, repr=False, compare=False)
    """The schema, ready to use."""

    required_keys: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Every field it cannot do without, dotted: those inside the required ones included."""

    output: Schema | None = field(init=False, repr=False, compare=False)
    """The schema of its result, ready to use."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError("a tool needs a name")
        if not isinstance(self.description, str):
            raise TypeError(f"tool {self.name!r}: the description is a text, not {type(self.description).__name__}")
        if self.handler is not None and not callable(self.handler):
            raise TypeError(f"tool {self.name!r}: the handler cannot be called")
        object.__setattr__(self, "schema", _without_tool(self.schema, self.name))
        object.__setattr__(self, "compiled", self._compile("", self.schema))
        object.__setattr__(self, "required_keys", tuple(map(dotted, self.fields.required_paths())))
        result = None if self.output_schema is None else self._compile("output: ", self.output_schema)
        object.__setattr__(self, "output", result)
        for number, example in enumerate(self.examples, 1):
            violation = next(self.compiled.violations(dict(example)), None)
            if violation is not None:
                raise SchemaError(f"tool {self.name!r}: example {number}: {issue(violation, self.name, self.fields).message}")

    def _compile(self, which: str, schema: Mapping[str, Any]) -> Schema:
        try:
            return Schema(schema)
        except SchemaError as error:
            raise SchemaError(f"tool {self.name!r}: {which}{error}") from None

    @staticmethod
    def of(source: object, **changes: Any) -> Tool:
        """A tool from whatever describes one.

        A function with type hints; a pydantic model, a dataclass or a TypedDict; an entry of OpenAI's `tools`, of Anthropic's,
        or of an MCP listing; a JSON Schema with a title. `changes` are arguments of `Tool` that replace what was found, the
        `handler` among them: it is given the model or the dataclass, or else the arguments as they are.

        A function or a model is code of your own, and writes unless `risk` says otherwise. An entry or a schema comes from
        somewhere: without `risk`, or MCP's `readOnlyHint: true` or `destructiveHint: false`, it takes something away.
        """
        from .sources import tool  # deferred: what only a model or a function needs

        return tool(source, changes)

    @property
    def fields(self) -> Field:
        """Its fields: what they are, what may stand in them, which it cannot do without."""
        return self.compiled.fields

    @property
    def required(self) -> tuple[str, ...]:
        """The top-level fields it cannot do without."""
        return self.fields.required

    def describe(self, written: str) -> Field | None:
        """What is known of one field, by its dotted name: `search_replace.old_string`, `widgets[2].title`."""
        return self.fields.at(split(written))

    def canonical(self, written: str) -> str | None:
        """The dotted name of a field, from any spelling of it: `$.searchReplace.oldString`, `/file_path`; None for no field."""
        path = self.fields.find(written, self.field_aliases)
        return None if path is None else dotted(path)


def _without_tool(schema: Any, name: str) -> Any:
    """The schema of a call's arguments, from that of the whole block."""
    members = schema.get("properties") if isinstance(schema, Mapping) else None
    told = members.get(TOOL_KEY) if isinstance(members, Mapping) else None
    if not isinstance(told, Mapping) or name not in (told.get("const"), *told.get("enum", ())):
        return schema
    kept = {key: member for key, member in members.items() if key != TOOL_KEY} if members else {}
    return {**schema, "properties": kept, "required": [key for key in schema.get("required", ()) if key != TOOL_KEY]}


def _bare(name: str) -> str:
    """A name without the namespace that providers put before it; empty when it has none."""
    prefix = next((prefix for prefix in NAMESPACES if name.startswith(prefix)), None)
    return name[len(prefix) :] if prefix is not None else ""


class Toolset:
    """Tools that are offered together. Cannot be changed; share it freely."""

    def __init__(self, *tools: Tool) -> None:
        if not all(isinstance(tool, Tool) for tool in tools):
            raise TypeError("Toolset takes Tools; Toolset.of makes them of functions, models and providers' entries")
        self._tools: Final = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools bear the same name")
        if not tools:
            raise ValueError("a toolset needs at least one tool")
        self._names: Final = Names(self._tools, ((alias, tool.name) for tool in tools for alias in tool.aliases))
        self.fields: Final = frozenset(
            name for tool in tools for name in (*tool.fields.members, *tool.field_aliases) if name != TOOL_KEY
        )
        """Every top-level field of every tool, aliases included."""
        self.hint: Final = hint_pattern(name for tool in tools for name in (tool.name, *tool.aliases))
        """What to look for in a body that is not JSON."""

    @staticmethod
    def of(*sources: object) -> Toolset:
        """Tools from whatever describes them: see `Tool.of`. Lists and listings (`{"tools": [...]}`) may be given whole."""
        from .sources import tools  # deferred: what only a model or a function needs

        return Toolset(*tools(sources))

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"Toolset({', '.join(self._tools)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order they were given."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of exactly this name."""
        return self._tools.get(name)

    def meant(self, name: str) -> Tool | None:
        """The tool that this name means, where nobody could mean another one: what may run on the strength of it.

        Its name or an alias, in any spelling of the same words, also behind a provider's namespace (`functions.`). For a tool
        that takes nothing away also the plural of an alias, and one slipped letter inside a long word.
        """
        exact = self._tools.get(name)
        if exact is not None:
            return exact
        bare = {self._names.spelt(part) for part in (name, _bare(name)) if part} - {None}
        if bare:
            return self._tools[str(bare.pop())] if len(bare) == 1 else None
        slip = self._tools.get(self._names.meant(name) or "")
        return slip if slip is not None and slip.risk < Risk.DESTRUCTIVE else None

    def near(self, name: str) -> Tool | None:
        """The tool to ask for ("did you mean"): the one that is meant, or else the only one with a name much like it.

        Nothing runs on the strength of it. An opposite, or another number or unit, is not much like a name.
        """
        return self.meant(name) or self._tools.get(self._names.near(_bare(name) or name) or "")

    def knows(self, name: str) -> bool:
        """Whether a block that names this is to be held: it is a tool's name or alias, or near enough to be asked about."""
        return self.near(name) is not None

    def shaped_like(self, keys: Iterable[str]) -> bool:
        """Whether all required fields of some tool are among these keys. One field alone is the shape of anything."""
        have = set(keys)
        for tool in self:
            there = have | {str(split(tool.field_aliases[key])[0]) for key in have if key in tool.field_aliases}
            if len(tool.required) > 1 and there.issuperset(tool.required):
                return True
        return False

    # -- telling others about them --------------------------------------------------------------------------------------

    def to_openai(self, api: Literal["chat", "responses"] = "chat") -> list[dict[str, Any]]:
        """The `tools` of a request to OpenAI: to chat completions, or to the responses API."""
        return [listings.openai(tool, api) for tool in self]

    def to_anthropic(self) -> list[dict[str, Any]]:
        """The `tools` of a request to Anthropic."""
        return [listings.anthropic(tool) for tool in self]

    def to_mcp(self) -> list[dict[str, Any]]:
        """The `tools` of an MCP listing."""
        return [listings.mcp(tool) for tool in self]

    def to_prompt(self, language: str = "json") -> str:
        """The text that tells a model how to write calls into its reply, as fenced blocks of this language."""
        return listings.prompt(self, language)

    def call(self, name: str, arguments: object, *, limits: Limits | None = None) -> Coroutine[Any, Any, ToolOutput]:
        """Call a tool: check the arguments, run its handler, check the result. Await it; it never raises for data.

        Arguments may come as an object or as its JSON, as providers send them. Raises LookupError for a tool without a handler.
        """
        from .transform import call  # deferred: asyncio, which the rest of the core does without

        return call(self, name, arguments, limits or Limits())
