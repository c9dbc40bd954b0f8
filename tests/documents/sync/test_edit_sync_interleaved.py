"""F7, A13: a person edits `task_plan.md` while agents and their tools work, in any order.

An edit that is made while a tool runs may be the tool's. How editors save is in `tests/faults`.
"""

import os
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.documents.sync.editing import EDITS, World

STORIES = int(os.environ.get("OUTLAST_F7", "2000"))
SMALL = st.integers(0, 7)
KIND = st.integers(0, 8)
CALL = st.integers(1, 120)
STEPS = st.one_of(
    st.tuples(st.just("act"), SMALL, KIND, SMALL),
    st.tuples(st.just("leave"), SMALL),
    st.tuples(st.just("die"), KIND, SMALL, CALL),
    st.tuples(st.just("race"), KIND, SMALL, CALL, SMALL),
    st.just(("read",)),
    st.tuples(st.just("edit"), st.integers(0, len(EDITS) - 1), SMALL),
    st.tuples(st.just("save"), SMALL),
    st.just(("begin",)),
    st.just(("end",)),
)
Story = list[tuple[str, *tuple[int, ...]]]
LOOSE = settings(deadline=None, suppress_health_check=list(HealthCheck))


def tell(story: Story) -> None:
    """Let a story with tool calls happen; nothing is lost, and nothing is taken for a person's."""
    world = World()
    world.person.read()
    for name, *how in story:
        world.step(name, *how)
    world.end_call()
    state = world.settle()
    assert set(re.findall(r"h\d+h", state.goal)) <= world.free_words
    world.check()
    world.answer_all()
    world.check()


@given(st.lists(STEPS, min_size=2, max_size=16))
@example(
    [("begin",), ("edit", 11, 0), ("save", 0), ("end",), ("edit", 11, 0), ("save", 0)]
)  # the goal, edited once more before the question is answered
@settings(LOOSE, max_examples=150)
def test_a13_nothing_is_lost_when_tools_run_meanwhile(story: Story) -> None:
    tell(story)


@pytest.mark.slow
@pytest.mark.soak
@given(st.lists(STEPS, min_size=4, max_size=24))
@settings(LOOSE, max_examples=STORIES)
def test_f7_nothing_is_lost_in_many_stories(story: Story) -> None:
    tell(story)
