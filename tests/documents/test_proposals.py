"""Proposals: what a question asks to approve, as JSON in a plan that may be a stranger's."""

from datetime import UTC, datetime

import pytest

from outlast import NewTask
from outlast.documents.proposals import (
    QUESTION_CHARACTERS,
    ReplanProposal,
    approval_question,
    read_replan,
    rule_line,
    shown_checks,
    write_checks,
    write_replan,
)
from outlast.model.model import Check, Question

CHECK = Check("command", "make test")
HIDDEN = Check("command", "rm -rf /")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_x7_a_proposed_replan_survives_until_it_is_answered() -> None:
    proposal = ReplanProposal("3#7", (NewTask("Bake", checks=(CHECK,)),))
    assert read_replan(write_replan(proposal)) == proposal
    ending = ReplanProposal("3#7", answer="All done.")
    assert read_replan(write_replan(ending)) == ending


@pytest.mark.parametrize("about", ["", "no JSON", "[]", '{"attempt": 3}'])
def test_a10_a_replan_that_is_none_is_about_no_attempt(about: str) -> None:
    assert read_replan(about) == ReplanProposal("")


def test_a10_a_check_that_a_question_does_not_show_is_not_approved() -> None:
    text = f"May these run?\n{rule_line(CHECK)}"
    asked = Question(1, text, NOW, "checks", write_checks((CHECK, HIDDEN)))
    assert shown_checks(asked) == (CHECK,)
    assert shown_checks(Question(1, text, NOW, "checks", "no JSON")) == ()


def test_x2_a_question_shows_as_many_checks_as_it_has_room_for_and_asks_about_no_others() -> None:
    checks = [Check("command", f"make {'x' * 400} {number}") for number in range(10)]
    asked = approval_question(checks, "en")
    assert asked is not None
    assert len(asked.text) <= QUESTION_CHARACTERS
    shown = [check for check in checks if rule_line(check) in asked.text]
    assert 0 < len(shown) < len(checks)
    assert asked.about == write_checks(shown)


def test_x2_a_check_that_is_too_long_to_be_shown_is_not_asked_about() -> None:
    assert approval_question([Check("command", "x" * 3_000)], "en") is None
    assert approval_question([], "zh") is None
