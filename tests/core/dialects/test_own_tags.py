"""Which brackets of a text close what it opened."""

from __future__ import annotations

import pytest

from stream_guard.dialects.own_tags import own_brackets


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ('Omit<Page, "body">;', "<Page"),
        ('Omit<Partial<Page>, "body">;', "<Partial"),
        ("Foo<{ a: string; b: X }, body>\n", "<{"),
        ("Omit<\n  Page,\n  body>;", "<\n"),
        ("parse::<Vec<_>, body>\n", "<Vec"),
        ("Box<dyn Fn(i32) -> body>\n", "<dyn"),
        ("Class<? extends body>", "<?"),
        ('<a onclick="if(a>b){c()}" class="body">', "<a"),
        ('<a href="<?= $a->b ?>" class="body">', "<a"),
        ("<a b={c > d} e={() => f} g={h>i}>", "<a"),
        ("<a {% if x > 1 %}b{% endif %} class='body'>", "<a"),
        ('<Select<Item> name="body">', "<Select"),
        ("<b><c/></b>", "</b"),
        ('sort < in | grep "body">', "< in"),
        ('a<b, "body">', "<b"),
        ("<!-- a --><b>", "<b"),
        ("<x\n>", "<x"),
        ("a << b; c<d>", "<d"),
    ],
)
def test_a_bracket_that_closes_what_the_text_opened(text: str, opened: str) -> None:
    at = text.rindex(">")
    assert text.startswith(opened, own_brackets(text)[at].start)


@pytest.mark.parametrize(
    "text",
    [
        "a > b",
        "x>y",
        'he="timeout">',
        'for (i=0; i<n; i++) he="timeout">',
        'if (a<b) he="timeout">',
        'while a < b\nhe="timeout">',
        'a<b && c="timeout">',
        'he<="timeout">',
        'he</pad"only">',
        'update< name="text">',
        "a->b",
        "(a) => b",
        'cout << x << "timeout">',
        "<!-- a -->",
    ],
)
def test_a_bracket_that_closes_nothing(text: str) -> None:
    assert text.rindex(">") not in own_brackets(text)


def test_the_work_is_that_of_one_pass() -> None:
    for unit in ("<a ", "<a b=", "a<b, ", "<", "(<", "</", '<a b="'):
        assert len(own_brackets(unit * 20_000)) <= 20_000
