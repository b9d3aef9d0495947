"""Dialects that carry files. A call in them names an operation, and the toolset may have a tool for that operation."""

from __future__ import annotations

from typing import Final

import regex

from ..bodies.action_tags import ActionTags
from ..bodies.patch import Patch
from ..bodies.search_replace import SearchReplace
from ..files import CREATED, DELETE, EDIT, EDITED, PATCH, WRITE
from ..table import Dialect, Opener
from ..write import bolt, patch, search_replace

BOLT: Final = Dialect(
    "bolt_artifact",
    (
        Opener("<boltArtifact ", ActionTags, regex.compile(r"[\w:-]+=")),
        Opener("<boltArtifact>", ActionTags, regex.compile("<")),
    ),
    bolt,
    closers=("</boltArtifact>",),
    strays=("<boltAction", "</boltAction", "</boltArtifact"),
    tools=dict.fromkeys(("file", "write_file"), WRITE),
    sample=CREATED,
    models="any model that is told to: bolt.diy, and what is made after it",
    several="several actions in one artifact",
    unknown="whether a file ends without a line end: one is added; whether its text holds its own closers",
)

V4A: Final = Dialect(
    "v4a_patch",
    (Opener("*** Begin Patch", Patch, place="line"),),
    patch,
    closers=("*** End Patch",),
    strays=("*** Begin Patch", "*** Update File", "*** Add File", "*** Delete File", "*** End Patch"),
    sure=False,
    tools={"write_file": (*PATCH, *WRITE), "edit_file": (*PATCH, *EDIT), "delete_file": (*PATCH, *DELETE)},
    signed=True,
    whole=True,
    sample=EDITED,
    models="GPT-4.1 and later, Codex; any model that is told to",
    several="in one patch; if one of them cannot run, none does",
    unknown="where lines stand that are after others (`@@ def f():`), but for a tool `apply_patch`; whether a sign is missing",
)

AIDER: Final = Dialect(
    "aider_search_replace",
    tuple(Opener(f"{'<' * count} SEARCH", SearchReplace, place="line", behind_path=True) for count in (7, 6, 8, 5, 9)),
    search_replace,
    closers=(">>>>>>> REPLACE",),
    strays=("<<<<<",),
    sure=False,
    tools={"edit_file": EDIT},
    sample=EDITED,
    models="any model that is told to: Aider, and what is made after it",
    several="one after the other; in one fence without the path, where it is the same",
    unknown="the path, where another line stands between; what an empty search means, but for a tool with a field `search`; "
    "whether its text holds its own markers",
)

TABLES: Final = (BOLT, AIDER, V4A)
