"""Programs as people write them, unmodified, in front of a provider or of the gateway: what each shows, calls and complains of.

    python programs.py BASE_URL[,BASE_URL] [PROGRAM ...] < scenarios, one a line      -> one line of JSON for each cell

It is run by itself, in the environment of `make programs`, and imports nothing of this project. A program whose client is not
installed says so.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

ENVIRONMENT = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "k")
ENVIRONMENT |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*", "OTEL_SDK_DISABLED": "true"}
ENVIRONMENT |= {"LANGSMITH_TRACING": "false", "no_proxy": "*"}
"""What the programs need of their environment. An import of this module changes nothing."""

SCHEMA: Any = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL: Any = {"name": "weather", "description": "The weather"}
CHAT_TOOLS: Any = [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]
STRICT: Any = {"strict": True, "parameters": {**SCHEMA, "additionalProperties": False}}
STRICT_TOOLS: Any = [{"type": "function", "function": {**TOOL, **STRICT}}]
RESPONSES_TOOLS: Any = [{"type": "function", **TOOL, "parameters": SCHEMA, "strict": False}]
MESSAGES_TOOLS: Any = [{**TOOL, "input_schema": SCHEMA}]
ASKED: Any = [{"role": "user", "content": "What is the weather?"}]


class Seen:
    """What a user of a program has of a reply."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: list[Any] = []
        """The calls that were delivered, each with arguments that are JSON."""
        self.choices: dict[int, str] = {}
        self.reason: str | None = None
        self.usage = False
        self.answered = False
        """Whether an agent came to its last answer."""

    def call(self, name: str | None, arguments: Any) -> None:
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError:
                arguments = "no JSON"
        self.calls.append([name, arguments])


def openai_chat(url: str, model: str, seen: Seen) -> None:
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", max_retries=0)
    calls: dict[tuple[int, int], list[str]] = {}
    n: Any = {"n": 2} if model == "several-choices" else {}
    stream = client.chat.completions.create(
        model=model, messages=ASKED, tools=CHAT_TOOLS, stream=True, stream_options={"include_usage": True}, **n
    )
    for chunk in stream:
        seen.usage = seen.usage or chunk.usage is not None
        for choice in chunk.choices:
            seen.choices[choice.index] = seen.choices.get(choice.index, "") + (choice.delta.content or "")
            seen.reason = choice.finish_reason or seen.reason
            for call in choice.delta.tool_calls or ():
                held = calls.setdefault((choice.index, call.index), ["", ""])
                held[0] += call.function.name or "" if call.function else ""
                held[1] += call.function.arguments or "" if call.function else ""
    seen.text = "\n--\n".join(seen.choices.values())
    for name, arguments in calls.values():
        seen.call(name, arguments)


async def _openai_async(url: str, model: str, seen: Seen) -> None:
    import openai

    async with (
        openai.AsyncOpenAI(base_url=f"{url}/v1", max_retries=0) as client,
        client.chat.completions.stream(model=model, messages=ASKED, tools=STRICT_TOOLS) as stream,
    ):
        async for event in stream:
            if event.type == "content.delta":
                seen.text += event.delta
        final = await stream.get_final_completion()
    seen.reason = final.choices[0].finish_reason
    for call in final.choices[0].message.tool_calls or ():
        seen.call(call.function.name, call.function.arguments)


def openai_helper(url: str, model: str, seen: Seen) -> None:
    asyncio.run(_openai_async(url, model, seen))


def openai_chat_at_once(url: str, model: str, seen: Seen) -> None:
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", max_retries=0)
    n: Any = {"n": 2} if model == "several-choices" else {}
    reply = client.chat.completions.create(model=model, messages=ASKED, tools=CHAT_TOOLS, **n)
    seen.usage = reply.usage is not None
    seen.text = "\n--\n".join(choice.message.content or "" for choice in reply.choices)
    seen.reason = reply.choices[0].finish_reason
    for choice in reply.choices:
        for call in choice.message.tool_calls or ():
            seen.call(call.function.name, call.function.arguments)


def openai_responses(url: str, model: str, seen: Seen) -> None:
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", max_retries=0)
    with client.responses.stream(model=model, input="?", tools=RESPONSES_TOOLS) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                seen.text += event.delta
            if event.type == "response.output_item.done" and event.item.type == "function_call":
                seen.call(event.item.name, event.item.arguments)
            if event.type in ("response.completed", "response.incomplete"):
                seen.reason, seen.usage = event.response.status, event.response.usage is not None
                assert event.response.output_text == seen.text


def openai_responses_at_once(url: str, model: str, seen: Seen) -> None:
    import openai

    reply = openai.OpenAI(base_url=f"{url}/v1", max_retries=0).responses.create(model=model, input="?", tools=RESPONSES_TOOLS)
    seen.text, seen.reason, seen.usage = reply.output_text, reply.status, reply.usage is not None
    for item in reply.output:
        if item.type == "function_call":
            seen.call(item.name, item.arguments)


def anthropic_events(url: str, model: str, seen: Seen) -> None:
    import anthropic

    client = anthropic.Anthropic(base_url=url, max_retries=0)
    said: dict[int, list[str]] = {}
    for event in client.messages.create(model=model, max_tokens=99, messages=ASKED, tools=MESSAGES_TOOLS, stream=True):
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            said[event.index] = [event.content_block.name, ""]
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            seen.text += event.delta.text
        elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            said[event.index][1] += event.delta.partial_json
        elif event.type == "message_delta":
            seen.reason = event.delta.stop_reason
            seen.usage = event.usage.output_tokens > 0
    for name, arguments in said.values():
        seen.call(name, arguments)


def anthropic_helper(url: str, model: str, seen: Seen) -> None:
    import anthropic

    client = anthropic.Anthropic(base_url=url, max_retries=0)
    with client.messages.stream(model=model, max_tokens=99, messages=ASKED, tools=MESSAGES_TOOLS) as stream:
        for text in stream.text_stream:
            seen.text += text
        final = stream.get_final_message()
    _message(final, seen)


def anthropic_at_once(url: str, model: str, seen: Seen) -> None:
    import anthropic

    client = anthropic.Anthropic(base_url=url, max_retries=0)
    _message(client.messages.create(model=model, max_tokens=99, messages=ASKED, tools=MESSAGES_TOOLS), seen)


def _message(message: Any, seen: Seen) -> None:
    seen.text = "".join(block.text for block in message.content if block.type == "text")
    seen.reason, seen.usage = message.stop_reason, message.usage.output_tokens > 0
    for block in message.content:
        assert block.type != "text" or block.text, "an empty text block: the API refuses it in a history"
        if block.type == "tool_use":
            seen.call(block.name, block.input)


def _gemini(url: str, model: str, seen: Seen, *, streams: bool) -> None:
    from google import genai
    from google.genai import types

    declared = types.FunctionDeclaration(name="weather", description="The weather", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url))
    asked: Any = {"model": model, "contents": "What is the weather?", "config": config}
    replies = client.models.generate_content_stream(**asked) if streams else [client.models.generate_content(**asked)]
    for reply in replies:
        for part in (reply.candidates[0].content.parts if reply.candidates and reply.candidates[0].content else None) or ():
            if part.text and not part.thought:
                seen.text += part.text
            if part.function_call:
                seen.call(part.function_call.name, part.function_call.args)
        if reply.candidates and reply.candidates[0].finish_reason:
            seen.reason = str(reply.candidates[0].finish_reason.value)
        seen.usage = seen.usage or reply.usage_metadata is not None


def gemini(url: str, model: str, seen: Seen) -> None:
    _gemini(url, model, seen, streams=True)


def gemini_at_once(url: str, model: str, seen: Seen) -> None:
    _gemini(url, model, seen, streams=False)


def _ollama(url: str, model: str, seen: Seen, *, streams: bool) -> None:
    import ollama

    client = ollama.Client(host=url)
    found: Any = client.chat(model=model, messages=ASKED, tools=CHAT_TOOLS, stream=streams)
    for reply in found if streams else [found]:
        seen.text += reply.message.content or ""
        seen.reason = reply.done_reason or seen.reason
        seen.usage = seen.usage or bool(reply.eval_count)
        for call in reply.message.tool_calls or ():
            seen.call(call.function.name, dict(call.function.arguments))


def ollama(url: str, model: str, seen: Seen) -> None:
    _ollama(url, model, seen, streams=True)


def ollama_at_once(url: str, model: str, seen: Seen) -> None:
    _ollama(url, model, seen, streams=False)


def litellm(url: str, model: str, seen: Seen) -> None:
    import litellm as library

    stream = library.completion(
        model=f"openai/{model}", api_base=f"{url}/v1", api_key="k", messages=ASKED, tools=CHAT_TOOLS, stream=True, max_retries=0
    )
    chunks = list(stream)
    reply: Any = library.stream_chunk_builder(chunks)
    seen.text, seen.reason = reply.choices[0].message.content or "", reply.choices[0].finish_reason
    for call in reply.choices[0].message.tool_calls or ():
        seen.call(call.function.name, call.function.arguments)


def langgraph(url: str, model: str, seen: Seen) -> None:
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    @tool  # type: ignore[untyped-decorator, unused-ignore]
    def weather(city: str) -> str:
        """The weather of a city."""
        seen.call("weather", {"city": city})
        return "sunny"

    agent = create_react_agent(ChatOpenAI(model=model, base_url=f"{url}/v1", max_retries=0, streaming=True), [weather])
    final = agent.invoke({"messages": ASKED}, {"recursion_limit": 12})["messages"][-1]
    seen.text, seen.answered = str(final.content), not final.tool_calls


def pydantic_ai(url: str, model: str, seen: Seen) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    agent = Agent(OpenAIChatModel(model, provider=OpenAIProvider(base_url=f"{url}/v1", api_key="k")), retries=2)

    @agent.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        seen.call("weather", {"city": city})
        return "sunny"

    async def main() -> None:
        async with agent.iter("What is the weather?") as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for _ in stream:
                            pass
        assert run.result is not None
        seen.text, seen.answered = run.result.output, True

    asyncio.run(main())


def instructor(url: str, model: str, seen: Seen) -> None:
    import instructor as library
    import openai
    from pydantic import BaseModel

    class weather(BaseModel):  # noqa: N801  # the name of the tool
        city: str

    client = library.from_openai(openai.OpenAI(base_url=f"{url}/v1", max_retries=0))
    made = client.chat.completions.create(model=model, messages=ASKED, response_model=weather, max_retries=2)
    seen.call("weather", made.model_dump())
    seen.answered = True


def smolagents(url: str, model: str, seen: Seen) -> None:
    import smolagents as library

    class Weather(library.Tool):  # type: ignore[misc, name-defined, unused-ignore]
        name = "weather"
        description = "The weather"
        inputs: ClassVar[Any] = {"city": {"type": "string", "description": "A city"}}
        output_type = "string"

        def forward(self, city: str) -> str:
            seen.call("weather", {"city": city})
            return "sunny"

    asked = library.OpenAIServerModel(model_id=model, api_base=f"{url}/v1", api_key="k", client_kwargs={"max_retries": 0})
    agent = library.ToolCallingAgent(tools=[Weather()], model=asked, max_steps=4, verbosity_level=library.LogLevel.OFF)
    found = agent.run("What is the weather?", return_full_result=True)
    seen.text, seen.answered = str(found.output), found.state == "success"


def _said(command: list[str], folder: str, **variables: str) -> str:
    """Return what a command line prints for its user."""
    made = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder, env={**os.environ, "HOME": folder, **variables}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return _printed(made.returncode, made.stdout, made.stderr)


def _printed(code: int, out: str, err: str) -> str:
    if code:
        raise RuntimeError((err.strip().splitlines() or ["no word"])[-1])
    return out.strip()


class _Beside:
    """A command line in an environment of its own, beside this one: its requirements fight with those of the others. It takes
    seconds to start, so that it is started once (see tests/kit/forked.py).
    """

    def __init__(self, name: str, *imported: str) -> None:
        python = Path(sys.prefix).with_name(name) / "bin" / "python"
        if not python.exists():
            raise ModuleNotFoundError(f"{python} is not there")
        self._module = name
        self.home = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            [python, "-P", Path(__file__).with_name("forked.py"), *imported],
            env={**os.environ, "HOME": self.home.name}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        atexit.register(self._end)

    def said(self, arguments: list[str], folder: str, **variables: str) -> str:
        """Return what it prints for its user."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        run = {"module": self._module, "arguments": arguments, "folder": folder, "variables": variables}
        print(json.dumps(run), file=self._process.stdin, flush=True)
        return _printed(**json.loads(self._process.stdout.readline()))

    def _end(self) -> None:
        self._process.communicate()
        self.home.cleanup()


@cache
def _beside(name: str, *imported: str) -> _Beside:
    return _Beside(name, *imported)


def _called(folder: str, seen: Seen) -> None:
    """See the calls that were run: each leaves a line in a file."""
    called = Path(folder, "called")
    for city in called.read_text(encoding="utf-8").splitlines() if called.exists() else ():
        seen.call("weather", {"city": city})


_FUNCTION = """
def weather(city: str) -> str:
    with open("called", "a") as file:
        file.write(city + chr(10))
    return "sunny"
"""


def llm_command(url: str, model: str, seen: Seen) -> None:
    with tempfile.TemporaryDirectory() as folder:
        known = {"model_id": "m", "model_name": model, "api_base": f"{url}/v1", "api_key_name": "openai"}
        models = [{**known, "supports_tools": True}]
        Path(folder, "extra-openai-models.yaml").write_text(json.dumps(models), encoding="utf-8")  # JSON is YAML
        command = ["llm", "-m", "m", "--functions", _FUNCTION, "What is the weather?"]
        seen.text, seen.answered = _said(command, folder, LLM_USER_PATH=folder), True
        _called(folder, seen)


def shell_gpt(url: str, model: str, seen: Seen) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["sgpt", "--no-md", "--no-cache", "--no-functions", "--model", model, "What is the weather?"]
        seen.text = _said(command, folder, API_BASE_URL=f"{url}/v1", PRETTIFY_MARKDOWN="false", OPENAI_USE_FUNCTIONS="false")


_GPTME_TOOL = """
from gptme.message import Message
from gptme.tools.base import Parameter, ToolSpec


def execute(code, args, kwargs):
    with open("called", "a") as file:
        file.write(kwargs["city"] + chr(10))
    return Message("system", "sunny")


city = Parameter("city", "string", "A city", required=True)
tool = ToolSpec("weather", "The weather", execute=execute, block_types=["weather"], parameters=[city])
"""


def _tokenizers() -> str:
    """Return the folder of tokenizers that one of these packages has in it, so that none is loaded from the network."""
    found = find_spec("litellm")
    folders = found.submodule_search_locations if found else None
    return str(Path(folders[0], "litellm_core_utils", "tokenizers")) if folders else ""


def gptme(url: str, model: str, seen: Seen) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "weather.py").write_text(_GPTME_TOOL, encoding="utf-8")
        command = ["--non-interactive", "--output-format", "json", "--model", f"local/{model}", "--tools", "weather.py"]
        variables = {"OPENAI_BASE_URL": f"{url}/v1", "TIKTOKEN_CACHE_DIR": _tokenizers()}
        program = _beside("gptme", "anthropic", "openai.resources.chat", "gptme.cli.main", "gptme.chat")
        said = program.said([*command, "What is the weather?"], folder, **variables)
        rows = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        answers = [row for row in rows if row.get("role") == "assistant"]
        texts = [row["content"].partition("\n@weather(")[0] for row in answers]  # a call is shown as a line of the text
        seen.text = "\n--\n".join(dict.fromkeys(texts))  # asked whether it is done, the model says the same again
        seen.usage = any("usage" in row.get("metadata", {}) for row in answers)
        _called(folder, seen)
        seen.answered = bool(seen.calls) and texts[-1] != texts[0]


def aider(url: str, model: str, seen: Seen) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "weather.json")
        file.write_text('{"city": "Rome"}\n', encoding="utf-8")
        command = ["--model", f"openai/{model}", "--openai-api-base", f"{url}/v1", "--no-git", "--yes-always", "--no-pretty"]
        command += ["--no-check-update", "--analytics-disable", "--no-show-model-warnings", "--no-show-release-notes"]
        command += ["--no-auto-lint"]  # or else it asks again, up to three times, for JSON that is broken
        command += ["--edit-format", "diff"] if model == "an-edit-of-a-file" else []
        program = _beside("aider", "litellm", "openai.resources.chat", "networkx", "aider.main")
        known = Path(program.home.name, ".aider", "caches", "model_prices_and_context_window.json")
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text("{}", encoding="utf-8")  # which it writes itself where it cannot load the prices
        said = program.said([*command, "--message", "What is the weather?", file.name], folder)
        _, _, said = said.partition(f"Added {file.name} to the chat.\n")
        lines = said.strip().splitlines()
        seen.usage = any(line.startswith("Tokens: ") for line in lines)
        seen.text = "\n".join(line for line in lines if not line.startswith("Tokens: ")).strip()
        for path in sorted(Path(folder).glob("[!.]*")):
            text = path.read_text(encoding="utf-8")
            seen.text += f"\n\n{path.name}:\n{text}" if "Rome" not in text else ""


PROGRAMS: dict[str, Callable[[str, str, Seen], None]] = {
    "openai": openai_chat,
    "openai, its helper, async": openai_helper,
    "openai, `stream=False`": openai_chat_at_once,
    "openai responses, its helper": openai_responses,
    "openai responses, `stream=False`": openai_responses_at_once,
    "anthropic": anthropic_events,
    "anthropic, its helper": anthropic_helper,
    "anthropic, `stream=False`": anthropic_at_once,
    "google-genai": gemini,
    "google-genai, not streamed": gemini_at_once,
    "ollama": ollama,
    "ollama, `stream=False`": ollama_at_once,
    "litellm": litellm,
    "LangGraph agent": langgraph,
    "pydantic-ai agent": pydantic_ai,
    "instructor": instructor,
    "smolagents agent": smolagents,
    "llm, the command": llm_command,
    "sgpt, the command": shell_gpt,
    "gptme, the command": gptme,
    "aider, the command": aider,
}

_MISSING = (ImportError, ModuleNotFoundError)


def main() -> int:
    """Run the programs that are named, or all, and print a row for each scenario."""
    os.environ |= ENVIRONMENT
    warnings.simplefilter("ignore")
    urls, *names = sys.argv[1:]
    scenarios = sys.stdin.read().splitlines()
    for name in names or PROGRAMS:
        for scenario, url in product(scenarios, urls.split(",")):
            seen, error = Seen(), None
            try:
                PROGRAMS[name](url, scenario.replace(" ", "-"), seen)
            except _MISSING as missing:
                print(json.dumps({"program": name, "missing": str(missing)}), flush=True)
                break
            except Exception as failed:  # what its user is told
                error = f"{type(failed).__name__}: {failed}"[:300]
            row = {"program": name, "scenario": scenario, "url": url, **vars(seen), "error": error}
            row.pop("choices")
            print(json.dumps(row, default=str), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
