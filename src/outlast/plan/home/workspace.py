"""A workspace: the plans below one directory, such as `.outlast/plans/<key>/`."""

from __future__ import annotations

import os
import sys
from contextlib import closing, contextmanager, suppress
from errno import ENOTDIR
from itertools import chain
from typing import TYPE_CHECKING, Final

from outlast.documents.views.registry import UNMERGED, LayoutViews
from outlast.documents.views.synced_views import open_with_views
from outlast.errors import (
    DamagedJournal,
    InvalidArgument,
    InvalidDocument,
    NewerFormat,
    OutlastError,
    PlanExists,
    PlanNotFound,
    Refused,
    StoreError,
)
from outlast.language import explain
from outlast.model.limits import NAME_CHARACTERS, check_choice, check_name
from outlast.plan.home.kept_journals import KeptJournals, KeptPlan
from outlast.plan.home.layouts import HOMES, LAYOUTS, VIEWS
from outlast.store.files import snapshot_file
from outlast.store.files.journal_file import NAME, read_header
from outlast.store.files.log import FilesLog, create_files, open_files
from outlast.store.port import Notice, Request
from outlast.system.disk import (
    PRIVATE,
    SHARED,
    Disk,
    check_suitable,
    describe_error,
    read_beginning,
    read_whole,
    take_lock,
    write_temporary,
)
from outlast.system.keys import directory_name, key_of, nfc, unused_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from outlast.model.commands import CreatePlan
    from outlast.plan.home.archive_directory import ArchiveDirectory, ArchivedPlan, Refuse
    from outlast.store.store import Store

_IGNORE: Final = ".gitignore"
_OF_OTHERS: Final = 0o077  # the rights of other users
_CURRENT: Final = "current"  # the file that names the current plan
_LARGEST_KEY: Final = 4 * NAME_CHARACTERS  # bytes


class Workspace:
    """The plans of one directory, in all layouts."""

    def __init__(self, root: str, disk: Disk) -> None:
        """Use an existing directory; raises `StoreError` if there is none."""
        if not disk.is_directory(root):
            raise StoreError("no_directory", where=root)
        self._root = disk.real_path(root)
        self._disk = disk

    @property
    def root(self) -> str:
        """The real path of the directory."""
        return self._root

    def create(  # noqa: PLR0913 - what a plan begins with
        self,
        command: CreatePlan,
        author: str,
        now: datetime,
        *,
        layout: str = "outlast",
        shared: bool = False,
        person: str = "",
    ) -> Store:
        """Create a plan; raises `PlanExists` if a plan of the workspace has its key.

        Where a plan with the key is gone, a notice tells how to have that one.
        """
        check_choice(layout, "layout", LAYOUTS)
        existing = self._find_plan(command.key)
        if existing is not None:
            raise PlanExists("plan_exists_already", where=existing[1], key=command.key)
        directory = self._plan_path(layout, command.key)
        self._check_directory(directory)
        kept = KeptJournals(self._disk)
        is_again = any(plan.key == command.key for plan in kept.find_gone((self._root,)))
        self._make_directories(layout, directory, shared=shared)
        create_files(
            directory, self._disk, command, author=author, now=now, shared=shared, person=person
        )
        kept.remove_old_daily(now)
        store = self._open(layout, directory, command.key, now)
        if is_again:
            store.notices.append(("plan_was_here", {"key": command.key}))
        return store

    def open(self, key: str, now: datetime) -> Store:
        """Open the plan with a key; adopt a view that another program wrote as a plan.

        Raises `DamagedJournal` where a plan has lost its journal: nothing is rebuilt by opening it.
        """
        layout, directory = self._locate(key)
        if not self._has_file(directory, NAME):
            self._adopt(VIEWS[layout], directory, key, now)
        return self._open(layout, directory, key, now)

    def _open(self, layout: str, directory: str, key: str, now: datetime) -> Store:
        log = FilesLog(directory, self._disk, now, key)
        store = open_with_views(log, VIEWS[layout], now, (self, key))
        kept = KeptPlan(self._root, layout, key, directory)
        KeptJournals(self._disk).keep(log.journal, store.replica.state.id, kept)
        return store

    def _adopt(self, layout: LayoutViews, directory: str, key: str, now: datetime) -> None:
        from outlast.documents.views.missing_journal import adopt

        self._refuse_lost_journal(layout, directory)
        try:
            adopt(layout, directory, self._disk, key, now)
        except PlanExists:
            pass  # another process has just adopted it
        except (InvalidDocument, Refused) as error:
            raise _unreadable_error(layout, directory, key, error) from error
        except OSError as error:
            if not self._has_file(directory, NAME):
                raise _store_error(directory, error) from error

    def open_without_adopting(self, key: str, now: datetime) -> Store:
        """Open the plan with a key; only copy another program's plan into memory."""
        name, directory = self._locate(key)
        if self._has_file(directory, NAME):
            return self._open(name, directory, key, now)
        from outlast.documents.views.missing_journal import parse_view

        layout = VIEWS[name]
        self._refuse_lost_journal(layout, directory)
        path = os.path.join(directory, layout.name)
        try:
            data = read_whole(self._disk, path)
            return _copy_to_memory(parse_view(layout, data, key, now), now)
        except (InvalidDocument, Refused) as error:
            raise _unreadable_error(layout, directory, key, error) from error
        except OSError as error:
            raise _store_error(directory, error) from error

    def _refuse_lost_journal(self, layout: LayoutViews, directory: str) -> None:
        """Raise `DamagedJournal` if the files in a directory show that it has lost its journal."""
        from outlast.documents.views.missing_journal import traces_of_journal

        try:
            traces = traces_of_journal(directory, self._disk, layout.views[0])
        except OSError as error:
            raise _store_error(directory, error) from error
        if traces and not self._has_file(directory, NAME):  # nor has one been created meanwhile
            path = os.path.join(directory, NAME)
            raise DamagedJournal("journal_missing", path=path, files=traces)

    def check_integrity(self, key: str, now: datetime) -> None:
        """Read the whole journal of a plan; raise `DamagedJournal` if it is damaged."""
        from outlast.store.files.repair import check_integrity

        _, directory = self._locate(key)
        if self._has_file(directory, NAME):
            check_integrity(directory, self._disk, now)

    def repair(self, key: str, now: datetime) -> list[Notice]:
        """Repair a damaged or lost journal; return what was done, nothing if it is sound.

        A lost one comes back from its second name, if it has one. Where there never was a journal,
        a file of another program that is no plan is set aside.
        """
        from outlast.documents.views.missing_journal import LastViewFile
        from outlast.store.files.repair import repair

        name, directory = self._locate(key)
        layout = VIEWS[name]
        back: KeptPlan | None = None
        if not self._has_file(directory, NAME):
            try:
                self._refuse_lost_journal(layout, directory)
                return self.set_unreadable_aside(key, now)
            except DamagedJournal:
                back = self._bring_journal_back(directory)
        view = LastViewFile(layout, directory, self._disk, key, now)
        if back is None:
            return repair(directory, self._disk, now, view)
        done = repair(directory, self._disk, now, view, is_copy=back.is_copy)
        text = "journal_copy_back" if back.is_copy else "journal_back"
        return [(text, {"where": directory}), *done]

    def _bring_journal_back(self, directory: str) -> KeptPlan | None:
        """Put a lost journal back from its second name; return None if it has none."""
        kept = KeptJournals(self._disk)
        plan = kept.find_missing(self._root, directory)
        try:
            if plan is not None:
                kept.bring_back(plan, directory)
        except PlanExists:
            return None  # it was put back meanwhile
        except OSError as error:
            raise _store_error(directory, error) from error
        return plan

    def foreign_key(self, key: str) -> str:
        """Return the key in the header of a plan's journal if it is another; empty if it is not."""
        header = read_header(self._locate(key)[1], self._disk)
        is_own = header is None or directory_name(header.key) == directory_name(key)
        return "" if is_own or header is None else header.key

    def renew_identity(self, key: str, now: datetime, plan_id: str) -> bool:
        """Give a plan its own key and this id; return whether it has got the id.

        A plan that was only renamed keeps its id: its header has another key, and no other plan
        here has the id.
        """
        from outlast.store.files.identity import renew_identity

        own = self._plan_id(key, now)
        others = (other for other in self.plan_keys() if other != key)
        is_copy = any(self._plan_id_if_readable(other, now) == own for other in others)
        is_renewed = is_copy or not self.foreign_key(key)
        _, directory = self._locate(key)
        renew_identity(directory, self._disk, now, key, plan_id if is_renewed else "")
        return is_renewed

    def _plan_id(self, key: str, now: datetime) -> str:
        with closing(self.open_without_adopting(key, now)) as store:
            return store.read(lambda state: state.id)

    def _plan_id_if_readable(self, key: str, now: datetime) -> str:
        try:
            return self._plan_id(key, now)
        except OutlastError:
            return ""

    def has_journal(self, key: str) -> bool:
        """Return whether a plan has a journal; that of another program has none yet."""
        return self._has_file(self._locate(key)[1], NAME)

    def set_unreadable_aside(self, key: str, now: datetime) -> list[Notice]:
        """Rename a view that is no plan, where there is no journal; return the notice about it."""
        from outlast.documents.views.missing_journal import set_unreadable_aside

        layout, directory = self._locate(key)
        try:
            return set_unreadable_aside(VIEWS[layout], directory, self._disk, key, now)
        except OSError as error:
            raise _store_error(directory, error) from error

    def plan_directory(self, key: str, layout: str = "") -> str:
        """Return the directory of the plan with a key; with a layout, also of one to be created."""
        if layout and self._find_plan(key) is None:
            return self._plan_path(self.known_layout(key) or layout, key)
        return self._locate(key)[1]

    def known_layout(self, key: str) -> str:
        """Return the layout that the plans of a key have here; empty for a new key.

        That is the layout of its plan, else of its directory, else of its newest archived plan.
        """
        existing = self._find_plan(key)
        if existing is not None:
            return existing[0]
        for layout in LAYOUTS:
            if self._disk.exists(self._plan_path(layout, key)):
                return layout
        return self._archive.layout_of(key)

    # The archive

    @property
    def _archive(self) -> ArchiveDirectory:
        from outlast.plan.home.archive_directory import ArchiveDirectory

        return ArchiveDirectory(self._root, self._disk)

    def archived_plans(self) -> list[ArchivedPlan]:
        """Return the archived plans, those of one key oldest first."""
        return self._archive.plans()

    def archive(self, key: str, now: datetime, refuse: Refuse) -> ArchivedPlan:
        """Move a plan into the archive, unless `refuse` raises."""
        layout, directory = self._locate(key)
        return self._archive.add(directory, layout, now, refuse)

    def open_archived(self, plan: ArchivedPlan, now: datetime) -> Store:
        """Open an archived plan where it is."""
        return open_files(plan.path, self._disk, now, plan.key)

    def restore(self, plan: ArchivedPlan) -> None:
        """Move an archived plan back to its key and layout; raises `PlanExists` if it is in use."""
        existing = self._find_plan(plan.key)
        if existing is not None:
            raise PlanExists("plan_exists_already", where=existing[1])
        directory = self._plan_path(plan.layout, plan.key)
        self._check_directory(directory)
        header = read_header(plan.path, self._disk)
        shared = header is not None and header.shared
        self._make_directories(plan.layout, directory, shared=shared)
        self._archive.move_out(plan, directory)

    def bring_back(self, plan: KeptPlan) -> None:
        """Put a plan that is gone back to its place; raises `PlanExists` if there is one."""
        directory = self._plan_path(plan.layout, plan.key)
        self._check_directory(directory)
        self._make_directories(plan.layout, directory, shared=False)
        try:
            KeptJournals(self._disk).bring_back(plan, directory)
        except OSError as error:
            raise _store_error(directory, error) from error

    # The current plan

    @property
    def current_path(self) -> str:
        """The file that names the current plan."""
        return os.path.join(self._root, HOMES[0], _CURRENT)

    def current_key(self) -> str:
        """Return the key of the current plan; empty if there is none."""
        key = self._read_current()
        try:
            return key if self.has_plan(check_name(key, "key")) else ""
        except InvalidArgument:  # the file is empty or broken
            return ""

    def make_current(self, key: str) -> None:
        """Make a plan the current one; without the right to write here, do nothing."""
        if key == self._read_current():
            return
        with suppress(OSError):
            home = self._make_home()
            if self._disk.real_path(home) == home:  # no link to a directory elsewhere
                self._write_current(key)

    def _read_current(self) -> str:
        try:
            name = read_beginning(self._disk, self.current_path, _LARGEST_KEY)
            return name.decode().removesuffix("\n")
        except (OSError, UnicodeError):
            return ""

    def _write_current(self, key: str) -> None:
        """Write the file, as readable as its directory is."""
        path = self.current_path
        is_shared = self._disk.mode(os.path.dirname(path)) & _OF_OTHERS
        mode = SHARED if is_shared else PRIVATE
        new = write_temporary(self._disk, path, f"{key}\n".encode(), mode=mode)
        try:
            self._disk.rename(new, path)
        except OSError:
            self._disk.remove(new)
            raise

    # Where plans are

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the lock on the plans here: to look for a plan and create it is then one step."""
        home = os.path.join(self._root, HOMES[0])
        try:
            fd = self._disk.open(self._make_home(), os.O_RDONLY | os.O_DIRECTORY, 0)
        except OSError as error:
            raise _store_error(home, error) from error
        try:
            take_lock(self._disk, fd, home)
            yield
        finally:
            self._disk.close(fd)

    def has_plan(self, key: str) -> bool:
        """Return whether a plan here has a key."""
        return self._find_plan(key) is not None

    def plan_keys(self) -> list[str]:
        """Return the keys of all plans here, also of those that cannot be opened."""
        return list(dict.fromkeys(self._keys()))

    def has_other(self, key: str) -> bool:
        """Return whether there is a plan here besides the one with a key."""
        return any(other != key for other in self._keys(besides=directory_name(key)))

    def find_readable_keys(self) -> list[str]:
        """Return the keys of all plans: a damaged one does not hide the others."""
        return self.plan_keys()

    def nameless_directories(self) -> list[str]:
        """Return the directories of plans whose key nothing tells any more."""
        return [path for _, path, name in self._plan_directories() if not self._key_of(path, name)]

    def _keys(self, besides: str = "") -> Iterator[str]:
        for layout, directory, name in self._plan_directories(besides):
            key = self._key_of(directory, name)
            # a name in another normal form may belong to another directory
            if key and (key == name or self._is_plan(layout, self._plan_path(layout, key))):
                yield key

    def _plan_directories(self, besides: str = "") -> Iterator[tuple[str, str, str]]:
        """Yield the layout, the path and the name of each plan's directory, but of one name."""
        for layout in LAYOUTS:
            base = os.path.join(self._root, *LAYOUTS[layout])
            for name in self._names(base):
                directory = os.path.join(base, name)
                if name != besides and self._is_plan(layout, directory):
                    yield layout, directory, name

    def unused_key(self, goal: str) -> str:
        """Make a key from a goal that no plan here has; those in the archive do not count."""
        bases = (os.path.join(self._root, *parts) for parts in LAYOUTS.values())
        return unused_key(goal, chain.from_iterable(map(self._names, bases)))

    def _names(self, base: str) -> list[str]:
        try:
            return self._disk.list_directory(base)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _store_error(base, error) from error

    def _key_of(self, directory: str, name: str) -> str:
        """Return the key of a plan's directory; of one with a digest, from its files."""
        key = key_of(name)
        if key:
            return key
        stored_keys = filter(None, self._stored_keys(directory))
        return next((key for key in stored_keys if directory_name(key) == nfc(name)), "")

    def _stored_keys(self, directory: str) -> Iterator[str]:
        with suppress(NewerFormat):
            header = read_header(directory, self._disk)
            yield header.key if header else ""
        saved = snapshot_file.load(directory, self._disk)
        yield saved.key if saved else ""

    def _locate(self, key: str) -> tuple[str, str]:
        location = self._find_plan(key)
        if location is None:
            where, known = self._plan_path("outlast", key), self.plan_keys()
            if not known:
                raise PlanNotFound("no_plan_yet", where=self._root, candidates=[])
            raise PlanNotFound("plan_not_found", key=key, where=where, candidates=known)
        self._check_directory(location[1])
        return location

    def _find_plan(self, key: str) -> tuple[str, str] | None:
        for layout in LAYOUTS:
            directory = self._plan_path(layout, key)
            if self._is_plan(layout, directory):
                return layout, directory
        return None

    def _plan_path(self, layout: str, key: str) -> str:
        name = directory_name(key)
        if not name.isascii():
            _require_encodable(name, key)
        return os.path.join(self._root, *LAYOUTS[layout], name)

    def _check_directory(self, directory: str) -> None:
        """Refuse an unsuitable file system, and a symbolic link on the way."""
        check_suitable(self._disk.file_system(directory), directory)
        if self._disk.real_path(directory) != directory:
            raise _store_error(directory, OSError(ENOTDIR, ""))

    def _make_directories(self, layout: str, directory: str, *, shared: bool) -> None:
        try:
            path = self._root
            for name in LAYOUTS[layout]:
                path = os.path.join(path, name)
                self._make_directory(path, shared=shared)
                if name in HOMES:
                    self._write_gitignore(path, shared=shared)
            self._make_directory(directory, shared=shared)
        except OSError as error:
            raise _store_error(directory, error) from error

    def _make_home(self) -> str:
        """Return the directory of our own files here; make it if there is none."""
        home = os.path.join(self._root, HOMES[0])
        if not self._disk.exists(home):
            self._make_directory(home, shared=False)
            self._write_gitignore(home, shared=False)
        return home

    def _write_gitignore(self, home: str, *, shared: bool) -> None:
        """Keep plans out of the project's git history."""
        disk, path = self._disk, os.path.join(home, _IGNORE)
        try:
            fd = disk.open(path, os.O_WRONLY | os.O_CREAT, SHARED if shared else PRIVATE)
        except OSError:
            if not disk.exists(path):
                raise
            return  # the project's own
        try:
            if not disk.stat(fd)[1]:
                disk.write(fd, b"*\n")
        finally:
            disk.close(fd)

    def _make_directory(self, directory: str, *, shared: bool) -> None:
        with suppress(FileExistsError):  # perhaps by a process that died before the sync
            self._disk.make_directory(directory, 0o777 if shared else 0o700)
        self._disk.sync_directory(os.path.dirname(directory))

    def _is_plan(self, layout: str, directory: str) -> bool:
        names = (NAME, VIEWS[layout].name, snapshot_file.NAME)
        return any(self._has_file(directory, name) for name in names)

    def _has_file(self, directory: str, name: str) -> bool:
        return self._disk.exists(os.path.join(directory, name))


def _require_encodable(name: str, key: str) -> None:
    """Refuse a name that cannot be encoded in the locale of this process."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        encoding = sys.getfilesystemencoding()
        raise StoreError("key_not_encodable", key=key, encoding=encoding) from error


def _unreadable_error(
    layout: LayoutViews, directory: str, key: str, error: OutlastError
) -> InvalidDocument:
    """Return the error that names the file of another program, and what to do about it.

    A merge conflict is a person's to resolve, and its error says so.
    """
    from shlex import quote  # rarely needed

    if isinstance(error, InvalidDocument) and error.text == UNMERGED:
        return error
    path, problem = os.path.join(directory, layout.name), explain(error)
    return InvalidDocument("plan_file_unreadable", path=path, key=quote(key), problem=problem)


def _copy_to_memory(command: CreatePlan, now: datetime) -> Store:
    from outlast.model.execute import return_commit
    from outlast.store.store import MemoryStore

    store = MemoryStore(now)
    store.commit(Request((command,), "import", now), return_commit)
    return store


def _store_error(where: str, error: OSError) -> StoreError:
    return StoreError("store_failed", where=where, problem=describe_error(error))
