"""F6: commits after a gap are salvaged as far as they fit, and the plan stays consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from outlast.errors import Refused
from outlast.model import changes as c
from outlast.model.changes import Commit, fold
from outlast.model.execute import execute
from outlast.model.history.rebuild import commits_from_snapshot, skip_ids
from outlast.model.history.salvage import salvage
from outlast.model.model import TASK_STATUSES
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes, assert_layers, encode_all
from tests.model.strategies import BEGINNING, Request, moment, plans, requests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.commands import CreatePlan

STEPS = 30
_settings = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
scripts = st.lists(st.none() | requests | requests | requests, min_size=STEPS, max_size=STEPS)
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
    changes = execute(state, (plan,), BEGINNING)
    return state, [Commit(1, BEGINNING, "tester", changes)]


def history(plan: CreatePlan, script: Iterable[Request | None]) -> tuple[PlanState, list[Commit]]:
    """Return a plan and the commits that made it."""
    state, made = begin(plan)
    for step, request in enumerate(script, 1):
        if request is None or request.kind == "undo nothing":
            continue
        command = request.command(state)
        try:
            changes = execute(state, (command,), moment(step))
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
    plan: CreatePlan, script: list[Request | None]
) -> None:
    state, made = history(plan, script)
    again, kept = salvaged(made, set())
    assert kept == made
    assert encode_all(again) == encode_all(state)


@_settings
@given(plans, scripts, gaps)
def test_f6_whatever_is_lost_the_rest_is_a_plan(
    plan: CreatePlan, script: list[Request | None], lost: set[int]
) -> None:
    _, made = history(plan, script)
    state, kept = salvaged(made, lost)
    assert_indexes(state)
    assert_layers(state)
    assert all(task.status in TASK_STATUSES for task in state.tasks.values())
    assert [commit.revision for commit in kept] == list(range(1, len(kept) + 1))
    assert encode_all(folded(kept)) == encode_all(state)
    if state.order == "sequential":
        for task in state.tasks_in_order():
            assert all(state.graph.is_before(d, task.id) for d in task.needs)
    at = {commit.key: commit.at for commit in made}
    assert all(commit.at == at[commit.key] for commit in kept)


@_settings
@given(plans, scripts, gaps)
def test_f6_a_task_that_has_nothing_to_do_with_what_was_lost_is_as_it_would_be(
    plan: CreatePlan, script: list[Request | None], lost: set[int]
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
def test_f6_a_plan_is_rebuilt_from_its_snapshot(
    plan: CreatePlan, script: list[Request | None], other: CreatePlan, before: list[Request | None]
) -> None:
    (known, _), (state, made) = history(plan, script), history(other, before)
    begun, token = state.ledger.attempts_begun, state.ledger.last_token
    asked = state.ledger.conversation.last_question
    made += commits_from_snapshot(state, known)
    assert_indexes(state)
    told, expected = encode_all(state), encode_all(known)
    ledger, wanted = told.pop("ledger"), expected.pop("ledger")
    assert (ledger.leases, ledger.attempts) == (wanted.leases, wanted.attempts)
    assert (ledger.done, ledger.phase_marks) == (wanted.done, wanted.phase_marks)
    assert (ledger.proofs, ledger.counters) == (wanted.proofs, wanted.counters)
    assert (ledger.strikes, ledger.conversation.interjections) == (
        wanted.strikes,
        wanted.conversation.interjections,
    )
    assert ledger.conversation.questions == wanted.conversation.questions
    assert ledger.conversation.last_question >= max(asked, wanted.conversation.last_question)
    assert ledger.attempts_begun >= max(begun, wanted.attempts_begun)
    assert told.pop("revision") == made[-1].revision
    del expected["revision"]
    assert told == expected
    assert ledger.last_token == max(token, wanted.last_token)
    assert encode_all(folded(made)) == encode_all(state)


@_settings
@given(plans, scripts, st.integers(1, 10_000))
def test_f6_no_number_that_a_lost_commit_may_have_given_is_given_again(
    plan: CreatePlan, script: list[Request | None], lost: int
) -> None:
    state, made = history(plan, script)
    before = encode_all(state)
    ledger = before["ledger"]
    commit = skip_ids(state, state.updated_at)
    assert_indexes(state)
    assert encode_all(folded([*made, commit])) == encode_all(state)
    assert state.ledger.last_token > ledger.last_token + lost
    assert state.ledger.attempts_begun > ledger.attempts_begun + lost
    changed = {"ledger", "revision"}
    assert {name for name, value in encode_all(state).items() if value != before[name]} == changed
    assert state.ledger.leases == ledger.leases
    assert state.ledger.attempts == ledger.attempts
