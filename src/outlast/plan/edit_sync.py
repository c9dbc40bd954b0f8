"""Sync: merge the edits that people made in the view files, and commit them.

Each save is one commit, which is composed under the store's lock: several processes may sync the
same file at once or again after a crash, and each edit is committed once. A save that is not in the
file any more is left to the look that finds the later one. If another process has applied a save of
the same base meanwhile, the key of the commit is taken. A file is overwritten only when all of its
edits are committed, reported, or asked about.

An edit that was made while a tool ran may be the tool's. It is committed as nobody's, with an
agent's rights. What only a person may do becomes one question.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

from outlast.documents.change_words import Phrases
from outlast.documents.sync.merge_base import DELIVERABLE, TASK_PLAN, MergeBase, find_base
from outlast.errors import (
    InvalidArgument,
    InvalidStatus,
    OutlastError,
    ProofNeeded,
    Refused,
    StoreError,
)
from outlast.model.commands import AskQuestion, Complete, Reopen
from outlast.model.decide import DECISIONS
from outlast.model.execute import return_commit
from outlast.model.model import PERSON, UNATTRIBUTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.documents.markdown.merge.edits import MergeResult
    from outlast.documents.sync.composition import Merger, SaveComposer
    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore
    from outlast.store.port import EditedView, Notice, Views

    Comparison = Callable[[], tuple[MergeBase, Merger]]

_ROUNDS: Final = 5  # in each of which another process may be quicker
_MOST_REPORTS: Final = 20  # for one file
_MOST_PHRASES: Final = 100  # about edits since the plan was opened
_WITHDRAWN: Final = ("task_plan_cut", "task_plan_held_back", "notes_cut", "view_unmerged")


class EditSync:
    """Applies the edits in the views of one plan, on behalf of a person or of nobody."""

    def __init__(self, views: Views, core: Callable[[str, str], PlanCore]) -> None:
        """Sync the views of a plan; `core(actor, key)` returns a core for one commit."""
        self._views, self._store = views, views.store
        self._core = core

    def apply_confirmed(self, view: EditedView) -> None:
        """Apply an edit that looked like a mistake; raise why a part of it cannot be applied."""
        self._sync_view(view, confirmed=True, whole=True)

    def run(self, edits: Sequence[EditedView], *, confirmed: bool = False) -> None:
        """Apply edits; those that cannot be applied become notices.

        `confirmed` also applies an edit that looks like a mistake.
        """
        for view in edits:
            try:
                self._sync_view(view, confirmed=confirmed)
            except OutlastError as error:
                self._report_failure(view, error)
            except Exception as error:  # noqa: BLE001 - a bad view must not stop the plan
                self._report_failure(view, error)

    def _report_failure(self, view: EditedView, error: Exception) -> None:
        """Leave a view for later; set one aside that would count as a person's then.

        What could not be stored is tried again before the next use.
        """
        problem = error if isinstance(error, OutlastError) else repr(error)
        self._views.add_notice(("edit_waits", {"name": view.name, "problem": problem}))
        if isinstance(error, StoreError):
            self._views.retry_edit(view)
        elif view.during:
            self._views.overwrite_edit(view, keep_copy=True)

    def _sync_view(self, view: EditedView, *, confirmed: bool, whole: bool = False) -> None:
        """Apply the edits in a view; report the others, or raise the first if it must be whole.

        Nothing applies a file with merge conflict markers: it waits until they are gone. One that
        a tool may have written is set aside: later it would count as a person's.
        """
        if line := self._find_conflict(view):
            self._views.add_notice(("view_unmerged", {"name": view.name, "line": line}))
            if view.during:
                self._views.overwrite_edit(view, keep_copy=True)
            return
        compare = self._comparison(view, confirmed=confirmed)
        changes = Phrases()
        for rounds_left in reversed(range(_ROUNDS)):
            base, merge = compare()
            try:
                save = self._commit(view, base, merge, changes)
            except Refused as error:
                if _is_key_reused(error) and rounds_left:
                    continue  # another process applied a save of the same base
                raise
            if save.is_outdated:
                self._report_applied(view, changes)
                self._views.retry_edit(view)  # the next look finds the later save
                return
            if save.needs_proof and rounds_left:
                continue  # the checks of a task that is in the plan only now can be run now
            self._conclude(view, base, save, changes, whole=whole)
            return

    def _find_conflict(self, view: EditedView) -> int:
        """Return the line of the first conflict marker that the plan has not got; 0 for none.

        Only the deliverable is written as it is: in all other views our own lines are escaped.
        """
        from outlast.documents.markdown.syntax import find_conflict

        lines, known = view.text.removeprefix("\ufeff").split("\n"), set[str]()
        if find_conflict(lines) and view.name == DELIVERABLE:
            known = set(self._store.read(lambda state: state.notes.deliverable).split("\n"))
        return find_conflict("" if line in known else line for line in lines)

    def _comparison(self, view: EditedView, *, confirmed: bool) -> Comparison:
        """Return what compares a save with its base: it returns the base and the merge with it."""
        if view.name == TASK_PLAN:
            return self._plan_comparison(view, confirmed=confirmed)
        if view.name != DELIVERABLE:
            return self._notes_comparison(view, confirmed=confirmed)
        from outlast.documents.markdown.notes.merge import merge_deliverable

        def compare() -> tuple[MergeBase, Merger]:
            base = find_base(self._store, view)
            return base, lambda now: merge_deliverable(base.state, now, view.text)

        return compare

    def _notes_comparison(self, view: EditedView, *, confirmed: bool) -> Comparison:
        from outlast.documents.markdown.merge.edits import MergeResult
        from outlast.documents.markdown.notes.entries import read_notes
        from outlast.documents.markdown.notes.merge import find_cut
        from outlast.documents.sync.merge_base import find_notes_base

        merge_notes, file = _notes_merge(view.name), read_notes(view.text)
        revision, mark = file.revision, file.mark
        newer: list[str] = []
        if revision is None and view.bare:  # no file names it
            notes_base = find_notes_base(self._store, view)
            revision, newer = notes_base.revision, notes_base.newer

        def compare() -> tuple[MergeBase, Merger]:
            base = find_base(self._store, view, revision, mark)
            shown = find_base(self._store, view) if view.bare else base

            def merge(now: PlanState) -> MergeResult:
                plans = base.state or now, shown.state or now
                cut = find_cut(view.name, view.text, *plans, bare=view.bare)
                if cut is not None and not confirmed:
                    return MergeResult(reports=(cut,), needs_confirmation=True)
                if newer:
                    details: dict[str, object] = {"name": view.name, "titles": newer}
                    self._views.add_notice(("notes_newer", details))
                return merge_notes(base.state, now, view.text)

            return base, merge

        return compare

    def _plan_comparison(self, view: EditedView, *, confirmed: bool) -> Comparison:
        from outlast.documents.markdown.merge.three_way import merge, merge_new_lines
        from outlast.documents.markdown.parse import parse

        document = parse(view.text, bare=view.bare)

        def compare() -> tuple[MergeBase, Merger]:
            base = find_base(self._store, view, document.revision, document.mark)
            if base.is_foreign:
                return base, lambda now: merge_new_lines(now, document)
            earlier = base.buffer.earlier if base.buffer else None
            return base, lambda now: merge(
                base.state, now, document, confirmed=confirmed, earlier=earlier
            )

        return compare

    def _commit(
        self, view: EditedView, base: MergeBase, merge: Merger, changes: Phrases
    ) -> SaveComposer:
        """Commit the edits of a save that apply, and describe them; return what came of them."""
        from outlast.documents.sync.composition import SaveComposer, find_decided

        core = self._core(UNATTRIBUTED if view.during else PERSON, base.key)
        completions, reopened = self._store.read(lambda now: _read_preparations(view, merge, now))
        proofs: dict[int, Complete | Refused] = {}
        if completions and self._views.is_current(view):
            proofs = {int(command.task): _prove(core, command) for command in completions}
        decided = find_decided(self._store, reopened) if reopened else set[int]()

        def is_current() -> bool:
            return bool(proofs) or self._views.is_current(view)  # a check may change the file

        save = SaveComposer(view, merge, (proofs, decided), is_current)
        commit = core.commit_composed(save.compose, return_commit, reason=view.name)
        if not save.is_outdated:
            changes += save.describe(commit)
        return save

    def _conclude(
        self,
        view: EditedView,
        base: MergeBase,
        save: SaveComposer,
        changes: Phrases,
        *,
        whole: bool,
    ) -> None:
        """Report what came of a save, and let its file be overwritten, unless it waits."""
        merge = save.merge
        problems = [*((report.text, report.details) for report in merge.reports), *save.refused]
        if merge.needs_confirmation:
            self._report(view, problems)
            if view.during:
                self._ask_about_file(view, merge)
            return
        if not whole:
            self._report(view, problems)
        if save.is_asked:
            self._views.add_notice(("edit_asked", {"name": view.name, "tool": view.during}))
        self._report_applied(view, changes)
        if whole and problems:
            raise _as_error(*problems[0])
        is_lost = bool(problems) and view.name != TASK_PLAN and bool(view.text.strip())
        self._withdraw_reports(view)
        self._views.overwrite_edit(view, keep_copy=is_lost or base.is_foreign)

    def _ask_about_file(self, view: EditedView, merge: MergeResult) -> None:
        """Ask a person whether they made an edit that looks like a mistake; set the file aside."""
        from outlast.documents.sync.composition import waiting_file
        from outlast.documents.waiting_edits import EDIT, describe_edits, encode_edits

        edits = waiting_file(view, merge)
        question = AskQuestion(describe_edits(edits, "en"), EDIT, encode_edits(edits))
        core = self._core(UNATTRIBUTED, f"{view.key}:question")
        with suppress(Refused):  # such as a file that is too large: the copy remains
            core.commit_with_checks((question,), return_commit, reason=view.name)
            self._views.add_notice(("edit_asked", {"name": view.name, "tool": view.during}))
        self._views.overwrite_edit(view, keep_copy=True)

    def _report(self, view: EditedView, notices: list[Notice]) -> None:
        """Add notices about a view, as many as a person would read."""
        for notice in notices[:_MOST_REPORTS]:
            self._views.add_notice(notice)
        if len(notices) > _MOST_REPORTS:
            self._views.add_notice(
                ("edit_more", {"name": view.name, "count": len(notices) - _MOST_REPORTS})
            )

    def _report_applied(self, view: EditedView, changes: Phrases) -> None:
        """Add one notice with what was changed in a view since the plan was opened."""
        if not changes:
            return
        notices = self._store.notices
        earlier = [item for item in notices if _is_applied_notice(item, view.name)]
        for notice in earlier:
            notices.remove(notice)
            changes = Phrases((*cast("Phrases", notice[1]["changes"]), *changes))
        newest = Phrases(changes[-_MOST_PHRASES:])
        self._views.add_notice(("edit_applied", {"name": view.name, "changes": newest}))

    def _withdraw_reports(self, view: EditedView) -> None:
        """Remove the reports on an earlier state of a file that is whole by now."""
        notices = self._store.notices
        notices[:] = [
            (key, details)
            for key, details in notices
            if key not in _WITHDRAWN or details.get("name", TASK_PLAN) != view.name
        ]


def _read_preparations(
    view: EditedView, merge: Merger, state: PlanState
) -> tuple[list[Complete], list[int]]:
    """Return the completions whose checks have to be run, and the tasks to be reopened.

    There are none without checks, and only what may be a tool's is looked at for its rights.
    """
    if not state.checked_tasks and not view.during:
        return [], []
    from outlast.documents.sync.composition import drop_rights, is_for_people

    edits = [edit.commands for edit in merge(state).edits]
    reopened = [
        cast("int", command.task)
        for edit in edits
        for command in edit
        if isinstance(command, Reopen)
    ]
    completions: list[Complete] = []
    for edit in edits:
        last = edit[-1]
        if not isinstance(last, Complete) or last.task not in state.checked_tasks:
            continue
        if view.during:
            if is_for_people(state, edit, ()):
                continue
            last = cast("Complete", drop_rights(last))
        if len(edit) > 1 or _lacks_only_proof(state, last):
            completions.append(last)
    return completions, reopened if view.during else []


def _prove(core: PlanCore, command: Complete) -> Complete | Refused:
    """Run the checks of a ticked task; return its completion with the proof, or why not."""
    try:
        return core.prove(command)
    except Refused as error:
        return error


def _lacks_only_proof(state: PlanState, command: Complete) -> bool:
    try:
        DECISIONS[Complete](state, command, state.updated_at)
    except Refused as error:
        return isinstance(error, ProofNeeded)
    return False


def _as_error(key: str, details: dict[str, object]) -> Refused:
    """Return the error of a refused edit, or a report as one."""
    problem = details.get("problem")
    return problem if isinstance(problem, Refused) else InvalidStatus(key, **details)


def _is_applied_notice(notice: Notice, name: str) -> bool:
    return notice[0] == "edit_applied" and notice[1]["name"] == name


def _is_key_reused(error: Refused) -> bool:
    return isinstance(error, InvalidArgument) and error.text == "key_reused"


def _notes_merge(name: str) -> Callable[[PlanState | None, PlanState, str], MergeResult]:
    from outlast.documents.markdown.notes.merge import merge_errors, merge_findings

    return merge_findings if name == "findings.md" else merge_errors
