from datetime import UTC, datetime

from outlast.domain import commands as c
from outlast.domain.changes import PhaseAdded
from outlast.domain.decide import DECISIONS, _load_and_decide, phases
from outlast.domain.execute import execute
from outlast.domain.state import PlanState

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_decision_that_is_loaded_late_decides_and_is_registered() -> None:
    state = PlanState(NOW)
    execute(state, (c.CreatePlan("plan_x", "Ship it"),), NOW)
    changes = _load_and_decide(state, c.AddPhase("Build"), NOW)
    assert [type(change) for change in changes] == [PhaseAdded]
    assert DECISIONS[c.AddPhase] is phases.add
    assert _load_and_decide not in DECISIONS.values(), "a command has no decision"
