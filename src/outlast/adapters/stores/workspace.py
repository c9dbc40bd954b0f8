"""Where in a workspace plans are, by layout: `.outlast/plans/<key>/` and others."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import ENOTDIR
from typing import TYPE_CHECKING, Final

from outlast.adapters.stores.files.journal_file import NAME, read_header
from outlast.adapters.stores.layouts import HOMES, KINDS, LAYOUTS
from outlast.adapters.stores.memory import MemoryStore
from outlast.adapters.stores.views.file import read_whole
from outlast.domain.limits import check_choice
from outlast.errors import NewerFormat, PlanExists, PlanNotFound, StoreError
from outlast.system.files import PRIVATE, SHARED
from outlast.system.filesystems import check
from outlast.system.keys import directory_name, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from outlast.adapters.stores.views.store import ViewedStore
    from outlast.domain.commands import CreatePlan
    from outlast.ports.store import Notice
    from outlast.system.disk import Disk

_IGNORE: Final = ".gitignore"


class Workspace:
    """The plans below one directory, in whichever layout."""

    def __init__(self, root: str, disk: Disk) -> None:
        """Look at a directory that exists."""
        if not disk.is_directory(root):
            raise StoreError("no_directory", where=root)
        self._root = disk.real(root)
        self._disk = disk

    @property
    def root(self) -> str:
        """The directory, without links on the way to it."""
        return self._root

    def create(
        self,
        command: CreatePlan,
        author: str,
        now: datetime,
        *,
        layout: str = "outlast",
        shared: bool = False,
    ) -> ViewedStore:
        """Make a plan under its key, which no plan of the workspace may have yet."""
        check_choice(layout, "layout", LAYOUTS)
        found = self._find(command.key)
        if found is not None:
            raise PlanExists("plan_exists_already", where=found[1])
        directory = self._path(layout, command.key)
        self._check(directory)
        self._make_directories(layout, directory, shared=shared)
        return KINDS[layout].create(
            directory, self._disk, command, author=author, now=now, shared=shared
        )

    def open(self, key: str, now: datetime) -> ViewedStore:
        """Open the plan with a key; a plan in somebody else's file becomes ours."""
        layout, directory = self._need(key)
        if not self._has(directory, NAME):
            try:
                return KINDS[layout].adopt(directory, self._disk, key, now)
            except PlanExists:
                pass  # another process has just done it
            except OSError as error:
                if not self._has(directory, NAME):
                    raise _failed(directory, error) from error
        return KINDS[layout](directory, self._disk, now)

    def look(self, key: str, now: datetime) -> ViewedStore | MemoryStore:
        """Open the plan with a key only to look at it; somebody else's stays as it is."""
        layout, directory = self._need(key)
        if self._has(directory, NAME):
            return self.open(key, now)
        kind = KINDS[layout]
        path = os.path.join(directory, kind.shown.name)
        try:
            return _in_memory(kind.parse(read_whole(self._disk, path), key, now), now)
        except OSError as error:
            raise _failed(directory, error) from error

    def look_for_damage(self, key: str, now: datetime) -> None:
        """Read the whole journal of a plan; raise what is wrong with it."""
        from outlast.adapters.stores.files.repair import look_for_damage

        _, directory = self._need(key)
        if self._has(directory, NAME):
            look_for_damage(directory, self._disk, now)

    def mend(self, key: str, now: datetime) -> list[Notice]:
        """Mend a journal that is damaged before its end; say what was done, if anything was."""
        from outlast.adapters.stores.files.repair import repair

        _, directory = self._need(key)
        return repair(directory, self._disk, now)

    def directory(self, key: str) -> str:
        """Return where the plan with a key is kept."""
        return self._need(key)[1]

    def known(self) -> list[str]:
        """Return the keys of all plans here, also of those that cannot be opened."""
        return list(dict.fromkeys(self._keys()))

    def _keys(self) -> Iterator[str]:
        for layout in LAYOUTS:
            base = os.path.join(self._root, *LAYOUTS[layout])
            for name in self._names(base):
                directory = os.path.join(base, name)
                key = self._key(directory, name) if self._is_plan(layout, directory) else ""
                if key:
                    yield key

    def _names(self, base: str) -> list[str]:
        try:
            return self._disk.names(base)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _failed(base, error) from error

    def _key(self, directory: str, name: str) -> str:
        """Return the key that leads to a directory; too long a one stands only in the journal."""
        key = key_of(name)
        if key:
            return key
        try:
            header = read_header(directory, self._disk)
        except NewerFormat:
            return ""
        return header.key if header and header.key and directory_name(header.key) == name else ""

    def _need(self, key: str) -> tuple[str, str]:
        found = self._find(key)
        if found is None:
            where, known = self._path("outlast", key), self.known()
            if not known:
                raise PlanNotFound("no_plan_yet", where=self._root, candidates=[])
            raise PlanNotFound("plan_not_found", where=where, candidates=known)
        self._check(found[1])
        return found

    def _find(self, key: str) -> tuple[str, str] | None:
        for layout in LAYOUTS:
            directory = self._path(layout, key)
            if self._is_plan(layout, directory):
                return layout, directory
        return None

    def _path(self, layout: str, key: str) -> str:
        return os.path.join(self._root, *LAYOUTS[layout], directory_name(key))

    def _check(self, directory: str) -> None:
        """Refuse a file system that keeps no plan safe, and a link that leads elsewhere."""
        check(self._disk.file_system(directory), directory)
        if self._disk.real(directory) != directory:
            raise _failed(directory, OSError(ENOTDIR, ""))

    def _make_directories(self, layout: str, directory: str, *, shared: bool) -> None:
        try:
            path = self._root
            for name in LAYOUTS[layout]:
                path = os.path.join(path, name)
                self._make(path, shared=shared)
                if name in HOMES:
                    self._ignore(path, shared=shared)
            self._make(directory, shared=shared)
        except OSError as error:
            raise _failed(directory, error) from error

    def _ignore(self, home: str, *, shared: bool) -> None:
        """Keep plans out of the project's own history."""
        disk, path = self._disk, os.path.join(home, _IGNORE)
        try:
            fd = disk.open(path, os.O_WRONLY | os.O_CREAT, SHARED if shared else PRIVATE)
        except OSError:
            if not disk.has(path):
                raise
            return  # somebody's own
        try:
            if not disk.look(fd)[1]:
                disk.write(fd, b"*\n")
        finally:
            disk.close(fd)

    def _make(self, directory: str, *, shared: bool) -> None:
        with suppress(FileExistsError):  # by somebody who died before the name was safe, perhaps
            self._disk.make_directory(directory, 0o777 if shared else 0o700)
        self._disk.sync_directory(os.path.dirname(directory))

    def _is_plan(self, layout: str, directory: str) -> bool:
        names = (NAME, KINDS[layout].shown.name)
        return any(self._has(directory, name) for name in names)

    def _has(self, directory: str, name: str) -> bool:
        return self._disk.has(os.path.join(directory, name))


def _in_memory(command: CreatePlan, now: datetime) -> MemoryStore:
    from outlast.domain.enact import receipt

    store = MemoryStore(now)
    store.commit((command,), receipt, author="import", now=now)
    return store


def _failed(where: str, error: OSError) -> StoreError:
    return StoreError("store_failed", where=where, problem=os.strerror(error.errno or 0))
