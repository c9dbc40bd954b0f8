"""The commit of one save: its edits become changes, under the store's lock and on the newest plan.

An edit that is refused is left out, and its text stays in the file as a comment. What cannot be
done under the lock is prepared before: checks are run, and the history is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import to_builtins

from outlast.documents.change_words import Phrases, PlanBefore, list_phrases
from outlast.documents.markdown.merge.applier import EditApplier
from outlast.documents.sync.merge_base import TASK_PLAN
from outlast.documents.sync.rights import drop_rights, is_for_people, is_locked
from outlast.documents.waiting_edits import (
    EDIT,
    WaitingEdits,
    describe_edits,
    encode_edits,
    list_waiting,
    waiting_edit,
)
from outlast.errors import ProofNeeded, Refused
from outlast.model.commands import AskQuestion, Complete, KeepProse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from outlast.documents.markdown.merge.edits import Edit, MergeResult
    from outlast.model.changes import Change, Commit
    from outlast.model.commands import Command
    from outlast.model.execute import Attempt
    from outlast.model.state import PlanState
    from outlast.store.edits import EditedView
    from outlast.store.port import Notice

    Merger = Callable[[PlanState], MergeResult]
    # The proofs of completions, or why there is none, and the tasks that people finished.
    Preparations = tuple[Mapping[int, Complete | Refused], Collection[int]]


class _NeedsPerson(Exception):
    """Only a person may make this edit, and it is not known whether one did."""


class SaveComposer:
    """Composes the commit of one save; afterwards it has what came of it.

    `refused` are the notices about edits that were left out, `is_asked` whether a question was
    asked about some. `needs_proof`: a completion has checks that were not run yet. `is_outdated`:
    the file was saved again, so nothing of this save was attempted.
    """

    def __init__(
        self,
        view: EditedView,
        merge: Merger,
        preparations: Preparations,
        is_current: Callable[[], bool],
    ) -> None:
        """Take the save, its merge, what was prepared for it, and whether the file still has it."""
        self._view = view
        self._merge_with = merge
        self._proofs, self._decided = preparations
        self._is_current = is_current

    def compose(self, state: PlanState, attempt: Attempt) -> None:
        """Attempt the edits one by one, then the question about them, then the prose."""
        self.refused: list[Notice] = []
        self.is_asked = self.needs_proof = False
        self.is_outdated = not self._is_current()
        if self.is_outdated:
            return
        self._waiting: list[tuple[Edit, Sequence[Command]]] = []
        self._before = PlanBefore.of(state)
        self.merge = self._merge_with(state)
        if self.merge.needs_confirmation:
            return
        applier = EditApplier(self.merge)
        for edit in self.merge.edits:
            commands = applier.commands(edit)
            if commands:  # else it builds on a refused edit
                self._attempt_edit(state, attempt, applier, edit, commands)
        if self._waiting:
            self._ask(state, attempt)
        if self._view.name == TASK_PLAN and applier.prose() != state.notes.prose:
            attempt((KeepProse(applier.prose(), state.notes.prose),))

    def describe(self, commit: Commit) -> Phrases:
        """Return what the commit changed."""
        return list_phrases(self._before, commit) if commit.changes else Phrases()

    def _attempt_edit(
        self,
        state: PlanState,
        attempt: Attempt,
        applier: EditApplier,
        edit: Edit,
        commands: Sequence[Command],
    ) -> None:
        try:
            applier.record_applied(edit, self._attempt(state, attempt, commands))
        except _NeedsPerson:
            self._waiting.append((edit, commands))
            applier.record_refused(edit)
        except Refused as error:
            if type(error) is ProofNeeded and self._lacks_proof(commands):
                self.needs_proof = True
                return
            applier.record_refused(edit)
            self.refused.append(self._refusal(edit, error))

    def _attempt(
        self, state: PlanState, attempt: Attempt, commands: Sequence[Command]
    ) -> tuple[Change, ...]:
        """Execute the commands of one edit; raise `_NeedsPerson` if only a person may give them."""
        if not self._view.during:
            return attempt(self._with_proof(commands))
        if is_for_people(state, commands, self._decided):
            raise _NeedsPerson
        own = tuple(map(drop_rights, commands))
        try:
            return attempt(self._with_proof(own))
        except Refused as error:
            if isinstance(error, ProofNeeded) or own == tuple(commands):
                raise  # a person's edit would be refused as well
            if is_locked(state, commands):
                raise
            raise _NeedsPerson from error

    def _with_proof(self, commands: Sequence[Command]) -> tuple[Command, ...]:
        """Return commands with the proof of a completion; raise why its checks did not pass."""
        *first, last = commands
        proved = self._proofs.get(int(last.task)) if isinstance(last, Complete) else None
        if isinstance(proved, Refused):
            raise proved
        return (*first, proved or last)

    def _lacks_proof(self, commands: Sequence[Command]) -> bool:
        last = commands[-1]
        return isinstance(last, Complete) and last.task not in self._proofs

    def _ask(self, state: PlanState, attempt: Attempt) -> None:
        """Ask a person whether they made edits, except those that were asked about before."""
        view = self._view
        asked = [edit.commands for edit in list_waiting(state, view.key)]
        described = (waiting_edit(state, edit, commands) for edit, commands in self._waiting)
        new = tuple(edit for edit in described if edit.commands not in asked)
        if not new:
            return
        edits = WaitingEdits(view.name, view.during, view.key, new, revision=state.revision)
        question = AskQuestion(describe_edits(edits, "en"), EDIT, encode_edits(edits))
        try:
            attempt((question,))
            self.is_asked = True
        except Refused as error:
            self.refused += [self._refusal(edit, error) for edit, _ in self._waiting]

    def _refusal(self, edit: Edit, error: Refused) -> Notice:
        excerpt = " ".join(edit.excerpt) or edit.kind
        where = {"name": self._view.name, "line": edit.line}
        return "edit_refused", {**where, "line_text": excerpt, "problem": error}


def waiting_file(view: EditedView, merge: MergeResult) -> WaitingEdits:
    """Return a whole file that waits, with what looks like a mistake in it."""
    reports = tuple((report.text, to_builtins(report.details)) for report in merge.reports)
    return WaitingEdits(
        view.name, view.during, view.key, (), view.text, view.revision, reports, view.bare
    )
