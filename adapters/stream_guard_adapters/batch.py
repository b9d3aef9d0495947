"""Files and Arrow batches with one reply per row.

    stream-guard check replies.parquet --report report.jsonl             # on all cores of one machine
    dataset.map_batches(check_batch, batch_format="pyarrow")              # on a cluster, with Ray Data
    duckdb / polars / pandas -> pyarrow -> check_batch(table)

Both scan a reply with the same settings, sum up its blocks with `BlockSummary`, and give the same outcomes. `check_batch`
keeps the rows, their order and their columns, and adds a column with the outcomes.

Rule: of a reply, the added column has only the arguments of its executable calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from stream_guard import Guard, Toolset
from stream_guard.spi import COLUMN, BlockSummary, Row, Rows, blocks, toolset

from .protocols import recognised

if TYPE_CHECKING:
    import pyarrow as pa

    Batch = TypeVar("Batch", pa.Table, pa.RecordBatch)

MOST_ROWS: Final = 500
"""The most rows in one part of the work."""

MOST_BYTES: Final = 1 << 20
"""The bytes after which a part of the work ends, for long rows."""

INTO: Final = "blocks"
"""The column that `check_batch` adds."""


def check_batch(
    batch: Batch, *, column: str = COLUMN, into: str = INTO, tools: Toolset | str | None = None, arguments: bool = True
) -> Batch:
    """Return an Arrow table or record batch with a column added: the outcomes of the replies in one of its columns.

    The added column has a list for each row, with a struct for each block of the reply: `tool`, `path`, `outcome` (`valid`,
    `fixed` or `failed`), `end_cause`, `issues`, `fixes`, and the `arguments` as JSON if the block is executable. A null is a
    reply without blocks. No model is asked.

    Args:
        batch: A table or a record batch. It is not changed.
        column: The column with the replies, of strings.
        into: The name of the new column.
        tools: A toolset, or its name as for the command line (`my_app:TOOLS`), which is found where the function runs; without
            it the file tools.
        arguments: Whether to give the arguments.
    """
    import pyarrow as pa  # deferred: files of JSON need none of it

    if column not in batch.schema.names:
        raise ValueError(f"no column {column!r} among {', '.join(batch.schema.names)}")
    if into in batch.schema.names:
        raise ValueError(f"there is a column {into!r} already; name another with into=")
    kind = batch.schema.field(column).type
    if not any(is_text(kind) for is_text in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)):
        raise TypeError(f"column {column!r} holds {kind}, not text")
    guard = _guard(tools)
    judged = [_judged(guard, reply, arguments=arguments) for reply in batch.column(column).to_pylist()]
    return batch.append_column(pa.field(into, _blocks()), pa.array(judged, _blocks()))


@cache
def _guard(tools: Toolset | str | None) -> Guard:
    return Guard(tools if isinstance(tools, Toolset) else toolset(tools), announce="tool")


def _judged(guard: Guard, reply: str | None, *, arguments: bool) -> list[dict[str, Any]]:
    found = []
    for block in blocks(guard, (reply or "",)):
        it = BlockSummary.of(block)
        found.append(
            {
                "tool": _whole(it.tool),
                "path": _whole(it.path),
                "outcome": it.outcome,
                "end_cause": it.end_cause,
                "issues": it.issues,
                "fixes": [_whole(fix) for fix in it.fixes],
                "arguments": json.dumps(block.arguments) if arguments and block.executable else None,
            }
        )
    return found


def _whole(text: str | None) -> str | None:
    """Return the text with a question mark for half a surrogate pair, which Arrow cannot hold."""
    return text if text is None else text.encode("utf-8", "replace").decode()


@cache
def _blocks() -> pa.DataType:
    import pyarrow as pa

    texts = pa.list_(pa.string())
    return pa.list_(
        pa.struct(
            [
                ("tool", pa.string()),
                ("path", pa.string()),
                ("outcome", pa.string()),
                ("end_cause", pa.string()),
                ("issues", texts),
                ("fixes", texts),
                ("arguments", pa.string()),
            ]
        )
    )


# -- files -------------------------------------------------------------------------------------------------------------


def rows(path: Path, column: str | None) -> Iterator[Rows] | None:
    """Return the rows of a file with one reply per row; None for any other file.

    Such files are Parquet files, and lines of JSON if a column is named, or if a line has the column `text` before any line is
    an event. Raises ValueError for what cannot be read.
    """
    if path.suffix == ".parquet":
        return _parquet(path, column or COLUMN)
    if path.suffix in (".jsonl", ".ndjson") and _has_rows(path, column):
        return _lines(path)
    return None


def _has_rows(path: Path, column: str | None) -> bool:
    """Return whether a JSON-lines file has one reply a line, and is no recorded stream.

    The first line that is a reply or an event decides. A file without such a line has no replies.
    """
    with path.open("rb") as file:
        for line in file:
            try:
                line_data = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(line_data, dict) or "cassette" in line_data:
                return False
            if column is not None:
                return True
            if recognised(line_data) is not None:
                return False
            if COLUMN in line_data:
                return True
    return False


def _lines(path: Path) -> Iterator[Rows]:
    with path.open("rb") as file:
        found: list[Row] = []
        size = 0
        for line in file:
            found.append(line)
            size += len(line)
            if len(found) >= MOST_ROWS or size >= MOST_BYTES:
                yield Rows(found, size)
                found, size = [], 0
        if found:
            yield Rows(found, size)


def _parquet(path: Path, column: str) -> Iterator[Rows]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ValueError("reading Parquet needs the package pyarrow: pip install stream-guard-llm[batch]") from None
    try:
        with path.open("rb") as opened, parquet.ParquetFile(opened) as file:
            if column not in file.schema_arrow.names:
                raise ValueError(f"no column {column!r} among {', '.join(file.schema_arrow.names)}; name it with --column")
            share = path.stat().st_size / max(file.metadata.num_rows, 1)
            for batch in file.iter_batches(MOST_ROWS, columns=[column]):
                texts: Sequence[Any] = batch.column(0).to_pylist()
                if not all(text is None or isinstance(text, str) for text in texts):
                    raise ValueError(f"column {column!r} holds {batch.schema.field(0).type}, not text")
                yield Rows(texts, round(share * len(texts)))
    except pa.ArrowException as error:
        raise ValueError(f"not Parquet that can be read: {error}") from None
