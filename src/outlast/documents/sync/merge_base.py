"""The base of an edited view: the plan as it was when the view was rendered."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from outlast.documents.sync.buffer import Buffer, read_buffer
from outlast.language.times import write_milliseconds
from outlast.model.changes import fold
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.changes import Commit
    from outlast.store.edits import EditedView
    from outlast.store.port import Store

TASK_PLAN: Final = "task_plan.md"
_UPDATED: Final = re.compile(r"^\s*\*Last updated: (\S+)\*\s*$", re.MULTILINE)


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
        buffer = read_buffer(store, named, key)
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


# Notes: `findings.md` and `errors.md` name no revision, so their entries decide. An entry that is
# missing from the file may have been deleted, or be newer than the file. It counts as deleted only
# if the file has another entry that is no older.


class NotesBase(Struct, frozen=True):
    """The earliest revision that a notes file resembles most and whose entries it still has.

    `newer` are the titles of later entries that are missing from the file.
    """

    revision: int
    newer: list[str] = []


class _NotesFile(Struct, frozen=True):
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


def _notes_file(name: str) -> _NotesFile | None:
    from outlast.documents.markdown.notes import errors, findings

    if name == "findings.md":
        return _NotesFile(
            findings.parse,
            findings.finding_fields,
            lambda state: state.notes.findings,
            ("title", "content"),
            lambda finding: finding.title,
        )
    if name == "errors.md":
        return _NotesFile(
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
