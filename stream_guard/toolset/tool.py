"""One tool: its name, its schema, its rules, and its handler."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from ..schema.fields import Field, split
from ..schema.schema import Schema, SchemaError
from ..schema.spelling import Names
from ..schema.violations import issue
from ..values.call_keys import PATH_KEY, TOOL_KEY
from ..values.fix import AutoFix
from ..values.given import is_awaited, is_seconds, several, shown
from ..values.issues import ValidationIssue, dotted
from ..values.preview import Paths, View, paths
from ..values.quoting import named
from .private import PrivateNames

Handler = Callable[[Any], Any]
"""The function that runs a tool. A plain function runs in a thread, so that it does not block the event loop; a coroutine
function runs in the loop."""


Rule = Callable[[Mapping[str, Any]], Iterable[ValidationIssue]]
"""A function that returns the issues of a call's arguments that no schema can express."""


OutputRule = Callable[[Any], Iterable[ValidationIssue]]
"""A function that returns the issues of a result that no schema can express. It is given the value that the
handler returned."""


Mender = Callable[[Mapping[str, Any]], "tuple[dict[str, Any], tuple[AutoFix, ...]]"]
"""A function that returns fixed arguments and the fixes. It must not change valid values, nor the mapping that it is given."""


class Risk(IntEnum):
    """How much a tool may change. Ordered: nothing, things that can be restored, and things that cannot."""

    READ = 1
    """Changes nothing."""

    WRITE = 2
    """Changes something that can be changed back."""

    DESTRUCTIVE = 3
    """Changes something that cannot be changed back."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `Tool.of` makes one from a function, a model, or a provider's tool definition."""

    name: str
    """The name by which the model must call it."""

    description: str
    """What the tool does, for a person or a model."""

    schema: Mapping[str, Any]
    """The JSON Schema of the tool's arguments. In a schema of the whole block, the `tool` field is removed."""

    output_schema: Mapping[str, Any] | None = None
    """The JSON Schema of the tool's result; None when results are not validated."""

    rules: tuple[Rule, ...] = ()
    """Rules beyond the schema, in order. Each is given the arguments as they are, so it must expect any type."""

    aliases: tuple[str, ...] = ()
    """Other names that models use for the tool. A block with an alias is held as a call of this tool, and has an issue."""

    risk: Risk = Risk.WRITE
    """How much the tool may change. It decides how much fixes and corrections may assume."""

    examples: tuple[Mapping[str, Any], ...] = ()
    """Arguments of example calls, which are shown to models. Each must be valid."""

    field_aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that models use for the tool's fields: alias to field, dotted for a nested one."""

    remarks: tuple[str, ...] = ()
    """Names of extra members that do not change the call, such as `description`. A fix removes them."""

    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Extra members that state the tool's usual behaviour: `{"overwrite": True}`. A fix removes them if they have
    this value."""

    mend: Mender | None = None
    """Fixes arguments that are not valid, with knowledge that only this tool has."""

    handler: Handler | None = None
    """The function that runs the tool: it is given the arguments, and returns the result or an awaitable of it."""

    timeout: float | None = None
    """The seconds that the handler may take; None for no limit. After that a thread continues to run, but its result is
    dropped."""

    private: Collection[str] = frozenset()
    """The names of fields that no preview, status or hint shows, dotted: `token`, `login.password`. `users.token` is the field
    of each item of a list, and `['api.key']` has a dot in its name. An object that takes any members shows no member whose name
    resembles a private one."""

    output_rules: tuple[OutputRule, ...] = ()
    """Rules of the result beyond `output_schema`, in order. `Tool.of` makes one from the return annotation of a function."""

    hidden: Paths = field(init=False, repr=False, compare=False)
    """The fields in `private`, as a tree."""

    compiled: Schema = field(init=False, repr=False, compare=False)
    """The compiled schema."""

    required_keys: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Every required field, dotted, including those inside required fields."""

    output: Schema | None = field(init=False, repr=False, compare=False)
    """The compiled `output_schema`; None without one."""

    _names: Names | None = field(init=False, repr=False, compare=False, default=None)

    _private_names: PrivateNames | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError("a tool needs a name: a string that is not empty")
        if not isinstance(self.description, str):
            raise TypeError(f"tool {self.name!r}: the description must be a string, got {type(self.description).__name__}")
        if not isinstance(self.risk, Risk):
            raise TypeError(f"tool {self.name!r}: the risk must be {_risks()}, not {shown(self.risk)}")
        if self.handler is not None and not callable(self.handler):
            raise TypeError(f"tool {self.name!r}: the handler must be callable, not {shown(self.handler)}")
        if self.mend is not None and not callable(self.mend):
            raise TypeError(f"tool {self.name!r}: mend must be a function, not {shown(self.mend)}")
        if is_awaited(self.mend):
            raise TypeError(f"tool {self.name!r}: mend must not be async: nobody would await it")
        self._take_lists()
        if self.timeout is not None and not is_seconds(self.timeout):
            raise ValueError(f"tool {self.name!r}: timeout must be a positive number of seconds, got {self.timeout!r}")
        object.__setattr__(self, "schema", _without_tool(self.schema, self.name))
        object.__setattr__(self, "compiled", self._compile("", self.schema))
        if TOOL_KEY in self.fields.members:
            raise SchemaError(
                f"tool {self.name!r}: a field cannot be called {TOOL_KEY!r}, which is where a call has the name of its tool; "
                "give the field another name"
            )
        private = {*self.private}
        for name in private:
            if not self.fields.keys(name):
                raise SchemaError(
                    f"tool {self.name!r}: `private` has a name that is no field: {name!r}; "
                    "write it dotted: login.password, users.token for a field of each item, ['a.b'] for a name with a dot"
                )
        object.__setattr__(self, "private", frozenset(private))
        object.__setattr__(self, "hidden", paths(map(self.fields.keys, private)))
        object.__setattr__(self, "required_keys", tuple(map(dotted, self.fields.required_paths())))
        result = None if self.output_schema is None else self._compile("output: ", self.output_schema)
        object.__setattr__(self, "output", result)
        for number, example in enumerate(self.examples, 1):
            violation = next(self.compiled.violations(dict(example)), None)
            if violation is not None:
                raise SchemaError(f"tool {self.name!r}: example {number}: {issue(violation, self.name, self.fields).message}")

    def __repr__(self) -> str:
        fields = ", ".join(named(name) + ("" if name in self.required else "?") for name in self.fields.members)
        return f"<Tool {named(self.name)}({fields}), {self.risk.name}{'' if self.handler else ', without a handler'}>"

    def _take_lists(self) -> None:
        """Make tuples of the attributes that take several values. Raises TypeError for a single string, which would be a list
        of letters.
        """
        for name in ("aliases", "remarks", "private"):
            given = several(f"tool {self.name!r}: `{name}`", getattr(self, name), "names")
            if not all(isinstance(one, str) for one in given):
                raise TypeError(f"tool {self.name!r}: `{name}` must be a list of names, not {shown(given)}")
            object.__setattr__(self, name, given)
        for name in ("rules", "output_rules"):
            given = several(f"tool {self.name!r}: `{name}`", getattr(self, name), "functions")
            if not all(map(callable, given)):
                raise TypeError(f"tool {self.name!r}: `{name}` must be a list of functions, not {shown(given)}")
            if any(map(is_awaited, given)):
                raise TypeError(f"tool {self.name!r}: `{name}` must not be async: nobody would await them")
            object.__setattr__(self, name, given)
        for name in ("field_aliases", "defaults"):
            if not isinstance(getattr(self, name), Mapping):
                raise TypeError(f"tool {self.name!r}: `{name}` must be a dict, not {shown(getattr(self, name))}")
        if not all(isinstance(one, str) for pair in self.field_aliases.items() for one in pair):
            raise TypeError(f"tool {self.name!r}: `field_aliases` must be names by names, not {shown(self.field_aliases)}")
        if isinstance(self.examples, Mapping):
            raise TypeError(f"tool {self.name!r}: `examples` must be a list of arguments, each a dict, not one dict")
        examples = several(f"tool {self.name!r}: `examples`", self.examples, "arguments, each a dict")
        for example in examples:
            if not isinstance(example, Mapping):
                raise TypeError(f"tool {self.name!r}: an example must be the arguments of a call, a dict, not {shown(example)}")
        object.__setattr__(self, "examples", examples)

    def _compile(self, which: str, schema: Mapping[str, Any]) -> Schema:
        try:
            return Schema(schema)
        except SchemaError as error:
            raise SchemaError(f"tool {self.name!r}: {which}{error}") from None
        except RecursionError:
            raise SchemaError(f"tool {self.name!r}: {which}the schema is nested too deeply to be read") from None

    @staticmethod
    def of(source: object, **changes: Any) -> Tool:
        """Return a tool for a function, a model, a tool definition or a JSON Schema.

        A function with type hints; a pydantic model, a dataclass or a TypedDict; an entry of OpenAI's `tools`, of Anthropic's,
        or of an MCP listing; a JSON Schema with a title. `changes` are arguments of `Tool` that replace those found in the
        source. A `handler` among them gets an instance of the model or the dataclass, or else the arguments as they are.

        A function or a model is code of your own: its risk is `WRITE` unless `risk` says otherwise. An entry or a schema comes
        from elsewhere: its risk is `DESTRUCTIVE` without `risk`, or MCP's `readOnlyHint: true` or `destructiveHint: false`.
        """
        from .sources import tool  # deferred: what only a model or a function needs

        return tool(source, changes)

    @property
    def fields(self) -> Field:
        """The fields of the tool's arguments."""
        return self.compiled.fields

    @property
    def required(self) -> tuple[str, ...]:
        """The required top-level fields."""
        return self.fields.required

    @property
    def field_names(self) -> Names:
        """The names of the tool's fields and their aliases, which find the field that a written name means; made when first
        asked for.
        """
        if self._names is None:
            object.__setattr__(self, "_names", Names(self.fields.members, self.field_aliases.items()))
        assert self._names is not None
        return self._names

    def view(self, wanted: Paths | None = None) -> View:
        """Return the view of the tool's arguments, without private fields. `wanted` are the fields to show; None for all."""
        if not self.hidden:
            return View(self.fields, wanted=wanted)
        if self._private_names is None:
            names = PrivateNames(self.fields, self.hidden, self.field_aliases)
            object.__setattr__(self, "_private_names", names)
        assert self._private_names is not None
        return View(self.fields, self.hidden, wanted, self._private_names.resemble)

    @property
    def shows_path(self) -> bool:
        """Whether a status may show the member `path` of a call: it is no private field, and cannot be one under
        another name.
        """
        if not self.hidden:
            return True
        path = self.view().member(PATH_KEY)
        return path is not None and path.shows_text

    def describe(self, written: str) -> Field | None:
        """Return a field by its dotted name: `search_replace.old_string`, `widgets[2].title`."""
        return self.fields.at(split(written))

    def canonical(self, written: str) -> str | None:
        """Return the dotted name of a field for any spelling, such as `$.searchReplace.oldString`; None if there is none."""
        path = self.fields.find(written, self.field_aliases)
        return None if path is None else dotted(path)


def _risks() -> str:
    *most, last = (f"Risk.{risk.name}" for risk in Risk)
    return f"{', '.join(most)} or {last}"


def _without_tool(schema: Any, name: str) -> Any:
    """Return the schema of a call's arguments, if `schema` is that of the whole block."""
    members = schema.get("properties") if isinstance(schema, Mapping) else None
    tool_field = members.get(TOOL_KEY) if isinstance(members, Mapping) else None
    if not isinstance(tool_field, Mapping) or name not in (tool_field.get("const"), *tool_field.get("enum", ())):
        return schema
    kept = {key: member for key, member in members.items() if key != TOOL_KEY} if members else {}
    return {**schema, "properties": kept, "required": [key for key in schema.get("required", ()) if key != TOOL_KEY]}
