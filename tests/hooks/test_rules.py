"""R4.05, R4.06, R4.08: what the rules inject, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from outlast.config.settings import LoopSettings, Settings
from outlast.hooks.engine import HooksEngine
from outlast.hooks.port import HookResult
from outlast.model.commands import Complete, Start
from outlast.model.execute import return_commit
from tests.hooks.fakes import GOOD, FakePlanSource, engine, failed_result
from tests.making import make_plan

if TYPE_CHECKING:
    from outlast import Plan
    from outlast.config.settings import PlanTools
    from outlast.language import Language

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


@pytest.mark.parametrize(
    ("tools", "skip", "language"), [("default", "skip_task", "en"), ("full", "skipTask", "zh")]
)
def test_r4_08_in_our_own_loop_one_note_says_what_to_do(
    tools: Any, skip: str, language: Language
) -> None:
    plan = make_plan("done", "<Sort>", "later")
    plan.complete(1)
    settings = Settings(loop=LoopSettings(plan_tools=tools))
    hooks = HooksEngine(FakePlanSource(plan), settings, language=language, in_loop=True)
    said = hooks.on_stop()
    assert not said.should_continue
    assert "\n" not in said.inject_context, "a line, and no name in it that could instruct a model"
    assert ("Go on with step 2." if language == "en" else "请继续步骤 2。") in said.inject_context
    assert skip in said.inject_context
    assert ("1/3 steps are done" if language == "en" else "1/3 步已完成") in said.inject_context


def test_r4_08_our_own_loop_names_a_step_that_others_hold_if_there_is_no_other() -> None:
    plan = make_plan("one")
    plan.core.acting_as("ann").commit((Start("ann", 1),), return_commit)
    hooks = HooksEngine(FakePlanSource(plan), in_loop=True)
    assert "step 1." in hooks.on_stop().inject_context


def test_m4_an_end_that_is_only_assumed_is_open_for_the_document_and_left_to_our_own_loop() -> None:
    plan = make_plan("one")
    plan.core.commit((Complete(1, "agent", how="assumed"),), return_commit)
    assert "  - one\n" in engine(plan).on_stop().inject_context
    assert HooksEngine(FakePlanSource(plan), in_loop=True).on_stop() == HookResult()


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


def loop_engine(plan: Plan, which: PlanTools = "default", language: Language = "en") -> HooksEngine:
    """Return the engine of our own loop, whose model has the plan's tools."""
    settings = Settings(loop=LoopSettings(plan_tools=which))
    return HooksEngine(FakePlanSource(plan), settings, language=language, in_loop=True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_r4_06_a_loop_names_the_tools_of_the_plan_and_no_file(language: Language) -> None:
    hooks = loop_engine(make_plan("one"), language=language)
    views = [hooks.post_tool_use("grep", {}, GOOD).inject_context for _ in range(2)][1]
    written = hooks.post_tool_use("write_file", {}, GOOD).inject_context
    failed = [hooks.post_tool_use("bash", {}, failed_result("no")) for _ in range(3)][2]
    warned = failed.inject_context
    for told, names in (
        (views, ("findings_write",)),
        (written, ("complete_task",)),
        (warned, ('plan_details(about="errors")', "plan_read", "fail_task")),
    ):
        assert all(name in told for name in names)
        assert ".md" not in told


def test_r4_06_a_loop_with_the_full_set_names_its_tools() -> None:
    hooks = loop_engine(make_plan("one"), "full")
    assert [hooks.post_tool_use("grep", {}, GOOD).inject_context for _ in range(4)] == [""] * 4
    assert "call completeTask" in hooks.post_tool_use("edit_file", {}, GOOD).inject_context
    failed = [hooks.post_tool_use("bash", {}, failed_result("no")) for _ in range(3)][2]
    assert "getTaskList\n3. Giving the step up, with the reason: failTask" in (
        failed.inject_context
    )


def test_r4_05_a_loop_repeats_the_current_task_only_when_it_has_changed() -> None:
    plan = make_plan("one", "two")
    plan.start(1)
    hooks = loop_engine(plan)
    told = [hooks.pre_tool_use("bash").inject_context for _ in range(3)]
    assert ["Step: one" in text for text in told] == [True, False, False]
    plan.complete(1)
    plan.start(2)
    assert "Step: two" in hooks.pre_tool_use("bash").inject_context
    assert hooks.pre_compact() == HookResult(), "the brief has it"
    assert hooks.on_session_start() == HookResult()
