"""F6: commits after a gap are salvaged change by change, as far as they fit."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from outlast.model import changes as c
from outlast.model.budget import Budget, Spend
from outlast.model.changes import Commit
from outlast.model.commands import CreatePlan
from outlast.model.execute import execute
from outlast.model.history.salvage import is_applicable, salvage
from outlast.model.ledger import Conversation, LoopCounters
from outlast.model.model import (
    MAIN,
    AgentSession,
    Check,
    ErrorRecord,
    Finding,
    Footprint,
    Interjection,
    LastRun,
    Order,
    Phase,
    Progress,
    Proof,
    Prose,
    Question,
    Task,
    TaskDecision,
    TaskReport,
)
from outlast.model.replan_position import ReplanPosition
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes, encode_all
from tests.model.strategies import BEGINNING, PLANS, moment

LATER = Phase("later", "Later")
TASKS = (
    Task(1, "one"),
    Task(2, "two", needs=(1,)),
    Task(3, "three", status="in_progress", actor="ann", started_at=BEGINNING),
    Task(4, "four", status="completed", how="assumed", result="done", alias="d"),
    Task(5, "five", "later", status="failed", error="broke"),
)
EMPTY = Phase("empty", "Empty")
LOOK = Check("person", "look")


def begun(plan: CreatePlan) -> PlanState:
    state = PlanState(BEGINNING)
    execute(state, (plan,), BEGINNING)
    return state


def example(order: Order = "graph") -> PlanState:
    phases = (MAIN, LATER, EMPTY)
    state = begun(CreatePlan("plan_x", "Goal", phases=phases, tasks=TASKS, order=order))
    for change in (
        c.TaskLeased(3, "ann", 4, moment(9)),
        c.AttemptBegan("3#1", 3, "tool", "look", "", 4),
        c.FindingNoted(Finding(1, "code", "title", "content", BEGINNING)),
        c.QuestionAsked(Question(1, "which?", BEGINNING)),
        c.Interjected(Interjection(1, "wait", "ann", BEGINNING)),
    ):
        change.apply(state, moment(1))
    return state


def lease(task: int, holder: str, token: int) -> c.Change:
    return c.TaskLeased(task, holder, token, moment(9))


def new(task_id: int = 9, **fields: Any) -> Task:
    return Task(task_id, "nine", **fields)


APPLYING = (
    c.IdsSkipped(9, 9),
    c.PlanEdited(goal="Another"),
    c.PlanEdited(order="sequential"),
    c.PhaseAdded(Phase("new", "New"), 1),
    c.PhaseEdited(Phase("later", "Much later")),
    c.PhaseMoved("later", 0),
    c.PhaseRemoved("empty"),
    c.TaskAdded(new(needs=(4, 5))),
    c.TaskAdded(new(phase="later"), 4),
    c.TaskAdded(new(), 0),
    c.TaskRemoved(2),
    c.TaskRemoved(4),
    c.TaskRemoved(5),
    c.TaskEdited(2, name="zwei"),
    c.TaskEdited(2, needs=()),
    c.TaskEdited(1, needs=(5,)),
    c.TaskMoved(1, "main", 2),
    c.TaskMoved(1, "main", 0),
    c.TaskMoved(4, "later", 3),
    c.TaskStarted(1, "bob"),
    c.TaskCompleted(3),
    c.TaskCompleted(1),
    c.CompletionConfirmed(4),
    c.TaskRetried(3, "no", 1),
    c.TaskFailed(3, "no"),
    c.TaskSkipped(5),
    c.TaskReopened(4),
    c.TaskProgressed(3, Progress(1, 2)),
    c.TaskRestored(3, "in_progress", actor="ann"),
    c.TaskRestored(3),
    c.TaskRestored(1, "in_progress", actor="bob"),
    c.TaskReturned(3),
    lease(3, "ann", 5),
    lease(0, "bob", 5),
    c.LeaseRenewed(3, moment(20)),
    c.LeaseEnded(3),
    c.AttemptBegan("0#2", 0, "tool", "look"),
    c.AttemptBegan("3#2", 3, "tool", "look"),
    c.AttemptEnded("3#1", "done"),
    c.Undone(1),
    c.PlanBegun(),
    c.PlanPaused(),
    c.PlanResumed(),
    c.PlanAborted(),
    c.PlanReset(),
    c.PlanRestored(begun=True, hold=""),
    c.IterationCounted(4),
    c.IterationCounted(4, 1),
    c.IterationCounted(4, 3),
    c.IterationCounted(4, 9),
    c.ProofNoted(Proof(3, "later", BEGINNING)),
    c.CheckConfirmed(3, LOOK, "human"),
    c.PhaseMarked("empty", "blocked"),
    c.PhaseMarked("empty"),
    c.FindingNoted(Finding(7, "code", "title", "content", BEGINNING)),
    c.FindingForgotten(1),
    c.ErrorNoted("sh:no", ErrorRecord(2, "sh", "no", BEGINNING, BEGINNING)),
    c.ErrorsForgotten(("sh:no",)),
    c.Delivered("out"),
    c.Delivered("answer", answer=True),
    c.ProseKept((Prose("top", ("line",)),)),
    c.BudgetSet(Budget(tokens=5)),
    c.BudgetSet(Budget(tokens=5), 3),
    c.Charged(Spend(tokens=5), 3),
    c.QuestionAsked(Question(2, "which?", BEGINNING)),
    c.QuestionAnswered(1, "this", "ann"),
    c.Interjected(Interjection(2, "stop", "ann", BEGINNING)),
    c.InterjectionsTaken(1),
    c.LoopNoted(managed=True, stops=2),
    c.StruckOut("sh", "0a"),
    c.StrikesCleared("sh"),
    c.RunRemembered(LastRun("ollama:x", "ann", "en", 20)),
    c.ReportNoted(1, TaskReport("1#1", "codex", "SUCCESS", BEGINNING, "s-1")),
    c.DecisionNoted(TaskDecision(1, "1#1", "next", "it works", BEGINNING, "ann")),
    c.SessionBegan("s-1", AgentSession("codex", "1#1")),
    c.FootprintNoted(1, Footprint("1#1", BEGINNING, "", "0a" * 20, ("x",), 1)),
    c.SessionEnded("s-1"),
    c.ReplanMoved(ReplanPosition((1,), 0, is_planned=True, steps=3)),
    c.ApprovalRequired(),
    c.PlanApproved("human"),
    c.RefusalNoted("sh: rm", "hook"),
    c.RefusalNoted("sh: rm", "permission", "no", 3),
    c.LoopRestored(
        LoopCounters(iterations={1: 1, 3: 2, 9: 1}),
        Conversation(last_question=1, last_interjection=5),
    ),
    c.PlanCreated("plan_y", "Goal", BEGINNING, BEGINNING, phases=(MAIN,)),
)
# So it is already in the example, or it is for the history only. What each change does is tested
# at its module.
SO_ALREADY = (
    c.TaskMoved(1, "main", 0),
    c.Undone(1),
    c.PlanResumed(),
    c.PhaseMarked("empty", None),
    c.ErrorsForgotten(("sh:no",)),
    c.StrikesCleared("sh"),
    c.SessionEnded("s-1"),
    c.PlanApproved("human"),
    c.RefusalNoted("sh: rm", "hook"),
    c.RefusalNoted("sh: rm", "permission", "no", 3),
)
NOT_APPLYING = (
    c.PhaseAdded(Phase("later", "Later"), 1),
    c.PhaseEdited(Phase("gone", "Gone")),
    c.PhaseMoved("gone", 0),
    c.PhaseRemoved("gone"),
    c.PhaseRemoved("later"),
    c.TaskAdded(new(1)),
    c.TaskAdded(new(alias="d")),
    c.TaskAdded(new(phase="gone")),
    c.TaskAdded(new(needs=(9,))),
    c.TaskAdded(new(), 8),
    c.TaskAdded(new(), 5),
    c.TaskAdded(new(phase="later"), 1),
    c.TaskRemoved(1),
    c.TaskRemoved(3),
    c.TaskRemoved(9),
    c.TaskEdited(9, name="neun"),
    c.TaskEdited(2, needs=(9,)),
    c.TaskEdited(1, needs=(2,)),
    c.TaskMoved(9, "main", 0),
    c.TaskMoved(1, "main", 1),
    c.TaskMoved(1, "main", 5),
    c.TaskMoved(1, "gone", 5),
    c.TaskMoved(1, "later", 2),
    c.TaskMoved(1, "later", 0),
    c.TaskStarted(3, "bob"),
    c.TaskStarted(9, "bob"),
    c.TaskCompleted(4),
    c.TaskCompleted(9),
    c.CompletionConfirmed(1),
    c.CompletionConfirmed(9),
    c.TaskRetried(5, "no", 1),
    c.TaskFailed(5, "no"),
    c.TaskSkipped(4),
    c.TaskSkipped(9),
    c.TaskReopened(9),
    c.TaskProgressed(9, None),
    c.TaskRestored(9),
    c.TaskRestored(3, "in_progress", actor="bob"),
    c.TaskReturned(1),
    c.TaskReturned(9),
    c.ReportNoted(9, TaskReport("9#1", "codex", "SUCCESS", BEGINNING)),
    c.DecisionNoted(TaskDecision(9, "9#1", "next", "it works", BEGINNING, "ann")),
    c.FootprintNoted(9, Footprint("9#1", BEGINNING)),
    lease(1, "ann", 5),
    lease(3, "bob", 5),
    lease(3, "ann", 4),
    lease(9, "ann", 5),
    lease(0, "ann", 4),
    c.LeaseEnded(0),
    c.LeaseRenewed(1, moment(20)),
    c.AttemptBegan("9#2", 9, "tool", "look"),
    c.AttemptBegan("0#1", 0, "tool", "look"),
    c.AttemptEnded("3#2", "done"),
    c.Undone(0),
    c.RefusalNoted("sh: rm", "hook", "", 9),
    c.ProofNoted(Proof(9, "later", BEGINNING)),
    c.CheckConfirmed(9, LOOK, "human"),
    c.PhaseMarked("gone", "blocked"),
    c.FindingForgotten(2),
    c.BudgetSet(Budget(tokens=5), 9),
    c.Charged(Spend(tokens=5), 9),
    c.QuestionAsked(Question(1, "which?", BEGINNING)),
    c.QuestionAnswered(2, "this", "ann"),
    c.Interjected(Interjection(1, "stop", "ann", BEGINNING)),
)


# What these say is true of the plan already, or is kept in its history alone.
WITHOUT_TRACE: tuple[c.Change, ...] = (
    c.TaskMoved(1, "main", 0),
    c.Undone(1),
    c.PlanResumed(),
    c.PhaseMarked("empty", None),
    c.ErrorsForgotten(("sh:no",)),
    c.StrikesCleared("sh"),
    c.SessionEnded("s-1"),
    c.PlanApproved("human"),
    c.RefusalNoted("sh: rm", "hook", ""),
    c.RefusalNoted("sh: rm", "permission", "no", 3),
)


@pytest.mark.parametrize("change", APPLYING, ids=repr)
def test_f6_a_change_that_makes_sense_applies_and_leaves_a_plan(change: c.Change) -> None:
    state = example()
    before = encode_all(state)
    assert is_applicable(state, change)
    assert encode_all(state) == before
    change.apply(state, moment(2))
    assert (encode_all(state) == before) == (change in SO_ALREADY)
    assert_indexes(state)
    assert (encode_all(state) == before) == (change in WITHOUT_TRACE)


@pytest.mark.parametrize("change", NOT_APPLYING, ids=repr)
def test_f6_a_change_that_speaks_of_what_is_not_there_does_not_apply(change: c.Change) -> None:
    assert not is_applicable(example(), change)


def test_f6_every_kind_of_change_is_looked_at() -> None:
    assert {type(change) for change in APPLYING} == {*get_args(c.Change)}


def test_f6_nothing_but_its_creation_applies_to_no_plan() -> None:
    empty = PlanState(BEGINNING)
    assert [change for change in APPLYING if is_applicable(empty, change)] == [APPLYING[-1]]


def test_f6_the_last_phase_stays() -> None:
    state = begun(PLANS[0])
    assert not is_applicable(state, c.PhaseRemoved("main"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (c.TaskAdded(new(needs=(1, 5), phase="later")), True),
        (c.TaskAdded(new(needs=(5,)), None), False),
        (c.TaskAdded(new(needs=(2,)), 1), False),
        (c.TaskAdded(new(needs=(2,)), 2), True),
        (c.TaskAdded(new(needs=(2,)), 0), False),
        (c.TaskEdited(3, needs=(1,)), True),
        (c.TaskEdited(3, needs=(4,)), False),
        (c.TaskEdited(3, name="drei"), True),
        (c.TaskMoved(1, "main", 2), False),
        (c.TaskMoved(2, "main", 3), True),
        (c.TaskMoved(2, "main", 0), False),
        (c.PhaseMoved("later", 0), True),
    ],
    ids=repr,
)
def test_f6_a_sequence_stays_one(change: c.Change, expected: bool) -> None:  # noqa: FBT001 - a table
    assert is_applicable(example("sequential"), change) is expected


def test_f6_a_phase_or_an_order_that_would_break_a_sequence_is_left_out() -> None:
    later = c.TaskAdded(new(needs=(1,), phase="later"))
    state = example("sequential")
    later.apply(state, moment(2))
    assert not is_applicable(state, c.PhaseMoved("later", 0))
    state = example()
    c.TaskEdited(1, needs=(5,)).apply(state, moment(2))
    assert not is_applicable(state, c.PlanEdited(order="sequential"))


# --- commit by commit ---------------------------------------------------------------------------


def taken(state: PlanState, *changes: c.Change) -> tuple[c.Change, ...]:
    """Salvage one commit and return what is left of it."""
    found = salvage(state, Commit(70, moment(7), "ann", changes, "why", "k", "asked"), {5: 3})
    assert_indexes(state)
    if found is None:
        return ()
    assert (found.reason, found.key, found.request_digest) == ("why", "k", "asked")
    assert found.revision == state.revision
    return found.changes


def test_f6_of_a_commit_that_is_kept_in_part_the_rest_is_left_out() -> None:
    state = example()
    kept = c.TaskReopened(4)
    assert taken(state, c.TaskReopened(9), kept) == (kept,)
    assert (state.revision, state.updated_at) == (2, moment(7))


def test_f6_a_commit_of_which_nothing_is_left_leaves_no_trace() -> None:
    state = example()
    before = encode_all(state)
    for changes in ((c.TaskReopened(9),), (c.Undone(5), c.TaskReopened(9)), (c.Undone(6),)):
        assert taken(state, *changes) == ()
        assert encode_all(state) == before


def test_f6_an_answer_without_changes_is_kept_for_its_key() -> None:
    state = example()
    before = encode_all(state)
    found = salvage(state, Commit(70, moment(7), "ann", (), key="k", request_digest="a"), {})
    assert found == Commit(1, moment(7), "ann", (), key="k", request_digest="a")
    assert encode_all(state) == before


def test_f6_what_was_undone_is_named_by_its_new_revision() -> None:
    restored = c.TaskRestored(4)
    assert taken(example(), c.Undone(5), restored) == (c.Undone(3), restored)
    assert taken(example(), c.Undone(6), restored) == (restored,)


@pytest.mark.parametrize(
    ("change", "before"),
    [
        (c.TaskStarted(1, "bob"), (c.PlanBegun(),)),
        (c.TaskStarted(3, "bob"), (c.PlanBegun(), c.TaskReturned(3))),
        (c.TaskStarted(4, "bob"), (c.PlanBegun(), c.TaskReopened(4))),
        (c.TaskCompleted(5), (c.PlanBegun(), c.TaskReopened(5))),
        (c.TaskFailed(4, "no"), (c.PlanBegun(), c.TaskReopened(4))),
        (c.TaskRetried(3, "no", 1), (c.PlanBegun(),)),
        (c.TaskSkipped(4), (c.TaskReopened(4),)),
        (c.TaskSkipped(1), ()),
    ],
    ids=repr,
)
def test_f6_changes_that_must_have_come_before_are_added(
    change: c.Change, before: tuple[c.Change, ...]
) -> None:
    assert taken(example(), change) == (*before, change)


def test_f6_a_task_whose_neighbour_is_lost_goes_to_the_end_of_its_phase() -> None:
    state = example()
    assert taken(state, c.TaskAdded(new(), 8)) == (c.TaskAdded(new()),)
    assert state.graph.order == [1, 2, 3, 4, 9, 5]


def test_f6_numbers_of_lost_attempts_are_passed_over() -> None:
    state = example()
    began = c.AttemptBegan("3#4", 3, "tool", "look")
    assert taken(state, began)[-1] == began
    assert state.ledger.attempts_begun == 4
    assert [*state.ledger.attempts] == ["3#1", "3#4"]
