"""Ways to get the value of a JSON block out of a stream of deltas, each as its own documentation suggests.

All but the guard are handed the bare JSON of the block, without prose and fences: finding it is the guard's work alone. Each
returns the value it ended with, so that none can be quick by being wrong.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from stream_guard import Guard, Limits, Tool, ToolBlock, Toolset
from stream_guard.codegen import generate
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.arguments import check_arguments
from stream_guard.toolset.validate import validate

GUARD = Guard(FILE_TOOLS)
NODE = Path(__file__).parents[1] / ".venv" / "bench"
"""Where the packages of Node are."""

Contestant = Callable[[Sequence[str]], Any]


def guard(deltas: Sequence[str]) -> Any:
    (block,) = [item for item in GUARD.scan(deltas) if isinstance(item, ToolBlock)]
    assert block.executable
    return block.arguments


def jiter_partial(deltas: Sequence[str]) -> Any:
    import jiter

    text, value = b"", None
    for delta in deltas:
        text += delta.encode()
        value = jiter.from_json(text, partial_mode="trailing-strings")
    return value


def partial_json_parser(deltas: Sequence[str]) -> Any:
    from partial_json_parser import loads

    text, value = "", None
    for delta in deltas:
        text += delta
        value = loads(text)
    return value


def json_repair(deltas: Sequence[str]) -> Any:
    from json_repair import loads

    text, value = "", None
    for delta in deltas:
        text += delta
        value = loads(text, stream_stable=True)
    return value


@cache
def _guardrails() -> Any:
    os.environ["OTEL_SDK_DISABLED"] = os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "true"  # it would call home
    from guardrails import Guard as Guardrails
    from pydantic import BaseModel

    class WriteFile(BaseModel):
        tool: str
        path: str
        content: str

    checked = Guardrails.for_pydantic(WriteFile)
    checked.configure(allow_metrics_collection=False)
    return checked


def guardrails(deltas: Sequence[str]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own, about its own
        *_, outcome = _guardrails()(
            lambda *_, **__: iter(deltas), stream=True, messages=[{"role": "user", "content": "Write."}]
        )
    return outcome.validated_output


@cache
def _ai_sdk() -> subprocess.Popen[str]:
    """A process of Node that has the AI SDK's parser. It ends with this one."""
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules" / "ai").exists():
        raise ImportError("node or its ai", name="ai (npm)")
    shutil.copy(Path(__file__).parent / "partial.mjs", NODE)  # where the package is found
    process = subprocess.Popen([node, str(NODE / "partial.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process


def ai_sdk(deltas: Sequence[str]) -> Any:
    process = _ai_sdk()
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps(deltas), file=process.stdin, flush=True)
    return json.loads(process.stdout.readline())[0]


def whole(deltas: Sequence[str]) -> Any:
    """Wait for the end, and read it once: what nothing that reads at all can be quicker than."""
    return json.loads("".join(deltas))


def langchain(deltas: Sequence[str]) -> Any:
    from langchain_core.output_parsers import JsonOutputParser

    *_, value = JsonOutputParser().transform(iter(deltas))
    return value


PEERS: dict[str, Contestant] = {
    "jiter, partial mode per delta": jiter_partial,
    "partial-json-parser per delta": partial_json_parser,
    "json-repair per delta": json_repair,
    "langchain-core JsonOutputParser": langchain,
    "guardrails-ai, streaming": guardrails,
    "AI SDK parsePartialJson per delta (Node)": ai_sdk,
    "json.loads, once at the end": whole,
}


# -- validation: is this object a valid call of write_file? ------------------------------------------------------------

Validator = Callable[[Any], bool]

WRITE_FILE = next(tool for tool in FILE_TOOLS if tool.name == "write_file")
LIMITS = Limits()


def schema_of_a_tool(value: Any) -> bool:
    """The verdict of the tool's schema."""
    return WRITE_FILE.compiled.accepts(value)


def tool(value: Any) -> bool:
    """The same, and the tool's rules: that the path stays inside the workspace."""
    return not check_arguments(WRITE_FILE, value, LIMITS)


def jsonschema_rs_alone() -> Validator:
    import jsonschema_rs

    checker = jsonschema_rs.validator_for(dict(WRITE_FILE.schema), validate_formats=True)
    return checker.is_valid


def jsonschema() -> Validator:
    from jsonschema import Draft202012Validator

    checker = Draft202012Validator(dict(WRITE_FILE.schema))
    return checker.is_valid


def fastjsonschema() -> Validator:
    import fastjsonschema

    check = fastjsonschema.compile({"$schema": "http://json-schema.org/draft-07/schema#", **WRITE_FILE.schema})

    def is_valid(value: Any) -> bool:
        try:
            check(value)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return is_valid


def pydantic() -> Validator:
    from pydantic import BaseModel, Field, ValidationError

    class WriteFile(BaseModel, extra="forbid", strict=True):
        path: str = Field(min_length=1)
        content: str

    def is_valid(value: Any) -> bool:
        try:
            WriteFile.model_validate(value)
        except ValidationError:
            return False
        return True

    return is_valid


def generated() -> Validator:
    """What `stream-guard codegen` writes for the tool, run on its own."""
    space: dict[str, Any] = {"__name__": "generated"}
    sys.modules.setdefault("generated", ModuleType("generated"))
    exec(generate(FILE_TOOLS, "generated")["generated.py"], space)

    def is_valid(value: Any) -> bool:
        try:
            space["validate_write_file"](value)
        except space["InvalidPayload"]:
            return False
        return True

    return is_valid


def body_alone() -> Validator:
    """Read and judge a block's body with the two libraries that the guard stands on, and nothing else."""
    import jiter

    is_valid = jsonschema_rs_alone()

    def check(body: Any) -> bool:
        call = jiter.from_json(body.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
        del call["tool"]
        return is_valid(call)

    return check


def body(text: Any) -> bool:
    """The three levels."""
    return validate(text, FILE_TOOLS, LIMITS).passed


VALIDATORS: dict[str, Callable[[], Validator]] = {
    "jsonschema-rs alone": jsonschema_rs_alone,
    "the tool's schema": lambda: schema_of_a_tool,
    "the tool's schema and its path rule": lambda: tool,
    "jsonschema": jsonschema,
    "fastjsonschema": fastjsonschema,
    "pydantic": pydantic,
    "generated code": generated,
}
"""Each makes a validator."""


def toolset(schemas: Sequence[dict[str, Any]]) -> Toolset:
    """As many tools, registered."""
    return Toolset(*(Tool(f"tool_{number}", "A tool", schema) for number, schema in enumerate(schemas)))


def compiled(schemas: Sequence[dict[str, Any]]) -> list[Any]:
    """The same schemas, compiled and nothing else."""
    import jsonschema_rs

    return [jsonschema_rs.validator_for(schema, validate_formats=True) for schema in schemas]
