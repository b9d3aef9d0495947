"""What each file of tests tries the promises on, and who made that: the page of promises prints both.

A file whose tests try to break a promise has a row here; `tests/project/test_proof.py` fails without it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Maker(StrEnum):
    """Who made what a test tries."""

    AUTHORS = "the authors, by hand"
    GENERATOR = "a generator of the authors"
    APART = "authors who had not read the code under test"
    OUTSIDE = "others: recordings and test data that are not part of the project"


TRIED_ON: Final[dict[str, tuple[str, Maker]]] = {
    "adapters/engine/test_calls_in_parts.py": ("calls whose arguments come member by member", Maker.AUTHORS),
    "adapters/engine/test_cut_calls.py": ("native calls with one flaw each, cut off anywhere", Maker.AUTHORS),
    "adapters/engine/test_ends.py": ("steps at the end of a stream that fail, each in its turn", Maker.AUTHORS),
    "adapters/engine/test_framing.py": ("long events whose strings do not end", Maker.AUTHORS),
    "adapters/engine/test_lanes.py": ("streams of every protocol, several texts at once", Maker.AUTHORS),
    "adapters/engine/test_many_lanes.py": ("thousands of texts and calls in one stream", Maker.GENERATOR),
    "adapters/engine/test_repeated_texts.py": ("texts of every dialect that later events repeat", Maker.GENERATOR),
    "adapters/engine/test_odd_pieces.py": ("pieces of native calls that lack members, or have others", Maker.GENERATOR),
    "adapters/engine/test_where_arguments_stand.py": ("arguments at every place of a stream at once", Maker.GENERATOR),
    "adapters/engine/test_order.py": ("native calls one behind another", Maker.AUTHORS),
    "adapters/protocols/test_litellm_approval.py": ("calls that nobody has approved", Maker.AUTHORS),
    "adapters/engine/test_two_names.py": ("native calls with two names, in every protocol", Maker.GENERATOR),
    "adapters/engine/test_more_calls.py": ("native calls of every protocol", Maker.AUTHORS),
    "adapters/engine/test_native_calls.py": ("native calls of every protocol", Maker.AUTHORS),
    "adapters/engine/test_promotion.py": ("calls in text that become native ones", Maker.AUTHORS),
    "adapters/engine/test_replies.py": ("whole replies of odd shapes", Maker.AUTHORS),
    "adapters/engine/test_request_tools.py": ("requests with tools, and replies that call others", Maker.AUTHORS),
    "adapters/engine/test_shown.py": ("texts with blocks in every dialect", Maker.AUTHORS),
    "adapters/resume/test_resume.py": ("readers that come back, and streams that are stopped", Maker.AUTHORS),
    "adapters/test_asgi.py": ("clients that leave", Maker.GENERATOR),
    "adapters/test_model_corrector.py": ("answers of a model that corrects", Maker.AUTHORS),
    "adapters/test_unapproved.py": ("calls that nobody has approved", Maker.AUTHORS),
    "conformance/test_attack.py": ("calls with faults, of a shop's tools (stream-guard attack)", Maker.APART),
    "core/correct/test_drift.py": ("corrections: hostile ones, and drawn ones", Maker.AUTHORS),
    "core/correct/test_hostile_answers.py": ("corrections: hostile and honest ones", Maker.AUTHORS),
    "core/correct/test_left_over.py": ("blocks that were cut off anywhere, or have marks left over", Maker.GENERATOR),
    "core/correct/test_correcting.py": ("corrections: hostile and honest ones", Maker.AUTHORS),
    "core/correct/test_several_tools.py": ("corrections: hostile and honest ones", Maker.AUTHORS),
    "core/correct/test_two_readings.py": ("blocks that say two things, in every dialect, with every answer", Maker.GENERATOR),
    "core/fixes/test_against.py": ("remarks beside a call that speak against it", Maker.AUTHORS),
    "core/fixes/test_engine.py": ("calls with one fault, whose texts are real code", Maker.GENERATOR),
    "core/fixes/test_lines.py": ("line breaks in values of one line", Maker.AUTHORS),
    "core/fixes/test_mending_work.py": ("long bodies, by counted steps", Maker.GENERATOR),
    "core/fixes/test_native_arguments.py": ("arguments of native calls that hold more than one", Maker.AUTHORS),
    "core/fixes/test_remarks.py": ("prose and comments beside calls", Maker.AUTHORS),
    "core/fixes/test_shape.py": ("objects in the place of a text", Maker.AUTHORS),
    "core/fixes/test_swallowed.py": ("values that cannot be read", Maker.GENERATOR),
    "core/running/test_toolset.py": ("direct calls and native ones, with faults", Maker.APART),
    "core/scan/test_members.py": ("members of bodies that grow, at every cut", Maker.GENERATOR),
    "core/scan/test_fences.py": ("documents of fences and prose", Maker.GENERATOR),
    "core/dialects/test_response_template.py": ("templates of models, with blanks at every place", Maker.GENERATOR),
    "core/scan/test_strays.py": ("the marks of raw values of every dialect", Maker.GENERATOR),
    "core/scan/test_growing.py": ("bodies that grow by a character", Maker.GENERATOR),
    "core/schema/test_spelling.py": ("names: opposites, slips, other scripts, words of a dictionary", Maker.AUTHORS),
    "core/stream/test_guarded.py": ("readers and correctors that fail or leave at any suspension", Maker.GENERATOR),
    "core/test_guard.py": ("internal errors", Maker.AUTHORS),
    "core/toolset/test_sources.py": ("tools that come from outside", Maker.AUTHORS),
    "core/values/test_fix.py": ("faults and what a fix says it did", Maker.APART),
    "core/values/test_quoting.py": ("hostile names in blocks", Maker.AUTHORS),
    "corpora/test_rows.py": ("broken replies, each with what was meant", Maker.APART),
    "network/test_broken_networks.py": ("networks, clients, servers and gateways that break", Maker.GENERATOR),
    "network/test_gateway.py": ("hostile requests to the gateway", Maker.AUTHORS),
    "network/test_outages.py": ("outages of stores and workers", Maker.GENERATOR),
    "network/test_programs.py": ("programs of others behind the gateway", Maker.AUTHORS),
    "network/test_timeouts.py": ("slow blocks, by the clock of a server", Maker.AUTHORS),
    "network/test_workers.py": ("workers that are killed", Maker.GENERATOR),
    "promises/test_bounds.py": ("streams without end", Maker.AUTHORS),
    "promises/test_chunking.py": ("documents of fences and prose, at every cut", Maker.GENERATOR),
    "promises/test_conformance.py": ("calls with faults (stream_guard_conformance)", Maker.APART),
    "promises/test_dialect_faults.py": ("calls with faults, in the other dialects", Maker.GENERATOR),
    "promises/test_dialects.py": ("calls in every dialect", Maker.AUTHORS),
    "promises/test_file_dialects.py": ("files, edits and patches in the dialects that carry them, damaged", Maker.GENERATOR),
    "promises/test_linear.py": ("long texts and bombs, by counted steps", Maker.AUTHORS),
    "promises/test_line_ends.py": ("sentences and commands with marks of code beside a line break", Maker.GENERATOR),
    "promises/test_line_marks.py": ("texts with what a program puts before, between or inside lines", Maker.GENERATOR),
    "promises/test_lines.py": ("lines of blanks, marks and openers, whole or begun", Maker.GENERATOR),
    "promises/test_modes.py": ("streams of the protocols, wrapped, mounted and replayed", Maker.AUTHORS),
    "promises/test_mutations.py": ("streams of the protocols that go wrong", Maker.GENERATOR),
    "promises/test_one_fault.py": ("blocks in which one fault shows in two places", Maker.GENERATOR),
    "promises/test_odd_events.py": ("odd events in streams", Maker.AUTHORS),
    "promises/test_ordinary_json.py": ("ordinary JSON, and calls in every form", Maker.AUTHORS),
    "promises/test_early.py": ("calls that are judged while they are written", Maker.GENERATOR),
    "promises/test_previews.py": ("previews of values while they are written", Maker.AUTHORS),
    "promises/test_raw_ends.py": ("values without escapes that hold their own closers", Maker.GENERATOR),
    "promises/test_two_readings.py": ("blocks that may mean two things, and others like them that mean one", Maker.APART),
    "promises/test_two_lines.py": ("texts of two lines, and of one with a line break at every place", Maker.AUTHORS),
    "promises/test_lost_heads.py": ("calls quoted in texts of calls whose head was lost or is wrong", Maker.APART),
    "promises/test_marker_edits.py": ("single edits of the markers of calls with raw values", Maker.GENERATOR),
    "promises/test_calls_in_lines.py": ("calls quoted in texts of calls in lines, in every form of YAML", Maker.GENERATOR),
    "promises/test_quoted_calls.py": ("calls quoted in texts of other calls, in every dialect and setting", Maker.GENERATOR),
    "promises/test_recordings.py": ("replies and streams of real providers", Maker.OUTSIDE),
    "promises/test_replies.py": ("broken replies, at many cuts", Maker.APART),
    "promises/test_open_texts.py": ("calls that a text before them quotes, in many notations", Maker.GENERATOR),
    "promises/test_same_damage.py": ("blocks of which a program replaced all marks of a kind", Maker.GENERATOR),
    "promises/test_signs_of_values.py": ("signs, words and names that may say two things", Maker.APART),
    "promises/test_broken_texts.py": ("texts into which a program put a line break, by kinds", Maker.GENERATOR),
    "promises/test_wraps.py": ("blocks whose lines a program broke, or whose line breaks came twice", Maker.GENERATOR),
    "promises/test_torn_texts.py": ("texts with quotes that are not escaped, in every dialect with quotes", Maker.GENERATOR),
    "promises/test_code_in_values.py": ("code of many languages, with words that are names of fields", Maker.GENERATOR),
    "promises/test_strangers.py": ("blocks that once ran wrongly", Maker.APART),
}  # fmt: skip
"""From a file to what its tests try, and who made it.

What a test draws at random is a generator's, and what needs the folder of third-party data is others', whatever stands here.
"""


def tried_on(file: str, *, drawn: bool, outside: bool) -> tuple[str, Maker]:
    """What the tests of a file try, and who made it."""
    what, maker = TRIED_ON.get(file.removeprefix("tests/"), ("what the test says", Maker.AUTHORS))
    if outside:
        return what, Maker.OUTSIDE
    return what, Maker.GENERATOR if drawn and maker is Maker.AUTHORS else maker
