"""F6: what is read behind a gap is kept as far as it makes sense, and the plan stays whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from outlast.domain import changes as c
from outlast.domain.apply import fold
from outlast.domain.changes import Commit
from outlast.domain.enact import enact
from outlast.domain.history.rebuild import pass_over, retell
from outlast.domain.history.salvage import salvage
from outlast.domain.model import TASK_STATUSES
from outlast.domain.state import PlanState
from outlast.errors import Refused
from tests.domain.recompute import assert_indexes, assert_layers, whole
from tests.domain.strategies import BEGINNING, Wish, moment, plans, wishes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.domain.commands import CreatePlan

STEPS = 30
_settings = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
scripts = st.lists(st.none() | wishes | wishes | wishes, min_size=STEPS, max_size=STEPS)
gaps = st.sets(st.integers(1, STEPS), max_size=6)
SHAPING = (
    c.PlanCreated,
    c.PlanEdited,
    c.PlanReset,
    c.PhaseAdded,
    c.PhaseMoved,
    c.PhaseRemoved,
    c.PhaseEdited,
)


def begin(plan: CreatePlan) -> tuple[PlanState, list[Commit]]:
    state = PlanState(BEGINNING)
    changes = enact(state, (plan,), BEGINNING)
    return state, [Commit(1, BEGINNING, "tester", changes)]


def history(plan: CreatePlan, script: Iterable[Wish | None]) -> tuple[PlanState, list[Commit]]:
    """Return a plan and the commits that made it."""
    state, made = begin(plan)
    for step, wish in enumerate(script, 1):
        if wish is None or wish.kind == "undo nothing":
            continue
        command = wish.command(state)
        try:
            changes = enact(state, (command,), moment(step))
        except Refused:
            continue
        if changes:
            made.append(Commit(state.revision, moment(step), "tester", changes, key=f"k{step}"))
    return state, made


def folded(made: Iterable[Commit]) -> PlanState:
    state = PlanState(moment(5000))
    for commit in made:
        fold(state, commit.changes, commit.revision, commit.at)
    return state


def salvaged(made: list[Commit], lost: set[int]) -> tuple[PlanState, list[Commit]]:
    """Leave commits out, by index, and salvage the others."""
    state, kept = PlanState(moment(5000)), []
    numbers: dict[int, int] = {}
    for index, commit in enumerate(made):
        found = None if index in lost else salvage(state, commit, numbers)
        if found:
            kept.append(found)
    return state, kept


@_settings
@given(plans, scripts)
def test_f6_a_history_without_a_gap_is_salvaged_as_it_is(
    plan: CreatePlan, script: list[Wish | None]
) -> None:
    state, made = history(plan, script)
    again, kept = salvaged(made, set())
    assert kept == made
    assert whole(again) == whole(state)


@_settings
@given(plans, scripts, gaps)
def test_f6_whatever_is_lost_the_rest_is_a_plan(
    plan: CreatePlan, script: list[Wish | None], lost: set[int]
) -> None:
    _, made = history(plan, script)
    state, kept = salvaged(made, lost)
    assert_indexes(state)
    assert_layers(state)
    assert all(task.status in TASK_STATUSES for task in state.tasks.values())
    assert [commit.revision for commit in kept] == list(range(1, len(kept) + 1))
    assert whole(folded(kept)) == whole(state)
    if state.order == "sequential":
        for task in state.in_order():
            assert all(state.graph.precedes(d, task.id) for d in task.needs)
    at = {commit.key: commit.at for commit in made}
    assert all(commit.at == at[commit.key] for commit in kept)


@_settings
@given(plans, scripts, gaps)
def test_f6_a_task_that_has_nothing_to_do_with_what_was_lost_is_as_it_would_be(
    plan: CreatePlan, script: list[Wish | None], lost: set[int]
) -> None:
    state, made = history(plan, script)
    dropped = [change for n in lost if n < len(made) for change in made[n].changes]
    assume(not any(isinstance(change, SHAPING) for change in dropped))
    again, kept = salvaged(made, lost)
    found = {commit.key: commit.changes for commit in kept}
    touched = {task for change in dropped for task in tasks_of(change)}
    for index, commit in enumerate(made):
        if index not in lost:
            for change in {*commit.changes} ^ {*found.get(commit.key, ())}:
                assume(not isinstance(change, SHAPING))
                touched |= tasks_of(change)
    expected = {task.id: task for task in state.tasks.values() if task.id not in touched}
    assert {task.id: task for task in again.tasks.values() if task.id not in touched} == expected


def tasks_of(change: Any) -> set[int]:
    if isinstance(change, c.TaskAdded):
        return {change.task.id}
    return {change.id} if isinstance(getattr(change, "id", ""), int) else set()


@_settings
@given(plans, scripts, plans, scripts)
def test_f6_a_plan_is_told_again_as_it_stands(
    plan: CreatePlan, script: list[Wish | None], other: CreatePlan, before: list[Wish | None]
) -> None:
    (known, _), (state, made) = history(plan, script), history(other, before)
    begun, token = state.ledger.attempts_begun, state.ledger.last_token
    asked = state.ledger.talk.asked
    made += retell(state, known)
    assert_indexes(state)
    told, expected = whole(state), whole(known)
    ledger, wanted = told.pop("ledger"), expected.pop("ledger")
    assert (ledger.leases, ledger.attempts) == (wanted.leases, wanted.attempts)
    assert (ledger.done, ledger.marked) == (wanted.done, wanted.marked)
    assert (ledger.proofs, ledger.books) == (wanted.proofs, wanted.books)
    assert (ledger.struck, ledger.talk.said) == (wanted.struck, wanted.talk.said)
    assert ledger.talk.questions == wanted.talk.questions
    assert ledger.talk.asked >= max(asked, wanted.talk.asked)
    assert ledger.attempts_begun >= max(begun, wanted.attempts_begun)
    assert told.pop("revision") == made[-1].revision
    del expected["revision"]
    assert told == expected
    assert ledger.last_token == max(token, wanted.last_token)
    assert whole(folded(made)) == whole(state)


@_settings
@given(plans, scripts, st.integers(1, 10_000))
def test_f6_no_number_that_a_lost_commit_may_have_given_is_given_again(
    plan: CreatePlan, script: list[Wish | None], lost: int
) -> None:
    state, made = history(plan, script)
    before = whole(state)
    ledger = before["ledger"]
    commit = pass_over(state, state.updated_at)
    assert_indexes(state)
    assert whole(folded([*made, commit])) == whole(state)
    assert state.ledger.last_token > ledger.last_token + lost
    assert state.ledger.attempts_begun > ledger.attempts_begun + lost
    changed = {"ledger", "revision"}
    assert {name for name, value in whole(state).items() if value != before[name]} == changed
    assert state.ledger.leases == ledger.leases
    assert state.ledger.attempts == ledger.attempts
