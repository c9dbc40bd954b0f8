"""X4: what an effect costs."""

import pytest

from outlast.agent import effects as e
from outlast.agent.effects import Acted
from outlast.agent.runtime.attempt_costs import attempt_cost
from outlast.model.budget import Spend
from tests.agent.runtime.poke_tool import POKE


@pytest.mark.parametrize(("aside", "took", "cost"), [(5, 7, 5), (5, 2, 2), (0, 2, 2)])
def test_x4_an_attempt_costs_the_time_it_took_up_to_what_was_reserved(
    aside: float, took: float, cost: float
) -> None:
    act = e.Act(POKE, reserve=Spend(tool_calls=1, time=aside))
    assert attempt_cost(act, Acted(), took) == Spend(tool_calls=1, time=cost)
