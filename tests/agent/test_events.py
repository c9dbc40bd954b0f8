from outlast.agent.events import Spent, to_json
from outlast.model.budget import Budget, Spend


def test_x4_amounts_in_events_have_the_keys_of_budgets() -> None:
    event = Spent(Spend(model_calls=2, tokens=7, time=0.5, tool_calls=1), Budget(time=9, replans=0))
    assert to_json(event) == {
        "type": "budget",
        "used": {"model_calls": 2, "tokens": 7, "time": 0.5, "tool_calls": 1},
        "budget": {"time": 9, "replans": 0},
    }
