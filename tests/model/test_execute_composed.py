"""One commit of several attempts: what is refused leaves nothing, what is accepted counts."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.errors import Refused, TaskNotFound
from outlast.model.changes import fold
from outlast.model.commands import AddTasks, InitializePlan, NewTask, RemoveTask, Undo
from outlast.model.execute import execute_composed
from tests.model.indexes import assert_indexes, encode_all
from tests.model.strategies import PLANS, moment, plans
from tests.model.test_execute import Interrupt, begin, commits, encode_in_order, scripts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.model.execute import Attempt, Compose
    from outlast.model.state import PlanState
    from tests.model.strategies import Request

_few = settings(max_examples=20, deadline=None, derandomize=True)


def attempt_all(script: Iterable[Request | None]) -> Compose:
    """Return what attempts each command, and each again together with one that is refused."""

    def compose(state: PlanState, attempt: Attempt) -> None:
        for request in filter(None, script):
            command = request.command(state)
            if isinstance(command, InitializePlan | Undo):
                continue  # these stand alone
            before = encode_in_order(state)
            with pytest.raises(Refused):
                attempt((command, RemoveTask(10**6)))
            assert encode_in_order(state) == before
            try:
                attempt((command,))
            except Refused:
                assert encode_in_order(state) == before

    return compose


@_few
@given(plans, scripts, scripts)
def test_f20_what_is_accepted_is_one_revision_and_makes_the_plan_again(
    plan: InitializePlan, first: list[Request | None], second: list[Request | None]
) -> None:
    state, _ = begin(plan)  # type: ignore[arg-type]
    [*commits(state, first)]
    again = deepcopy(state)
    changes = execute_composed(state, attempt_all(second), moment(3000))
    assert_indexes(state)
    assert state.revision == again.revision + bool(changes)
    if changes:
        fold(again, changes, state.revision, moment(3000))
    assert encode_all(again) == encode_all(state)


@_few
@given(plans, scripts, st.integers(1, 3000))
def test_x1_an_interrupt_anywhere_takes_all_attempts_back(
    plan: InitializePlan, script: list[Request | None], line: int
) -> None:
    state, _ = begin(plan)  # type: ignore[arg-type]
    [*commits(state, script)]
    before, interrupt = encode_in_order(state), Interrupt(line)

    def compose(_: PlanState, attempt: Attempt) -> None:
        for name in "abc":
            attempt((AddTasks((NewTask(name),)), AddTasks((NewTask(name),))))

    interrupt.run(lambda: execute_composed(state, compose, moment(3000)))
    if interrupt.happened:
        assert encode_in_order(state) == before
    assert_indexes(state)
    assert state.undo_log is None


@pytest.mark.parametrize("error", [TaskNotFound("task_not_found", task_id=9), KeyError("a bug")])
def test_x1_an_error_that_the_composer_does_not_handle_takes_all_attempts_back(
    error: Exception,
) -> None:
    state, _ = begin(PLANS[0])
    before = encode_in_order(state)

    def compose(_: PlanState, attempt: Attempt) -> None:
        attempt((AddTasks((NewTask("a"),)),))
        raise error

    with pytest.raises(type(error)):
        execute_composed(state, compose, moment(3000))
    assert encode_in_order(state) == before
    assert_indexes(state)
