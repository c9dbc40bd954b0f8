"""R0.14: what a killed process knew is in the first request of the run that continues."""

import pytest

from bench import recall
from bench.recall_facts import EACH, KINDS, planted_work


def test_r0_14_all_facts_are_in_the_brief_of_a_plan_of_20_tasks() -> None:
    found = recall.measure(20)
    assert found.brief.by_kind == dict.fromkeys(KINDS, EACH)
    assert found.brief.tokens <= 2_000
    assert found.ways["the todo list"].facts == 0
    page = recall.report([found], {})
    assert "**missed**" not in page
    assert page.endswith("0 missed.")


@pytest.mark.parametrize("end", recall.ENDS)
def test_r0_06_all_facts_are_in_the_brief_however_the_steps_ended(end: str) -> None:
    found = recall.measure(20, end)
    assert found.brief.by_kind == dict.fromkeys(KINDS, EACH)
    assert found.brief.tokens <= 2_000


@pytest.mark.slow
def test_r0_14_all_facts_of_200_tasks_are_within_one_call_that_the_brief_names() -> None:
    found = recall.measure(200)
    assert (found.reachable, found.brief.tokens <= 2_000) == (40, True)
    assert found.brief.facts < 40, "the brief is too short for all of them"


def test_the_planted_facts_are_forty_of_eight_kinds_and_all_different() -> None:
    for size in recall.SIZES:
        facts = planted_work(size).facts
        assert len({fact.parts for fact in facts}) == len(facts) == EACH * len(KINDS) == 40
