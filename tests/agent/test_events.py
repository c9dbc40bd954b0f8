from outlast.agent.events import CallEnded, Spent, to_json
from outlast.context.chat_model import Call
from outlast.model.budget import Budget, Spend


def test_x4_amounts_in_events_have_the_keys_of_budgets() -> None:
    event = Spent(Spend(model_calls=2, tokens=7, time=0.5, tool_calls=1), Budget(time=9, replans=0))
    assert to_json(event) == {
        "type": "budget",
        "used": {"model_calls": 2, "tokens": 7, "time": 0.5, "tool_calls": 1},
        "budget": {"time": 9, "replans": 0},
    }


def test_x4_the_end_of_a_call_has_the_result_of_the_document_and_no_empty_place() -> None:
    event = CallEnded(Call("bash", {}, "1"), error="no", duration=2.0, lane="3")
    shown = to_json(event)
    assert (shown["lane"], "task" in shown) == ("3", False)
    result = {"tool_call_id": "1", "success": False, "output": "", "error": "no", "duration": 2.0}
    assert {name: shown[name] for name in result} == result
