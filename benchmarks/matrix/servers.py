"""Parsers of inference servers, without the servers: their files alone, with what they import of the server stood for.

The files come out of the servers' wheels (`make matrix` unpacks them). A parser that needs more of its server than that is not
tried, and the reason is printed.
"""

from __future__ import annotations

import json
import logging
import sys
import types
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict
from stream_guard_conformance.conform.parser import Answer, Text

from benchmarks.matrix.calls import valid

FILES: Final = Path(__file__).parents[2] / ".venv" / "matrix"
"""Where the files are: a folder for each server, with a file that is named after the version."""


class Record(BaseModel):
    """A record of a server's protocol; it takes whatever else there is."""

    model_config = ConfigDict(extra="allow")


class Function(Record):
    """A function that a model may call, or a call of it."""

    name: str = ""
    description: str | None = None
    parameters: Any = None
    arguments: str | None = None
    strict: bool = False


class Tool(Record):
    """A tool that a model is given, or a call of it."""

    type: str = "function"
    function: Function


class Extracted(Record):
    """What vLLM finds in a text."""

    tool_calls: list[Tool]
    content: str | None = None


class Request(Record):
    """A request to vLLM."""

    tools: list[Tool]
    tool_choice: str = "auto"
    chat_template_kwargs: dict[str, Any] | None = None


class Anything(types.ModuleType):
    """Stands for a module of a server: whatever is asked of it is there, and a setting is off."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(
            name, (), {"get": lambda _: False, "__getattr__": lambda one, _: one, "__call__": lambda one, *_, **__: one}
        )
        return made() if name == "envs" else made


class Variables(types.ModuleType):
    """Stands for the variables of an environment: a time limit is ten seconds, and all else is off."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return 10 if "TIMEOUT" in name else False


class StandIns:
    """Finds `Anything` for each module of some packages that is not among the files."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Return how a module of the packages is made."""
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self._packages else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """Return the module."""
        return Anything(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Leave it as it is."""


def stand_in(package: str, folder: Path, *others: str) -> None:
    """Take a package from its files, and stand for its modules that are not there, and for other packages."""
    made = types.ModuleType(package)
    made.__path__ = [str(folder)]
    sys.modules[package] = made
    sys.meta_path.append(StandIns((package, *others)))


def provide(name: str, **members: Any) -> None:
    """Stand for a module that has these members, and anything else."""
    module = Anything(name)
    module.__path__ = []
    module.__dict__.update(members)
    sys.modules[name] = module


def version_of(server: str) -> str:
    """Return the version of a server's files."""
    found = next((FILES / server).glob("*.version"), None)
    return found.stem.partition("-")[2] if found is not None else ""


class Server:
    """The parser files of a server, which get whole texts."""

    server = ""
    parsers: Mapping[str, str] = {}
    """The class that reads each dialect."""

    where = ""
    """The package of the parsers' modules."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}
        for dialect, what in self.parsers.items():
            module, _, name = what.partition(".")
            try:
                self._made[dialect] = getattr(import_module(f"{self.where}.{module}"), name)
                self.new(dialect, [])
            except Exception as error:  # one that needs more of the server is not tried
                print(f"{self.server}: {dialect}: {error!r}", file=sys.stderr)
                self._made.pop(dialect, None)
        if not self._made:
            raise ModuleNotFoundError(f"none of the parser files of {self.server} can be used")
        self.name = f"{self.server} {version_of(self.server.lower())}".strip()
        self.capabilities = frozenset(
            {"several", "streams", "text", "schemas", "integers", *(f"dialect:{name}" for name in self._made)}
        )

    def new(self, dialect: str, tools: list[Tool]) -> Any:
        """Return a new parser of a dialect."""
        del tools  # only some want them now
        return self._made[dialect if dialect in self._made else "hermes"]()

    def found(self, parser: Any, text: str, tools: list[Tool]) -> tuple[str | None, list[tuple[str, str]]]:
        """Return the text and the calls that a parser finds."""
        raise NotImplementedError

    def read(self, question: Any) -> Answer:
        """Detect the calls of the joined text."""
        tools = [
            Tool(function=Function(name=tool["name"], description=tool["description"], parameters=tool["input_schema"]))
            for tool in question["tools"]
        ]
        parser = self.new(question["dialect"], tools)
        text, calls = self.found(parser, "".join(question["input"]), tools)
        ran = [valid(name, json.loads(arguments), question) for name, arguments in calls]
        return Answer.whole([Text(text or ""), *(call for call in ran if call is not None)])


class SGLang(Server):
    """The detectors of SGLang."""

    server = "SGLang"
    where = "sglang.srt.function_call"
    parsers = {  # noqa: RUF012  # nothing changes it
        "hermes": "hermes_detector.HermesDetector",
        "mistral": "mistral_detector.MistralDetector",
        "deepseek_v3": "deepseekv3_detector.DeepSeekV3Detector",
        "deepseek_v31": "deepseekv31_detector.DeepSeekV31Detector",
        "deepseek_v32_dsml": "deepseekv32_detector.DeepSeekV32Detector",
        "deepseek_v4_dsml": "deepseekv4_detector.DeepSeekV4Detector",
        "kimi_k2": "kimik2_detector.KimiK2Detector",
        "glm45": "glm4_moe_detector.Glm4MoeDetector",
        "qwen3_coder": "qwen3_coder_detector.Qwen3CoderDetector",
        "pythonic": "pythonic_detector.PythonicDetector",
        "lfm2": "lfm2_detector.Lfm2Detector",
        "gemma4": "gemma4_detector.Gemma4Detector",
        "minimax_m2": "minimax_m2.MinimaxM2Detector",
        "dots": "dots_detector.DotsToolDetector",
        "hunyuan_v3": "hunyuan_detector.HunyuanDetector",
        "k2_horizon": "k2_v3_detector.K2V3Detector",
    }

    def __init__(self) -> None:
        stand_in("sglang", FILES / "sglang" / "sglang", "xgrammar")
        provide("sglang.srt.entrypoints.openai.protocol", Tool=Tool, Function=Function)
        super().__init__()

    def found(self, parser: Any, text: str, tools: list[Tool]) -> tuple[str | None, list[tuple[str, str]]]:
        """Return what `detect_and_parse` finds."""
        told = parser.detect_and_parse(text, tools)
        return told.normal_text, [(call.name, call.parameters) for call in told.calls]


class Vocabulary(dict[str, int]):
    """The tokens of any model: every marker is one."""

    def __missing__(self, token: str) -> int:
        return self.setdefault(token, len(self) + 1)

    def __contains__(self, _: object) -> bool:
        return True

    def get(self, token: str, _: Any = None) -> int:
        """Return the number of a token."""
        return self[token]


class Tokenizer:
    """Stands for the tokenizer of a model, of which parsers ask whether their markers are tokens."""

    all_special_tokens: Sequence[str] = ()
    all_special_ids: Sequence[int] = ()

    def __init__(self) -> None:
        self.vocab = Vocabulary()

    def get_vocab(self) -> Vocabulary:
        """Return all tokens."""
        return self.vocab

    def encode(self, text: str, **_: Any) -> list[int]:
        """Return a text as a token."""
        return [self.vocab[text]]

    def decode(self, tokens: Sequence[int], **_: Any) -> str:
        """Return the text of tokens."""
        return "".join(token for token, number in self.vocab.items() if number in tokens)

    def convert_tokens_to_ids(self, token: str) -> int:
        """Return the number of a token."""
        return self.vocab[token]


class VLLM(Server):
    """The tool parsers of vLLM that read a text without its tokens."""

    server = "vLLM"
    where = "vllm.tool_parsers"
    parsers = {  # noqa: RUF012  # nothing changes it
        "hermes": "hermes_tool_parser.Hermes2ProToolParser",
        "longcat": "longcat_tool_parser.LongcatFlashToolParser",
        "jamba": "jamba_tool_parser.JambaToolParser",
        "internlm2": "internlm2_tool_parser.Internlm2ToolParser",
        "granite_20b_fc": "granite_20b_fc_tool_parser.Granite20bFCToolParser",
        "hunyuan_v3": "hy_v3_tool_parser.HYV3ToolParser",
        "dots": "dots_tool_parser.DotsToolParser",
        "k2_horizon": "k2_horizon_tool_parser.K2HorizonToolParser",
        "deepseek_v3": "deepseekv3_tool_parser.DeepSeekV3ToolParser",
        "deepseek_v31": "deepseekv31_tool_parser.DeepSeekV31ToolParser",
        "lfm2": "lfm2_tool_parser.Lfm2ToolParser",
        "functiongemma": "functiongemma_tool_parser.FunctionGemmaToolParser",
        "apertus": "apertus_tool_parser.ApertusToolParser",
        "gigachat3": "gigachat3_tool_parser.GigaChat3ToolParser",
    }

    def __init__(self) -> None:
        stand_in("vllm", FILES / "vllm" / "vllm", "xgrammar", "openai_harmony")
        sys.modules["vllm.envs"] = sys.modules["vllm"].envs = Variables("vllm.envs")  # type: ignore[attr-defined]
        provide("vllm.logger", init_logger=logging.getLogger)
        provide("vllm.renderers.chat_utils", make_tool_call_id=lambda *_, **__: "c")
        provide("vllm.utils", random_uuid=lambda: "c")
        provide("vllm.utils.mistral", is_mistral_tokenizer=lambda _: False)
        provide(
            "vllm.entrypoints.generate.base.protocol",
            FunctionCall=Function, FunctionDefinition=Function, ToolCall=Tool, ExtractedToolCallInformation=Extracted,
        )  # fmt: skip
        provide(
            "vllm.entrypoints.openai.chat_completion.protocol", ChatCompletionToolsParam=Tool, ChatCompletionRequest=Request
        )
        super().__init__()

    def new(self, dialect: str, tools: list[Tool]) -> Any:
        """Return a new parser of a dialect, for the tokenizer of any model."""
        return self._made[dialect if dialect in self._made else "hermes"](Tokenizer(), tools)

    def found(self, parser: Any, text: str, tools: list[Tool]) -> tuple[str | None, list[tuple[str, str]]]:
        """Return what `extract_tool_calls` finds."""
        told = parser.extract_tool_calls(text, Request(tools=tools))
        return told.content, [(call.function.name, call.function.arguments or "") for call in told.tool_calls]
