"""The messages of the rules of lessons, by constraint.

Issues of the schema have the messages of `values/wording.py`, as for any tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEACHING: Final[Mapping[str, str]] = {
    "cognitive_load": "no widget has a {load} load: mix low, medium and high ones, for example with {kinds}",
    "flow": "{kind} comes before there is anything to practise: put content first, then flashcards, then the quiz",
    "cards_first": "flashcards-1 comes after the quiz at {quiz}: put flashcards before the quiz",
    "quiz_last": "{kind} comes after the quiz at {quiz}: put content before the quiz about it",
    "assessment": "there is no quiz-1: add one, so that pupils and teachers see what was learnt",
    "variety": "{count} of {all} are {kind}: use other widgets too",
}
"""The messages of advice about which widgets a lesson has, and in which order."""

SENTENCES: Final[Mapping[str, str]] = {
    "bncc": "names no code of the BNCC, such as EF06MA07 or EM13LGG101",
    "first": 'must be "head-1": a lesson opens with its head',
    **TEACHING,
    "left_out": "{what}",
    "reachable": "did not answer: {why}",
    "blank": "must not be blank",
    "url": "must be an address such as https://example.com/a.png",
    "color": "must be a colour such as #ff8800",
    "percentage": 'must be a percentage such as "50%"',
    "min_text": "must have at least {least} characters that a reader sees",
    "wrapped": "must stand in a paragraph: <p>...</p>",
    "safe": "must hold no markup that is not allowed: no script, no event handler, no dangerous address",
    "well_formed": "must be well-formed HTML: {flaw}",
    "right_answer": "must have a right answer: none is marked",
}
"""The messages of rules, each the end of a sentence that begins with the field."""

LEFT_OUT: Final = 'Left out "{field}", which is optional and {why}'
"""The description of a change that removes an optional value."""

UNREADABLE: Final[Mapping[str, str]] = {
    "type": "has a value of another type",
    "range": "is out of range",
    "url": "is no address",
    "color": "is no colour",
    "enum": "is none of the allowed values",
}
"""The reason why an optional value is removed, by the rule that it breaks."""

ERROR: Final = '"{field}" {words}'
"""The sentence of an error."""

ADVICE: Final = "{field}: {words}"
"""The sentence of advice."""
