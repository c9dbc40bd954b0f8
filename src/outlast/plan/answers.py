"""Answers that do something: a yes applies edits as the person's, or lets checks run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from outlast.documents.proposals import shown_checks
from outlast.documents.waiting_edits import WaitingEdits, decode_edits
from outlast.errors import InvalidStatus
from outlast.model.changes import Commit, PlanEdited, TaskEdited
from outlast.model.commands import AnswerQuestion, Command, EditPlan, EditTask
from outlast.model.decide.proof import require_person
from outlast.model.execute import return_commit
from outlast.model.intents import parse_yes_or_no
from outlast.model.model import PERSON, PLAN, Question
from outlast.plan.edit_sync import EditSync
from outlast.store.port import EditedView, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from msgspec import Struct

    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore

T = TypeVar("T")
_FULFILLED: Final = ("task_already", "task_not_ended")  # it is finished, or open, already


def answer_question(
    core: PlanCore, command: AnswerQuestion, then: Callable[[PlanState, Commit], T]
) -> T:
    """Answer a question; edits that a yes confirms are applied first.

    Each of them is a commit with a key: if one is refused, or the process dies before the answer is
    recorded, the question stays open, and what was applied before is not applied again.
    """
    question = core.read(lambda state: _find_open_question(state, command.question))
    if question is not None and question.kind == "checks":
        return _answer_about_checks(core, replace(command, question=question.id), question, then)
    waiting = None if question is None else decode_edits(question)
    if question is None or waiting is None:
        return core.commit((command,), then)
    require_person(command.actor, "actor")
    person = core.acting_as(PERSON)
    if parse_yes_or_no(command.text):
        _apply(person, waiting, f"answer:{question.id}")
    lines = (line for edit in waiting.edits for line in edit.excerpt or (edit.task,))
    reason = ": ".join(filter(None, (waiting.view, " ".join(lines))))
    return person.commit((replace(command, question=question.id),), then, reason=reason)


def _answer_about_checks(
    core: PlanCore,
    command: AnswerQuestion,
    question: Question,
    then: Callable[[PlanState, Commit], T],
) -> T:
    """Answer whether checks may run; the yes of a person approves those that the question shows."""
    prover = core.prover()
    if prover is not None and command.actor == PERSON and parse_yes_or_no(command.text):
        tasks = core.read(lambda state: tuple(state.tasks_in_order()))
        prover.approve_shown(tasks, shown_checks(question))
    return core.commit((command,), then)


def _find_open_question(state: PlanState, number: int | None) -> Question | None:
    """Return the open question with a number, else the oldest one; None if there is none."""
    questions = state.open_questions()
    return next((each for each in questions if number in (None, each.id)), None)


def _apply(person: PlanCore, waiting: WaitingEdits, key: str) -> None:
    """Apply edits as a person's; raise why one is refused, unless the plan is so already."""
    store, views = person.store, person.views
    if waiting.text and views is not None:
        view = EditedView(waiting.view, waiting.text, waiting.revision, key, 0, bare=waiting.bare)
        sync = EditSync(views, lambda actor, key: person.acting_as(actor).with_key(key))
        sync.apply_confirmed(view)
    changed = _fields_changed_since(store, waiting.revision) if waiting.edits else set()
    for number, edit in enumerate(waiting.edits):
        commands = edit.decode()
        if store.read(partial(_is_superseded, commands=commands, changed=changed)):
            continue  # what the person wrote later counts
        try:
            keyed = person.with_key(f"{key}:{number}")
            keyed.commit_with_checks(commands, return_commit, reason=waiting.view)
        except InvalidStatus as error:
            if error.text not in _FULFILLED:
                raise


def _fields_changed_since(store: Store, revision: int) -> set[tuple[int, str]]:
    """Return the fields of tasks, and of the plan (0), that a person changed after a revision."""
    changes = (
        change
        for commit in store.commits_since(revision)
        if commit.author == PERSON
        for change in commit.changes
        if isinstance(change, PlanEdited | TaskEdited)
    )
    return {field for change in changes for field in _fields(getattr(change, "id", PLAN), change)}


def _is_superseded(
    state: PlanState, commands: Sequence[Command], changed: set[tuple[int, str]]
) -> bool:
    """Return whether a person has changed a field since that one of the commands sets."""
    for command in commands:
        task = state.find(command.task) if isinstance(command, EditTask) else None
        is_edit = task is not None or isinstance(command, EditPlan)
        if is_edit and not changed.isdisjoint(_fields(task.id if task else PLAN, command)):
            return True
    return False


def _fields(task: int, edit: Struct) -> set[tuple[int, str]]:
    """Return the fields that an edit of a task, or of the plan, sets."""
    return {(task, field) for field in edit.__struct_fields__ if getattr(edit, field) is not None}
