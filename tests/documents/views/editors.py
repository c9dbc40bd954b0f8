"""A person's editor and two processes at one plan, on a disk with a clock of its own.

An editor saves in steps, which happen when their time has come: while a process waits, or in the
middle of what it does to the disk. Steps that write to an open file go where that file went.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from outlast.documents.views.synced_views import SyncedViews
from outlast.errors import StoreError
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.store.port import Request
from tests.store.faults import FaultyDisk
from tests.store.opening import new_views, open_views, views_of
from tests.store.operations import CREATE, NOW
from tests.store.simulated_disk import Inode, SimulatedDisk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.store.port import EditedView, Views
    from outlast.store.store import Store
    from outlast.system.disk import Disk, Stamp

WHERE: Final = "/plan"
FILE: Final = f"{WHERE}/task_plan.md"
MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000 * MILLISECOND
START: Final = 4_000_000_000 * SECOND + 123 * MILLISECOND  # after the machine was booted
CLOSING = re.compile(r"<!-- outlast r\d+")
WORD = re.compile(r"h\d+h")


class EditorDisk(SimulatedDisk):
    """A disk whose stamps tell as little as they may: inodes are used again, the clock is coarse.

    Steps of an editor happen as the clock comes to them.
    """

    def __init__(self, granularity: int = 4 * MILLISECOND) -> None:
        super().__init__()
        self.time_ns = START
        self._granularity = granularity
        self.steps: list[tuple[int, Callable[[], None]]] = []

    def stamp(self, path: str) -> Stamp:
        """Return the size and rounded times."""
        super().stamp(path)
        inode = self.files[path]
        size, coarse = len(inode.content), self._granularity
        return 7, size, inode.written_at // coarse * coarse, inode.changed_at // coarse * coarse

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        end = self.time_ns + round(seconds * SECOND)
        while self.steps and self.steps[0][0] <= end:
            self.step()
        self.time_ns = end

    def step(self) -> None:
        """Do the editor's next step, if there is one."""
        if self.steps:
            at, action = self.steps.pop(0)
            self.time_ns = max(self.time_ns, at)
            action()

    def write_in_place(self, inode: Inode, data: bytes, *, append: bool = False) -> None:
        """Write to a file that is open, whatever its name is by now."""
        self._do(inode, len(inode.content) if append else 0)
        self._do(inode, (len(inode.content), data))


class MeddledDisk(FaultyDisk):
    """A disk on which the editor goes on at one call, and the call follows; or fails."""

    def __init__(self, inner: EditorDisk, at: int) -> None:
        super().__init__(inner, at)
        self._step = inner.step

    def _strike(self) -> None:
        if self.error is not None:
            raise self.error
        self._step()


class Editor:
    """An editor with the plan open, which saves it in its own way."""

    def __init__(self, disk: EditorDisk) -> None:
        self._disk = disk
        self._text = ""
        self.words = 0

    def edit(self) -> str:
        """Reload the file if it is whole, and add a task; return the word in it."""
        inode = self._disk.files.get(FILE)
        text = inode.content.decode(errors="replace") if inode else ""
        if CLOSING.search(text):
            self._text = text
        self.words += 1
        word = f"h{self.words}h"
        head, rule, end = self._text.rpartition("\n---\n")
        self._text = f"{head}- [ ] ○ 屋顶 {word}\n{rule}{end}"
        return word

    def save(self, habit: int, gap: int) -> None:
        """Save the file from now on, with a gap between two steps."""
        now, data = self._disk.time_ns, self._text.encode()
        steps = HABITS[habit % len(HABITS)](self, data)
        self._disk.steps += [(now + n * gap, step) for n, step in enumerate(steps)]

    def _open(self) -> Inode:
        if FILE not in self._disk.files:
            self._disk.put(FILE, b"")
        return self._disk.files[FILE]

    def rename_over(self, data: bytes) -> list[Callable[[], None]]:
        return [lambda: self._disk.put(FILE, data)]

    def in_place(self, data: bytes) -> list[Callable[[], None]]:
        return [lambda: self._disk.write_in_place(self._open(), data)]

    def pieces(self, data: bytes, *parts: int) -> list[Callable[[], None]]:
        opened: list[Inode] = []

        def begin() -> None:
            opened.append(self._open())
            self._disk.write_in_place(opened[0], b"")

        def write(piece: bytes) -> None:
            self._disk.write_in_place(opened[0], piece, append=True)

        cuts = [0, *parts, len(data)]
        pieces = [data[first:last] for first, last in pairwise(cuts)]
        return [begin, *((lambda piece=piece: write(piece)) for piece in pieces)]

    def truncate_first(self, data: bytes) -> list[Callable[[], None]]:
        return self.pieces(data)

    def cut_in_character(self, data: bytes) -> list[Callable[[], None]]:
        return self.pieces(data, data.index("顶".encode()) + 1)

    def without_end(self, data: bytes) -> list[Callable[[], None]]:
        return self.pieces(data, data.index(b"*Last updated"))

    def final_newline(self, data: bytes) -> list[Callable[[], None]]:
        return self.pieces(data, len(data) - 1)

    def old_time(self, data: bytes) -> list[Callable[[], None]]:
        def write() -> None:
            inode = self._open()
            self._disk.write_in_place(inode, data)
            inode.written_at = START - 3600 * SECOND

        return [write]

    def backup(self, data: bytes) -> list[Callable[[], None]]:
        def move() -> None:
            if FILE in self._disk.files:
                self._disk.rename(FILE, f"{FILE}~")

        return [move, *self.in_place(data)]

    def hard_link(self, data: bytes) -> list[Callable[[], None]]:
        def link() -> None:
            if FILE in self._disk.files:
                self._disk.files[f"{FILE}~"] = self._disk.files[FILE]

        return [link, *self.rename_over(data)]


HABITS: tuple[Callable[[Editor, bytes], list[Callable[[], None]]], ...] = (
    Editor.rename_over,
    Editor.in_place,
    Editor.truncate_first,
    Editor.cut_in_character,
    Editor.without_end,
    Editor.final_newline,
    Editor.old_time,
    Editor.backup,
    Editor.hard_link,
)


class TimedViews(SyncedViews):
    """Views whose timer the test fires."""

    is_timer_set = False

    def _start_timer(self, seconds: float) -> None:  # noqa: ARG002 - the test decides
        self.is_timer_set = True

    def fire_timer(self) -> None:
        """Let the timer end."""
        if self.is_timer_set:
            self.is_timer_set, self._rendered_at = False, float("-inf")
            self._on_timer()


def open_store(disk: Disk) -> Store:
    """Open the plan as a process does; every word in an edit becomes a task."""
    store = open_views(WHERE, disk, NOW, TimedViews)
    views_of(store).sync_with(apply)
    return store


def apply(views: Views, edits: Sequence[EditedView], *, confirmed: bool) -> None:
    """Add a task for each new word; keep a file without its end."""
    assert not confirmed
    store = views.store
    for edit in edits:
        names = store.read(lambda state: {task.name for task in state.tasks.values()})
        new = tuple(map(c.NewTask, sorted({*WORD.findall(edit.text)} - names)))
        try:
            if new:
                store.commit(Request((c.AddTasks(new),), "ann", NOW), return_commit)
        except StoreError:
            views.retry_edit(edit)
            continue
        is_whole = CLOSING.search(edit.text) is not None or edit.name != "task_plan.md"
        views.overwrite_edit(edit, keep_copy=not is_whole)


def create(disk: Disk) -> None:
    """Create the plan and its views."""
    new_views(WHERE, disk, CREATE, now=NOW).close()
    open_store(disk).close()
