"""`Protocol`: the interface of a protocol's table, which knows the format of its events.

Rule 1: a table describes one protocol and keeps no state of a stream.
Rule 2: a table takes JSON and client objects alike, and returns the kind that it was given.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeVar

import jiter

from stream_guard import StreamEnd, ToolBlock, ToolEvent, wire

from .access import Shape, fits, fitted, fitting, get, put
from .json_text import dumped
from .object_text import Member

Event = Any
"""A provider event: JSON, or an object of the provider's client."""

Lane = tuple[int | str, ...]
"""The key of one text of a stream: the numbers or names of its choice, content block or part."""

FEW: Final = 128
"""Limit: the choices in an event, and the calls in a choice. Each is compared with all others. OpenAI allows 128 choices.
An event with more does not have the shape of its protocol, and passes unread."""

NAME: Final = 256
"""Limit: the characters in the name of a lane, a call or a tool. Names are kept until the stream ends."""

MANY: Final = 4_096
"""Limit: the items of a reply that an event repeats."""

GUARD_EVENTS: Final = (wire.STATUS, wire.BLOCK, wire.RESULT)
"""The names of the guard's events. An upstream event with such a name is renamed."""

ELSEWHERE: Final = "\0"
"""The name given to a tool in a namespace: the guard knows no such tool, and its bare name may be another tool's."""

LATEST: Final = ""
"""The number given to a call in a piece that does not identify its call: the piece continues the call that began last."""

OLDER: Final = "\0function_call"
"""Stands for the number of a call in a member that has one call at most: only pieces in that member continue it."""

EVERY: Final[Lane] = ("*",)
"""The key that means all lanes: the end of a message ends every text in it."""

Framing = Literal["events", "lines", "text"]
"""The wire format of a protocol: server-sent events, lines of JSON, or plain text."""

AS_IT_CAME: Final = "as it came"
"""The value for a call that was passed on unchanged, or of which nothing is known yet."""

Sent = tuple[str, str] | Literal["as it came"] | None
"""The tool and the arguments of a call as it was sent on; `AS_IT_CAME`; or None for a call that was not sent on."""

LeftOut = Literal["length", "stop"]
"""The reason why a call was not sent on. `length`: it was cut off, or is over a limit. `stop`: it failed."""

Ended = tuple[Lane, StreamEnd | None]
"""A lane that ends, and the cause; None if a later event has the cause."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a native call."""

    call: Lane
    """The key of the piece's call in its stream."""

    id: str | None
    """The call's id, if this piece has it. Two calls may share an index, but not an id."""

    name: str | None
    """The tool's name, if this piece has it."""

    arguments: str
    """The next piece of the arguments' JSON."""

    whole: bool = False
    """Whether `arguments` has all arguments of the call, repeated or sent in one piece."""

    decides: bool = False
    """Whether these arguments replace those of earlier pieces: the app has made them, and its client reads no others."""

    members: Sequence[Member] = ()
    """The next members of the arguments, in a protocol that sends members and no JSON: an `ObjectText` makes JSON of them."""

    begins: bool = False
    """Whether the piece begins a call even if a call with its key, and without an id, is open."""

    opens: bool = False
    """Whether the piece begins a call if no call with its key is open. An ended call with the same key and id is then another
    call. If the piece also `begins` a call, it has the name of an open call without a name."""

    item: str | None = None
    """The id of the item that holds the call, if this piece has it. Two calls may share an id, but not an item."""

    repeats: str | None = None
    """The name of the tool, without its namespace, in an event that repeats it: the name that counts is in another event."""

    again: Piece | None = None
    """The piece that replaces this one if a call with its id is open under the other piece's key: it then belongs to that call,
    and repeats its name."""


class Repeated(NamedTuple):
    """A call that an event repeats as a whole."""

    id: str | None
    """The id of the call."""

    item: str | None
    """The id of the item that contains the call."""

    place: int | None
    """The place of the call in the message."""

    tool: str
    """The name of the call's tool; empty if it has none."""


Value = TypeVar("Value")


class ByGroup(dict[Lane, Value]):
    """A dict by call key, indexed by group (a choice, or the message)."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: Final[dict[Lane, dict[Lane, None]]] = {}

    def __setitem__(self, key: Lane, value: Value) -> None:
        super().__setitem__(key, value)
        self._groups.setdefault(key[:-1], {})[key] = None

    def __delitem__(self, key: Lane) -> None:
        super().__delitem__(key)
        group = self._groups[key[:-1]]
        del group[key]
        if not group:
            del self._groups[key[:-1]]

    def of(self, group: Lane) -> tuple[Lane, ...]:
        """Return the keys of the calls in a group (a choice, or the message), in order."""
        return tuple(self._groups.get(group, ()))


def calls_of(calls: Collection[Lane], choices: Collection[Lane]) -> Iterable[Lane]:
    """Return the keys of the calls that are in one of these choices."""
    if isinstance(calls, ByGroup):
        return [call for choice in choices for call in calls.of(choice)]
    return [call for call in calls if call[:1] in choices]


class Thinking(NamedTuple):
    """One piece of a model's reasoning."""

    lane: Lane
    """The key of the reasoning in its stream."""

    block: Any = None
    """The block that begins with this piece, as far as it has come; JSON, or an object of the client."""

    text: str = ""
    """The next piece of the reasoning's text."""

    signature: str | None = None
    """The signature of the reasoning."""

    ended: bool = False
    """Whether the reasoning ends with this piece."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call written as text, to be sent as a native call."""

    lane: Lane
    """The lane of the text in which the call was written."""

    number: int
    """The number of the call among the calls of its choice, or among the parts of its message."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class AddedText:
    """A text that is sent after all other texts of its message."""

    lane: Lane
    """The lane of the text in which this text was written, which an event has ended."""

    number: int
    """The number of the text among the parts of its message."""

    id: str
    text: str


class Protocol(ABC):
    """The table of one protocol."""

    name: ClassVar[str]
    """The name of the protocol in settings."""

    framing: ClassVar[Framing | None] = "events"
    """The wire format of the protocol; None for a protocol of objects, which is never sent over a wire."""

    headers: ClassVar[Mapping[str, str]] = {}
    """Response headers, in lower case, that only streams of this protocol have."""

    named: ClassVar[bool] = False
    """Whether the server-sent events of the protocol have their type as their name."""

    unnamed: ClassVar[bool] = False
    """Whether a server-sent event must have no name, because clients read each of its lines as JSON."""

    mark: ClassVar[str] = ""
    """The data of the server-sent event that ends a stream; empty when there is none."""

    client: ClassVar[str] = ""
    """The package whose objects the protocol's events may be; empty if they are JSON alone. A cassette may hold
    such objects."""

    sign: ClassVar[str] = ""
    """The member that every JSON event has which `recognises` accepts; empty if the protocol's events are no JSON objects."""

    holds_calls: ClassVar[bool] = True
    """Whether native calls can be held. They cannot if a framework has read the call before it sends an event about it."""

    joins_names: ClassVar[bool] = False
    """Whether clients join the names in the pieces of a call, as they join its arguments."""

    promotes: ClassVar[bool] = False
    """Whether a call written as text can be sent as a native call."""

    shape: ClassVar[Shape] = {}
    """The shape of events on which the methods below rely."""

    loose: ClassVar[tuple[str, ...]] = ()
    """Members of the shape that hold the model's own words. If such members do not fit, the end in the event can still be read
    without them."""

    frame: ClassVar[tuple[str, ...]] = ()
    """The members that identify the place of each node of an event with a `loose` member."""

    varies: ClassVar[tuple[str, ...]] = ()
    """Members that count, date or pad an event: they differ between events, and no method below reads them."""

    counts: ClassVar[str] = ""
    """The member with the number of an event; empty if events have no numbers."""

    places: ClassVar[str] = ""
    """The member with the place in the message that an event is about, if clients fill the places in order; else empty."""

    paths: ClassVar[tuple[str, ...]] = ()
    """The ends of the paths of the protocol's requests."""

    thinks: ClassVar[Literal["messages", "responses"] | None] = None
    """The API that requires a model's reasoning to be sent back, unchanged, with the calls after it; None if the protocol has
    no place for it."""

    call_members: ClassVar[tuple[str, ...]] = ()
    """The members of a whole reply that hold native calls."""

    call_types: ClassVar[tuple[str, ...]] = ()
    """The types of the items of a reply that are native calls."""

    reasons: ClassVar[Mapping[str, StreamEnd]] = {}
    """The finish reasons of the protocol, and the end that each means. With any other reason, such as `tool_calls`, the end is
    unknown.

    `stop` is evidence: it makes a complete call at the end of a text whole, even without its closing fence. So `stop` is used
    only for a model that ended its reply, and for a stop sequence, which often is the closing fence.
    """

    def cause(self, reason: object) -> StreamEnd:
        """Return the end that a finish reason means."""
        return self.reasons.get(reason, "unknown") if isinstance(reason, str) else "unknown"

    claims: ClassVar[Collection[str]] = ()
    """The finish reasons of the protocol that claim calls."""

    words: ClassVar[Mapping[LeftOut, str]] = {}
    """The finish reason of a message whose calls were left out, by the reason why they were left out."""

    def uncalled_reason(self, reason: Any, why: LeftOut) -> Any:
        """Return the finish reason of a message none of whose calls was sent on, in place of the one that the provider sent.

        A reason that claims calls is replaced by the reason why they are missing. If a call was cut off, the reply was too,
        whatever the sent reason says; only a reason that reports another failure stays.
        """
        if reason in self.claims or (why == "length" and reason and self.cause(reason) in ("stop", "unknown")):
            return self.words[why]
        return reason

    @abstractmethod
    def recognises(self, event: Event) -> bool:
        """Return whether only this protocol has such events. One that could also be another protocol's is not recognised."""

    def reads(self, event: Event) -> bool:
        """Return whether an event has the shape on which the methods below rely. They are called for no other event."""
        try:
            return self._reads(event)
        except Exception:  # an object may raise anything
            return False

    def _reads(self, event: Event) -> bool:
        """Return the result of `reads`. May raise any exception that the event raises."""
        if not fits(event, self.shape):
            return False
        text = self._text_member(event)
        return text is None or isinstance(text, str)

    def _text_member(self, event: Event) -> Any:
        """Return the value in the place of an event's text, if other events may have a value of another type
        there; else None.
        """
        return None

    def read_end(self, event: Event) -> tuple[Event, Event | None] | None:
        """Return an event of a wrong shape that ends a lane, without the parts that do not fit, and these parts; None if it
        ends none.

        The second value is None if those parts have no content. If the event ends all texts, the parts need not be sent alone,
        since the whole event leaves in the end.
        """
        try:
            return self._read_end(event)
        except Exception:  # the event may have any shape
            return None

    def _read_end(self, event: Event) -> tuple[Event, Event | None] | None:
        if not isinstance(self.shape, dict) or not fits(event, {}):
            return None
        kept, left = fitted(event, self.shape, self.loose, self.frame) or (None, None)
        if kept is None and not self.loose:
            kept = fitting(event, self.shape)
            if EVERY not in dict(self.ends(kept)):
                return None
        if kept is None or not self.reads(kept) or not self.ends(kept):
            return None
        return (kept, left) if left is None or isinstance(event, dict) else None

    def carries(self, event: Event) -> bool:
        """Return whether an event is of this protocol, and has or repeats text or a call."""
        if not (self.recognises(event) and self.reads(event)):
            return False
        if self.texts(event) or self.calls(event) or self.repeated(event):
            return True
        heard: list[str] = []

        def visible(text: str) -> str:
            heard.append(text)
            return text

        self.echo(event, visible)
        return any(heard)

    def as_object(self, data: Any) -> Event:
        """Return an event, given as JSON, as an object of the provider's client."""
        raise NotImplementedError

    @property
    def makes_objects(self) -> bool:
        """Whether the table has an `as_object`."""
        return type(self).as_object is not Protocol.as_object

    @abstractmethod
    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        """Return the pieces of text in an event, each with its lane."""

    def said(self, event: Event) -> Sequence[tuple[Lane, str]]:
        """Return the pieces of text of the model in an event of any shape: `texts` without those that repeat others.

        Of an event that does not have the shape of its table, what can be read is returned: its clients show that too. Never
        raises.
        """
        try:
            readable = event if self._reads(event) else fitting(event, self.shape)
            return [(lane, text) for lane, text in self.texts(readable) if text and not self.repeats(lane)]
        except Exception:  # an object may raise anything
            return ()

    def plain(self, event: Event) -> tuple[Lane, str] | None:
        """Return the lane and text of an event that has one piece of text and no call, and ends nothing; None for others.
        Nearly all events are such.

        A table may override this with a faster check. It may return None for any event: then the other methods are called.
        """
        texts = self.texts(event)
        return texts[0] if len(texts) == 1 and not self.ends(event) and not self.calls(event) else None

    @abstractmethod
    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        """Return the event with `text` in place of the text of this lane.

        The other members go with the `first` piece or with the `last`, as the clients of the protocol expect. A piece that is
        neither has only the text and, in a JSON event, the short members that identify its lane, since there may be many
        pieces.
        """

    def form(self, event: Event, lane: Lane) -> str:
        """Return the member in which an event has the text of a lane, if clients of one such member do not read the others."""
        return ""

    def beside(self, event: Event) -> bool:
        """Return whether an event with text has other members, which must be sent even when the text is held.

        Members that only identify the lane, and that other events of the text repeat, do not count.
        """
        return False

    def begins(self, event: Event) -> bool:
        """Return whether an event with text begins the block or part of that text, so that no event inside it may
        come earlier.
        """
        return False

    def choices(self, event: Event) -> Sequence[Lane]:
        """Return the choices that an event is about, for clients that number the choices in the order of their first event."""
        return ()

    def opening(self, event: Event, choice: Lane) -> Event:
        """Return an event without content for `choice`, one of the choices of `event`."""
        return event

    def unread(self, event: Event) -> bool:
        """Return whether an event has text or a call at a place that no method reads, besides the text that methods read."""
        return False

    def is_no_text(self, event: Event) -> bool:
        """Return whether the arguments in a piece of a call are a value, in a protocol that sends them as text."""
        return False

    def others_text(self, event: Event) -> Lane | None:
        """Return the lane of a text that begins with this event and was not written by the model, but by the user, for example.
        Such a text is passed on unchanged.
        """
        return None

    def repeats(self, lane: Lane) -> bool:
        """Return whether a lane repeats the text of another lane. Its blocks are held without events."""
        return False

    def apart(self, event: Event) -> Sequence[Event]:
        """Split an event with several texts into events with one each. The last has the other members."""
        return (event,)

    def ends(self, event: Event) -> Sequence[Ended]:
        """Return the lanes that end with this event, each with its cause. Held text of these lanes must leave
        before the event.
        """
        return ()

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        """Return an event with `visible` applied to each whole text that it repeats; the event itself if it repeats none."""
        return event

    def carried(self, event: dict[str, Any]) -> tuple[Any, Any] | None:
        """Return the name and the data of the guard's event that `carry` put into an event of this protocol; None for other
        events.

        Called for every event, whatever its protocol. The member `stream_guard` is read for all tables already.
        """
        return None

    def disowned(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an upstream event without the names by which clients know the guard's events; the event itself if it has
        none.

        Called for every event, whatever its protocol. The member `stream_guard` is renamed for all tables already.
        """
        return event

    def thinking(self, event: Event) -> Sequence[Thinking]:
        """Return the pieces of the model's reasoning in an event, if `thinks` names the API that requires it back."""
        return ()

    # Native calls. A protocol without native calls keeps these defaults.

    def calls(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of native calls in an event."""
        return ()

    def unread_calls(self, event: Event) -> Sequence[tuple[Lane, str]]:
        """Return the calls in an event that clients run and no other method reads: the choice of each (`()` for the message),
        and its id.
        """
        return ()

    def beside_call(self, event: Event) -> bool:
        """Return whether an event with a piece of a call has other members, which can leave only with the call."""
        return False

    def about(self, event: Event) -> Lane | None:
        """Return the key of the call that an event without a piece of that call is about, and without which the event would be
        useless.
        """
        return None

    def refused(self, event: Event) -> bool:
        """Return whether an event reports that the app has refused the call that ends with it. Such an event always leaves."""
        return False

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        """Return the event without the pieces of calls whose indexes in `calls` are in `held`; None if nothing is left of the
        event.
        """
        return event

    def in_order(self, event: Event) -> Sequence[Event]:
        """Split an event with calls and more into events with one part each, in the order in which clients take them.

        Text before a call comes before the call, and the end of the message comes last. An event with one part is returned
        unchanged.
        """
        return (event,)

    repeats_reasons: ClassVar[bool] = False
    """Whether some servers send a finish reason with each piece of a call, so that more of the call may follow one."""

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        """Return those of `calls` that end with this event, each with its cause, or None for the cause if a later
        event has it.
        """
        return ()

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        """Return the events of a whole call, in the shape of the events that contained its pieces."""
        return ()

    def alone(self, event: Event, nth: int) -> Event:
        """Return the event with only the nth of its pieces of calls. Only the first piece has the other members."""
        return event

    def with_arguments(self, event: Event, arguments: str, *, first: bool) -> Event | None:
        """Return an event with one piece of a call, with other arguments in that piece; None if the event cannot be cut.

        Only the `first` has the name of the call, and members besides the call.
        """
        return None

    def numbered(self, event: Event, numbers: Sequence[int | None]) -> Event:
        """Return the event with these numbers for the calls of its pieces, in order. None keeps the number of a call.

        The event has as many pieces as there are numbers. A table changes numbers only if its clients rely on numbers without a
        gap.
        """
        return event

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        """Return the event that ends a message, changed so that it does not claim calls, or a good end although a call was cut
        off; unchanged if it claims neither.

        `left_out` are the choices of which no call was sent on, or `()` for the whole message, each with the reason.
        """
        return end

    def recalled(self, event: Event, sent: Mapping[str, Sequence[Sent]]) -> Event | None:
        """Return the event with the calls that it repeats as they were sent on, and without those that were not sent on.

        `sent` has the calls by id; calls with the same id are in order. Returns the event itself if it repeats no call, and
        None for the result of a call that was not sent on.
        """
        return event

    def repeated(self, event: Event) -> Sequence[Repeated]:
        """Return the calls that an event repeats as a whole, after all their pieces."""
        return ()

    def retold(self, event: Event, sent: Sequence[Sent]) -> Event:
        """Return the event with the calls of `repeated` replaced by `sent`, in order, and without those that were
        not sent on.
        """
        return event

    def item(self, event: Event) -> str | None:
        """Return the id of the item that an event is about, if calls are items with ids of their own; else None."""
        return None

    def final(self, event: Event) -> Sequence[Piece]:
        """Return the calls that an event repeats as a whole, if no later event has their arguments."""
        return ()

    def place(self, event: Event) -> int | None:
        """Return the place in the message that an event is about, if clients fill the places in order; else None."""
        place: int | None = get(event, self.places) if self.places else None
        return place

    def moved(self, event: Event, place: int) -> Event:
        """Return an event that is about one place in the message, changed to be about another place."""
        return put(event, **{self.places: place})

    def only_ends(self, event: Event) -> bool:
        """Return whether an event only ends the part at its place."""
        return False

    # Replies that the guard ends, because a block or a call in them was aborted.

    def begun(self, event: Event) -> Sequence[tuple[str, bool]]:
        """Return the names of the parts that begin (True) or end (False) with an event, if clients want these ended before the
        stream.
        """
        return ()

    def closed(self, *, called: bool) -> str:
        """Return the finish reason of a choice, or of the message, that the guard ends. `called` is whether the reason may
        claim calls.
        """
        return next(iter(self.claims)) if called else self.words["length"]

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        """Return the events that end a reply as cut off, except for the parts that an event has ended already.

        Args:
            like: The last event that came with text or a call.
            ends: The choices, or `()` for the message, that no event has ended, each with whether a call of it was sent on.
            begun: The events that began parts that have not ended, in order, by the parts' names (see the method `begun`).
        """
        return ()

    # Calls written as text, sent as native calls. Called only for a table that `promotes`.

    def numbering(self, lane: Lane) -> Lane:
        """Return the key of the group in which a text's calls are numbered: the whole message, or the choice of the text."""
        return ()

    def can_call(self, like: Event, lane: Lane) -> bool:
        """Return whether the message of a text can have native calls; `like` is an event with that text."""
        return True

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        """Return a call in the native shape, as events of the kind of `like`."""
        return ()

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        """Return the event that ends a text, changed so that the message has these calls."""
        return end

    def tell(self, like: Event, said: AddedText) -> Iterable[Event]:
        """Return an added text as events of the kind of `like`. Called only if a text may end before its message."""
        return ()

    def told(self, end: Event, said: AddedText) -> Event:
        """Return the event that ends a message, with the added text in it, if such events repeat texts."""
        return end

    # Replies that are not streamed. A protocol without them keeps these defaults.

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        """Return whether a JSON object is a whole reply of this protocol."""
        return False

    def unfolded(self, reply: dict[str, Any]) -> Sequence[Event]:
        """Return the events of a stream of this reply."""
        return ()

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        """Return a reply with the content of these events, which replace those of `unfolded`."""
        return reply

    def nothing(self, like: Event | None, lane: Lane | None, *, within: bool) -> dict[str, Any] | None:
        """Return an event without content, as JSON, which keeps a connection alive while a block is held; None if a comment is
        to be sent.

        Clients that time events, and not bytes, need an event. Server-sent events have comments, lines of JSON have none.
        `like`, `lane` and `within` are those of `carry`.
        """
        return None

    def counted(self, event: Event) -> bool:
        """Return whether an event has counts of its message that the next guard's event has to repeat. `carry` is given such an
        event as `like`.
        """
        return False

    @abstractmethod
    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        """Return a guard's event in provider events, as JSON that this protocol's clients accept.

        Args:
            event: The event.
            like: The last event that is `counted`, if the table counts any; else the last event with text in its lane; else
                the last event of the stream; None if there is none.
            lane: The lane of the event's block; None if that is unknown.
            within: Whether the text of that lane is still open.
        """


def sent_in_order(sent: Mapping[str, Sequence[Sent]]) -> Callable[[Any], Sent]:
    """Return a function that returns how the next call with an id was sent on. Calls with the same id come in order."""
    left = {one: iter(calls) for one, calls in sent.items()}

    def next_sent(one: Any) -> Sent:
        for call in left.get(one, ()) if isinstance(one, str) else ():
            return call
        return AS_IT_CAME

    return next_sent


def is_left_out(sent: Mapping[str, Sequence[Sent]], one: Any) -> bool:
    """Return whether no call with this id was sent on."""
    return isinstance(one, str) and one in sent and all(call is None for call in sent[one])


def as_text(arguments: Any) -> str:
    """Return the arguments of a call as the JSON text that pieces have. A provider may send them as a value."""
    return arguments if isinstance(arguments, str) else "" if arguments is None else dumped(arguments, spaced=True)


def as_piece(arguments: Any) -> tuple[str, bool]:
    """Return what a piece of a call has of its arguments as text, and whether these are all of the arguments.

    A value in place of a text is no part of one: it can only be all of them. Where the call has other pieces too, the two
    contradict each other.
    """
    return as_text(arguments), arguments is not None and not isinstance(arguments, str)


def is_whole(arguments: str) -> bool:
    """Return whether the arguments of a call are complete JSON, and not just its beginning."""
    try:
        jiter.from_json(arguments.encode())
    except ValueError:
        return False
    return True


def is_nothing(arguments: str) -> bool:
    """Return whether the first arguments of a call are blank or `{}`, so that more may follow, or the call takes none."""
    return len(arguments) < NAME and "".join(arguments.split()) in ("", "{}")


def as_value(arguments: str) -> Any:
    """Return the value of a call's arguments; the text itself if it is no JSON, or nests too deep."""
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments


def as_member(event: ToolEvent) -> dict[str, Any]:
    """Return a guard's event as the value of the member `stream_guard` of a provider event."""
    return {"event": wire.name(event), "data": wire.to_dict(event)}


def is_of_type(event: Event, *prefixes: str) -> bool:
    """Return whether the `type` of an event begins with one of these prefixes. An event of a framework, which has a text as its
    member `event`, never is of such a type.
    """
    kind = get(event, "type")
    return isinstance(kind, str) and kind.startswith(prefixes) and not isinstance(get(event, "event"), str)


def is_failed(event: Event) -> bool:
    """Return whether an event reports an error of the provider."""
    return bool(get(event, "error"))


def is_block(event: ToolEvent) -> bool:
    """Return whether a guard's event is the last of its block."""
    return isinstance(event, ToolBlock) or event.status == "released"


def seen(node: Any, visible: Callable[[str], str]) -> Any:
    """Return a node with `visible` applied to its member `text`; the same node if that changes nothing."""
    text = get(node, "text")
    if not isinstance(text, str):
        return node
    made = visible(text)
    return node if made is text else put(node, text=made)


def inside(node: Any, key: str, change: Callable[[Any], Any]) -> Any:
    """Return a node with `change` applied to a member; the same node if that changes nothing."""
    inner = get(node, key)
    made = change(inner)
    return node if made is inner else put(node, **{key: made})


def chosen(node: Any, key: str, keeps: Callable[[Any], bool]) -> Any:
    """Return a node with only those items of a list for which `keeps` is true; the same node if that is all of them."""
    items = get(node, key)
    if not isinstance(items, list):
        return node
    kept = [item for item in items if keeps(item)]
    return node if len(kept) == len(items) else put(node, **{key: kept})


def each(node: Any, key: str, change: Callable[[Any], Any]) -> Any:
    """Return a node with `change` applied to each item of a list; the same node if that changes nothing."""
    items = get(node, key)
    if not isinstance(items, list):
        return node
    made = [change(item) for item in items]
    return node if all(a is b for a, b in zip(items, made, strict=True)) else put(node, **{key: made})
