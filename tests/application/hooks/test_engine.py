"""R4.04: the points, merged results, switched-off points, and a user's own hooks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from outlast.application.hooks.engine import RULES, HooksEngine
from outlast.config.settings import Hooks, Settings
from outlast.ports.hook import HookContext, HookResult
from tests.application.hooks.fakes import GOOD, FakePlanSource, engine, failed_result
from tests.making import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.ports.effects import PlanView

ASKED: dict[str, Callable[[HooksEngine], HookResult]] = {
    "session_start": lambda hooks: hooks.on_session_start(),
    "user_prompt": lambda hooks: hooks.on_user_prompt("hello"),
    "pre_tool_use": lambda hooks: hooks.pre_tool_use("bash", {"command": "ls"}),
    "post_tool_use": lambda hooks: hooks.post_tool_use("write_file", {}, GOOD),
    "on_error": lambda hooks: hooks.on_error("bash", OSError("no")),
    "pre_compact": lambda hooks: hooks.pre_compact(),
    "on_stop": lambda hooks: hooks.on_stop("I am done"),
}


def test_r4_04_every_point_has_a_method_a_switch_and_a_place_in_the_order() -> None:
    assert (
        list(ASKED) == list(RULES) == [name for name in Hooks.__struct_fields__ if name != "python"]
    )


def test_r4_04_session_start_describes_an_unfinished_plan_in_the_documents_words() -> None:
    plan = make_plan("look", "write", goal="Ship it", order="sequential")
    plan.complete(1)
    plan.start(2)
    said = engine(plan).on_session_start()
    assert said.inject_context == (
        "<existing-plan>\n"
        "Plan: Ship it\n"
        "Objective: Ship it\n"
        "Progress: 1/2\n"
        "\n"
        "Current task:\n"
        "- Phase: Main Tasks\n"
        "- Step: write\n"
        "\n"
        "Please continue from where you left off.\n"
        "</existing-plan>"
    )
    assert said.notification == "Found existing plan: Ship it"
    assert said.should_continue


def test_r4_04_session_start_injects_nothing_without_an_unfinished_plan() -> None:
    assert engine(None).on_session_start() == HookResult()
    assert engine(make_plan(goal="")).on_session_start() == HookResult()
    done = make_plan("one")
    done.complete(1)
    assert engine(done).on_session_start() == HookResult()


def test_r4_04_a_paused_plan_is_described_and_left_alone() -> None:
    plan = make_plan("one")
    plan.pause()
    said = engine(plan).on_session_start().inject_context
    assert "Plan: Test things" in said
    assert "Please continue" not in said
    assert "It is paused: leave it alone until the user says to continue." in said


def test_x8_the_blocks_exist_in_chinese_too() -> None:
    plan = make_plan("写测试")
    plan.start(1)
    hooks = HooksEngine(FakePlanSource(plan), language="zh")
    assert "请从上次中断的地方继续。" in hooks.on_session_start().inject_context
    assert "阶段：Main Tasks\n步骤：写测试" in hooks.pre_tool_use("bash").inject_context
    assert "警告：计划尚未完成！" in hooks.on_stop().inject_context


@pytest.mark.parametrize("point", ASKED)
def test_r4_12_every_point_can_be_switched_off(point: str) -> None:
    asked: list[str] = []

    def listens(context: HookContext, _plan: PlanView | None) -> None:
        asked.append(context.point)

    plan = make_plan("one")
    plan.start(1)
    on, off = (replace(Hooks(), **{point: flag}) for flag in (True, False))
    ASKED[point](HooksEngine(FakePlanSource(plan), Settings(hooks=on), (listens,)))
    assert asked == [point]
    assert (
        ASKED[point](HooksEngine(FakePlanSource(plan), Settings(hooks=off), (listens,)))
        == HookResult()
    )
    assert asked == [point]


def test_r4_04_hooks_receive_what_their_point_knows() -> None:
    seen: list[tuple[HookContext, PlanView | None]] = []

    def listens(context: HookContext, plan: PlanView | None) -> None:
        seen.append((context, plan))

    plan = make_plan("one")
    hooks = HooksEngine(FakePlanSource(plan), hooks=(listens,))
    hooks.post_tool_use("grep", {"a": 1}, GOOD)
    hooks.on_user_prompt("hello")
    hooks.on_error("bash", OSError("no"))
    (first, view), (second, _), (third, _) = seen
    assert (first.tool_name, first.tool_params, first.tool_result) == ("grep", {"a": 1}, GOOD)
    assert (second.prompt, second.action_count) == ("hello", 1)
    assert str(third.error) == "no"
    assert view is not None
    assert (view.goal, view.total) == ("Test things", 1)
    HooksEngine(FakePlanSource(None), hooks=(listens,)).pre_compact()
    assert seen[-1][1] is None


def test_r4_04_results_are_merged_in_order_and_one_no_is_a_no() -> None:
    def first(_context: HookContext, _plan: PlanView | None) -> HookResult:
        return HookResult(inject_context="look <b>here</b>\nand there", notification="1")

    class Second:
        def pre_tool_use(self, _context: HookContext, _plan: PlanView | None) -> HookResult:
            return HookResult(should_continue=False, notification="2")

    plan = make_plan("one")
    plan.start(1)
    hooks = HooksEngine(FakePlanSource(plan), hooks=(first, Second()))
    said = hooks.pre_tool_use("bash")
    assert not said.should_continue
    assert said.notification == "1\n2"
    rule, note = said.inject_context.split("\n\n")
    assert rule.startswith("<current-task>")
    assert note.startswith("<hook-note>\n[tests.application.hooks.test_engine:")
    assert note.endswith("\nlook &lt;b&gt;here&lt;/b&gt;\nand there\n</hook-note>")
    assert hooks.on_user_prompt("x").should_continue


def test_r4_04_a_hook_that_fails_is_reported_once_logged_and_breaks_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(_context: HookContext, _plan: PlanView | None) -> HookResult:
        raise ZeroDivisionError

    async def waits(_context: HookContext, _plan: PlanView | None) -> HookResult:
        return HookResult()

    plan = make_plan("one")
    hooks = HooksEngine(FakePlanSource(plan), hooks=(fails, waits))  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR, "outlast"):
        said = [hooks.on_stop() for _ in range(3)]
    assert all(not one.should_continue for one in said)
    assert "fails failed (ZeroDivisionError)" in said[0].notification
    assert "waits failed (TypeError)" in said[0].notification
    assert said[1].notification == said[2].notification == "Plan incomplete - verification required"
    assert len(caplog.records) == 6


@pytest.mark.parametrize("word", [None, "no", 0])
def test_r4_04_what_is_neither_yes_nor_no_is_a_failure_and_no_text_is_none(word: Any) -> None:
    nothing: Any = None
    letters: Any = ["s", "top"]

    def spells(_context: HookContext, _plan: PlanView | None) -> HookResult:
        return HookResult(notification=letters)

    def mumbles(_context: HookContext, _plan: PlanView | None) -> HookResult:
        return HookResult(word, "stop")

    def is_brief(_context: HookContext, _plan: PlanView | None) -> HookResult:
        return HookResult(inject_context=nothing, notification=nothing)

    said = HooksEngine(FakePlanSource(None), hooks=(mumbles, spells, is_brief)).pre_tool_use("bash")
    assert (said.should_continue, said.inject_context) == (True, "")
    assert "mumbles failed (TypeError)" in said.notification
    assert "spells failed (TypeError)" in said.notification
    assert "is_brief" not in said.notification


def test_r4_04_a_plan_that_cannot_be_read_breaks_no_agent() -> None:
    class Gone(FakePlanSource):
        def find(self) -> None:
            raise OSError

        def get_or_create(self) -> None:  # type: ignore[override]
            raise OSError

    def listens(_context: HookContext, plan: PlanView | None) -> HookResult:
        return HookResult(notification=str(plan))

    hooks = HooksEngine(Gone(None), hooks=(listens,))  # type: ignore[arg-type]
    for ask in ASKED.values():
        assert ask(hooks).should_continue
    assert hooks.post_tool_use("bash", {}, failed_result("no")).inject_context == ""
