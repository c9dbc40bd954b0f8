"""Commands together are executed all or none; their changes alone make the plan again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from outlast.errors import Refused
from outlast.model import changes as c
from outlast.model.changes import Change, Commit, fold
from outlast.model.commands import (
    AddPhase,
    AddTasks,
    Complete,
    CountIteration,
    CreatePlan,
    EditTask,
    InitializePlan,
    MovePhase,
    MoveTask,
    NewTask,
    NoteFinding,
    RemoveTask,
    SetProgress,
    Start,
    Undo,
)
from outlast.model.execute import execute
from outlast.model.state import PlanState
from tests.model.indexes import assert_indexes, assert_layers, encode_all
from tests.model.strategies import BEGINNING, PLANS, RARE, Request, moment, plans, requests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from types import FrameType

    from outlast.model.commands import Command

STEPS = 30
MODEL = str(Path(c.__file__).parent.parent)
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


def encode_in_order(state: PlanState) -> dict[str, Any]:
    """Return all that a plan is, and the tables of its ledger and its notes in their order."""
    tables = msgspec.json.encode((state.ledger, state.notes))
    return encode_all(state) | {"tables": tables}


def refuse_last(state: PlanState, commands: Sequence[Command]) -> None:
    """Execute commands together with one that is refused."""
    before = encode_in_order(state)
    with pytest.raises(Refused):
        execute(state, (*commands, RemoveTask(10**6)), moment(3000))
    assert encode_in_order(state) == before
    assert_indexes(state)


class Interrupt:
    """Interrupts the program at a line of the model, as a signal may."""

    def __init__(self, line: int) -> None:
        self.lines_left = line
        self.happened = False

    def __call__(self, frame: FrameType, event: str, _: object) -> Interrupt | None:
        if not frame.f_code.co_filename.startswith(MODEL):
            return None
        if event == "line":
            self.lines_left -= 1
            if not self.lines_left:
                self.happened = True
                raise KeyboardInterrupt
        return self

    def run(self, work: Callable[[], object]) -> None:
        before = sys.gettrace()
        sys.settrace(self)
        try:
            work()
        except KeyboardInterrupt:
            assert self.happened
        finally:
            sys.settrace(before)


def test_x7_a_refused_commit_takes_every_kind_of_change_back() -> None:
    seen: set[type[Change]] = set()

    @_settings
    @example(PLANS[2], [*RARE])
    @given(plans, scripts)
    def check(plan: CreatePlan, script: list[Request | None]) -> None:
        state, _ = begin(plan)
        for step, request in enumerate(script, 1):
            if request is None:
                continue
            command = request.command(state)
            refuse_last(state, (command,))
            try:
                seen.update(map(type, execute(state, (command,), moment(step))))
            except Refused:
                continue

    check()
    alone = {c.PlanCreated, c.Undone, c.TaskRestored, c.PlanRestored}
    only_repairs = {c.IdsSkipped, c.LoopRestored}
    assert seen | alone == {*get_args(Change)} - only_repairs


@_fewer
@given(plans, scripts, scripts)
def test_x7_commands_together_are_carried_out_all_or_none(
    plan: CreatePlan, script: list[Request | None], together: list[Request | None]
) -> None:
    (state, _), (twin, _) = begin(plan), begin(plan)
    for either in (state, twin):
        list(commits(either, script))
    commands = list(accepted(twin, together[:10]))
    refuse_last(state, commands)
    assert_layers(state)
    execute(state, commands, moment(3000))
    twin.revision, twin.updated_at = state.revision, state.updated_at
    assert encode_in_order(state) == encode_in_order(twin)
    assert_indexes(state)


@_fewer
@given(plans, scripts, scripts, st.integers(1, 3000))
def test_x1_commands_together_are_executed_all_or_none_when_interrupted_anywhere(
    plan: CreatePlan, script: list[Request | None], together: list[Request | None], line: int
) -> None:
    (state, _), (twin, _) = begin(plan), begin(plan)
    for either in (state, twin):
        list(commits(either, script))
    commands = [*accepted(twin, together[:10]), CountIteration(), CountIteration()]
    before, interrupt = encode_in_order(state), Interrupt(line)
    interrupt.run(lambda: execute(state, commands, moment(3000)))
    assert state.undo_log is None
    if interrupt.happened:
        assert encode_in_order(state) == before
        assert_indexes(state)
        assert_layers(state)
        execute(state, commands, moment(3000))
    twin.revision, twin.updated_at = state.revision, state.updated_at
    for _ in range(2):
        execute(twin, (CountIteration(),), twin.updated_at)
    twin.revision = state.revision
    assert encode_in_order(state) == encode_in_order(twin)
    assert_indexes(state)


class Interrupted(tuple["Command", ...]):
    """Commands of which the last is followed by an interrupt."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Command]:
        yield from super().__iter__()
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    "commands",
    [
        (AddTasks((NewTask("new", needs=(1,)),)), Start("ann"), Complete(1, "ann")),
        (AddPhase("Later"), MoveTask(2, "later"), MovePhase("later"), MoveTask(3, first=True)),
        (RemoveTask(2), MoveTask(3, first=True), EditTask(1, needs=(3,))),
        (NoteFinding("code", "a", "b", "ann"), CountIteration()),
    ],
)
def test_x1_an_interrupt_after_any_change_takes_it_back(commands: tuple[Command, ...]) -> None:
    state = PlanState(BEGINNING)
    execute(state, (CreatePlan("plan_a", "Goal"),), BEGINNING)
    execute(state, (AddTasks(tuple(map(NewTask, "abc"))),), BEGINNING)
    before = encode_in_order(state)
    for length in range(1, len(commands) + 1):
        with pytest.raises(KeyboardInterrupt):
            execute(state, Interrupted((CountIteration(), *commands[:length])), moment(1))
        assert encode_in_order(state) == before
        assert_indexes(state)
    execute(state, commands, moment(1))
    assert_indexes(state)


def test_x1_commands_together_that_change_nothing_make_no_revision() -> None:
    state = PlanState(BEGINNING)
    execute(state, (CreatePlan("plan_a", "Goal"),), BEGINNING)
    execute(state, (AddTasks((NewTask("a"),)),), BEGINNING)
    same = SetProgress(1, 1, 2)
    execute(state, (same,), moment(1))
    before = encode_in_order(state)
    assert execute(state, (same, same), moment(2)) == ()
    assert encode_in_order(state) == before


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.id)
def test_x7_a_plan_is_created_in_a_commit_of_its_own(plan: CreatePlan) -> None:
    state = PlanState(BEGINNING)
    before = encode_in_order(state)
    with pytest.raises(Refused):
        execute(state, (plan, RemoveTask(1)), moment(1))
    assert encode_in_order(state) == before


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
    assert encode_in_order(again) == encode_in_order(state)
    assert_indexes(again)
