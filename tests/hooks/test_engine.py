"""R4.04: the points, merged results, switched-off points, and a user's own hooks."""

from __future__ import annotations

import logging
from asyncio import run, sleep
from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from outlast.config.settings import Hooks, Rules, Settings
from outlast.errors import HistoryDiverged
from outlast.hooks.custom import hook_name
from outlast.hooks.engine import RULES, HooksEngine
from outlast.hooks.port import HookContext, HookResult
from outlast.hooks.rules import HookCounts
from tests.hooks.fakes import GOOD, FakePlanSource, engine, failed_result
from tests.making import make_plan

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from outlast import Plan
    from outlast.context.plan_view import PlanView
    from outlast.hooks.port import Hook

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
    assert note.startswith("<hook-note>\n[tests.hooks.test_engine:")
    assert note.endswith("\nlook &lt;b&gt;here&lt;/b&gt;\nand there\n</hook-note>")
    assert hooks.on_user_prompt("x").should_continue


def test_r4_04_a_hook_that_fails_is_reported_once_logged_and_breaks_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(_context: HookContext, _plan: PlanView | None) -> HookResult:
        raise ZeroDivisionError

    async def fails_later(_context: HookContext, _plan: PlanView | None) -> HookResult:
        raise SystemExit

    plan = make_plan("one")
    hooks = HooksEngine(FakePlanSource(plan), hooks=(fails, fails_later))
    with caplog.at_level(logging.ERROR, "outlast"):
        said = [hooks.on_stop() for _ in range(3)]
    assert all(not one.should_continue for one in said)
    assert "fails failed (ZeroDivisionError)" in said[0].notification
    assert "fails_later failed (SystemExit)" in said[0].notification
    assert said[1].notification == said[2].notification == "Plan incomplete - verification required"
    assert len(caplog.records) == 6


def test_f19_a_plan_that_a_rule_cannot_read_is_logged_in_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = HistoryDiverged("history_rolled_back", where="plan", revision=9, mark="1a", now=3)

    def reads(_context: HookContext, _plan: PlanView | None) -> HookResult:
        raise error

    hooks = HooksEngine(FakePlanSource(make_plan("one")), hooks=(reads,))
    with caplog.at_level(logging.ERROR, "outlast"):
        hooks.on_stop()
    [record] = caplog.records
    assert record.exc_info is None
    assert record.getMessage().endswith(f"reads failed: {error}")


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

    said = HooksEngine(FakePlanSource(None), hooks=(mumbles, spells, is_brief)).on_user_prompt("x")
    assert (said.should_continue, said.inject_context) == (True, "")
    assert "mumbles failed (TypeError)" in said.notification
    assert "spells failed (TypeError)" in said.notification
    assert "is_brief" not in said.notification


def fails(_context: HookContext, _plan: PlanView | None) -> HookResult:
    raise ZeroDivisionError


async def fails_later(_context: HookContext, _plan: PlanView | None) -> HookResult:
    await sleep(0)
    raise ZeroDivisionError


def gives_up(_context: HookContext, _plan: PlanView | None) -> HookResult:
    raise SystemExit


def babbles(_context: HookContext, _plan: PlanView | None) -> Any:
    return "no"


def mumbles(_context: HookContext, _plan: PlanView | None) -> HookResult:
    unclear: Any = 0
    return HookResult(unclear)


async def lists(_context: HookContext, _plan: PlanView | None) -> HookResult:
    words: Any = ["no"]
    return HookResult(inject_context=words)


def objects(_context: HookContext, _plan: PlanView | None) -> HookResult:
    return HookResult(should_continue=False, inject_context="not today")


async def objects_later(context: HookContext, plan: PlanView | None) -> HookResult:
    await sleep(0)
    return objects(context, plan)


class ObjectsLater:
    async def __call__(self, context: HookContext, plan: PlanView | None) -> HookResult:
        return objects(context, plan)


def hides(context: HookContext, plan: PlanView | None) -> Awaitable[HookResult]:
    return objects_later(context, plan)


Ask = Callable[[HooksEngine], HookResult]
BOTH_WAYS: list[Ask] = [
    lambda hooks: hooks.pre_tool_use("bash"),
    lambda hooks: run(hooks.call_hooks(HookContext("pre_tool_use", "bash"))),
]


@pytest.mark.parametrize("ask", BOTH_WAYS)
@pytest.mark.parametrize("hook", [fails, fails_later, gives_up, babbles, mumbles, lists])
def test_r4_04_a_hook_that_fails_before_a_tool_denies_the_call_and_says_why(
    hook: Hook, ask: Ask
) -> None:
    hooks = HooksEngine(FakePlanSource(None), hooks=(hook,))
    first, second = ask(hooks), ask(hooks)
    assert not first.should_continue
    assert not second.should_continue
    name = hook_name(hook)
    assert (first.refused_by, second.refused_by) == (name, name)
    assert f"The hook {name} failed (" in first.notification
    assert "so the call was refused" in first.notification
    assert second.notification == ""
    assert first.inject_context == second.inject_context
    assert first.inject_context.startswith("<hook-note>")
    assert "so the call was refused" in first.inject_context


@pytest.mark.parametrize("ask", BOTH_WAYS)
@pytest.mark.parametrize("hook", [objects, objects_later, ObjectsLater(), hides, partial(objects)])
def test_r4_04_a_denying_hook_denies_whether_it_is_plain_or_async(hook: Hook, ask: Ask) -> None:
    said = ask(HooksEngine(FakePlanSource(None), hooks=(hook,)))
    assert not said.should_continue
    assert said.refused_by == hook_name(hook)
    assert "not today" in said.inject_context
    assert said.notification == ""


def test_r4_04_a_failure_at_another_point_does_not_hide_the_reason_of_a_refusal() -> None:
    hooks = HooksEngine(FakePlanSource(None), hooks=(fails,))
    assert "skipped" in hooks.on_session_start().notification
    assert "so the call was refused" in hooks.pre_tool_use("bash").notification
    assert hooks.on_user_prompt("x").notification == ""


def test_r4_04_an_async_hook_can_be_asked_by_blocking_code_inside_a_running_loop() -> None:
    async def ask() -> HookResult:
        return HooksEngine(FakePlanSource(None), hooks=(objects_later,)).pre_tool_use("bash")

    assert not run(ask()).should_continue


def test_r4_04_neither_rules_nor_plain_hooks_run_on_the_event_loop() -> None:
    threads: dict[str, int] = {}

    class Source(FakePlanSource):
        def find(self) -> Plan | None:
            threads["rules"] = get_ident()
            return super().find()

    def plain(_context: HookContext, _plan: PlanView | None) -> None:
        threads["plain"] = get_ident()

    async def later(_context: HookContext, _plan: PlanView | None) -> None:
        threads["async"] = get_ident()

    hooks = HooksEngine(Source(make_plan("one")), hooks=(plain, later))
    run(hooks.call_hooks(HookContext("pre_tool_use", "bash")))
    assert set(threads) == {"rules", "plain", "async"}
    assert threads["async"] == get_ident()
    assert get_ident() not in (threads["rules"], threads["plain"])


def test_r4_06_each_conversation_can_bring_its_own_counters() -> None:
    hooks, mine, other = engine(make_plan("one")), HookCounts(), HookCounts()
    view = HookContext("post_tool_use", "grep", {}, GOOD)
    for counts in (mine, other):
        assert run(hooks.call_hooks(view, counts)).inject_context == ""
    assert "<reminder>" in run(hooks.call_hooks(view, mine)).inject_context


def test_r4_07_in_strict_mode_a_plan_that_cannot_be_read_denies_the_call() -> None:
    class Gone(FakePlanSource):
        def find(self) -> None:
            raise OSError

    settings = Settings(rules=Rules(strict=True))
    said = HooksEngine(Gone(None), settings).pre_tool_use("bash")
    assert (said.should_continue, said.refused_by) == (False, "refuse_repeated_failure")


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
