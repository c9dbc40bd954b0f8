"""R4.07: repeated failures bring a warning, and in strict mode a refusal, across restarts."""

from __future__ import annotations

from asyncio import run
from typing import TYPE_CHECKING

import pytest

from outlast.config.settings import Hooks, Rules, Settings
from outlast.errors import ToolFailed
from outlast.hooks.engine import HooksEngine
from outlast.hooks.port import HookContext, HookResult
from outlast.hooks.rules import HookCounts
from outlast.sessions import PlanningService
from tests.hooks.fakes import GOOD, FakePlanSource, engine, failed_result
from tests.making import make_plan

if TYPE_CHECKING:
    from pathlib import Path

WARNING = (
    "<three-strike-warning>\n"
    "This error has occurred {} times!\n"
    "You must try a DIFFERENT approach. Do not repeat the same action.\n"
    "Consider:\n"
    "1. Checking error history in errors.md\n"
    "2. Re-reading the task_plan.md for alternative approaches\n"
    "3. Asking the user for guidance\n"
    "</three-strike-warning>"
)
CALL = {"command": "make", "cwd": "src"}


def report_at_both_points(hooks: HooksEngine, error: Exception) -> None:
    """Report one failure as a failed result and as an error."""
    result = failed_result("exit 1")
    run(hooks.call_hooks(HookContext("post_tool_use", "bash", {}, result, error)))
    run(hooks.call_hooks(HookContext("on_error", "bash", {}, result, error)))


def fail(hooks: HooksEngine, error: str = "exit 1", call: dict[str, str] | None = None) -> str:
    return hooks.post_tool_use("bash", call or CALL, failed_result(error)).inject_context


def test_r4_07_the_warning_is_injected_from_the_third_failure_on() -> None:
    hooks = engine(make_plan("one"))
    said = [fail(hooks, f"line {n}: no such file") for n in (7, 12, 345, 6)]
    assert said == ["", "", WARNING.format(3), WARNING.format(4)]


def test_r4_07_failed_results_and_exceptions_count_once_each() -> None:
    plan = make_plan("one")
    hooks = engine(plan)
    fail(hooks, "no such file")
    hooks.on_error("bash", OSError("no such file"), CALL)
    assert plan.notes.error_count("bash", "no such file") == 2
    assert hooks.on_error("bash", OSError("no such file"), CALL).inject_context == WARNING.format(3)
    (logged,) = plan.notes.errors()
    assert (logged.tool, logged.message, logged.count) == ("bash", "no such file", 3)


def test_r4_07_a_failure_reported_at_both_points_counts_once() -> None:
    plan = make_plan("one")
    hooks, error = engine(plan), ToolFailed("call_failed", problem="exit 1")
    report_at_both_points(hooks, error)
    (logged,) = plan.notes.errors()
    assert (logged.count, logged.message) == (1, "Failed: exit 1")


def test_r4_07_other_tools_other_messages_and_successes_do_not_add_up() -> None:
    hooks = engine(make_plan("one"))
    for error in ("a", "b", "c"):
        assert fail(hooks, error) == ""
    for tool in ("x", "y", "z"):
        assert hooks.post_tool_use(tool, {}, failed_result("a")).inject_context == ""
    hooks.post_tool_use("bash", CALL, GOOD)
    assert fail(hooks, "a") == ""
    assert fail(hooks, "a") == WARNING.format(3)


def test_r4_07_r4_12_the_limit_can_be_set() -> None:
    hooks = engine(make_plan("one"), error_strike_limit=1)
    assert fail(hooks) == WARNING.format(1)


def test_r4_07_clearing_the_errors_resets_the_strikes() -> None:
    plan = make_plan("one")
    hooks = engine(plan)
    for _ in range(3):
        fail(hooks)
    plan.notes.clear_errors()
    assert fail(hooks) == ""


def test_r4_07_r4_09_errors_are_kept_without_secrets_and_in_bounds() -> None:
    plan = make_plan("one")
    hooks = engine(plan)
    try:
        raise OSError("api_key=sk-live0123456789abcdef")  # noqa: TRY301 - for its stack
    except OSError as error:
        hooks.on_error("bash", error, {"token": "tok-1a2b3c4d5e"})
    (logged,) = plan.notes.errors()
    assert "sk-live0123456789abcdef" not in f"{logged.message}{logged.stack}{logged.params}"
    assert "tok-1a2b3c4d5e" not in logged.params
    assert "Traceback" in logged.stack
    hooks.on_error("a\nb" * 200, OSError("\ud800" * 9_000))
    hooks.on_error("", OSError())
    names = {one.tool: one.message for one in plan.notes.errors()}
    assert names["unknown"] == "Unknown error"
    assert len(plan.notes.errors()) == 3


def test_r4_09_a_message_is_kept_without_the_line_break_at_its_end() -> None:
    plan = make_plan("one")
    fail(engine(plan), "Exit code 1. Output:\nno such file\n\n")
    (logged,) = plan.notes.errors()
    assert logged.message == "Exit code 1. Output:\nno such file"


def test_f14_the_calls_that_are_remembered_are_bounded() -> None:
    counts = HookCounts()
    for number in range(3_000):
        counts.add_failure(str(number))
    assert len(counts.failures) <= 1_000
    assert [counts.add_failure("x"), counts.add_failure("x")] == [1, 2]


def test_r4_07_the_plans_own_tools_make_no_strikes() -> None:
    plan = make_plan("one")
    hooks = HooksEngine(FakePlanSource(plan), is_plan_tool=lambda name: name == "complete_task")
    for _ in range(4):
        assert (
            hooks.post_tool_use("complete_task", {}, failed_result("checks failed")) == HookResult()
        )
    assert plan.notes.errors() == ()


def test_r4_07_without_a_plan_errors_are_counted_and_nothing_is_injected() -> None:
    place = FakePlanSource(make_plan("one"), is_visible=False)
    hooks = HooksEngine(place, Settings(rules=Rules(strict=True)))
    assert [fail(hooks) for _ in range(3)] == [""] * 3
    assert not hooks.pre_tool_use("bash", CALL).should_continue


# Strict mode


def struck_out() -> HooksEngine:
    hooks = engine(make_plan("one"), strict=True)
    for _ in range(3):
        assert hooks.pre_tool_use("bash", CALL).should_continue
        fail(hooks)
    return hooks


def test_r4_07_strict_mode_refuses_the_same_call_only() -> None:
    hooks = struck_out()
    said = hooks.pre_tool_use("bash", dict(reversed(CALL.items())))
    assert not said.should_continue
    assert said.inject_context.startswith("<three-strike-warning>\nbash with these parameters has")
    assert "allow it again with `outlast note --error bash --allow`" in said.notification
    assert hooks.pre_tool_use("bash", {"command": "make"}).should_continue
    assert hooks.pre_tool_use("write_file", CALL).should_continue


def test_r4_07_without_strict_mode_nothing_is_refused() -> None:
    hooks = engine(make_plan("one"))
    for _ in range(4):
        fail(hooks)
    assert hooks.pre_tool_use("bash", CALL).should_continue


def test_r4_07_another_call_of_the_tool_that_succeeds_allows_it_again() -> None:
    hooks = struck_out()
    hooks.post_tool_use("grep", {}, GOOD)
    fail(hooks, "other", {"command": "ls"})
    assert not hooks.pre_tool_use("bash", CALL).should_continue
    hooks.post_tool_use("bash", {"command": "ls"}, GOOD)
    assert hooks.pre_tool_use("bash", CALL).should_continue


def test_r4_07_clearing_the_errors_allows_it_again_and_forgets_the_refusal() -> None:
    plan = make_plan("one")
    hooks = engine(plan, strict=True)
    for _ in range(3):
        fail(hooks)
    plan.notes.clear_errors()
    assert hooks.pre_tool_use("bash", CALL).should_continue
    for _ in range(3):
        fail(hooks, "other", {"command": "other"})
    assert hooks.pre_tool_use("bash", CALL).should_continue


def test_r4_07_a_person_can_allow_it() -> None:
    plan = make_plan("one")
    hooks = engine(plan, strict=True)
    for _ in range(3):
        fail(hooks)
    assert not hooks.pre_tool_use("bash", CALL).should_continue
    plan.acting_as("human").notes.clear_strikes("bash")
    assert hooks.pre_tool_use("bash", CALL).should_continue


@pytest.mark.parametrize("times", [1, 2, 3])
def test_r4_07_strikes_and_refusals_hold_across_restarts(tmp_path: Path, times: int) -> None:
    settings = Settings(rules=Rules(strict=True))
    for number in range(3):
        with PlanningService(tmp_path, "s", settings=settings) as service:
            said = fail(service.hooks)
            assert said == ""  # there are only notes so far
            assert service.errors.count("bash", "exit 1") == number + 1
    for _ in range(times):
        with PlanningService(tmp_path, "s", settings=settings) as service:
            assert not service.hooks.pre_tool_use("bash", CALL).should_continue


def test_r4_12_without_the_point_for_errors_failed_results_count() -> None:
    plan, error = make_plan("one"), ToolFailed("call_failed", problem="exit 1")
    hooks = HooksEngine(FakePlanSource(plan), Settings(hooks=Hooks(on_error=False)))
    report_at_both_points(hooks, error)
    assert [one.count for one in plan.notes.errors()] == [1]


def test_r4_12_with_the_point_switched_off_nothing_is_counted() -> None:
    plan = make_plan("one")
    hooks = HooksEngine(FakePlanSource(plan), Settings(hooks=Hooks(post_tool_use=False)))
    fail(hooks)
    assert plan.notes.errors() == ()
