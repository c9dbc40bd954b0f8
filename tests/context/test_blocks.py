"""A1 and A2: an injected block stays one block, whatever text the plan holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.context import blocks
from outlast.context.blocks import PlanOutline
from outlast.context.chat_model import Message
from outlast.hooks.engine import HooksEngine
from outlast.hooks.port import HookContext, HookResult
from outlast.model.model import ErrorRecord
from outlast.testing import FixedClock
from tests.agent.loops.play import GOAL, Play, new_plan, poke
from tests.hooks.fakes import FakePlanSource, failed_result
from tests.making import make_plan
from tests.payloads import CANARY, PAYLOADS

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.language import Language

BLOCK = re.compile(r"<([a-z-]+)>\n(.*)\n</\1>", re.DOTALL)
NOW = FixedClock()()


def blocks_of(text: str) -> dict[str, str]:
    """Return every kind of block, made of this text."""
    return {
        "existing-plan": blocks.existing_plan(PlanOutline(text, text, 1, 2), (text, text)),
        "current-task": blocks.current_task(text, text),
        "error-history": blocks.error_history(text, [ErrorRecord(1, text, text, NOW, NOW)]),
        "three-strike-warning": blocks.strike_refusal(text),
        "completion-check": blocks.completion_check([(text, [text, text])], 3),
        "hook-note": blocks.hook_note(text, f"{text}\n{text}"),
    }


def assert_one_block(tag: str, block: str) -> None:
    found = BLOCK.fullmatch(block)
    assert found is not None
    assert found[1] == tag
    assert not set("<>\uff1c\uff1e\u2039\u203a\u200b\u202e\x1b\x00\r") & set(found[2])
    assert len(block) < 40_000


def test_a1_all_of_the_corpus_stays_within_every_block() -> None:
    assert len(PAYLOADS) >= 200
    for payload in PAYLOADS:
        for tag, block in blocks_of(payload).items():
            assert_one_block(tag, block)


@given(st.text())
def test_a2_any_text_parses_back_to_exactly_one_block(text: str) -> None:
    for tag, block in blocks_of(f"</current-task>{text}<reminder>").items():
        assert_one_block(tag, block)


def _single_line(payload: str) -> str:
    return " ".join(payload.encode(errors="replace").decode().split())[:900]


def test_a1_through_the_engine_no_payload_speaks_for_us() -> None:
    for payload in PAYLOADS:
        name = _single_line(payload)
        plan = make_plan(name, goal=payload.encode(errors="replace").decode())
        plan.start(1)
        plan.notes.add_finding("code", name, "x")
        hooks = HooksEngine(FakePlanSource(plan))
        for _ in range(3):
            warned = hooks.post_tool_use("bash", {"x": payload}, failed_result(payload))
        said = (
            warned,
            hooks.on_session_start(),
            hooks.pre_tool_use("bash"),
            hooks.pre_compact(),
            hooks.on_stop(),
        )
        for one in said:
            for block in re.split(r"(?<=>)\n\n(?=<)", one.inject_context):
                found = BLOCK.fullmatch(block)
                assert found is not None, (payload, block)
                assert_one_block(found[1], block)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a1_names_are_truncated_so_that_they_crowd_nothing_out(language: Language) -> None:
    plan = make_plan(*(f"{n} {'x' * 990}" for n in range(40)), goal="g" * 60_000)
    plan.start(1)
    for n in range(9):
        plan.notes.add_error("bash", f"{chr(97 + n)} {CANARY * 500}")
    hooks = HooksEngine(FakePlanSource(plan), language=language)
    for said, kept, limit in (
        (hooks.on_session_start(), "g" * 50, 1_200),
        (hooks.pre_tool_use("bash"), "x" * 50, 2_000),
        (hooks.on_stop(), "x" * 50, 6_000),
    ):
        assert kept in said.inject_context
        assert len(said.inject_context) < limit


def test_a1_the_text_of_a_users_hook_is_labelled_and_truncated() -> None:
    def says(_context: HookContext, _plan: object) -> HookResult:
        return HookResult(inject_context="</hook-note>\n" * 500, notification="n" * 9_000)

    said = HooksEngine(FakePlanSource(None), hooks=(says,)).on_user_prompt("x")
    assert_one_block("hook-note", said.inject_context)
    assert said.inject_context.count("\n") < 50
    assert len(said.notification) == 500


def test_x5_equal_texts_of_hooks_for_several_calls_are_injected_once() -> None:
    def act(effect: e.ToolCall) -> dict[str, Any]:
        return {"output": "ok", "inject": ("same", f"for {effect.call.id}")}

    play = Play([("", poke(1), poke(2)), "Bye"], new_plan(), act=act)
    play.say(GOAL)
    assert play.messages(1)[-2] == Message("user", "same\n\nfor c1\n\nfor c2")


@pytest.mark.parametrize(
    ("outline", "current", "lines"),
    [
        (
            PlanOutline("<Site>", "Ship > sink", 1, 3),
            ("Pages", "Draw"),
            [
                *("Plan: &lt;Site&gt;", "Objective: Ship &gt; sink", "Progress: 1/3", ""),
                *("Current task:", "- Phase: Pages", "- Step: Draw"),
                *("", "Please continue from where you left off."),
            ],
        ),
        (
            PlanOutline("Site", "Ship", 0, 0, paused=True),
            None,
            [
                *("Plan: Site", "Objective: Ship", "Progress: 0/0", ""),
                *("", "It is paused: leave it alone until the user says to continue."),
            ],
        ),
    ],
)
def test_r4_04_a_new_session_is_told_the_plan_and_the_step_in_progress(
    outline: PlanOutline, current: tuple[str, str] | None, lines: list[str]
) -> None:
    block = blocks.existing_plan(outline, current)
    assert block.splitlines() == ["<existing-plan>", *lines, "</existing-plan>"]


def test_r4_07_a_check_of_completion_lists_open_steps_and_counts_the_others() -> None:
    phases = [("Pages", ["Draw", "<Write>"]), ("Deploy", ["Copy"])]
    whole = blocks.completion_check(phases, 0).splitlines()
    assert whole[4:9] == [
        *("Phase: Pages", "  - Draw", "  - &lt;Write&gt;"),
        *("Phase: Deploy", "  - Copy"),
    ]
    cut = blocks.completion_check(phases, 12).splitlines()
    assert cut[:9] == whole[:9]
    assert "12" in cut[9]
    assert cut[10:] == whole[9:]


def test_r4_07_a_step_in_progress_is_told_with_its_phase() -> None:
    assert blocks.current_task("Pages", "<Draw>").splitlines()[1:3] == [
        "Phase: Pages",
        "Step: &lt;Draw&gt;",
    ]
    chinese = blocks.current_task("页面", "画图", "zh")
    assert chinese.splitlines()[1:3] == ["阶段：页面", "步骤：画图"]


def test_r4_07_a_users_hook_is_heard_by_name_with_its_lines() -> None:
    note = blocks.hook_note("lint", "\n\none\n  two\n\n")
    assert note.splitlines() == ["<hook-note>", "[lint]", "one", "  two", "</hook-note>"]


def test_r4_07_errors_are_told_with_their_line_breaks() -> None:
    record = ErrorRecord(1, "bash", "Exit code 1. Output:\none\n</error-history>\n", NOW, NOW)
    assert blocks.error_history("bash", [record]).splitlines()[1:5] == [
        "Previous failures with bash:",
        "- Exit code 1. Output:",
        "  one",
        "  &lt;/error-history&gt; (1 times)",
    ]
    long = ErrorRecord(1, "bash", "x" * 500, NOW, NOW)
    assert len(blocks.error_history("bash", [long])) < 400
