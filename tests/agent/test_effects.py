"""Effects: what a loop yields, and what it is sent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from outlast.agent import effects as e
from outlast.agent.work import WorkOrder, WorkResult
from outlast.context.chat_model import Call
from outlast.context.plan_view import PlanView
from outlast.errors import PlanExists
from outlast.model.commands import Pause
from outlast.model.model import Check, Evidence, Proof, Task
from outlast.model.replan_position import START

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAN = PlanView("", "idle", 0, 0, 0, 0)


def loop() -> e.Loop[str]:
    recorded = yield from e.record(Pause(), reason="why")
    joined = yield from e.Join(("1",))
    return recorded.outcome.code + type(joined.outcome).__name__


def test_an_effect_is_yielded_as_it_is_and_its_reply_is_returned() -> None:
    play = loop()
    assert next(play) == e.Record((Pause(),), "why")
    assert play.send(e.Reply(e.Recorded("A"), PLAN, NOW)) == e.Join(("1",))
    with pytest.raises(StopIteration) as end:
        play.send(e.Reply(e.Waiting("1"), PLAN, NOW))
    assert end.value.value == "AWaiting"


def test_a_reply_with_an_outcome_of_another_effect_is_an_error() -> None:
    play = loop()
    next(play)
    with pytest.raises(TypeError, match="Recorded"):
        play.send(e.Reply(e.Emitted(), PLAN, NOW))


def test_an_attempt_that_could_not_be_carried_out_has_the_outcome_of_its_kind() -> None:
    assert e.Think((), ()).failure("no", "CODE") == e.Thought(error="no", code="CODE")
    assert e.Act(Call("x")).failure("no", "CODE") == e.Acted(error="no", code="CODE")


def test_work_that_did_not_start_has_no_result() -> None:
    order = WorkOrder("1", 1, "One")
    assert e.Delegate(order).failure("no", "CODE") == e.Delegated(error="no", code="CODE")
    stopped = e.Delegate(order, attempt="a").failure("no", "CODE")
    assert stopped == e.Delegated(WorkResult(error="no", code="CODE"), "a")


def test_the_item_of_the_replan_loop_is_the_one_at_the_cursor() -> None:
    item = Task(1, "One")
    assert e.ReplanState("", START, (item,)).item is item
    assert e.ReplanState("", START).item is None


def test_a_lost_race_keeps_what_the_store_reported() -> None:
    error = PlanExists("plan_exists", key="k")
    assert e.CreationRaceLost(error).error is error


def test_f38_checks_that_show_nothing_are_neither_green_nor_red() -> None:
    check = Check("command", "make")
    assert e.Checked(
        is_green=False, proof=Proof(1, "done", NOW, (Evidence(check, ok=None),))
    ).is_unknown
    assert not e.Checked(proof=Proof(1, "done", NOW, (Evidence(check, ok=True),))).is_unknown
    assert not e.Checked().is_unknown
