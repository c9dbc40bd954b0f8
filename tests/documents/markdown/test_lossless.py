"""A3, R4.02: what is written is read back as the same plan, whatever the texts in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.documents.markdown.to_plan import to_plan
from outlast.model import commands as c
from outlast.model.model import Phase, Task
from tests.documents.markdown.plan_texts import NASTY, NOW, copy, create_state, plans, visible_plan

if TYPE_CHECKING:
    from outlast.model.state import PlanState

EXAMPLES: Final = int(os.environ.get("OUTLAST_A3", "500"))
_quietly: Final = [HealthCheck.too_slow, HealthCheck.data_too_large]
_thorough: Final = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=_quietly, print_blob=True
)


def assert_lossless(state: PlanState, *, ids: bool) -> None:
    """What is written is read back, without a line too much, and asks for nothing."""
    document = parse(render(state, bare=not ids), bare=not ids)
    assert document.unread == ()
    assert visible_plan(create_state(to_plan(document, "plan_y", NOW)), ids=ids) == visible_plan(
        state, ids=ids
    )
    places = (document.top, document.head, document.end, document.after)
    assert not any((*places, *(item.prose for item in document.items())))
    for base in (copy(state), None):
        found = merge(base, state, document)
        assert (found.edits, found.reports, found.prose) == ((), (), ())


@settings(deadline=None)
@given(plans())
def test_a3_some_plans_are_read_back_as_they_were_written(state: PlanState) -> None:
    for ids in (True, False):
        assert_lossless(state, ids=ids)


@pytest.mark.slow
@pytest.mark.soak
@_thorough
@given(plans())
def test_a3_every_plan_is_read_back_as_it_was_written(state: PlanState) -> None:
    for ids in (True, False):
        assert_lossless(state, ids=ids)


@pytest.mark.parametrize("text", NASTY)
def test_a3_a_text_that_looks_like_markdown_is_just_a_text(text: str) -> None:
    tasks = (Task(1, text, "p"), Task(2, f"{text} {text}", "p", (1,), run=text, files=(text,)))
    for notes in (text, f"{text}\n{text}", f"\n\n{text}\n", "\n\n", "\r\n \u2028", ""):
        phases = (Phase("p", text, notes), Phase("q", text, notes))
        state = create_state(c.CreatePlan("plan_x", notes, title=text, phases=phases, tasks=tasks))
        for ids in (True, False):
            assert_lossless(state, ids=ids)
