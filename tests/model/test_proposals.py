"""Proposals: what a question asks to approve, as JSON in a plan that may be a stranger's."""

from datetime import UTC, datetime

import pytest

from outlast import NewTask
from outlast.model.model import Check, Question
from outlast.model.proposals import (
    ReplanProposal,
    read_replan,
    rule_line,
    shown_checks,
    write_checks,
    write_replan,
)

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
