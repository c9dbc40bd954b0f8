"""R0.12, R3.08: a plan through which people and loops talk."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from outlast.adapters.stores.memory import MemoryStore
from outlast.application.plan.plan import Plan
from outlast.domain.commands import BeginAttempt, CreatePlan, Strike
from outlast.domain.execute import return_commit
from outlast.domain.model import PERSON
from outlast.errors import InvalidArgument, InvalidStatus
from tests.making import make_plan, state_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_question_is_asked_once_and_answered() -> None:
    plan = make_plan("a")
    asked = plan.ask("Which port?", task=1)
    assert (asked.id, asked.task, asked.kind) == (1, 1, "ask")
    assert plan.ask("Which port?", task=1) == asked
    other = plan.ask("May it?", kind="permit", about="rm")
    assert plan.questions() == (asked, other)
    assert plan.answer("yes", other.id) == other.id
    assert plan.acting_as(PERSON).answer("80") == asked.id
    assert plan.questions() == ()
    with pytest.raises(InvalidStatus, match="There is no open question"):
        plan.answer("80")


def test_an_answer_settles_an_attempt() -> None:
    plan = make_plan("a")
    plan.commit((BeginAttempt(None, "tool", "send mail"),), return_commit)
    plan.ask("Was it sent?", kind="settle", about="0#1")
    with pytest.raises(InvalidArgument, match="done, not done"):
        plan.answer("who knows")
    assert plan.questions()
    plan.answer("完成")
    assert state_of(plan).ledger.attempts == {}


def test_an_answer_under_a_key_is_given_once() -> None:
    plan = make_plan("a")
    plan.ask("Which?")
    with plan.claim_plan() as held:
        keyed = plan.with_lease(held.lease, "once")
        assert keyed.answer("this") == keyed.answer("this") == 1
        again = plan.with_lease(held.lease, "twice")
        assert again.ask("And?").id == again.ask("And?").id == 2


@pytest.mark.parametrize("past", [True, False])
def test_a_repeated_key_fails_if_the_question_was_answered_since(*, past: bool) -> None:
    store = MemoryStore(NOW, keep_history=past)
    store.commit((CreatePlan("plan_a", "Goal"),), return_commit, author="ann", now=NOW)
    plan = Plan(store, lambda: NOW, str)
    plan.ask("Which?")
    with plan.claim_plan() as held:
        keyed = plan.with_lease(held.lease, "once")
        assert keyed.ask("Which?").id == 1
        plan.answer("this")
        if past:
            assert keyed.ask("Which?").id == 1
        else:
            with pytest.raises(InvalidStatus):
                keyed.ask("Which?")


def test_a_message_is_kept_for_the_loop_without_secrets() -> None:
    plan = make_plan("a")
    said = plan.acting_as("ann").say("Use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 please")
    assert said.by == "ann"
    assert "abcdefghij" not in said.text
    assert state_of(plan).ledger.conversation.interjections == (said,)


def test_strikes_are_cleared() -> None:
    plan = make_plan("a")
    plan.commit((Strike("sh", "0a"), Strike("fetch", "0b")), return_commit)
    plan.clear_strikes("sh")
    assert state_of(plan).ledger.strikes == {"fetch": ("0b",)}
    plan.clear_strikes()
    assert state_of(plan).ledger.strikes == {}
