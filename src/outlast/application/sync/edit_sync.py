"""Sync: merge the edits that people made in the view files, and commit them.

Each edit is a commit of its own, under a key made from the saved file: several processes may sync
the same file at once or again after a crash, and each edit is committed once. A file is overwritten
only when all of its edits are committed, reported, or asked about.

An edit that was made while a tool ran may be the tool's. It is committed as nobody's, with an
agent's rights. What only a person may do becomes one question.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, cast

from outlast.application.sync.merge_base import find_base
from outlast.domain.commands import AskQuestion, KeepProse
from outlast.domain.execute import return_commit
from outlast.domain.model import PERSON, UNATTRIBUTED
from outlast.errors import (
    InvalidArgument,
    InvalidStatus,
    OutlastError,
    ProofNeeded,
    Refused,
    StoreError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.application.sync.waiting_edits import WaitingEdits
    from outlast.domain.changes import Change, Commit
    from outlast.domain.commands import Command
    from outlast.domain.model import Prose
    from outlast.domain.state import PlanState
    from outlast.formats.markdown.merge.applier import EditApplier
    from outlast.formats.markdown.merge.edits import Edit, MergeResult
    from outlast.ports.edits import EditableStore, EditedView
    from outlast.ports.store import Notice

    Merger = Callable[[PlanState], MergeResult]

TASK_PLAN: Final = "task_plan.md"
_ROUNDS: Final = 5  # in each of which another process may be quicker
_MOST_REPORTS: Final = 20  # for one file


class _NeedsPerson(Exception):
    """Only a person may make this edit, and it is not known whether one did."""


class _MergeAgain(Exception):
    """Another process committed an edit in another way: merge what is left again."""


class SyncCore(Protocol):
    """The core of a plan for one actor, which makes one commit."""

    def commit_with_checks(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], Commit],
        *,
        reason: str | None = None,
    ) -> Commit:
        """Save commands, all or none; a task that the last one completes must pass its checks."""


class EditSync:
    """Applies the edits in the views of one plan, on behalf of a person or of nobody."""

    def __init__(self, store: EditableStore, core: Callable[[str, str], SyncCore]) -> None:
        """Sync the views of a store; `core(actor, key)` returns a core for one commit."""
        self._store = store
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
        """Leave a view for later; set one aside that would count as a person's then."""
        problem = error if isinstance(error, OutlastError) else repr(error)
        self._store.add_notice(("edit_waits", {"name": view.name, "problem": problem}))
        if view.during and not isinstance(error, StoreError):
            self._store.overwrite_edit(view, keep_copy=True)

    def _sync_view(self, view: EditedView, *, confirmed: bool, whole: bool = False) -> None:
        """Apply the edits in a view; report the others, or raise the first if it must be whole."""
        merge_with = self._merger(view, confirmed=confirmed)
        for rounds_left in reversed(range(_ROUNDS)):
            known, merge = self._store.read(lambda now: (now.notes.prose, merge_with(now)))
            reports = [(report.text, report.details) for report in merge.reports]
            if merge.needs_confirmation:
                self._report(view, reports)
                if view.during:
                    self._ask_about_file(view, merge)
                return
            try:
                refused, count = self._apply(view, merge, known, last=not rounds_left)
            except _MergeAgain:
                continue
            problems = [*reports, *refused]
            if not whole:
                self._report(view, problems)
            self._report_applied(view, count)
            if whole and problems:
                raise _as_error(*problems[0])
            is_lost = bool(refused or reports) and view.name != TASK_PLAN and view.text.strip()
            self._store.overwrite_edit(view, keep_copy=bool(is_lost))
            return

    def _merger(self, view: EditedView, *, confirmed: bool) -> Merger:
        """Return the three-way merge of a view, its base, and the plan of now."""
        if view.name == TASK_PLAN:
            from outlast.formats.markdown.merge.three_way import merge
            from outlast.formats.markdown.parse import parse

            document = parse(view.text, bare=view.bare)
            base = find_base(self._store, view, document.revision)
            return lambda now: merge(base, now, document, confirmed=confirmed)
        from outlast.application.sync.merge_base import find_notes_base

        merge_notes, notes_base = _notes_merge(view.name), find_notes_base(self._store, view)
        base = find_base(self._store, view, notes_base.revision)
        if notes_base.newer:
            details: dict[str, object] = {"name": view.name, "titles": notes_base.newer}
            self._store.add_notice(("notes_newer", details))
        return lambda now: merge_notes(base, now, view.text)

    def _apply(
        self, view: EditedView, merge: MergeResult, known: tuple[Prose, ...], *, last: bool
    ) -> tuple[list[Notice], int]:
        """Commit the edits, then the prose; return the refusals and the number of applied edits.

        `known` is the prose that the merge started from.
        """
        from outlast.formats.markdown.merge.applier import EditApplier

        applier = EditApplier(merge)
        refused: list[Notice] = []
        waiting: list[tuple[Edit, Sequence[Command]]] = []
        count = 0
        for edit in merge.edits:
            commands = applier.commands(edit)
            if not commands:
                continue  # it builds on a refused edit
            try:
                changes = self._commit_edit(view, edit, commands)
                applier.record_applied(edit, changes)
                count += edit.size
            except _NeedsPerson:
                waiting.append((edit, commands))
                applier.record_refused(edit)
            except Refused as error:
                if _is_key_reused(error) and not last:
                    raise _MergeAgain from error
                applier.record_refused(edit)
                refused.append(_refusal(view, edit, error))
        if waiting:
            refused += self._ask_about(view, waiting, last=last)
        is_prose_new = view.name == TASK_PLAN and self._commit_prose(view, applier, known)
        return refused, count + is_prose_new

    def _commit_edit(
        self, view: EditedView, edit: Edit, commands: Sequence[Command]
    ) -> tuple[Change, ...]:
        """Commit one edit; raise `_NeedsPerson` if only a person may make it."""
        key = f"{view.key}:{edit.kind}:{edit.line}:{edit.anchor}"
        if not view.during:
            core = self._core(PERSON, key)
            return core.commit_with_checks(commands, return_commit, reason=view.name).changes
        from outlast.application.sync.rights import drop_rights, is_for_people, is_locked

        if is_for_people(self._store, commands):
            raise _NeedsPerson
        core, own = self._core(UNATTRIBUTED, key), tuple(map(drop_rights, commands))
        try:
            return core.commit_with_checks(own, return_commit, reason=view.name).changes
        except Refused as error:
            if isinstance(error, ProofNeeded) or _is_key_reused(error) or own == tuple(commands):
                raise  # a person's edit would be refused as well
            if is_locked(self._store, commands):
                raise
            raise _NeedsPerson from error

    def _ask_about(
        self, view: EditedView, edits: Sequence[tuple[Edit, Sequence[Command]]], *, last: bool
    ) -> list[Notice]:
        """Ask a person whether they made edits; return refusals if that is impossible.

        Edits that were asked about before are left out.
        """
        from outlast.application.sync.waiting_edits import WaitingEdits, list_waiting, waiting_edit

        asked = [edit.commands for edit in list_waiting(self._store, view.key)]
        revision, described = self._store.read(
            lambda state: (
                state.revision,
                [waiting_edit(state, edit, commands) for edit, commands in edits],
            )
        )
        new = tuple(edit for edit in described if edit.commands not in asked)
        try:
            if new:
                name, during = view.name, view.during
                self._ask(view, WaitingEdits(name, during, view.key, new, revision=revision))
        except Refused as error:
            if _is_key_reused(error) and not last:
                raise _MergeAgain from error
            return [_refusal(view, edit, error) for edit, _ in edits]
        return []

    def _ask_about_file(self, view: EditedView, merge: MergeResult) -> None:
        """Ask a person whether they made an edit that looks like a mistake; set the file aside."""
        from outlast.application.sync.waiting_edits import waiting_file

        with suppress(Refused):  # such as a file that is too large: the copy remains
            self._ask(view, waiting_file(view, merge))
        self._store.overwrite_edit(view, keep_copy=True)

    def _ask(self, view: EditedView, edits: WaitingEdits) -> None:
        from outlast.application.sync.waiting_edits import EDIT, describe_edits, encode_edits

        question = AskQuestion(describe_edits(edits, "en"), EDIT, encode_edits(edits))
        core = self._core(UNATTRIBUTED, f"{view.key}:question")
        core.commit_with_checks((question,), return_commit, reason=view.name)
        self._store.add_notice(("edit_asked", {"name": view.name, "tool": view.during}))

    def _commit_prose(
        self, view: EditedView, applier: EditApplier, known: tuple[Prose, ...]
    ) -> bool:
        """Commit the prose; return whether people's own lines changed."""
        from outlast.formats.markdown.rejected import lines_by_people

        prose, before = applier.prose(), self._store.read(lambda state: state.notes.prose)
        if prose != before:
            core = self._core(UNATTRIBUTED if view.during else PERSON, "")
            core.commit_with_checks((KeepProse(prose, known),), return_commit, reason=view.name)
        return lines_by_people(prose) != lines_by_people(before)

    def _report(self, view: EditedView, notices: list[Notice]) -> None:
        """Add notices about a view, as many as a person would read."""
        for notice in notices[:_MOST_REPORTS]:
            self._store.add_notice(notice)
        if len(notices) > _MOST_REPORTS:
            self._store.add_notice(
                ("edit_more", {"name": view.name, "count": len(notices) - _MOST_REPORTS})
            )

    def _report_applied(self, view: EditedView, count: int) -> None:
        """Add one notice with the number of edits applied since the plan was opened."""
        if not count:
            return
        earlier = [item for item in self._store.notices if _is_applied_notice(item, view.name)]
        for notice in earlier:
            self._store.notices.remove(notice)
            count += cast("int", notice[1]["count"])
        self._store.add_notice(("edit_applied", {"name": view.name, "count": count}))


def _refusal(view: EditedView, edit: Edit, error: Refused) -> Notice:
    excerpt = " ".join(edit.excerpt) or edit.kind
    details = {"name": view.name, "line": edit.line, "line_text": excerpt, "problem": error}
    return "edit_refused", details


def _as_error(key: str, details: dict[str, object]) -> Refused:
    """Return the error of a refused edit, or a report as one."""
    problem = details.get("problem")
    return problem if isinstance(problem, Refused) else InvalidStatus(key, **details)


def _is_applied_notice(notice: Notice, name: str) -> bool:
    return notice[0] == "edit_applied" and notice[1]["name"] == name


def _is_key_reused(error: Refused) -> bool:
    return isinstance(error, InvalidArgument) and error.text == "key_reused"


def _notes_merge(name: str) -> Callable[[PlanState | None, PlanState, str], MergeResult]:
    from outlast.formats.markdown.notes.merge import merge_deliverable, merge_errors, merge_findings

    merges = {"findings.md": merge_findings, "errors.md": merge_errors}
    return merges.get(name, merge_deliverable)
