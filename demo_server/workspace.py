"""A directory that tool calls may write to, and nothing outside of it.

    path -> parts -> the folder, opened beneath the root -> what stands there -> a new file beside it, renamed over it

The kernel resolves names, not string functions: `openat2` with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS where there is one, else
one `openat` with O_NOFOLLOW for each folder. What is open stays what it was, whatever is swapped under its name meanwhile.

Rule 1: every name is looked up relative to an open folder, never from the current directory and never a second time.
Rule 2: only regular files with one name are read, replaced or deleted.
Rule 3: a file is whole, before and after: it is written beside its place and renamed into it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import stat
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

_OPENAT2: Final = 437
_BENEATH: Final = 0x08 | 0x04 | 0x02 | 0x01  # RESOLVE_BENEATH, NO_SYMLINKS, NO_MAGICLINKS, NO_XDEV
_FOLDER: Final = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC"))
_TEMPORARY: Final = ".writing-"
_ODD: Final = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")


class Refused(Exception):
    """What cannot be done in a workspace, and why, in words for a person and a model."""


class Missing(Refused):
    """There is no such file."""


@dataclass(frozen=True, slots=True)
class Quota:
    """How much a workspace may hold."""

    file: int = 262_144
    """Bytes of one file."""

    files: int = 500
    total: int = 8_388_608
    """Bytes of all files together."""

    depth: int = 12
    """Folders within folders."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a file."""

    path: str
    before: str | None
    """Its text before, or None when there was none."""

    after: str | None
    """Its text now, or None when there is none."""


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class Workspace:
    """Files below one folder.

    Args:
        root: The folder; it is made when it is not there.
        quota: How much it may hold.
        seed: What stands in it when it is new.
        kernel: Whether to use openat2 where there is one.
    """

    def __init__(
        self, root: Path, quota: Quota | None = None, seed: Mapping[str, str] | None = None, *, kernel: bool = True
    ) -> None:
        if os.open not in os.supports_dir_fd:
            raise OSError(errno.ENOTSUP, "this system cannot confine a workspace: it opens no file relative to a folder")
        new = not root.exists()
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.root: Final = root
        self.quota: Final = quota or Quota()
        self._openat2 = _openat2() if kernel else None
        self._seed = dict(seed or {})
        if new:
            self._sow()

    def write(self, path: str, text: str) -> Change:
        """Create a file, or replace all of its text."""
        data = self._encoded(text)
        with self._root() as root, self._parent(root, path, make=True) as (folder, name):
            before = self._text(folder, name)
            self._room(root, len(data) - len((before or "").encode()), before is None)
            self._replace(folder, name, data)
        return Change(path, before, text)

    def edit(self, path: str, old: str, new: str) -> Change:
        """Replace the one place where a text stands."""
        with self._root() as root, self._parent(root, path) as (folder, name):
            before = self._text(folder, name)
            if before is None:
                raise Missing(f"There is no file {path!r} to edit")
            found = before.count(old) if old else 0
            if found != 1:
                where = "does not stand" if not found else f"stands {found} times"
                raise Refused(f"The text to replace {where} in {path!r}; it must stand there exactly once")
            after = before.replace(old, new)
            data = self._encoded(after)
            self._room(root, len(data) - len(before.encode()), new=False)
            self._replace(folder, name, data)
        return Change(path, before, after)

    def delete(self, path: str) -> Change:
        """Delete a file."""
        with self._root() as root, self._parent(root, path) as (folder, name):
            before = self._text(folder, name)
            if before is None:
                raise Missing(f"There is no file {path!r} to delete")
            os.unlink(name, dir_fd=folder)
        return Change(path, before, None)

    def read(self, path: str) -> str | None:
        """The text of a file; None when there is none."""
        try:
            with self._root() as root, self._parent(root, path) as (folder, name):
                return self._text(folder, name)
        except Missing:
            return None

    def files(self) -> list[tuple[str, int]]:
        """The files and their sizes, by name."""
        with self._root() as root:
            return sorted(self._files(root, "", 0))

    def clear(self) -> None:
        """Delete every file."""
        for path, _ in self.files():
            with contextlib.suppress(Refused):
                self.delete(path)

    def reset(self) -> None:
        """Have what it had when it was new."""
        self.clear()
        self._sow()

    def _sow(self) -> None:
        for path, text in self._seed.items():
            self.write(path, text)

    # -- folders -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _root(self) -> Generator[int, None, None]:
        folder = os.open(self.root, _FOLDER)
        try:
            import fcntl  # deferred: not every system has it

            fcntl.flock(folder, fcntl.LOCK_EX)  # one at a time, among all workers
            yield folder
        finally:
            os.close(folder)

    @contextlib.contextmanager
    def _parent(self, root: int, path: str, *, make: bool = False) -> Generator[tuple[int, str], None, None]:
        """The folder that a file is in, open, and the file's name in it. Folders that are empty then are deleted."""
        *folders, name = self._parts(path)
        with contextlib.ExitStack() as opened:
            here = root
            try:
                for part in folders:
                    if make:
                        with contextlib.suppress(FileExistsError):
                            os.mkdir(part, 0o700, dir_fd=here)
                    opened.callback(_deleted_if_empty, part, here)
                    here = self._below(here, part)
                    opened.callback(os.close, here)
                yield here, name
            except OSError as error:
                raise self._explained(error, path, make) from None

    def _below(self, folder: int, name: str, flags: int = _FOLDER) -> int:
        """Open what is directly in a folder."""
        if self._openat2 is not None:
            return int(self._openat2(folder, name, flags))
        return os.open(name, flags, dir_fd=folder)

    def _parts(self, path: str) -> list[str]:
        """A path as names, each of which names something directly in a folder."""
        parts = path.split("/")
        if not path or _ODD.search(path) or any(part in ("", ".", "..") or part != part.strip() for part in parts):
            raise Refused(f"{path[:200]!r} is no path in the workspace: names with single slashes between them, and no '..'")
        if len(parts) > self.quota.depth or any(len(part.encode()) > 200 for part in parts):
            raise Refused("The path is too deep, or a name in it too long")
        if any(part.startswith(_TEMPORARY) for part in parts):
            raise Refused(f"Names that begin with {_TEMPORARY!r} are the workspace's own")
        return parts

    @staticmethod
    def _explained(error: OSError, path: str, make: bool) -> Exception:
        if isinstance(error, FileNotFoundError) and not make:
            return Missing(f"There is no file {path!r}")
        if error.errno in (errno.ELOOP, errno.EXDEV, errno.ENOTDIR, errno.EEXIST):
            return Refused(f"{path!r} leads over something that is no folder of the workspace")
        if error.errno == errno.EISDIR:
            return Refused(f"{path!r} is a folder")
        return Refused(f"{path!r} cannot be used: {os.strerror(error.errno or errno.EIO)}")

    # -- files ---------------------------------------------------------------------------------------------------------

    def _text(self, folder: int, name: str) -> str | None:
        """The text of a file that may be touched; None when there is none."""
        try:
            file = self._below(folder, name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with open(file, "rb") as opened:  # noqa: PTH123  # a descriptor
            told = os.fstat(opened.fileno())
            if not stat.S_ISREG(told.st_mode) or told.st_nlink != 1:
                raise Refused(f"{name!r} is no regular file with one name")
            if told.st_size > self.quota.file:
                raise Refused(f"{name!r} is longer than {self.quota.file} bytes")
            try:
                return opened.read(self.quota.file + 1).decode()
            except UnicodeDecodeError:
                raise Refused(f"{name!r} is not a text file in UTF-8") from None

    def _replace(self, folder: int, name: str, data: bytes) -> None:
        beside = _TEMPORARY + token_hex(8)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(beside, flags, 0o600, dir_fd=folder)
        try:
            with open(file, "wb") as opened:  # noqa: PTH123
                opened.write(data)
                opened.flush()
                os.fsync(opened.fileno())
            os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(beside, dir_fd=folder)
            raise
        os.fsync(folder)

    def _encoded(self, text: str) -> bytes:
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise Refused("The text holds half a character and cannot be written") from None
        if len(data) > self.quota.file:
            raise Refused(f"The text is longer than {self.quota.file} bytes")
        return data

    def _room(self, root: int, more: int, new: bool) -> None:
        sizes = [size for _, size in self._files(root, "", 0)]
        if len(sizes) + new > self.quota.files or sum(sizes) + more > self.quota.total:
            raise Refused(f"The workspace is full: {self.quota.files} files, {self.quota.total} bytes")

    def _files(self, folder: int, above: str, depth: int) -> Iterator[tuple[str, int]]:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        for name, told in found:
            if stat.S_ISDIR(told.st_mode) and depth < self.quota.depth:
                try:
                    below = self._below(folder, name)
                except OSError:
                    continue  # it is gone, or something else now
                try:
                    yield from self._files(below, f"{above}{name}/", depth + 1)
                finally:
                    os.close(below)
            elif stat.S_ISREG(told.st_mode) and not name.startswith(_TEMPORARY):
                yield above + name, told.st_size


def _deleted_if_empty(name: str, folder: int) -> None:
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=folder)


def _openat2() -> Any:
    """The system call, where the kernel has it and lets us."""
    if os.uname().sysname != "Linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)

    def call(folder: int, name: str, flags: int) -> int:
        how = _How(flags, 0, _BENEATH)
        opened = libc.syscall(_OPENAT2, folder, os.fsencode(name), ctypes.byref(how), ctypes.sizeof(how))
        if opened < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), name)
        return int(opened)

    here = os.open(".", _FOLDER)
    try:
        os.close(call(here, ".", _FOLDER))
    except OSError:  # an old kernel, or a sandbox that does not let it through
        return None
    finally:
        os.close(here)
    return call
