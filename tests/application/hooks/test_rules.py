"""R4.05, R4.06, R4.08: what the rules inject, and when."""

from __future__ import annotations

import pytest

from outlast.application.hooks.engine import HooksEngine
from outlast.ports.hook import HookResult
from tests.application.hooks.fakes import GOOD, FakePlanSource, engine, failed_result
from tests.making import make_plan

VIEWS = (
    "<reminder>\nYou've performed {} view operations. "
    "Consider saving important findings to findings.md before continuing.\n</reminder>"
)
WRITTEN = (
    "<reminder>\nFile operation completed. "
    "Consider updating task_plan.md status if a step was completed.\n</reminder>"
)
TASK = "<current-task>\nPhase: Main Tasks\nStep: write the cache\n</current-task>"


@pytest.mark.parametrize("tool", ["write_file", "edit_file", "bash"])
def test_r4_05_before_a_critical_tool_the_task_then_the_errors_are_injected(tool: str) -> None:
    plan = make_plan("write the cache")
    plan.start(1)
    hooks = engine(plan)
    assert hooks.pre_tool_use(tool).inject_context == TASK
    for _ in range(2):
        plan.notes.add_error(tool, "File not found: src/cache/RedisCache.ts")
    plan.notes.add_error("other", "something else")
    assert hooks.pre_tool_use(tool).inject_context == (
        f"{TASK}\n\n<error-history>\nPrevious failures with {tool}:\n"
        "- File not found: src/cache/RedisCache.ts (2 times)\n"
        "Avoid repeating these mistakes.\n</error-history>"
    )


def test_r4_05_the_plan_is_read_again_before_each_call() -> None:
    plan = make_plan("one", "two")
    hooks = engine(plan)
    assert hooks.pre_tool_use("bash") == HookResult()
    plan.start(2)
    assert "Step: two" in hooks.pre_tool_use("bash").inject_context
    plan.complete(2)
    plan.acting_as("somebody").start(1)
    assert "Step: one" in hooks.pre_tool_use("bash").inject_context


def test_r4_05_other_tools_and_no_plan_inject_nothing() -> None:
    plan = make_plan("one")
    plan.start(1)
    plan.notes.add_error("bash", "no")
    assert engine(plan).pre_tool_use("read_file") == HookResult()
    assert engine(None).pre_tool_use("bash") == HookResult()
    assert HooksEngine(FakePlanSource(plan, is_visible=False)).pre_tool_use("bash") == HookResult()


def test_r4_05_r4_12_which_tools_are_critical_can_be_set() -> None:
    plan = make_plan("one")
    plan.start(1)
    hooks = engine(plan, critical_tools=("deploy",))
    assert hooks.pre_tool_use("bash") == HookResult()
    assert "Step: one" in hooks.pre_tool_use("deploy").inject_context


def test_r4_05_at_most_five_errors_are_listed_the_newest_first() -> None:
    plan = make_plan("one")
    for name in "abcdefg":
        plan.notes.add_error("bash", f"error {name}")
    said = engine(plan).pre_tool_use("bash").inject_context
    assert said.count("(1 times)") == 5


@pytest.mark.parametrize("tool", ["read_file", "glob", "grep", "list_directory", "web_fetch"])
def test_r4_06_every_second_view_brings_a_reminder(tool: str) -> None:
    hooks = engine(make_plan("one"))
    said = [hooks.post_tool_use(tool, {}, GOOD).inject_context for _ in range(5)]
    assert said == ["", VIEWS.format(2), "", VIEWS.format(2), ""]


def test_r4_06_only_successful_views_count() -> None:
    hooks = engine(make_plan("one"))
    for tool, result in (
        ("grep", GOOD),
        ("grep", failed_result("no")),
        ("bash", GOOD),
        ("grep", None),
    ):
        assert hooks.post_tool_use(tool, {}, result).inject_context == ""
    assert hooks.post_tool_use("grep", {}, GOOD).inject_context == VIEWS.format(2)


def test_r4_06_a_finding_and_a_new_session_reset_the_count() -> None:
    hooks = engine(make_plan("one"))
    hooks.post_tool_use("grep", {}, GOOD)
    hooks.post_tool_use("findings_write", {}, GOOD)
    assert hooks.post_tool_use("grep", {}, GOOD).inject_context == ""
    hooks.on_session_start()
    assert hooks.post_tool_use("grep", {}, GOOD).inject_context == ""
    hooks.post_tool_use("findings_write", {}, failed_result("no"))
    assert hooks.post_tool_use("grep", {}, GOOD).inject_context == VIEWS.format(2)


def test_r4_06_r4_12_the_threshold_and_the_views_can_be_set() -> None:
    hooks = engine(make_plan("one"), action_threshold=3, view_tools=("look",))
    said = [hooks.post_tool_use("look", {}, GOOD).inject_context for _ in range(3)]
    assert said == ["", "", VIEWS.format(3)]
    assert [hooks.post_tool_use("grep", {}, GOOD).inject_context for _ in range(3)] == [""] * 3


@pytest.mark.parametrize("tool", ["write_file", "edit_file"])
def test_r4_06_a_successful_write_brings_a_reminder_of_the_plan(tool: str) -> None:
    hooks = engine(make_plan("one"))
    assert hooks.post_tool_use(tool, {}, GOOD).inject_context == WRITTEN
    assert hooks.post_tool_use(tool, {}, failed_result("no")).inject_context == ""
    assert engine(None).post_tool_use(tool, {}, GOOD) == HookResult()


def test_r4_06_without_a_plan_there_is_no_reminder_of_missing_files() -> None:
    hooks = engine(None)
    assert [hooks.post_tool_use("grep", {}, GOOD) for _ in range(4)] == [HookResult()] * 4


def test_r4_08_an_unfinished_plan_holds_up_a_stop_and_lists_what_is_open() -> None:
    plan = make_plan("done", "left out", "编写测试", "later")
    plan.complete(1)
    plan.skip(2)
    said = engine(plan).on_stop()
    assert not said.should_continue
    assert said.notification == "Plan incomplete - verification required"
    assert said.inject_context == (
        "<completion-check>\nWARNING: Plan is not complete!\n\nIncomplete items:\n"
        "Phase: Main Tasks\n  - 编写测试\n  - later\n\n"
        "Please complete all tasks or explicitly mark them as skipped before stopping.\n"
        "</completion-check>"
    )


def test_r4_08_a_long_list_is_truncated() -> None:
    said = engine(make_plan(*(f"task {n}" for n in range(1, 31)))).on_stop().inject_context
    assert said.count("  - task") == 20
    assert "(10 more)" in said


def test_r4_08_a_finished_plan_allows_the_stop_and_notifies() -> None:
    plan = make_plan("one", "two")
    plan.complete(1)
    plan.skip(2)
    assert engine(plan).on_stop() == HookResult(notification="Plan completed: 2/2 steps")


def test_r4_08_no_plan_no_tasks_paused_or_failed_allow_the_stop() -> None:
    paused, failed = make_plan("one"), make_plan("one")
    paused.pause()
    failed.abort()
    for plan in (None, make_plan(), paused, failed):
        assert engine(plan).on_stop() == HookResult()
    assert HooksEngine(FakePlanSource(make_plan("one"), is_visible=False)).on_stop() == HookResult()


def test_r4_04_before_a_compaction_findings_and_task_are_injected() -> None:
    plan = make_plan("one")
    hooks = engine(plan)
    assert hooks.pre_compact() == HookResult()
    plan.start(1)
    plan.notes.add_finding("code", "the cache is in redis.py", "see get()")
    first, second = hooks.pre_compact().inject_context.rsplit("\n\n", 1)
    assert first.startswith("<findings-summary>\nTotal findings: 1")
    assert first.endswith("</findings-summary>")
    assert second == "<current-task>\nPhase: Main Tasks\nStep: one\n</current-task>"
    assert engine(None).pre_compact() == HookResult()
