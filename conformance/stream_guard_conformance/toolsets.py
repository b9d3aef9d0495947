"""The toolsets that calls are made of, as JSON Schemas.

The keyword `x-text` says what kind of text a string holds; `values` fills it accordingly. `strangers` are names of other
tools: an opposite, another unit, another operation. A block with such a name was not meant for this tool, whatever its fields
say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import jsonschema_rs

Json = dict[str, Any]


@dataclass(frozen=True)
class ToolSpec:
    """One tool: its schema, and the names that are near to its own and mean something else."""

    name: str
    fields: Mapping[str, Json]
    """The schema of each field."""

    required: tuple[str, ...]
    """The fields that must be there."""

    destructive: bool = False
    """Whether the tool is destructive: it deletes something, or its effect cannot be undone."""

    strangers: tuple[str, ...] = ()
    """Names of other tools, none of them in the toolset."""

    stranger_fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For a field, the names of other fields, none of them in the tool."""

    aliases: tuple[str, ...] = ()
    """Other names of the tool itself, which the guard is given."""

    field_aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of its fields, which the guard is given: alias to field."""

    whole: Json | None = None
    """The schema of its arguments, where that says more than `fields` and `required`."""

    examples: tuple[Json, ...] = ()
    """Valid arguments to draw others from."""

    guessed: bool = True
    """Whether arguments are also drawn from the schema, because enough of the drawn ones are valid."""

    takes: frozenset[str] = frozenset()
    """Names of members beside its fields that the guard is set to accept."""

    valid: Callable[[Json], bool] | None = field(default=None, compare=False)
    """A function that returns whether arguments are valid, where the schema alone does not decide it."""

    mend: Callable[[Json], Json] | None = field(default=None, compare=False)
    """The function by which the tool's makers fix arguments that are not valid, if they gave the guard one."""

    @property
    def schema(self) -> Json:
        """The JSON Schema of the tool's arguments."""
        return record(self.fields, self.required) if self.whole is None else self.whole

    @cached_property
    def _validator(self) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(self.schema, offline=True)

    def accepts(self, arguments: object) -> bool:
        """Return whether these are valid arguments."""
        if self.valid is not None:
            return isinstance(arguments, dict) and self.valid(arguments)
        return self._validator.is_valid(arguments)

    def read(self, arguments: Json) -> Json:
        """Return arguments as the tool's makers read them."""
        return arguments if self.mend is None or self.accepts(arguments) else self.mend(arguments)

    @cached_property
    def known(self) -> frozenset[str]:
        """The names that a member of a call may have at any depth, without separators and in lower case."""
        listed = {name for _, names in _objects(self.schema) for name in names}
        return frozenset(map(plain_name, {*listed, *self.field_aliases, *self.takes}))

    def says(self, name: str) -> frozenset[str]:
        """Return the words that tell what a member of this name means: those of both names, and of the tool's descriptions."""
        told = [
            members[name].get("description") for _, members in _objects(self.schema) if isinstance(members.get(name), Mapping)
        ]
        return words_of(" ".join((self.name, name, *(text for text in told if isinstance(text, str)))))

    @cached_property
    def closed(self) -> frozenset[str]:
        """The names of fields that stand only in objects which take no other members."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for closed, names in _objects(self.schema):
            found[closed] |= set(names)
        return frozenset(found[True] - found[False])


@dataclass(frozen=True)
class Toolset:
    """Tools that a model is given together."""

    name: str
    tools: tuple[ToolSpec, ...]

    @cached_property
    def by_name(self) -> dict[str, ToolSpec]:
        """Each tool by its name."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def known(self) -> frozenset[str]:
        """The names and aliases of its tools, without separators and in lower case."""
        return frozenset(plain_name(name) for tool in self.tools for name in (tool.name, *tool.aliases))


def plain_name(name: str) -> str:
    """Return a name without separators and in lower case: names that a guard may take for one another have one."""
    return "".join(char for char in name.lower() if char.isalnum())


def words_of(text: str) -> frozenset[str]:
    """Return the words and numbers of a text or a name, in lower case: `yieldTimeMs` has three."""
    return frozenset(word.lower() for word in _WORD.findall(text))


_WORD: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")


def _objects(schema: Any) -> Iterator[tuple[bool, Mapping[str, Any]]]:
    """Yield every object of a schema: whether it takes no members but its own, and those."""
    if isinstance(schema, list):
        for part in schema:
            yield from _objects(part)
    if not isinstance(schema, Mapping):
        return
    members = schema.get("properties")
    if isinstance(members, Mapping):
        closed = False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
        yield closed and "patternProperties" not in schema, members
        for member in members.values():
            yield from _objects(member)
    for key, part in schema.items():
        if key not in ("properties", "enum", "const", "default", "examples", "required"):
            yield from (found for one in part.values() for found in _objects(one)) if key in _KEYED else _objects(part)


_KEYED: Final = frozenset({"$defs", "definitions", "patternProperties", "dependentSchemas"})
"""Words of a schema under which schemas stand by names."""


def tool_of(name: str, required: Sequence[str] = (), /, **properties: Any) -> Json:
    """Return a tool that destroys nothing and takes these fields alone, as an entry of a listing."""
    schema = {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}
    return {
        "name": name,
        "description": f"{name.replace('_', ' ').capitalize()}.",
        "input_schema": schema,
        "annotations": {"destructiveHint": False},
    }


def record(fields: Mapping[str, Json], required: tuple[str, ...] | None = None) -> Json:
    """Return the schema of an object with these fields and no others. Without `required`, all of them are required."""
    needed = list(fields if required is None else required)
    return {"type": "object", "properties": dict(fields), "required": needed, "additionalProperties": False}


def open_record(**fields: Json) -> Json:
    """Return the schema of an object with these fields, none of them required, that takes any others as well."""
    return {"type": "object", "properties": fields}


def text(kind: str, **rules: Any) -> Json:
    """Return the schema of a string that holds this kind of text."""
    return {"type": "string", "x-text": kind, **rules}


def one_of(*values: str) -> Json:
    """Return the schema of a string out of a list."""
    return {"type": "string", "enum": list(values)}


def several(items: Json, least: int = 1, most: int = 4) -> Json:
    """Return the schema of a list."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def whole(least: int = 0, most: int = 100_000) -> Json:
    """Return the schema of an integer."""
    return {"type": "integer", "minimum": least, "maximum": most}


NUMBER: Final[Json] = {"type": "number", "minimum": 0}
FLAG: Final[Json] = {"type": "boolean"}
PATH: Final = text("path", minLength=1)
CODE: Final = text("code")
PROSE: Final = text("prose")
WORD: Final = text("word", minLength=1)
EMAIL: Final = text("email", minLength=1)
DATE: Final = text("date", minLength=1)

FILES: Final = Toolset(
    "files",
    (
        ToolSpec(
            "write_file",
            {"path": PATH, "content": CODE},
            ("path", "content"),
            strangers=("append_file", "read_file", "patch_file", "write_field", "write_files"),
            stranger_fields={"path": ("source_path", "target_url"), "content": ("content_url", "diff", "append_content")},
            aliases=("create_file", "save_file", "overwrite"),
            field_aliases={"file_path": "path", "filename": "path", "code": "content", "text": "content"},
        ),
        ToolSpec(
            "edit_file",
            {"path": PATH, "search_replace": record({"old_string": CODE, "new_string": CODE})},
            ("path", "search_replace"),
            strangers=("exit_file", "revert_file", "edit_filter", "view_file"),
            stranger_fields={"old_string": ("old_regex",), "new_string": ("next_string",)},
            aliases=("modify_file", "str_replace"),
            field_aliases={"file_path": "path", "filename": "path"},
        ),
        ToolSpec(
            "delete_file",
            {"path": PATH},
            ("path",),
            destructive=True,
            strangers=("undelete_file", "restore_file", "delete_files", "delete_file_if_empty"),
            stranger_fields={"path": ("except_path", "keep_path")},
            aliases=("remove_file", "rm", "unlink"),
            field_aliases={"file_path": "path", "filename": "path"},
        ),
    ),
)

RECORDS: Final = Toolset(
    "records",
    (
        ToolSpec(
            "add_records",
            {
                "items": several(
                    record(
                        {"title": PROSE, "body": CODE, "tags": several(WORD, 0), "score": NUMBER, "done": FLAG, "author": WORD},
                        ("title", "tags"),
                    )
                )
            },
            ("items",),
            strangers=("drop_records", "add_recorders", "hide_records"),
            stranger_fields={
                "score": ("score_max", "max_score"),
                "done": ("undone", "not_done"),
                "tags": ("untags", "exclude_tags"),
            },
        ),
        ToolSpec(
            "update_rows",
            {"table": WORD, "rows": several(record({"id": whole(1), "name": PROSE, "note": PROSE}, ("id", "name")))},
            ("table", "rows"),
            strangers=("outdate_rows", "update_rows_except", "upload_rows"),
            stranger_fields={"rows": ("except_rows", "columns"), "id": ("parent_id",)},
        ),
        ToolSpec(
            "show_slides",
            {
                "heading": PROSE,
                "slides": several(
                    record(
                        {"title": PROSE, "text": CODE, "links": several(record({"label": PROSE, "url": text("url")}), 0, 3)},
                        ("title", "text"),
                    )
                ),
                "theme": one_of("dark", "light", "plain"),
            },
            ("heading", "slides"),
            strangers=("hide_slides", "show_slide_sorter"),
            stranger_fields={"heading": ("subheading", "footing"), "theme": ("no_theme",)},
        ),
        ToolSpec(
            "purge_records",
            {"ids": several(whole(1)), "reason": PROSE},
            ("ids",),
            destructive=True,
            strangers=("unpurge_records", "merge_records", "purge_recorders"),
            stranger_fields={"ids": ("keep_ids", "except_ids")},
        ),
    ),
)

MONEY: Final = Toolset(
    "money_and_mail",
    (
        ToolSpec(
            "pay",
            {"to": WORD, "amount": NUMBER, "currency": one_of("EUR", "USD", "GBP"), "note": PROSE},
            ("to", "amount", "currency"),
            destructive=True,
            strangers=("repay", "pay_back", "pay_in", "play"),
            stranger_fields={"to": ("from", "not_to"), "amount": ("amount_cents", "max_amount", "amount_percent")},
        ),
        ToolSpec(
            "refund",
            {"payment": WORD, "amount": NUMBER, "reason": PROSE},
            ("payment", "amount"),
            destructive=True,
            strangers=("fund", "defund", "refund_all", "unrefund"),
            stranger_fields={"amount": ("amount_cents", "min_amount")},
        ),
        ToolSpec(
            "send_mail",
            {"to": several(EMAIL), "subject": PROSE, "body": CODE, "cc": several(EMAIL, 0, 3)},
            ("to", "subject", "body"),
            destructive=True,
            strangers=("unsend_mail", "send_email_later", "resend_mail", "send_mail_all"),
            stranger_fields={"cc": ("bcc",), "to": ("from", "reply_to"), "subject": ("object",)},
        ),
        ToolSpec(
            "draft_mail",
            {"to": several(EMAIL), "subject": PROSE, "body": CODE, "cc": several(EMAIL, 0, 3)},
            ("to", "subject", "body"),
            strangers=("draft_mail_2", "craft_mail", "undraft_mail"),
            stranger_fields={"cc": ("bcc",), "to": ("from", "reply_to")},
        ),
        ToolSpec(
            "quote_price",
            {"item": WORD, "amount": NUMBER, "currency": one_of("EUR", "USD", "GBP"), "terms": PROSE},
            ("item", "amount", "currency"),
            strangers=("unquote_price", "quota_price", "quote_price_net"),
            stranger_fields={"amount": ("amount_cents", "amount_net", "min_amount"), "terms": ("term_days",)},
            aliases=("make_quote",),
            field_aliases={"price": "amount", "product": "item"},
        ),
    ),
)

NESTED: Final = Toolset(
    "nested",
    (
        ToolSpec(
            "run_query",
            {
                "query": CODE,
                "options": record(
                    {"timeout_ms": whole(1), "limit": whole(1), "include": several(WORD, 0), "explain": FLAG}, ()
                ),
                "label": {"type": ["string", "null"], "x-text": "prose"},
            },
            ("query",),
            strangers=("run_query_all", "rerun_query", "ruin_query"),
            stranger_fields={
                "timeout_ms": ("timeout_s", "timeout_us"),
                "include": ("exclude",),
                "limit": ("unlimit", "offset"),
                "query": ("query_id",),
            },
        ),
        ToolSpec(
            "create_event",
            {
                "title": PROSE,
                "start": DATE,
                "attendees": several(record({"name": PROSE, "email": EMAIL, "optional": FLAG}, ("name", "email")), 0, 3),
                "reminder": record(
                    {"minutes": whole(0, 600), "method": one_of("mail", "popup", "none"), "text": PROSE}, ("minutes",)
                ),
                "private": FLAG,
            },
            ("title", "start"),
            strangers=("cancel_event", "create_events", "recreate_event"),
            stranger_fields={"minutes": ("hours", "seconds"), "start": ("end", "stop"), "private": ("public",)},
        ),
        ToolSpec(
            "resize_image",
            {
                "path": PATH,
                "box": record(
                    {"width_px": whole(1), "height_px": whole(1), "mode": one_of("fit", "fill", "crop")}, ("width_px",)
                ),
                "quality": NUMBER,
                "alt": PROSE,
            },
            ("path", "box"),
            strangers=("resize_images", "reside_image", "upsize_image"),
            stranger_fields={"width_px": ("width_pt", "max_width_px", "width_cm"), "quality": ("quality_loss",)},
        ),
    ),
)

ACCOUNTS: Final = Toolset(
    "accounts",
    (
        ToolSpec(
            "activate_user",
            {"user": WORD, "note": PROSE},
            ("user",),
            strangers=("deactivate_user", "inactivate_user", "activate_users"),
            stranger_fields={"user": ("user_group", "except_user")},
        ),
        ToolSpec(
            "unlock_account",
            {"account": WORD, "minutes": whole(1), "scopes": several(WORD, 0)},
            ("account",),
            strangers=("lock_account", "block_account", "relock_account"),
            stranger_fields={"minutes": ("hours", "minutes_ago"), "scopes": ("except_scopes", "unscoped")},
        ),
        ToolSpec(
            "import_rules",
            {"path": PATH, "rules": CODE, "dry_run": FLAG, "include": several(WORD, 0)},
            ("path", "rules"),
            strangers=("export_rules", "import_rulers", "report_rules"),
            stranger_fields={"include": ("exclude",), "dry_run": ("run", "wet_run"), "rules": ("roles",)},
        ),
        ToolSpec(
            "set_temperature_c",
            {"room": WORD, "degrees": NUMBER, "max_hours": whole(1)},
            ("room", "degrees"),
            strangers=("set_temperature_f", "get_temperature_c", "unset_temperature_c", "set_temperature_k"),
            stranger_fields={"max_hours": ("min_hours", "max_days"), "degrees": ("degrees_f", "decrees")},
            aliases=("set_thermostat_c",),
            field_aliases={"temperature_c": "degrees"},
        ),
    ),
)

OPEN: Final = Toolset(
    "open",
    (
        ToolSpec(
            "find_notes",
            {"query": CODE, "input": open_record(archived=FLAG, folder=WORD), "limit": whole(1)},
            (),
            whole=open_record(query=CODE, input=open_record(archived=FLAG, folder=WORD), limit=whole(1)),
            strangers=("hide_notes", "find_note_authors", "lose_notes"),
        ),
        ToolSpec(
            "set_options",
            {"level": whole(1, 9), "label": PROSE, "muted": FLAG},
            (),
            whole=open_record(level=whole(1, 9), label=PROSE, muted=FLAG),
            strangers=("get_options", "unset_options", "reset_options"),
        ),
        ToolSpec(
            "log_event",
            {"message": PROSE, "meta": {"type": "object"}},
            ("message",),
            whole={**open_record(message=PROSE, meta={"type": "object"}), "required": ["message"]},
            strangers=("unlog_event", "log_events", "log_out"),
        ),
        ToolSpec("show_status", {}, (), whole={"type": "object"}, strangers=("hide_status", "set_status")),
        ToolSpec(
            "put_labels",
            {"ticket": WORD},
            ("ticket",),
            whole={**open_record(ticket=WORD), "required": ["ticket"], "additionalProperties": WORD},
            strangers=("cut_labels", "put_label_groups"),
        ),
        ToolSpec(
            "drop_cache",
            {"region": WORD, "keep": FLAG},
            (),
            destructive=True,
            whole=open_record(region=WORD, keep=FLAG),
            strangers=("drop_caches", "fill_cache"),
        ),
    ),
)
"""Tools that take members which their schemas do not list, and some that need none."""

CLOSED: Final = (FILES, RECORDS, MONEY, NESTED, ACCOUNTS)
"""Toolsets of which each tool takes only what its schema lists."""

TOOLSETS: Final = (*CLOSED, OPEN)
