"""Changes as values: each has an inverse, they alone make the plan, and JSON carries them."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.domain.changes import Change, Commit, IdsSkipped, LoopRestored, PlanCreated
from outlast.domain.changes.apply import APPLY, fold
from outlast.domain.changes.invert import INVERSES, invert
from outlast.domain.commands import CreatePlan, InitializePlan, RemoveTask, Undo
from outlast.domain.execute import execute
from outlast.domain.state import PlanState
from outlast.errors import Refused
from tests.domain.indexes import assert_indexes, assert_layers, encode_all, snapshot
from tests.domain.strategies import BEGINNING, PLANS, RARE, Request, moment, plans, requests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from outlast.domain.commands import Command

STEPS = 30
_settings = settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
_fewer = settings(_settings, max_examples=3 * settings().max_examples)  # 300, fast 60
# A fixed length keeps the plans from staying small; a failure shrinks to mostly None.
scripts = st.lists(st.none() | requests | requests | requests, min_size=STEPS, max_size=STEPS)


def begin(plan: CreatePlan) -> tuple[PlanState, Commit]:
    state = PlanState(BEGINNING)
    return state, make_commit(state, (plan,), BEGINNING)


def make_commit(state: PlanState, commands: Sequence[Command], at: datetime) -> Commit:
    changes = execute(state, commands, at)
    return Commit(state.revision, at, "tester", changes)


def commits(state: PlanState, script: Iterable[Request | None]) -> Iterator[Commit]:
    """Carry out what is not refused, one commit a command."""
    for step, request in enumerate(script, 1):
        if request is not None:
            before = encode_all(state)
            try:
                commit = make_commit(state, (request.command(state),), moment(step))
            except Refused:
                assert encode_all(state) == before
            else:
                if commit.changes:
                    yield commit


def accepted(state: PlanState, script: Iterable[Request | None]) -> Iterator[Command]:
    """Carry out what is not refused, all at one time; return the commands."""
    for request in filter(None, script):
        command = request.command(state)
        if isinstance(command, InitializePlan | Undo):
            continue  # these stand alone
        try:
            execute(state, (command,), moment(3000))
        except Refused:
            continue
        yield command


def apply(state: PlanState, changes: Iterable[Change], at: datetime) -> None:
    for change in changes:
        APPLY[type(change)](state, change, at)


def take_back_and_forth(state: PlanState, change: Change, at: datetime) -> set[type[Change]]:
    """Apply a change, take it back, take that back; return the kinds that were inverted."""
    before = snapshot(state)
    undo = invert(state, change)
    apply(state, (change,), at)
    assert_indexes(state)
    after = snapshot(state)
    redo: list[tuple[Change, ...]] = []
    for step in undo:
        redo.append(invert(state, step))
        apply(state, (step,), moment(1000))
        assert_indexes(state)
    assert snapshot(state) == before
    for steps in reversed(redo):
        apply(state, steps, moment(2000))
    assert snapshot(state) == after
    assert_indexes(state)
    for step in (change, *undo):
        assert msgspec.json.decode(msgspec.json.encode(step), type=Change) == step
    return {type(change), *map(type, undo)}


def test_x7_every_kind_of_change_is_applied_and_all_but_creation_inverted() -> None:
    assert set(APPLY) == {*get_args(Change)}
    assert set(INVERSES) == {*get_args(Change)} - {PlanCreated}


def test_x7_the_inverse_takes_every_kind_of_change_back() -> None:
    seen: set[type[Change]] = set()

    @_settings
    @example(PLANS[2], [*RARE])
    @given(plans, scripts)
    def check(plan: CreatePlan, script: list[Request | None]) -> None:
        state, created = begin(plan)
        twin, _ = begin(plan)
        assert isinstance(created.changes[0], PlanCreated)
        for commit in commits(state, script):
            for change in commit.changes:
                if isinstance(change, PlanCreated):
                    apply(twin, (change,), commit.at)
                else:
                    seen.update(take_back_and_forth(twin, change, commit.at))
            assert snapshot(twin) == snapshot(state)
            why = state.ledger.counters.pause_reason  # which is not given back with the pause
            twin.ledger.counters = replace(twin.ledger.counters, pause_reason=why)
            assert twin.ledger == state.ledger
            assert_layers(twin)

    check()
    assert seen == set(INVERSES) - {IdsSkipped, LoopRestored}  # only mending makes these


@_fewer
@given(plans, scripts, scripts)
def test_x7_commands_together_are_carried_out_all_or_none(
    plan: CreatePlan, script: list[Request | None], together: list[Request | None]
) -> None:
    (state, _), (twin, _) = begin(plan), begin(plan)
    for either in (state, twin):
        list(commits(either, script))
    commands = list(accepted(twin, together[:10]))
    before = encode_all(state)
    with pytest.raises(Refused):
        execute(state, (*commands, RemoveTask(10**6)), moment(3000))
    assert encode_all(state) == before
    assert_indexes(state)
    assert_layers(state)
    execute(state, commands, moment(3000))
    twin.revision, twin.updated_at = state.revision, state.updated_at
    assert encode_all(state) == encode_all(twin)
    assert_indexes(state)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.id)
def test_x7_a_plan_is_created_in_a_commit_of_its_own(plan: CreatePlan) -> None:
    state = PlanState(BEGINNING)
    before = encode_all(state)
    with pytest.raises(Refused):
        execute(state, (plan, RemoveTask(1)), moment(1))
    assert encode_all(state) == before


@_fewer
@given(plans, scripts)
def test_x1_the_changes_alone_make_the_plan_again(
    plan: CreatePlan, script: list[Request | None]
) -> None:
    state, created = begin(plan)
    made = [created, *commits(state, script)]
    again = PlanState(moment(5000))
    for commit in made:
        read = msgspec.json.decode(msgspec.json.encode(commit), type=Commit)
        assert read == commit
        fold(again, read.changes, read.revision, read.at)
    assert encode_all(again) == encode_all(state)
    assert_indexes(again)
