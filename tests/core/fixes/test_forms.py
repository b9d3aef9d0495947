"""Two lines that have one form, and others that only look so."""

from __future__ import annotations

import pytest

from stream_guard.fixes.forms import are_of_one_form

ALIKE = [

    "https://a.b/c~http://d.e",
    "ann@example.com~bob@example.com",
     "• milk~• eggs", "a) one~b) two", "#include <stdio.h>~#define MAX 10",
    '{"a": 1}~{"a": 2}',
    '"a": 1,~"b": [', "enabled: true~retries: 3", 'version: \\"3\\"~services:', 'import \\"fmt\\"~func main() {',
    "    print(name)~else:", "  a.sum(&:price)~end", "self.total -= amount~if self.total < 0:", 'package main~import \\"fmt\\"',
    "total: int = 0~def pay(self) -> None:",
]  # fmt: skip
OF_CODE = [
    "git add .~git commit -m x", "npm install~npm test", "cd src~mkdir -p build", "export A=1~git push",

]  # fmt: skip
NOT_ALIKE = [
    "2024-01-02 10:00:00 INFO started~2024-01-02 10:00:01 ERROR no file", "9:00 Standup~9:30 Review",
    "Hello Ann,~see you tomorrow.", "hi bob,~can you call me?", "id,name,age~1,Ann,31",
    "date\tamount~2024-01-02\t10.50",
    "9:00 to~9:30", "2024-01-02 trip until~2024-01-05 or so", "9:00 Standup~2024-01-02 dentist", "https://a.b/~https://c.d",
    "dear old,~cheap and bad", "Hello Ann,~see", "id,name,date~time,city,5", "id,name~1,Ann,31", "item,price~milk,1.20",
    "• milk~ • eggs", "a) one~c) three", "a) one~b) two c) three", '"a": 1,~"b": 2, "c": 3', '"a": 1,~ "b": 2',
    "key: value~other: thing",
    "ok: true~st: x", "print(name)~else:", "  x.s~end", "x = mot~if y", "if (a) f(b)~if (c) {", "it's~it's",
    "buy milk~call the bank",
    "package main~import x",
]  # fmt: skip
NOT_OF_CODE = [
    "select id, name~from users", "from users~where active = 1", "where active = 1~order by name",
    "npm install le~git add -D", "git add and~git commit", "git commit -m~git push", "cd tools && cd too~git push x",
    "docker run -it app~npm test", "select validfrom~from from t", "select id from else~where where x = 1",
    "select x from b~order by y",
    "update re~set set a = 1", "mv ala~rm beta",
]  # fmt: skip


@pytest.mark.parametrize("lines", [*ALIKE, *OF_CODE])
def test_lines_of_one_form(lines: str) -> None:
    before, after = lines.split("~")
    assert are_of_one_form(before, after, code=True)
    assert are_of_one_form(before, after, code=False) == (lines in ALIKE)


@pytest.mark.parametrize("lines", [*NOT_ALIKE, *NOT_OF_CODE])
def test_lines_that_only_look_alike(lines: str) -> None:
    before, after = lines.split("~")
    assert not are_of_one_form(before, after, code=True)


@pytest.mark.parametrize("blank", [("x ", "y"), ("x", " y")])
def test_a_break_beside_a_blank_slipped_in(blank: tuple[str, str]) -> None:
    one, two = blank
    assert not are_of_one_form(f"https://a.b/{one}", f"https://a.b/{two}", code=True)


def test_a_long_line_has_no_form() -> None:
    assert are_of_one_form("• one", "• " + "b" * 400, code=False)
    assert not are_of_one_form("• one", "• " + "b" * 600, code=False)
