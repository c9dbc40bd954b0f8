"""The commit of one save: its edits become changes, under the store's lock and on the newest plan.

An edit that is refused is left out, and its text stays in the file as a comment. What cannot be
done under the lock is prepared before: checks are run, and the history is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins
from msgspec.structs import replace

from outlast.documents.change_words import Phrases, PlanBefore, list_phrases
from outlast.documents.markdown.merge.applier import EditApplier
from outlast.documents.sync.merge_base import TASK_PLAN
from outlast.documents.waiting_edits import (
    EDIT,
    WaitingEdits,
    describe_edits,
    encode_edits,
    list_waiting,
    waiting_edit,
)
from outlast.errors import ProofNeeded, Refused
from outlast.model import commands as c
from outlast.model.changes import Change, Commit, TaskCompleted, TaskFailed, TaskSkipped
from outlast.model.decide.tasks import RULES
from outlast.model.model import PERSON, UNATTRIBUTED, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from outlast.documents.markdown.merge.edits import Edit, MergeResult
    from outlast.model.execute import Attempt
    from outlast.model.state import PlanState
    from outlast.store.port import EditedView, Notice, Store

    Merger = Callable[[PlanState], MergeResult]
    # The proofs of completions, or why there is none, and the tasks that people finished.
    Preparations = tuple[Mapping[int, c.Complete | Refused], Collection[int]]

_ENDS: Final = (TaskCompleted, TaskSkipped, TaskFailed)


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
        self._waiting: list[tuple[Edit, Sequence[c.Command]]] = []
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
            attempt((c.KeepProse(applier.prose(), state.notes.prose),))

    def describe(self, commit: Commit) -> Phrases:
        """Return what the commit changed."""
        return list_phrases(self._before, commit) if commit.changes else Phrases()

    def _attempt_edit(
        self,
        state: PlanState,
        attempt: Attempt,
        applier: EditApplier,
        edit: Edit,
        commands: Sequence[c.Command],
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
        self, state: PlanState, attempt: Attempt, commands: Sequence[c.Command]
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
            if _is_locked(state, commands):
                raise
            raise _NeedsPerson from error

    def _with_proof(self, commands: Sequence[c.Command]) -> tuple[c.Command, ...]:
        """Return commands with the proof of a completion; raise why its checks did not pass."""
        *first, last = commands
        proved = self._proofs.get(int(last.task)) if isinstance(last, c.Complete) else None
        if isinstance(proved, Refused):
            raise proved
        return (*first, proved or last)

    def _lacks_proof(self, commands: Sequence[c.Command]) -> bool:
        last = commands[-1]
        return isinstance(last, c.Complete) and last.task not in self._proofs

    def _ask(self, state: PlanState, attempt: Attempt) -> None:
        """Ask a person whether they made edits, except those that were asked about before."""
        view = self._view
        asked = [edit.commands for edit in list_waiting(state, view.key)]
        described = (waiting_edit(state, edit, commands) for edit, commands in self._waiting)
        new = tuple(edit for edit in described if edit.commands not in asked)
        if not new:
            return
        edits = WaitingEdits(view.name, view.during, view.key, new, revision=state.revision)
        question = c.AskQuestion(describe_edits(edits, "en"), EDIT, encode_edits(edits))
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


# Rights: an edit whose author is unknown may do as much as an agent, not what only people may.


def drop_rights(command: c.Command) -> c.Command:
    """Return a command of a person as one of nobody, without what only people may use."""
    dropped: dict[str, Any] = {}
    if getattr(command, "actor", "") == PERSON:
        dropped["actor"] = UNATTRIBUTED
    if getattr(command, "amend", False):
        dropped["amend"] = False
    return replace(command, **dropped) if dropped else command


def is_for_people(
    state: PlanState, commands: Sequence[c.Command], decided: Collection[int]
) -> bool:
    """Return whether only a person may give one of these commands.

    These change the goal, confirm a check of a person, change the checks of a task that has some,
    skip or remove such a task, or reopen what a person finished (`decided`).
    """
    return any(_is_for_people(state, command, decided) for command in commands)


def _is_locked(state: PlanState, commands: Sequence[c.Command]) -> bool:
    """Return whether nobody may give one of these: the checks of a task in progress stay."""

    def changes_locked(command: c.Command) -> bool:
        if not isinstance(command, c.EditTask) or not _changes_rules(command):
            return False
        task = state.find(command.task)
        return task is not None and task.status == "in_progress"

    return any(map(changes_locked, commands))


def find_decided(store: Store, tasks: Iterable[int]) -> set[int]:
    """Return which of some finished tasks a person finished."""
    unknown, decided = {*tasks}, set[int]()
    for commit in reversed(store.history()):
        if not unknown:
            break
        ended = {change.id for change in commit.changes if isinstance(change, _ENDS)} & unknown
        unknown -= ended
        if commit.author == PERSON:
            decided |= ended
    return decided


def _changes_rules(command: c.EditTask) -> bool:
    return any(getattr(command, field) is not None for field in RULES)


def _is_for_people(state: PlanState, command: c.Command, decided: Collection[int]) -> bool:
    if isinstance(command, c.EditPlan):
        return command.goal is not None
    if isinstance(command, c.Reopen):
        return command.task in decided
    if not isinstance(command, c.EditTask | c.Complete | c.RemoveTask | c.Skip):
        return False
    task = state.find(command.task)
    if task is None or isinstance(command, c.Complete):
        return task is not None and _has_open_question(state, task)
    has_rules = bool(task.checks or task.protect or task.id in state.ledger.proofs)
    if not isinstance(command, c.EditTask):
        return has_rules
    return _changes_rules(command) and has_rules and task.status != "in_progress"


def _has_open_question(state: PlanState, task: Task) -> bool:
    """Return whether a check of the task still waits for a person's word."""
    proofs = state.ledger.proofs.get(task.id)
    confirmed = {given.check for given in proofs.confirmed} if proofs else set()
    return any(check.kind == "person" and check not in confirmed for check in task.checks)
