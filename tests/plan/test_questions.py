"""R0.12, R3.08: a plan through which people and loops talk."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from outlast.errors import InvalidArgument, InvalidStatus
from outlast.model.commands import BeginAttempt, CreatePlan, Strike
from outlast.model.execute import return_commit
from outlast.model.model import PERSON
from outlast.plan.core import PlanCore
from outlast.plan.plan import Plan
from outlast.store.port import Request
from outlast.store.store import MemoryStore
from tests.making import make_plan, state_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_question_is_asked_once_and_answered() -> None:
    plan = make_plan("a")
    asked = plan.questions.ask("Which port?", task=1)
    assert (asked.id, asked.task, asked.kind) == (1, 1, "ask")
    assert plan.questions.ask("Which port?", task=1) == asked
    other = plan.questions.ask("May it?", kind="permit", about="rm")
    assert plan.questions.open() == (asked, other)
    assert plan.questions.answer("no", other.id) == other.id
    assert plan.acting_as(PERSON).questions.answer("80") == asked.id
    assert plan.questions.open() == ()
    with pytest.raises(InvalidStatus, match="There is no open question"):
        plan.questions.answer("80")


def test_r0_12_answers_can_be_read_as_long_as_the_plan_keeps_them() -> None:
    plan = make_plan("a")
    for number in range(1, 8):
        plan.questions.ask(f"Which {number}?")
        plan.acting_as(PERSON).questions.answer(f"this {number}")
    asked = plan.questions.ask("And?")
    assert plan.questions.get(8) == asked
    assert plan.questions.get(7).answer == "this 7"
    assert [question.id for question in plan.questions.all()] == [*range(1, 9)]
    assert [question.answer for question in plan.questions.all()][-2:] == ["this 7", None]
    for number in (9, 10):
        with pytest.raises(
            InvalidArgument, match=f"There is no question {number}; open questions: 8"
        ):
            plan.questions.get(number)
    for wrong in (None, "3", 0):
        with pytest.raises(InvalidArgument, match="question: "):
            plan.questions.get(wrong)  # type: ignore[arg-type]


def test_r0_14_a_person_confirms_a_proposed_goal_and_the_old_one_stays_in_the_history() -> None:
    plan = make_plan("a")
    proposed = "Build it in Python, with token ghp_0123456789abcdefghijABCDEFGHIJ012345"
    asked = plan.questions.ask("Shall I?", kind="goal", about=proposed)
    assert "ghp_" not in asked.about
    assert plan.questions.ask("Shall I?", kind="goal", about=proposed) == asked
    with pytest.raises(InvalidArgument, match="only a person"):
        plan.questions.answer("yes")
    plan.acting_as(PERSON).questions.answer("yes")
    assert plan.goal == asked.about
    assert plan.as_of(plan.revision - 1).goal == "Test things"
    (changed,) = (each for each in plan.history.diff(1) if each.field == "goal")
    assert (changed.old, changed.new) == ("Test things", asked.about)


def test_an_answer_settles_an_attempt() -> None:
    plan = make_plan("a")
    plan.core.commit((BeginAttempt(None, "tool", "send mail"),), return_commit)
    plan.questions.ask("Was it sent?", kind="settle", about="0#1")
    with pytest.raises(
        InvalidArgument,
        match=r'"who knows" does not answer question 1: answer done \(d\) or not done \(n\)',
    ):
        plan.questions.answer("who knows")
    assert plan.questions.open()
    plan.questions.answer("完成")
    assert state_of(plan).ledger.attempts == {}


def test_an_answer_under_a_key_is_given_once() -> None:
    plan = make_plan("a")
    plan.questions.ask("Which?")
    with plan.core.claim_plan() as held:
        keyed = plan.with_lease(held.lease, "once")
        assert keyed.questions.answer("this") == keyed.questions.answer("this") == 1
        again = plan.with_lease(held.lease, "twice")
        assert again.questions.ask("And?").id == again.questions.ask("And?").id == 2


@pytest.mark.parametrize("past", [True, False])
def test_a_repeated_key_fails_if_the_question_was_answered_since(*, past: bool) -> None:
    store = MemoryStore(NOW, keep_history=past)
    store.commit(Request((CreatePlan("plan_a", "Goal"),), "ann", NOW), return_commit)
    plan = Plan(PlanCore(store, lambda: NOW, str, "human"))
    plan.questions.ask("Which?")
    with plan.core.claim_plan() as held:
        keyed = plan.with_lease(held.lease, "once")
        assert keyed.questions.ask("Which?").id == 1
        plan.questions.answer("this")
        if past:
            assert keyed.questions.ask("Which?").id == 1
        else:
            with pytest.raises(InvalidStatus):
                keyed.questions.ask("Which?")


def test_a_message_is_kept_for_the_loop_without_secrets() -> None:
    plan = make_plan("a")
    said = plan.acting_as("ann").questions.say(
        "Use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 please"
    )
    assert said.by == "ann"
    assert "abcdefghij" not in said.text
    assert state_of(plan).ledger.conversation.interjections == (said,)


def test_strikes_are_cleared() -> None:
    plan = make_plan("a")
    plan.core.commit((Strike("sh", "0a"), Strike("fetch", "0b")), return_commit)
    plan.notes.clear_strikes("sh")
    assert state_of(plan).ledger.strikes == {"fetch": ("0b",)}
    plan.notes.clear_strikes()
    assert state_of(plan).ledger.strikes == {}
