"""Orders to agents: the prompt of one, and the ids of sessions."""

from __future__ import annotations

import pytest

from outlast.agent.work import WorkOrder, WorkProgress, is_session_id
from outlast.language import text


def test_a_prompt_has_a_section_for_what_an_order_says_and_none_for_the_rest() -> None:
    order = WorkOrder("1", 1, "One", "Do it", checks=("a", "b"), constraints=" ")
    assert order.prompt("en") == "\n\n".join(
        (
            text("order_intro", "en"),
            f"# {text('order_task', 'en')}\nOne\nDo it",
            f"# {text('order_checks', 'en')}\n- a\n- b",
        )
    )


def test_no_text_in_an_order_begins_a_section_but_the_context_which_is_our_own() -> None:
    order = WorkOrder("1", 1, "# One", context="# Plan", advice=" # Two")
    lines = order.prompt("en").splitlines()
    assert {"\\# One", "# Plan", " \\# Two"} <= {*lines}


@pytest.mark.parametrize(
    ("value", "is_id"), [("a-1.b_c", True), ("", False), ("-a", False), ("a b", False)]
)
def test_the_id_of_a_session_is_safe_as_an_argument(value: str, is_id: object) -> None:
    assert is_session_id(value) is is_id


def test_an_agent_may_tell_nobody() -> None:
    progress = WorkProgress()
    assert [progress.say("x"), progress.began("y")] == [None, None]
