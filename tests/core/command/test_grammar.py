"""The command `grammar`."""

from __future__ import annotations

import json

import pytest

from stream_guard.command.cli import main
from stream_guard.tools.files import FILE_TOOLS


def test_a_grammar_is_printed_and_what_it_does_not_say_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grammar", "--dialect", "hermes"]) == 0
    printed = capsys.readouterr()
    assert printed.out == FILE_TOOLS.to_lark("hermes").text
    assert printed.err.splitlines()[0] == "write_file: path_rule: accepts more: it is written in Python"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--format", "gbnf", "--calls-only"], FILE_TOOLS.to_gbnf(prose=False)),
        (["--format", "gbnf"], FILE_TOOLS.to_gbnf()),
        (["--format", "structural-tag", "--dialect", "mistral", "--old"], FILE_TOOLS.to_structural_tag("mistral", shape="old")),
        (["--format", "json-schema"], FILE_TOOLS.to_json_schema()),
    ],
)
def test_one_json_document_has_all_of_it(arguments: list[str], expected: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grammar", "--json", *arguments]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["text"], printed["triggers"]) == (expected.text, list(expected.triggers))  # type: ignore[attr-defined]
    assert printed["not_expressed"][0]["rule"] == "path_rule"


def test_a_dialect_without_a_grammar_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grammar", "--dialect", "harmony"]) == 2
    assert "there are grammars for fence" in capsys.readouterr().err
