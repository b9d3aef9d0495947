"""Whatever a tool call names, nothing outside of the workspace is read or changed."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import socket
import tempfile
import threading
from collections.abc import Hashable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from demo_server.workspace import Quota, Refused, Workspace
from tests.kit.breadth import some

EDIT = ("x", "y")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """In memory where that can be: thousands of files are written, and each is waited for until it is on the disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(params=["openat2", "openat"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """One beside which there is something to lose."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("secret", "passwd", "x"):
        (outside / name).write_text("canary x")
    (tmp_path / "secret").write_text("canary x")
    made = Workspace(tmp_path / "in" / "root", kernel=request.param == "openat2")
    if request.param == "openat2" and made._openat2 is None:
        pytest.skip("this kernel has no openat2")
    return made


def canaries(workspace: Workspace) -> str:
    """Everything outside of the workspace, in short."""
    top = workspace.root.parents[1]
    told = hashlib.sha256()
    for folder, names, files in os.walk(top):
        names[:] = sorted(name for name in names if Path(folder, name) != workspace.root)
        for name in sorted(files):
            path = Path(folder, name)
            told.update(f"{path} {os.lstat(path).st_ino} ".encode() + (path.read_bytes() if not path.is_symlink() else b""))
        told.update(" ".join(names).encode())
    return told.hexdigest()


def attempt(workspace: Workspace, path: str) -> bool:
    """Do everything to a path. Whether anything of it was let."""
    done = False
    for act in (
        lambda: workspace.write(path, "changed x"),
        lambda: workspace.edit(path, *EDIT),
        lambda: workspace.read(path),
        lambda: workspace.delete(path),
    ):
        try:
            act()
        except Refused:
            continue
        done = True
    return done


def traversals() -> Iterator[tuple[Hashable, str]]:
    """Thousands of ways to spell a way out, each with its kind: its steps up and its slashes, or itself."""
    ups = [
        "..",
        "..;",
        "...",
        "....",
        ". .",
        "..%00",
        "%2e%2e",
        "%252e%252e",
        ".%2e",
        "..∕",
        "．．",
        "..\x00",
        "..\\",
        " ..",
        ".. ",
        "\t..",
    ]
    ups += ["%c0%ae%c0%ae", "~", "$HOME", "..\u202e", "CON", "..\r", "..\n"]
    slashes = ["/", "//", "\\", "/./", "%2f", "%5c", "%252f", "\u2215", "\uff0f", "/\\", "\\/", "/\x00/", ";/", "/.//"]
    ends = ["secret", "outside/secret", "etc/passwd", "outside", "", ".", "passwd\x00.png", "secret/"]
    for up, slash, end, depth in itertools.product(ups, slashes, ends, (1, 2, 3, 8)):
        yield (up, slash), (up + slash) * depth + end
        yield (up, slash, "src"), f"src{slash}" + (up + slash) * depth + end
    absolute = [
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/fd/3",
        "/dev/null",
        "\\\\host\\share\\x",
        "C:\\x",
        "C:/x",
    ]
    for path in (*absolute, "file:///etc/passwd", "x:stream", "//?/C:/x", "", "/", ".", "..", "a" * 5000, "/".join("a" * 3000)):
        yield from ((each, each) for each in (path, quote(path, safe=""), f" {path}"))


@pytest.mark.some
def test_no_spelling_of_a_path_leaves_the_workspace(workspace: Workspace) -> None:
    before = canaries(workspace)
    paths = {path: kind for kind, path in traversals()}
    assert len(paths) > 4000
    for path in some(paths, 2_000, kind=paths.__getitem__):
        attempt(workspace, path)
    assert canaries(workspace) == before
    top = workspace.root.resolve()
    assert all(Path(folder).resolve().is_relative_to(top) for folder, _, _ in os.walk(workspace.root))


def test_random_paths_do_not_leave_either(workspace: Workspace) -> None:
    dice = random.Random(1)
    pieces = [
        "..",
        ".",
        "/",
        "\\",
        "//",
        "secret",
        "outside",
        "root",
        "in",
        "%2e",
        "%2f",
        "\x00",
        "~",
        "a",
        " ",
        "\u2024",
        "...",
    ]
    before = canaries(workspace)
    for _ in range(3000):
        attempt(workspace, "".join(dice.choices(pieces, k=dice.randint(1, 9))))
    assert canaries(workspace) == before


def test_nothing_is_reached_over_a_link(workspace: Workspace, tmp_path: Path) -> None:
    """Neither files nor folders, absolute or relative, dangling, in loops, or twice removed."""
    before = canaries(workspace)
    root, outside = workspace.root, tmp_path / "outside"
    (root / "file").symlink_to(outside / "secret")
    (root / "folder").symlink_to(outside)
    (root / "relative").symlink_to("../../outside")
    (root / "twice").symlink_to("folder")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to(outside / "new")
    (root / "root").symlink_to("/")
    (root / "within").symlink_to(".")
    (root / "magic").symlink_to("/proc/self/cwd")
    (root / "real").mkdir()
    (root / "real" / "deep").symlink_to(outside)
    named = ["file", "dangling", "loop"] + [
        f"{link}/{name}"
        for link in ("folder", "relative", "twice", "root", "within", "magic", "real/deep", "file")
        for name in ("secret", "x", "new", "etc/passwd")
    ]
    for path in named:
        assert not attempt(workspace, path), path
    assert canaries(workspace) == before
    assert workspace.files() == []


def test_only_regular_files_with_one_name_are_touched(workspace: Workspace, tmp_path: Path) -> None:
    before = canaries(workspace)
    os.link(tmp_path / "outside" / "secret", workspace.root / "hard")
    os.mkfifo(workspace.root / "pipe")
    (workspace.root / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(workspace.root / "socket"))
        for path in ("hard", "pipe", "folder", "socket"):
            assert not attempt(workspace, path), path
    assert canaries(workspace) == before


@pytest.mark.more
def test_names_swapped_during_a_write_lead_nowhere(workspace: Workspace, tmp_path: Path) -> None:
    """Another thread swaps a folder for a link, and a file for one, as fast as it can."""
    root, outside = workspace.root, tmp_path / "outside"
    before = canaries(workspace)
    (root / "link").symlink_to(outside)
    (root / "filelink").symlink_to(outside / "secret")
    (root / "a").mkdir()
    workspace.write("b", "x")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for one, other in (("a", "link"), ("b", "filelink")):
                try:
                    (root / one).rename(root / "aside")
                    (root / other).rename(root / one)
                    (root / "aside").rename(root / other)
                except OSError:
                    continue

    thread = threading.Thread(target=swap)
    thread.start()
    done = 0
    try:
        for _ in range(int(os.environ.get("RACES", "400"))):
            for path in ("a/secret", "a/x", "b"):
                try:
                    workspace.write(path, "changed x")
                    workspace.edit(path, *EDIT)
                    workspace.delete(path)
                    done += 1
                except Refused:
                    continue
    finally:
        over.set()
        thread.join()
    assert canaries(workspace) == before


# -- what it does ------------------------------------------------------------------------------------------------------


def test_files_are_written_edited_and_deleted(workspace: Workspace) -> None:
    created = workspace.write("src/a/é 😀.txt", "one two\n")
    edited = workspace.edit("src/a/é 😀.txt", "two", "2")
    assert (created.before, created.after, edited.after) == (None, "one two\n", "one 2\n")
    assert workspace.files() == [("src/a/é 😀.txt", 6)]
    assert workspace.delete("src/a/é 😀.txt").before == "one 2\n"
    assert workspace.read("src/a/é 😀.txt") is None


@pytest.mark.parametrize(("text", "said"), [("a a", "stands 2 times"), ("b", "does not stand"), ("", "does not stand")])
def test_an_edit_needs_exactly_one_match(workspace: Workspace, text: str, said: str) -> None:
    workspace.write("f", text)
    with pytest.raises(Refused, match=said):
        workspace.edit("f", "a", "c")
    with pytest.raises(Refused, match="does not stand"):
        workspace.edit("f", "", "c")
    assert workspace.read("f") == text


@pytest.mark.parametrize("act", ["edit", "delete"])
def test_what_is_not_there_is_said(workspace: Workspace, act: str) -> None:
    for path in ("no", "no/where"):
        with pytest.raises(Refused, match="no file"):
            workspace.edit(path, *EDIT) if act == "edit" else workspace.delete(path)


def test_a_workspace_has_bounds(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w", Quota(file=10, files=2, total=15, depth=2), seed={"a": "12345"})
    with pytest.raises(Refused, match="longer than 10 bytes"):
        workspace.write("b", "é" * 6)
    workspace.write("b", "1234567890")
    for path, text in (("c", ""), ("a", "123456")):
        with pytest.raises(Refused, match="full"):
            workspace.write(path, text)
    with pytest.raises(Refused, match="too deep"):
        workspace.write("x/y/z", "")
    assert workspace.files() == [("a", 5), ("b", 10)]
    workspace.clear()
    assert workspace.files() == []


def test_a_file_that_is_no_text_is_left_alone(workspace: Workspace) -> None:
    (workspace.root / "f").write_bytes(b"\xff\xfe")
    assert not attempt(workspace, "f")
    assert (workspace.root / "f").read_bytes() == b"\xff\xfe"
    with pytest.raises(Refused, match="half a character"):
        workspace.write("g", "\ud800")


def test_nothing_is_left_behind_when_writing_fails(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.write("f", "before")

    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr(os, "rename", broken)
    with pytest.raises(Refused, match="No space"):
        workspace.write("f", "after")
    assert workspace.read("f") == "before"
    assert [path.name for path in workspace.root.iterdir()] == ["f"]
