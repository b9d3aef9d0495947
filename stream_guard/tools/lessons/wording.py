"""What is said of a lesson that breaks a rule of its own, by the rule's constraint.

What its schema says is said in the words of `values/wording.py`, as for any tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    "bncc": "names no code of the BNCC, such as EF06MA07 or EM13LGG101",
    "first": 'must be "head-1": a lesson opens with its head',
    "cognitive_load": "all ask as much of a pupil ({load}): mix them",
    "flow": "practice comes before there is anything to practise: first content, then practice, then a quiz",
    "assessment": "there is no quiz-1, so nobody learns what was learnt",
    "variety": "{count} of {all} are {kind}: vary them",
    "reachable": "did not answer: {why}",
    "blank": "must not be blank",
    "url": "must be an address such as https://example.com/a.png",
    "color": "must be a colour such as #ff8800",
    "percentage": 'must be a percentage such as "50%"',
    "min_text": "must have at least {least} characters that a reader sees",
    "wrapped": "must stand in a paragraph: <p>...</p>",
    "safe": "must hold no script, no handler and no dangerous address",
    "well_formed": "must be well-formed HTML: {flaw}",
    "right_answer": "must have a right answer: none is marked",
}
"""What is wrong, as the end of a sentence that begins with the field."""

ERROR: Final = '"{field}" {words}'
ADVICE: Final = "{field}: {words}"
"""The sentence: of what a lesson must not be, and of what it had better not be."""
