from datetime import UTC, datetime
from typing import get_args

import pytest

from outlast.model import commands as c
from outlast.model.changes import PhaseAdded
from outlast.model.decide import _LOADERS, DECISIONS, _load_and_decide, phases
from outlast.model.execute import execute
from outlast.model.state import PlanState

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_decision_is_loaded_when_it_is_needed_and_registered() -> None:
    state = PlanState(NOW)
    execute(state, (c.CreatePlan("plan_x", "Ship it"),), NOW)
    changes = _load_and_decide(state, c.AddPhase("Build"), NOW)
    assert [type(change) for change in changes] == [PhaseAdded]
    assert DECISIONS[c.AddPhase] is phases.add


@pytest.mark.parametrize("kind", get_args(c.Command), ids=lambda kind: kind.__name__)
def test_every_command_has_a_decision_that_takes_it(kind: type[c.Command]) -> None:
    commands, load = _LOADERS[kind]
    decision = load()[commands.index(kind)]
    _state, command, *_ = decision.__annotations__.values()
    assert command.rpartition(".")[2] == kind.__name__
