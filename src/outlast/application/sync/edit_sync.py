"""Sync: merge the edits that people made in the view files, and commit them.

Each edit is a commit of its own, under a key made from the saved file: several processes may sync
the same file at once or again after a crash, and each edit is committed once. A file is overwritten
only when all of its edits are committed or reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, cast

from outlast.application.sync.merge_base import find_base
from outlast.domain.commands import KeepProse
from outlast.domain.execute import return_commit
from outlast.errors import InvalidArgument, OutlastError, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outlast.domain.changes import Commit
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


class _MergeAgain(Exception):
    """Another process committed an edit in another way: merge what is left again."""


class PersonCore(Protocol):
    """The core of a plan for a person, which makes one commit."""

    def commit_with_checks(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], Commit],
        *,
        reason: str | None = None,
    ) -> Commit:
        """Save commands, all or none; a task that the last one completes must pass its checks."""


class EditSync:
    """Applies the edits in the views of one plan, on behalf of a person."""

    def __init__(self, store: EditableStore, person: Callable[[str], PersonCore]) -> None:
        """Sync the views of a store; `person(key)` returns a core for one commit."""
        self._store = store
        self._person = person

    def run(self, edits: Sequence[EditedView], *, confirmed: bool = False) -> None:
        """Apply edits; those that cannot be applied become notices.

        `confirmed` also applies an edit that looks like a mistake.
        """
        for view in edits:
            try:
                self._sync_view(view, confirmed=confirmed)
            except OutlastError as error:
                self._store.add_notice(("edit_waits", {"name": view.name, "problem": error}))
            except Exception as error:  # noqa: BLE001 - a bad view must not stop the plan
                self._store.add_notice(("edit_waits", {"name": view.name, "problem": repr(error)}))

    def _sync_view(self, view: EditedView, *, confirmed: bool) -> None:
        merge_with = self._merger(view, confirmed=confirmed)
        for rounds_left in reversed(range(_ROUNDS)):
            known, merge = self._store.read(lambda now: (now.notes.prose, merge_with(now)))
            reports = [(report.text, report.details) for report in merge.reports]
            if merge.needs_confirmation:
                self._report(view, reports)
                return
            try:
                refused, count = self._apply(view, merge, known, last=not rounds_left)
            except _MergeAgain:
                continue
            self._report(view, [*reports, *refused])
            self._report_applied(view, count)
            is_lost = bool(refused or reports) and view.name != TASK_PLAN and view.text.strip()
            self._store.overwrite_edit(view, keep_copy=bool(is_lost))
            return

    def _merger(self, view: EditedView, *, confirmed: bool) -> Merger:
        """Return the three-way merge of a view, its base, and the plan of now."""
        if view.name == TASK_PLAN:
            from outlast.formats.markdown.merge.three_way import merge
            from outlast.formats.markdown.parse import parse

            document = parse(view.text)
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
        count = 0
        for edit in merge.edits:
            commands = applier.commands(edit)
            if not commands:
                continue  # it builds on a refused edit
            try:
                key = f"{view.key}:{edit.kind}:{edit.line}:{edit.anchor}"
                person = self._person(key)
                commit = person.commit_with_checks(commands, return_commit, reason=view.name)
                applier.record_applied(edit, commit.changes)
                count += edit.size
            except Refused as error:
                if _is_key_reused(error) and not last:
                    raise _MergeAgain from error
                applier.record_refused(edit)
                refused.append(_refusal(view, edit, error))
        return refused, count + (view.name == TASK_PLAN and self._commit_prose(applier, known))

    def _commit_prose(self, applier: EditApplier, known: tuple[Prose, ...]) -> bool:
        """Commit the prose; return whether people's own lines changed."""
        from outlast.formats.markdown.rejected import lines_by_people

        prose, before = applier.prose(), self._store.read(lambda state: state.notes.prose)
        if prose != before:
            self._person("").commit_with_checks(
                (KeepProse(prose, known),), return_commit, reason=TASK_PLAN
            )
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


def _is_applied_notice(notice: Notice, name: str) -> bool:
    return notice[0] == "edit_applied" and notice[1]["name"] == name


def _is_key_reused(error: Refused) -> bool:
    return isinstance(error, InvalidArgument) and error.text == "key_reused"


def _notes_merge(name: str) -> Callable[[PlanState | None, PlanState, str], MergeResult]:
    from outlast.formats.markdown.notes.merge import merge_deliverable, merge_errors, merge_findings

    merges = {"findings.md": merge_findings, "errors.md": merge_errors}
    return merges.get(name, merge_deliverable)
