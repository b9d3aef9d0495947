"""Makes tools from functions, models, and providers' tool definitions.

Providers use JSON Schema, people write Python types. Types are read by pydantic, which nearly every program that calls a model
has installed; tools from schemas do not need it.

Rule 1: a source that is not understood is refused at once, and the error lists the accepted kinds.
Rule 2: a model's own validators are rules of the tool: values that they refuse never reach the handler.
Rule 3: the return annotation of a handler is a rule of its result.
Rule 4: a tool made of data (an entry, a schema) that states no risk is `DESTRUCTIVE`; one made of code is `WRITE`.
Rule 5: a field that a type does not have is refused, however deep, unless the type says `extra="allow"`: pydantic drops it.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Never, NoReturn, Union, get_args, get_origin, get_type_hints, is_typeddict

from ..schema.other_errors import About, issues_of
from ..schema.schema import Schema, SchemaError
from ..values.given import shown
from ..values.issues import ValidationIssue
from ..values.limits import Limits
from .arguments import schema_issues
from .declarations import as_definition, declarations, is_declaration
from .results import plain_result
from .tool import OutputRule, Risk, Tool

_ARGUMENTS: Final = tuple(field.name for field in dataclasses.fields(Tool) if field.init)


def tools(sources: Iterable[object]) -> Iterator[Tool]:
    """Yield a tool for each source, and for each item of a list or listing."""
    for source in sources:
        plain = _plain(source)
        if isinstance(plain, list | tuple):
            yield from tools(plain)
        elif isinstance(plain, Mapping) and isinstance(plain.get("tools"), Sequence):
            yield from tools(plain["tools"])
        elif isinstance(plain, Mapping) and (declared := declarations(plain)) is not None:
            yield from (
                tool(as_definition(entry) if isinstance(entry, Mapping) else entry, {}) for entry in map(_plain, declared)
            )
        else:
            yield tool(plain, {})


def tool(source: object, changes: Mapping[str, Any]) -> Tool:
    """Return a tool for one source; `changes` replaces its attributes."""
    source = _plain(source)
    strange = changes.keys() - _ARGUMENTS
    if strange:
        raise TypeError(f"Tool.of takes no {min(strange)!r}; it takes a source and {', '.join(_ARGUMENTS)}")
    if changes.get("handler") is not None and not callable(changes["handler"]):
        raise TypeError(f"Tool.of: the handler must be callable, not {shown(changes['handler'])}")
    if isinstance(source, Tool):
        return dataclasses.replace(source, **changes) if changes else source
    if isinstance(source, Mapping):
        described = _entry(source)
    elif isinstance(source, type) or is_typeddict(source) or get_origin(source) is not None:
        described = _model(source, changes.get("handler"))
    elif callable(source):
        described = _function(source, changes.get("handler") or source)
    else:
        raise TypeError(f"expected a function, a model, a provider's tool definition or a JSON Schema, got {_strange(source)}")
    if "output_schema" in changes:  # the given schema declares the result, and the annotation does not
        described.pop("output_rules", None)
    given = {**described, **changes}
    if "handler" in described and "handler" in changes:
        given["handler"] = described["handler"]  # the handler that was found, adapted to the instances that the model makes
    if not given.get("name") and source == {}:
        raise ValueError("expected a provider's tool definition or a JSON Schema, got an object with nothing in it")
    if not given.get("name"):
        raise ValueError("a JSON Schema without a title needs a name; use Tool.of(schema, name=...)")
    return Tool(**given)


def _strange(source: object) -> str:
    """Return the name of the kind of a source of which no tool can be made, with advice."""
    kind = type(source).__name__
    if inspect.iscoroutine(source):
        source.close()
        return f"{kind}: give the function itself, without calling it"
    if hasattr(source, "to_prompt"):
        return f"{kind}: it has its tools already; put two together with `first + second`"
    if isinstance(source, list | tuple):
        return f"{kind}: Toolset.of takes several"
    return kind


def _plain(source: object) -> object:
    """Return the data of an SDK object; other values unchanged."""
    dump = getattr(source, "model_dump", None)
    return source if dump is None or isinstance(source, type) else dump(mode="json", by_alias=True, exclude_none=True)


# -- listings ----------------------------------------------------------------------------------------------------------


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    if is_declaration(entry):
        entry = as_definition(entry)
    inner = entry.get("function")
    if isinstance(inner, Mapping):  # OpenAI, chat completions
        notes = [part["annotations"] for part in (entry, inner) if "annotations" in part]
        entry = {**inner, "annotations": max(notes, key=_risk, default=None)}
    for key in ("parameters", "input_schema", "inputSchema"):
        if key in entry:
            return _listed(entry, entry[key])
    kind = entry.get("type", "function" if "name" in entry and "properties" not in entry else "object")
    if kind == "function":
        return _listed(entry, {"type": "object", "properties": {}, "additionalProperties": False})
    if kind != "object":
        raise ValueError(f"a tool of type {kind!r} has no schema for its arguments; give a JSON Schema")
    named = {"name": entry.get("title"), "description": entry.get("description", "")}
    return {**named, "schema": entry, "risk": Risk.DESTRUCTIVE}


def _listed(entry: Mapping[str, Any], schema: Any) -> dict[str, Any]:
    described = {
        "name": entry.get("name"),
        "description": entry.get("description") or "",
        "schema": schema or {"type": "object"},
        "risk": _risk(entry.get("annotations")),
    }
    if isinstance(entry.get("outputSchema"), Mapping):
        described["output_schema"] = entry["outputSchema"]
    return described


def _risk(notes: object) -> Risk:
    """Return the risk that an entry declares; `DESTRUCTIVE` if it declares no risk, as in MCP."""
    hints = notes if isinstance(notes, Mapping) else {}
    if hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True:
        return Risk.READ
    return Risk.WRITE if hints.get("destructiveHint") is False else Risk.DESTRUCTIVE


# -- types -------------------------------------------------------------------------------------------------------------


def _model(model: Any, handler: Any) -> dict[str, Any]:
    adapter = _adapter(_modern(model), model.__name__)
    schema = _schema(adapter, model.__name__)
    description = schema.pop("description", "")
    if description.startswith(f"{model.__name__}("):  # dataclasses write such a text if there is no docstring
        description = ""
    described = {
        "name": model.__name__,
        "description": inspect.cleandoc(description),
        "schema": schema,
        "rules": (_rule(adapter, schema),),
    }
    if handler is not None:
        described["handler"] = Fitted(handler, adapter.validate_python, spread=False)
        described["output_rules"] = _output_rules(handler)
    return described


def _function(function: Callable[..., Any], handler: Callable[..., Any]) -> dict[str, Any]:
    name = getattr(function, "__name__", type(function).__name__)
    try:
        hints = get_type_hints(function if inspect.isroutine(function) else type(function).__call__, include_extras=True)
        signature = inspect.signature(function)
    except NameError as error:
        raise SchemaError(f"tool {name!r}: a type hint cannot be resolved: {error}") from None
    except ValueError:
        raise SchemaError(f"tool {name!r}: the function has no signature to inspect; give a JSON Schema") from None
    description, parameter_descriptions = _docstring(inspect.getdoc(function) or "")
    parameters: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for key, parameter in signature.parameters.items():
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise SchemaError(f"tool {name!r}: the parameter {key!r} is positional-only; arguments are passed by name")
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise SchemaError(f"tool {name!r}: {stars}{key} does not declare its arguments; name each parameter")
        parameters[key] = _modern(hints.get(key, Any))
        if parameter.default is not parameter.empty:
            defaults[key] = parameter.default
    adapter = _adapter(_record(name, parameters, defaults), name)
    schema = _schema(adapter, name)
    for key, member in schema.get("properties", {}).items():
        if key in parameter_descriptions:
            member.setdefault("description", parameter_descriptions[key])
        if isinstance(defaults.get(key), str | int | float | bool):
            member.setdefault("default", defaults[key])
    return {
        "name": name,
        "description": description,
        "schema": schema,
        "rules": (_rule(adapter, schema),),
        "handler": Fitted(handler, adapter.validate_python, spread=True),
        "output_rules": _output_rules(handler),
    }


def _output_rules(handler: Callable[..., Any]) -> tuple[OutputRule, ...]:
    """Return the rule that a result has the type in the handler's annotation; no rule if JSON cannot express that type."""
    import pydantic

    try:
        hints = get_type_hints(handler if inspect.isroutine(handler) else type(handler).__call__, include_extras=True)
        kind = hints.get("return", Any)
        while get_origin(kind) in (Awaitable, Coroutine):
            kind = get_args(kind)[-1]
        if kind in (Any, object, NoReturn, Never):
            return ()
        adapter: Any = pydantic.TypeAdapter(_modern(kind))
        document: dict[str, Any] = adapter.json_schema(mode="serialization")
    except Exception:  # an annotation may be anything, and was not written for this
        return ()

    def returned(result: Any) -> Iterable[ValidationIssue]:
        try:
            adapter.validate_python(result, strict=True)
        except pydantic.ValidationError:  # its plain data may fit: an object for a dataclass, a list for a tuple
            payload, _ = plain_result(result)
            try:
                adapter.validate_json(json.dumps(payload), strict=True)
            except pydantic.ValidationError as error:
                return schema_issues(Schema(document), payload, Limits()) or issues_of(error, About())
        return ()

    return (returned,)


@dataclasses.dataclass(frozen=True, slots=True)
class Fitted:
    """A handler that is called with the types of its signature instead of plain data."""

    function: Callable[..., Any]
    """The function that runs the tool."""

    read: Callable[[Any], Any]
    """Converts plain data to the type that `function` takes."""

    spread: bool
    """Whether `function` takes its arguments by name."""

    def __call__(self, arguments: Any) -> Any:
        """Run the handler on the plain data of a call."""
        taken = self.read(arguments)
        return self.function(**taken) if self.spread else self.function(taken)

    @property
    def waits(self) -> bool:
        """Whether `function` is a coroutine function; any other runs in a thread."""
        return inspect.iscoroutinefunction(self.function)


def _adapter(kind: Any, name: str) -> Any:
    try:
        import pydantic  # deferred, and no dependency: an app with models has it
    except ImportError:
        raise SchemaError(
            f"tool {name!r}: Python types need pydantic; install stream-guard-llm[pydantic], or give a JSON Schema"
        ) from None
    try:
        return pydantic.TypeAdapter(kind)
    except pydantic.errors.PydanticUserError as error:
        raise SchemaError(f"tool {name!r}: {error.message}") from None


def _schema(adapter: Any, name: str) -> dict[str, Any]:
    import pydantic

    try:
        schema: dict[str, Any] = adapter.json_schema(schema_generator=_closing())
    except pydantic.errors.PydanticInvalidForJsonSchema as error:
        raise SchemaError(f"tool {name!r}: {error.message}") from None
    if "properties" not in schema and schema.get("type") != "object" and "$ref" not in schema:
        raise SchemaError(f"tool {name!r}: the arguments of a call must be an object, and this type is not one")
    schema.pop("title", None)
    return schema


@cache
def _closing() -> Any:
    """Return pydantic's schema writer, changed so that it closes every object whose type does not say `extra="allow"`."""
    from pydantic.json_schema import GenerateJsonSchema

    class Closing(GenerateJsonSchema):
        def model_schema(self, schema: Any) -> Any:
            written = super().model_schema(schema)
            return written if schema.get("root_model") else _closed(written)

        def dataclass_schema(self, schema: Any) -> Any:
            return _closed(super().dataclass_schema(schema))

        def typed_dict_schema(self, schema: Any) -> Any:
            return _closed(super().typed_dict_schema(schema))

    return Closing


def _closed(written: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type with fields, changed so that it allows no other members, unless it has a rule for these."""
    return {"additionalProperties": False, **written} if "properties" in written else written


def _rule(adapter: Any, schema: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Iterable[ValidationIssue]]:
    """Return a rule that runs a model's validators on the arguments."""
    from pydantic import ValidationError

    compiled = Schema(schema)
    about = About(schema=compiled)

    def model(arguments: Mapping[str, Any]) -> Iterable[ValidationIssue]:
        if not compiled.accepts(arguments):
            return ()
        try:
            adapter.validate_python(arguments)
        except ValidationError as error:
            return issues_of(error, about)
        return ()

    return model


def _record(name: str, parameters: Mapping[str, Any], optional: Iterable[str]) -> Any:
    """Return a TypedDict for parameters of these names and types, which allows no other keys."""
    from typing import NotRequired

    from typing_extensions import TypedDict

    make: Any = TypedDict
    record = make(name, {key: NotRequired[kind] if key in optional else kind for key, kind in parameters.items()})
    record.__pydantic_config__ = {"extra": "forbid"}
    return record


def _modern(kind: Any) -> Any:
    """Return the type with each TypedDict replaced by one of typing_extensions: before Python 3.12 pydantic reads no other."""
    if is_typeddict(kind) and type(kind).__module__ == "typing":
        from typing_extensions import TypedDict

        hints = get_type_hints(kind, include_extras=True)
        make: Any = TypedDict
        rebuilt = make(kind.__name__, {key: _modern(hint) for key, hint in hints.items()}, total=kind.__total__)
        rebuilt.__doc__ = kind.__doc__
        rebuilt.__required_keys__, rebuilt.__optional_keys__ = kind.__required_keys__, kind.__optional_keys__
        return rebuilt
    if get_origin(kind) is Annotated:
        return _described(kind)
    arguments = get_args(kind)
    read = tuple(map(_modern, arguments))
    if all(new is old for new, old in zip(read, arguments, strict=True)):
        return kind
    origin: Any = get_origin(kind)
    return Union[read] if origin is UnionType else origin[read]  # noqa: UP007  # noqa: UP007  # the types are found at run time


def _described(kind: Any) -> Any:
    """Return `Annotated[str, "what it is"]` with the description as a pydantic `Field`."""
    inner, *notes = get_args(kind)
    if not any(isinstance(note, str) for note in notes):
        return kind
    from pydantic import Field

    read = tuple(Field(description=note) if isinstance(note, str) else note for note in notes)
    return Annotated[(_modern(inner), *read)]


_SECTION: Final = re.compile(r"^(?:Args|Arguments|Parameters|Params):\s*$", re.MULTILINE)
_NEXT_SECTION: Final = re.compile(r"^\S", re.MULTILINE)
_PARAMETER: Final = re.compile(r"^ +(\w+)(?: *\([^)]*\))? *:[ \n]*(.*(?:\n(?: {8,}.*)?)*)", re.MULTILINE)


def _docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return the description of a function, and those of its parameters from the `Args:` section, if its docstring has one."""
    section = _SECTION.search(text)
    if section is None:
        return text.strip(), {}
    rest = text[section.end() :].lstrip("\n")
    end = _NEXT_SECTION.search(rest)
    told = {found[1]: " ".join(found[2].split()) for found in _PARAMETER.finditer(rest[: end.start() if end else len(rest)])}
    return text[: section.start()].strip(), told
