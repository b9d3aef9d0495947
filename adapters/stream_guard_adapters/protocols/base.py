"""What is to be known of a protocol: where its text is, how one delta becomes two, what ends a lane, and how ours is told.

Rule 1: a table knows one protocol and no stream: it is asked, and remembers nothing.
Rule 2: it is asked for SDK objects and for JSON alike, and answers in kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from stream_guard import StreamEnd, ToolBlock, ToolEvent, wire

from ..nodes import Shape, fits, get, put

Event = Any
"""What a provider sends: JSON, or its client's object."""

Lane = tuple[int | str, ...]
"""Which of the texts of a stream: a choice, a content block, a part."""

FEW: Final = 128
"""The most choices, or calls of one, in an event: each is looked at beside all others. OpenAI allows so many choices."""

NAME: Final = 256
"""The longest name of a lane, of a call or of a tool: they are kept for as long as the stream goes on."""

MANY: Final = 4_096
"""The most items of a reply that an event may repeat."""

EVERY: Final[Lane] = ("*",)
"""All lanes at once: what ends a message ends every text in it."""

ENDS: Final[dict[str, StreamEnd]] = {
    "length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "content-filter": "content_filter",
    "refusal": "content_filter",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "error": "error",
    "ERROR": "error",
}
"""What a provider's finish reason says of the end of the text; any other reason is an ordinary end."""


def cause(reason: object) -> StreamEnd:
    """What a reason says."""
    return ENDS.get(reason, "stop") if isinstance(reason, str) else "stop"


Framing = Literal["events", "lines", "text"]
"""How a protocol travels: as server-sent events, as lines of JSON, or as text."""

Sent = tuple[str, str] | None
"""What was sent on of a call: its tool and its arguments; None for one that was not sent on."""

Ended = tuple[Lane, StreamEnd | None]
"""A lane that ends, and why; None when that is told by a later event."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a native tool call."""

    call: Lane
    """Which call of the stream."""

    id: str | None
    """The call's id, where this piece tells it: two calls may share an index, and not an id."""

    name: str | None
    """The tool's name, where this piece tells it."""

    arguments: str
    """The next piece of its arguments' JSON."""

    whole: bool = False
    """Whether these are all of its arguments, told once more or at one go."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call that is to be told in a native shape."""

    lane: Lane
    """In which text it was written."""

    number: int
    """Its number among the calls of its choice, or among the parts of its message."""

    id: str
    tool: str
    arguments: str


class Protocol(ABC):
    """The table of one protocol."""

    name: ClassVar[str]
    """What it is called in settings."""

    framing: ClassVar[Framing | None] = "events"
    """How it travels; None for one that is spoken between objects only."""

    named: ClassVar[bool] = False
    """Whether its server-sent events bear their type as their name."""

    mark: ClassVar[str] = ""
    """The data of the server-sent event that says that there are no more."""

    promotes: ClassVar[bool] = False
    """Whether calls that were written as text can be told as native ones."""

    shape: ClassVar[Shape | None] = None
    """What its events look like, as far as the answers below rely on it; None when they rely on nothing."""

    survives: ClassVar[bool] = False
    """Whether its clients leave out server-sent events with a name that they do not know."""

    def reads(self, event: Event) -> bool:
        """Whether an event has the shape that the answers below rely on. Of any other nothing is to be asked."""
        try:
            return event is not None and (self.shape is None or fits(event, self.shape))
        except Exception:  # an object may raise whatever it likes
            return False

    @abstractmethod
    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        """The pieces of text in an event, each with its lane."""

    def plain(self, event: Event) -> tuple[Lane, str] | None:
        """The text of an event that has one piece of it, ends nothing and calls nothing: what nearly all events are.

        A table may answer quicker than by asking itself all this; it may answer None to be asked.
        """
        texts = self.texts(event)
        return texts[0] if len(texts) == 1 and not self.ends(event) and not self.calls(event) else None

    @abstractmethod
    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        """The event with another text in this lane.

        What stands beside the text goes with the `first` piece or with the `last`, as the protocol's clients expect; a piece
        that is neither has the text alone.
        """

    def beside(self, event: Event) -> bool:
        """Whether more than text stands in an event with text, that has to leave even when the text is held."""
        return False

    def repeats(self, lane: Lane) -> bool:
        """Whether a lane tells once more what another tells: what is held of it is held in silence."""
        return False

    def apart(self, event: Event) -> Sequence[Event]:
        """An event with several texts as several with one."""
        return (event,)

    def ends(self, event: Event) -> Sequence[Ended]:
        """The lanes that end with this event. No text of theirs may leave after it."""
        return ()

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        """The event with what it repeats of a whole text made `visible`; itself when there is nothing to repeat."""
        return event

    # Native tool calls. A protocol without them answers nothing.

    def calls(self, event: Event) -> Sequence[Piece]:
        """The pieces of native tool calls in an event."""
        return ()

    def without_calls(self, event: Event, calls: Collection[Lane]) -> Event | None:
        """The event without its pieces of these calls; None when nothing is left of it."""
        return event

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        """Those of these calls that end with this event, and why; None when that is told later."""
        return ()

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        """A call at one go, in the shape of the events that had its pieces."""
        return ()

    def numbered(self, event: Event, call: Lane, number: int) -> Event:
        """The event with another number for this call, where clients count on numbers without a gap."""
        return event

    def no_call(self, pieces: Sequence[Event], call: Lane) -> Iterable[Event]:
        """What stands where a call was that is not sent on."""
        return ()

    def recalled(self, event: Event, sent: Mapping[str, Sent]) -> Event:
        """The event with the calls that it repeats, by their ids, as they were sent on; itself when it repeats none."""
        return event

    def place(self, event: Event) -> int | None:
        """Which place in the message an event is about, where clients fill the places in their order."""
        return None

    # Calls in text, told as native ones. Asked only of a table that `promotes`.

    def numbering(self, lane: Lane) -> Lane:
        """Among what the calls of a text are numbered: all of the message, or the calls of its choice."""
        return ()

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        """A call in the native shape, as events of the kind of this one."""
        return ()

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        """The event that ends a text, now that there are these calls."""
        return end

    def nothing(self, like: Event, lane: Lane, *, within: bool) -> dict[str, Any] | None:
        """An event that says nothing, as JSON: it keeps a connection alive while a block is held.

        It counts as life for clients that time the events and not the bytes. None where a comment does: it is one between
        server-sent events, and there is none between lines of JSON. `like`, `lane` and `within` are those of `ours`.
        """
        return None

    @abstractmethod
    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        """One of our events as JSON that this protocol's clients survive.

        `like` is the last event with text in its lane, and `within` says whether that text is still open.
        """


def told(event: ToolEvent) -> dict[str, Any]:
    """Our event as a member of another."""
    return {"event": wire.name(event), "data": wire.to_dict(event)}


def is_failed(event: Event) -> bool:
    """Whether a provider reports an error in its stream."""
    return bool(get(event, "error"))


def is_block(event: ToolEvent) -> bool:
    """Whether one of our events is the last of its block."""
    return isinstance(event, ToolBlock) or event.status == "released"


def seen(node: Any, visible: Callable[[str], str]) -> Any:
    """A node that holds a whole text, with that text made `visible`; itself when that changes nothing."""
    text = get(node, "text")
    if not isinstance(text, str):
        return node
    made = visible(text)
    return node if made is text else put(node, text=made)


def inside(node: Any, key: str, change: Callable[[Any], Any]) -> Any:
    """A node with a member changed; itself when it is not."""
    inner = get(node, key)
    made = change(inner)
    return node if made is inner else put(node, **{key: made})


def each(node: Any, key: str, change: Callable[[Any], Any]) -> Any:
    """A node with every item of a list changed; itself when none is."""
    items = get(node, key)
    if not isinstance(items, list):
        return node
    made = [change(item) for item in items]
    return node if all(a is b for a, b in zip(items, made, strict=True)) else put(node, **{key: made})
