"""The browser's client: its own tests under Node, its types, and what it would be as a package."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from javascript import MODULES, node

CLIENT = Path(__file__).parents[1] / "adapters" / "js"


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """A copy of it, with what its tests need beside it."""
    node()  # or else skip
    copy = tmp_path / "js"
    shutil.copytree(CLIENT, copy, ignore=shutil.ignore_patterns("node_modules", "types"))
    (copy / "node_modules").symlink_to(MODULES)
    return copy


def run(client: Path, *arguments: str) -> str:
    done = subprocess.run([node(), *arguments], cwd=client, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_own_tests_pass(client: Path) -> None:
    said = run(client, "--test", "--test-reporter=tap")
    assert int(said.partition("# pass ")[2].split()[0]) > 40


def test_its_types_check_and_are_those_of_a_user(client: Path) -> None:
    """Strictly; and a program that uses it wrongly does not compile."""
    tsc = str(MODULES / "typescript" / "bin" / "tsc")
    run(client, tsc, "-p", "tsconfig.json")
    uses = client / "uses"
    (uses / "node_modules").mkdir(parents=True)
    (uses / "node_modules" / "stream-guard-client").symlink_to(client)
    program = """
import { Executors, JsonToolParser, connect, initial, reduce, type StreamEvent, type ToolBlock } from "stream-guard-client";
import { followEvents } from "stream-guard-client/fetch";
let message = initial();
connect("/events", { onEvent: (event: StreamEvent) => { message = reduce(message, event); } });
const executors = new Executors<string>().register("write_file", async (call) => call.path);
for await (const event of followEvents("/events")) {
  if (event.type === "json-tool-block") {
    const block: ToolBlock = event.data;
    const call = new JsonToolParser().parseBlock(block);
    if (call) await executors.run(call);
  }
}
"""
    settings = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"]
    for name, more, fits in (("good", "", True), ("bad", "const wrong: number = message.lastId;", False)):
        (uses / f"{name}.mts").write_text(program + more)
        done = subprocess.run([node(), tsc, *settings, f"{name}.mts"], cwd=uses, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == fits, done.stdout


def test_it_is_a_good_package(client: Path) -> None:
    """By publint's rules; with no dependency; and its files are all there is in it."""
    run(client, str(MODULES / "typescript" / "bin" / "tsc"), "-p", "tsconfig.json")
    run(client, str(MODULES / "publint" / "src" / "cli.js"), "--strict", "--pack", "false")
    told = json.loads((client / "package.json").read_text())
    assert "dependencies" not in told


def test_the_browsers_entry_imports_nothing_from_elsewhere() -> None:
    for path in (CLIENT / "src").glob("*.js"):
        if path.name != "fetch.js":
            imports = [
                line for line in path.read_text().splitlines() if line.startswith(("import ", "export {", "export * from"))
            ]
            assert all('"./' in line for line in imports if " from " in line), path.name
