"""The base of an edited view: the plan as it was when the view was rendered.

A person who saves twice without reading the file again means the second save as an edit of the
first. So a save is compared with the editor's buffer: the plan that the file was rendered from,
plus the commits that were made from earlier saves of it. What others did meanwhile is no part of
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.documents.markdown.merge.edits import EarlierSaves
from outlast.documents.markdown.merge.prose import group_prose, merge_lines, to_prose
from outlast.errors import Refused
from outlast.language.times import write_milliseconds
from outlast.model import changes as c
from outlast.model.changes import Commit, fold
from outlast.model.changes.plan import Fact
from outlast.model.commands import MoveTask, RemoveTask
from outlast.model.execute import execute
from outlast.model.history.salvage import is_applicable
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from datetime import datetime

    from outlast.model.model import Prose
    from outlast.store.port import EditedView, Store

_NOTES: Final = (c.FindingNoted, c.FindingForgotten, c.ErrorNoted, c.ErrorsForgotten, c.Delivered)
TASK_PLAN: Final = "task_plan.md"
DELIVERABLE: Final = "deliverable.md"
_UPDATED: Final = re.compile(r"^\s*\*Last updated: (\S+)\*\s*$", re.MULTILINE)


class Buffer(Struct, frozen=True):
    """The plan as an editor knows it; `saves` is the number of commits that were made from it."""

    state: PlanState
    saves: int = 0
    earlier: EarlierSaves | None = None


def _read_buffer(store: Store, revision: int, key: str) -> Buffer:
    """Return the buffer that was read at a revision; `key` begins the keys of its saves."""
    commits = store.commits_since(revision)
    places = [place for place, commit in enumerate(commits) if commit.key.startswith(key)]
    base = store.state_before(revision + 1)
    if not places:
        return Buffer(base)
    shown = {task.id: task.status for task in base.tasks.values()}
    replay = _Replay(base, store.state_before(revision + 1))
    for place, commit in enumerate(commits[: places[-1] + 1]):
        replay.add(commit, is_own=place in places)
    return Buffer(base, len(places), EarlierSaves(frozenset(replay.added), shown))


class _Replay:
    """Applies commits to the plan, and those of the buffer also to what the buffer knows."""

    def __init__(self, buffer: PlanState, plan: PlanState) -> None:
        self._buffer = buffer
        self._plan = plan
        self.added: set[int] = set()

    def add(self, commit: c.Commit, *, is_own: bool) -> None:
        """Apply one commit."""
        for change in commit.changes:
            if is_own:
                self._add_own(change, commit.at)
            change.apply(self._plan, commit.at)

    def _add_own(self, change: c.Change, at: datetime) -> None:
        """Apply a change of the buffer; it may refer to what only the plan has."""
        buffer = self._buffer
        if isinstance(change, c.TaskAdded):
            self._add_task(change, at)
        elif isinstance(change, c.TaskMoved):
            self._place(change.id, change.phase, change.after, at)
        elif isinstance(change, c.TaskRemoved):
            with suppress(Refused):
                execute(buffer, (RemoveTask(change.id, amend=True),), at)
        elif isinstance(change, c.ProseKept):
            buffer.notes.prose = self._merge_prose(change.prose)
        elif isinstance(change, c.TaskEdited) and change.needs is not None:
            needs = tuple(need for need in change.needs if need in buffer.tasks)
            self._apply(replace(change, needs=needs), at)
        elif not isinstance(change, Fact) or isinstance(change, _NOTES):
            self._apply(change, at)

    def _apply(self, change: c.Change, at: datetime) -> None:
        if is_applicable(self._buffer, change):
            change.apply(self._buffer, at)

    def _add_task(self, change: c.TaskAdded, at: datetime) -> None:
        buffer, task = self._buffer, change.task
        needs = tuple(need for need in task.needs if need in buffer.tasks)
        phase = task.phase if task.phase in buffer.phases else buffer.default_phase()
        self._apply(c.TaskAdded(replace(task, needs=needs, phase=phase)), at)
        if task.id in buffer.tasks:
            self.added.add(task.id)
            if change.after is not None:
                self._place(task.id, phase, change.after, at)

    def _place(self, task: int, phase: str, after: int, at: datetime) -> None:
        """Move a task behind the nearest one above that the buffer has in this phase."""
        tasks, order = self._buffer.tasks, self._plan.graph.order
        above = order[: order.index(after) + 1] if after in self._plan.tasks else ()
        shown = (each for each in reversed(above) if each in tasks and each != task)
        previous = next((each for each in shown if tasks[each].phase == phase), None)
        move = MoveTask(task, phase, previous, first=previous is None)
        with suppress(Refused):  # such as a task that the buffer has removed
            execute(self._buffer, (move,), at)

    def _merge_prose(self, kept: Sequence[Prose]) -> tuple[Prose, ...]:
        """Return the buffer's prose with the lines that a save changed in the plan's."""
        before, after = group_prose(self._plan.notes.prose), group_prose(kept)
        known = group_prose(self._buffer.notes.prose)
        anchors = dict.fromkeys((*known, *after))
        return to_prose(
            {
                anchor: merge_lines(
                    before.get(anchor, ()), known.get(anchor, ()), after.get(anchor, ())
                )
                for anchor in anchors
            }
        )


class MergeBase(Struct, frozen=True):
    """What a save is compared with; `buffer` is None if that is unknown.

    `key` is for the commit that applies the save: when another process has applied a save of the
    same base meanwhile, the key is taken. `is_foreign`: the file names a commit that this plan does
    not have, so it shows another history.
    """

    buffer: Buffer | None
    key: str
    is_foreign: bool = False

    @property
    def state(self) -> PlanState | None:
        """The plan as the editor knows it."""
        return None if self.buffer is None else self.buffer.state


def find_base(
    store: Store, view: EditedView, revision: int | None = None, mark: str = ""
) -> MergeBase:
    """Return what a save is compared with.

    `revision` and `mark` are those that the file itself names. Without them the time in the file
    decides, and after that the revision last rendered into it.
    """
    named = revision or 0
    if not named and view.name == TASK_PLAN:
        named, mark = _revision_by_time(store, view), ""
    if not named:
        named, mark = view.revision, view.mark
    now, plan_id = store.read(lambda state: (state.revision, state.id))
    own_mark = store.mark_of(named) if 0 < named <= now else ""
    if own_mark and mark in ("", own_mark):
        key = f"{view.name}:{named}:{own_mark}:"
        buffer = _read_buffer(store, named, key)
        if buffer.state.id == plan_id:
            return MergeBase(buffer, f"{key}{buffer.saves + 1}")
    key = f"{view.name}:{named}:{mark}:?"
    saves = sum(commit.key.startswith(key) for commit in store.history())
    return MergeBase(None, f"{key}{saves + 1}", is_foreign=named > 0)


def _revision_by_time(store: Store, view: EditedView) -> int:
    """Return the revision of the time that a file names; 0 if there is none.

    Of several it is the one that was rendered last, else the newest.
    """
    times = _UPDATED.findall(view.text)
    if not times:
        return 0

    def is_other(commit: Commit) -> bool:
        return not commit.changes or write_milliseconds(commit.at) != times[-1]

    newest = dropwhile(is_other, reversed(store.history()))
    revisions = [commit.revision for commit in takewhile(lambda each: not is_other(each), newest)]
    return view.revision if view.revision in revisions else next(iter(revisions), 0)


class NotesBase(Struct, frozen=True):
    """The earliest revision that a notes file resembles most and whose entries it still has.

    `newer` are the titles of later entries that are missing from the file.
    """

    revision: int
    newer: list[str] = []


class _NotesForm(Struct, frozen=True):
    """How to read the entries of a notes file, and which fields identify one."""

    parse: Callable[[str], Any]
    fields_of: Callable[[Any], Any]
    entries_of: Callable[[PlanState], Mapping[Any, Any]]
    identifying: tuple[str, ...]
    title: Callable[[Any], str]

    def identity(self, fields: object) -> set[Hashable]:
        """Return the values by which an entry is recognized even if it was edited."""
        return {(name, value) for name in self.identifying if (value := getattr(fields, name))}


def find_notes_base(store: Store, view: EditedView) -> NotesBase:
    """Return the revision that a notes file was made from, as far as its entries show."""
    notes = _notes_file(view.name)
    if notes is None or not view.revision:
        return NotesBase(view.revision)
    in_file = {entry.fields for entry in notes.parse(view.text).entries}
    if not in_file:
        return NotesBase(view.revision)
    identities = set[Hashable]().union(*map(notes.identity, in_file))
    rendered = notes.entries_of(store.state_before(view.revision + 1))
    in_both = {
        key
        for key, entry in rendered.items()
        if notes.identity(notes.fields_of(entry)) & identities
    }
    best_similarity, revision, known = -1, view.revision, {*rendered}
    for state in _past_states(store, view.revision):
        entries = notes.entries_of(state)
        similarity = sum(notes.fields_of(entry) in in_file for entry in entries.values())
        if (
            entries and similarity > best_similarity and in_both <= entries.keys()
        ):  # no entries: no file yet
            best_similarity, revision, known = similarity, state.revision, {*entries}
    newer = [notes.title(entry) for key, entry in rendered.items() if key not in known | in_both]
    return NotesBase(revision, newer)


def _notes_file(name: str) -> _NotesForm | None:
    from outlast.documents.markdown.notes import errors, findings

    if name == "findings.md":
        return _NotesForm(
            findings.parse,
            findings.finding_fields,
            lambda state: state.notes.findings,
            ("title", "content"),
            lambda finding: finding.title,
        )
    if name == "errors.md":
        return _NotesForm(
            errors.parse,
            errors.error_fields,
            lambda state: state.notes.errors,
            ("message", "at"),
            lambda error: error.tool,
        )
    return None


def _past_states(store: Store, last: int) -> Iterator[PlanState]:
    """Yield the state of the plan at each revision up to the last one."""
    state = store.state_before(2)
    yield state
    for commit in store.history(1):
        if commit.revision <= last:
            fold(state, commit.changes, commit.revision, commit.at)
            yield state
