"""Honest source code of many languages in which signs of markup stand around words that may be names of fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

CODE: Final = {
    "TypeScript": [
        "const a: Pick<Page, 'GG'> = b as Omit<Page, \"FF\">;",
        'type A = Omit<Partial<Page>, "GG"> & { a: string };',
        "statuses?: Array<'GG' | 'FF'> | null;",
        "expectType<'GG' | 'FF'>({} as A<'x', `b${string}`>);",
        "expectType<{a: Omit<B, 'FF'>}>(c);",
        'f<"FF">(x);',
        "type A = Tagged<string, 'FF'>;\ntype B = Tagged<number, 'GG'>;",
        'type A = B<{ a: string; b: "c" }, "FF">;',
        "type A = Omit<\n  Page,\n  | 'GG'\n  | \"FF\">;\nx",
        "const m = new Map<string, FF>\n  ();",
        "a\n\t\t? Helper<Path<A, B>, FF>\n\t\t: A;",
        "function f<FF extends Page, GG>(a: FF): GG {}",
        "const f = <FF,>(x: FF) => x as Record<FF, GG>\nlet y = 1",
        "for (let i = 0; i<n; i++) { m = new Map<GG, FF>\n() }",
        "if (a<b && c>FF) { d() }",
        'x = a<b, "FF">d;',
        "x.FF<FF",
        "this.GG<GG && FF>3",
    ],
    "comparisons": [
        "size>size_max",
        "a.size>a.sizes[0]",
        "hand>hands.length",
        "a.e>a.f",
        "a.ut>a.in",
    ],
    "JSX": [
        '<Route GG="a" x={<Page FF="b">c</Page>} />',
        '<input\n  onChange={() => set(1)}\n  title="FF">\nx',
        '<Select<Item> x="a" name="FF">b</Select>',
        '<a onClick={a > b ? c : d} className="FF">x</a>',
        "<input\n  onChange={(e) => f(e)}\n  FF>\nx",
    ],
    "C++": [
        "template <typename T, typename FF>\nclass A {};",
        "template <class GG,\n          class FF>\nvoid f();",
        "std::map<std::string, std::vector<FF>> m;",
        "std::map<std::pair<int, int>, FF>\n  m;",
        "std::array<int, FF>\n  a;",
        "g<&bar::FF>\n(x);",
        "A<1, FF>\nx;",
        "#include <FF>\n#include <GG>",
        "#include <GG>\n#include <FF>\n#include <x>",
        'cout << "FF" << x->y << endl;',
        "p->FF>q->GG",
        "auto x = static_cast<FF>(y<GG>::value);",
    ],
    "Rust": [
        "let x = s.parse::<FF>()?;",
        "iter.collect::<Vec<_>, FF>\n();",
        "impl<'a, FF> A<'a, FF>\nwhere",
        "fn f<T: Into<GG>, FF>\n(x: FF) {}",
        "x: Box<dyn Fn(i32) -> FF>\nx",
        "<T as FF>::GG",
    ],
    "Java": [
        '@Named("FF") List<FF> x;',
        "Class<? extends FF>\n  x;",
        "Map<String, @NonNull FF>\n  m;",
        "Map<GG, List<FF>>\n  get();",
        "A.<FF>b(new HashMap<>(GG));",
        "if (a<FF&&b>GG) {}",
    ],
    "C#, Go, Kotlin": [
        "Task<FF>\nGet();",
        '[Attr("FF")] Dictionary<string, FF>\n  x;',
        "ch <- FF\nif a<GG {",
        "val x: Map<GG, FF>\nfun <FF> f()",
    ],
    "HTML": [
        '<div id="FF">x</div>',
        '<div class="a FF">x</div>',
        '<div class="FF">\n<div class="FF-2">',
        '<div class="a-FF"><div class="a-GG">',
        '<div class="a\n   b FF">x</div>',
        "<input type=FF>\n<input name='FF'>",
        '<a href="x?a=1&b=2" title="FF">x</a>',
        '<div style="a: b; c: d" class="FF">x</div>',
        '<a onclick="if(a>b){c()}" class="FF">x</a>',
        "<div\n  id='GG'\n  class=\"FF\">\n</div>",
        "<p>a</p\n>",
        "<option value=GG selected FF>\nx",
        "html += '<div' + (a<b ? '' : 'x') + ' class=\"FF\">';",
        "x</paragraph>\n</pages>",
    ],
    "templates": [
        '<input value="<?= $a->b ?>" name="FF">',
        '<?php if ($a > 1): ?>\n<p class="FF">',
        '<div class="<?php echo $x; ?> FF">',
        '<a href="{{ url }}" class="FF">x</a>',
        '<a {% if x > 1 %}a{% endif %} class="FF">x</a>',
        '<%= link %>\n<b class="FF">x</b>',
        '<b :is="a > b" name="FF">x</b>',
        '<b @click="x => y" name="FF">x</b>',
    ],
    "XML": [
        '<x:y xmlns:x="u" x:z="FF">z</x:y>',
        '<?xml version="1.0"?>\n<a FF="x"/>',
        "<x:a>\n  <x:FF>\n  1</x:FF>\n</x:a>",
        "<!DOCTYPE FF>\n<a/>",
        "<!ELEMENT FF (GG)>\nx",
    ],
    "shells": [
        "cat <in >FF",
        "echo 'on FF'>out.txt",
        'echo "on FF">log',
        'echo "say \\"hi\\" to FF">log',
        'echo "a\nb FF">log',
        'git commit -m "a\n\nb FF">log',
        'sort <in "FF">out',
        'sort < in | grep "FF">out',
        'cat <<"FF">out\nx\nFF',
        "cat <<FF>GG\nx\nFF",
        "diff <(ls FF) <(ls GG)",
        "wc -l </file",
        "while read x; do y; done </input.txt",
        "run 2>FF <GG",
    ],
    "patterns": [
        're.sub(r"</p[^>]*>", "", FF)',
        're.sub(r"<i>a</i\\s*>", "", FF)',
        'r"<p[^>]*>(.*?)</p[^>]*>"',
        's.startswith("</p")',
        'x = "</t" + "able>"',
        "if '</item' in FF:",
        "at = text.find('</title')",
        "it ends with `</p`",
    ],
    "prose": [
        "See <https://example.com/FF>\nand <FF@example.com>\nx",
        "- <https://a.b/GG>\n- <https://a.b/FF>\nx",
        "Usage: x <FF> [--GG]; if (a < GG && b > FF) {}",
        "Press <kbd>FF</kbd>, or <i>GG</i>.",
        "| <FF> | <GG> |\n| --- | --- |",
        "$a<FF$ and $b>GG$",
    ],
    "diffs": [
        '-<div class="GG">\n+<div class="FF">\nx',
        "@@ -1 +1 @@\n-#include <GG>\n+#include <FF>\nx",
        '-  a: Pick<A, "GG">;\n+  a: Pick<A, "FF">;\nx',
        "<<<<<<< FF\nx\n=======\ny\n>>>>>>> GG\nx",
    ],
    "logs": [
        "<14>1 2024-01-01 host FF - - x",
        "<FF> hi\n<GG> hello\nx",
        "From: A <a@FF>\nTo: B <b@GG>\nx",
    ],
    "others": [
        "while (my $x = <$FF>\n) {}",
        "x <- FF\ny <= GG",
        "FF|>GG",
        "f<|FF",
        "f <$> FF <*> GG",
        'SELECT GG FROM t WHERE a<5 AND "FF">3',
        "SELECT GG FROM t WHERE a<>5 AND FF>3",
        "ul>FF{} FF>li{}",
        "total<estimate && FF>estimate",
        "std::vector<essay_t, FF> x;",
        "<cape>FF</cape>",
    ],
}
"""Texts by language: `FF` and `GG` are words."""

IN_OTHERS: Final = [
    'echo "FF">out.txt',
    'run --mode="FF">log 2>&1',
    'run -a --mode="GG" --x="FF">log',
    'make CC="FF">log',
    "$ run\nmy_FF> x\nmy_FF>\n$ end",
]
"""Texts that are no value of the field `FF` itself: it would hold the end of its own opener."""

WORDS: Final = (("body", "slug"), ("timeout", "stdin"), ("name", "title"), ("value", "type"))
"""What stands for `FF` and `GG`."""


def code_values() -> Iterator[tuple[str, str, str]]:
    """Yield each text with its words: its language, the text, and what stands for `FF`."""
    for language, texts in {**CODE, "in others": IN_OTHERS}.items():
        for text in texts:
            yield from ((language, text.replace("FF", one).replace("GG", other), one) for one, other in WORDS)
