"""R0.04 to R0.06, M4, M6: no task and no plan is called done that is not, played by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast import Plan
from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.events import Stopped
from outlast.language import Language
from outlast.model.commands import AddTasks, Complete, EditTask, NewTask
from outlast.model.execute import return_commit
from outlast.model.model import Check, Progress
from tests.agent.loops.play import GOAL, Play, done, new_plan, poke

LET_GO = ToolLoop(stop_limit=0)
WORDS = ToolLoop(stop_limit=0, least_iterations=1, max_iterations=50)


def names(plan: Plan) -> list[str]:
    return [task.name for task in plan.tasks()]


# Declared steps


@pytest.mark.parametrize(
    "line",
    [
        *("- [Step] Sort", "1. [Step] Sort", "**[Step]** Sort", "[Step 1] Sort", "[步骤] Sort"),
        *("[步骤 1] Sort", "### [Step] Sort", "* **[Step 2]:** Sort", "【步骤】Sort"),
    ],
)
def test_r0_04_every_form_of_a_declaration_adds_a_task(line: str) -> None:
    play = Play([(f"Well:\n{line}", poke()), "Bye"], options=LET_GO)
    play.say(GOAL)
    assert names(play.plan) == ["Sort"]


def test_r0_04_a_plan_that_is_listed_again_is_not_added_again() -> None:
    plan = new_plan("Fetch", "Sort", "Print")
    plan.complete(1)
    again = "1. [Step] fetch\n2. [Step] Sort.\n3. [Step] Print\n4. [Step] Mail"
    Play([(again, poke()), "Bye"], plan, options=LET_GO).say(GOAL)
    assert names(plan) == ["Fetch", "Sort", "Print", "Mail"]
    assert plan.task(1).status == "completed"


def test_r0_04_a_finished_step_can_be_declared_once_more() -> None:
    plan = new_plan("Test", "Sort")
    plan.complete(1)
    Play([("[Step] Fix\n[Step] Test", poke()), "Bye"], plan, options=LET_GO).say(GOAL)
    assert names(plan) == ["Test", "Sort", "Fix", "Test"]


def test_r0_04_the_only_step_of_a_plan_is_not_added_twice() -> None:
    plan = new_plan("Sort")
    play = Play([("[Done]", poke()), "All sorted:\n[Step] Sort"], plan)
    assert play.say(GOAL).status == "completed"
    assert names(plan) == ["Sort"]


def test_r0_04_steps_in_a_closing_reply_are_added_and_worked_on() -> None:
    plan = new_plan("Fetch")
    play = Play(["[Done]\n[Step] Sort", ("", poke()), "[Done] Sorted."], plan)
    assert play.say(GOAL).status == "completed"
    assert (names(plan), play.acts()) == (["Fetch", "Sort"], ["poke"])
    assert play.view().stop_count == 0, "it was no attempt to stop"


def test_r0_04_steps_in_the_summary_of_a_finished_plan_are_worked_on_too() -> None:
    plan = new_plan("Fetch")
    play = Play([("", done(1)), "Fetched.\n- [Step] Sort", "[Done] Sorted."], plan)
    assert play.say(GOAL).status == "completed"
    assert names(plan) == ["Fetch", "Sort"]


# Markers


def graph(*task_names: str) -> Plan:
    return new_plan(*task_names, order="graph")


def test_r0_05_a_marker_that_names_another_task_completes_that_one() -> None:
    plan = graph("Fetch", "Sort", "Print")
    Play([("[Done] Sort: by name", poke()), "Bye"], plan, options=LET_GO).say(GOAL)
    assert [task.status for task in plan.tasks()] == ["in_progress", "completed", "pending"]
    assert (plan.task(2).how, plan.task(2).result) == ("reported", "Sort: by name")


@pytest.mark.parametrize("mark", ["[Done] Task 40", "[Step 40 Done]", "[Step] Task 40 [Done]"])
def test_r0_05_a_marker_can_name_a_task_that_is_far_away(mark: str) -> None:
    plan = graph(*(f"Task {number}" for number in range(1, 51)))
    Play([(mark, poke()), "Bye"], plan, options=LET_GO).say(GOAL)
    assert [task.id for task in plan.tasks("completed")] == [40]


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        ("[Done] Print", "Step 3 (Print) was not marked as done:"),
        ("[步骤3完成]", "Step 3 (Print) was not marked as done:"),
        ("[Step] Fetch [Done]", "Step 1 (Fetch) was not marked as done:"),
    ],
)
def test_r0_05_a_marker_for_a_task_that_is_not_its_turn_does_nothing_and_is_told(
    mark: str, problem: str
) -> None:
    plan = new_plan("Fetch", "Sort", "Print")
    plan.complete(1)
    play = Play([(mark, poke()), "Bye"], plan, options=LET_GO)
    play.say(GOAL)
    assert play.statuses() == ["completed", "in_progress", "pending"]
    assert problem in play.shown()


def test_r0_05_a_line_that_names_no_task_of_the_plan_completes_none() -> None:
    plan = new_plan("Fetch", "Sort")
    play = Play([("[Step] Cook [Done]", poke()), "Bye"], plan, options=LET_GO)
    play.say(GOAL)
    assert (play.statuses(), names(plan)) == (["in_progress", "pending"], ["Fetch", "Sort"])


def test_r0_05_a_marker_with_several_names_is_about_the_current_task() -> None:
    plan = graph("Fetch", "Sort", "Print")
    play = Play([("[Done] Print\n[Done] Fetch\n[Done] Sort", poke()), "Bye"], plan, options=LET_GO)
    play.say(GOAL)
    assert play.statuses() == ["completed", "in_progress", "pending"], "one in an iteration"


def test_r0_05_a_marker_without_a_task_in_progress_does_nothing() -> None:
    play = Play([("[Done]", poke()), "Bye"])
    play.say(GOAL)
    assert (names(play.plan), play.view().model_managed) == ([], True)


def test_r0_05_a_call_that_completes_another_task_is_the_completion_of_the_reply() -> None:
    plan = graph("Fetch", "Sort")
    play = Play([("[Done] Now the next.", done(2)), "Bye"], plan, options=LET_GO)
    play.say(GOAL)
    assert play.statuses() == ["in_progress", "completed"]


def test_r0_05_a_task_that_someone_else_completes_meanwhile_is_not_completed_twice() -> None:
    plan = new_plan("Fetch", "Sort", "Print")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.complete(1)
        plan.start()
        return {"output": "ok"}

    play = Play([("[Done] Now.", poke()), "Bye"], plan, options=LET_GO, act=act)
    play.say(GOAL)
    assert play.statuses() == ["completed", "in_progress", "pending"]


# Words and the limit


@pytest.mark.parametrize("said", ["(2/5)", "2 of 5 are here", "已下载2/5个", "[Progress] 2/5 PDFs"])
@pytest.mark.parametrize("limit", [1, 10])
def test_r0_05_words_and_the_limit_wait_while_the_reply_reports_open_parts(
    said: str, limit: int
) -> None:
    plan = new_plan("Fetch", "Sort")
    options = ToolLoop(max_iterations=12, least_iterations=1, most_iterations=limit)
    Play([(f"Now the next one. {said}", poke())] * 12, plan, options=options).say(GOAL)
    assert plan.task(1).status == "in_progress"


def test_r0_05_words_wait_until_the_progress_reaches_its_total() -> None:
    plan = new_plan("Fetch", "Sort")
    counted = [(f"Now Fetch ({part}/5)", poke()) for part in range(1, 5)]
    play = Play([*counted, ("Now something else", poke())], plan, options=WORDS)
    play.options = ToolLoop(max_iterations=5)
    play.say(GOAL)
    assert (plan.task(1).status, plan.task(1).progress) == ("in_progress", Progress(4, 5))
    Play([("Now Fetch (5/5)", poke()), "Bye"], plan, options=LET_GO).say("continue")
    assert plan.task(1).status == "completed"


@pytest.mark.parametrize("said", ["What should I do next?", "接下来要做什么？", "要继续吗"])
def test_r0_05_a_question_moves_on_to_nothing(said: str) -> None:
    plan = new_plan("Fetch", "Sort")
    Play([(said, poke()), said], plan, options=WORDS).say(GOAL)
    assert plan.task(1).status == "in_progress"


def test_r0_05_the_progress_of_another_task_holds_nothing_up() -> None:
    plan = new_plan("Fetch", "Sort")
    Play([("Now Sort (1/5)", poke()), "Bye"], plan, options=WORDS).say(GOAL)
    assert plan.task(1).status == "completed"


def test_r0_05_a_slow_task_whose_parts_are_open_raises_a_notice() -> None:
    plan = new_plan("Fetch", "Sort")
    options = ToolLoop(stop_limit=0, most_iterations=2)
    play = Play([("Fetch (1/5)", poke()), ("Fetch (2/5)", poke()), "Bye"], plan, options=options)
    play.say(GOAL)
    assert play.notices("slow") == ["2 iterations spent on this task so far: Fetch"]


def test_r0_05_words_run_the_checks_of_a_task() -> None:
    plan = new_plan()
    check = Check("command", "false")
    plan.core.commit((AddTasks((NewTask("One", checks=(check,)),)),), return_commit)
    play = Play([("Now the next", poke()), "Bye"], plan, options=WORDS)
    play.say(GOAL)
    assert plan.task(1).status == "in_progress"
    assert "<check-result>\nStep 1 (One) is not done yet:" in play.shown()


@pytest.mark.parametrize(
    ("language", "note"), [("en", "Step 1 is assumed to be done"), ("zh", "推定步骤 1 已完成")]
)
def test_m6_the_model_is_told_what_was_assumed(language: Language, note: str) -> None:
    plan = new_plan("Fetch", "Sort")
    play = Play([("Now the next", poke()), "Bye"], plan, options=WORDS, language=language)
    play.say(GOAL)
    assert note in play.shown()
    assert "(assumed)" in Play([], plan).say("/plan").text


def test_m6_a_step_that_was_assumed_to_be_done_is_reopened_by_declaring_it_again() -> None:
    plan = new_plan("Fetch", "Sort")
    replies = [("Now the next", poke()), ("It was not:\n[Step] Fetch", poke()), "Bye"]
    play = Play(replies, plan, options=ToolLoop(least_iterations=1, max_iterations=2))
    play.say(GOAL)
    assert (names(plan), play.statuses()) == (["Fetch", "Sort"], ["pending", "in_progress"])


# The end


def assumed_end(*replies: Any, **options: Any) -> tuple[Play, Stopped]:
    """Play a plan whose only task is assumed to be done after the first reply."""
    play = Play([("Now the rest.", poke()), *replies], new_plan("Fetch"))
    play.options = ToolLoop(least_iterations=1, **options)
    return play, play.say(GOAL)


def how(play: Play) -> tuple[str, str]:
    return play.plan.status, play.plan.task(1).how


def test_m4_an_assumed_last_completion_ends_neither_plan_nor_run() -> None:
    play, stopped = assumed_end(("", poke()), max_iterations=2)
    assert stopped.why == "limit"
    assert (play.view().assumed_end, how(play)) == (play.plan.task(1), ("paused", "assumed"))
    assert "step 1 is only assumed to be done" in play.shown()
    assert play.acts() == ["poke", "poke"], "it can go on working"


@pytest.mark.parametrize("reply", ["[Done]", "All.\n[Done] Fetch", "[完成]", "[Step 1 Done]"])
def test_m4_a_marker_confirms_the_end(reply: str) -> None:
    play, stopped = assumed_end(reply)
    assert (stopped.why, how(play)) == ("finished", ("completed", "reported"))


def test_m4_a_call_confirms_the_end() -> None:
    play, stopped = assumed_end(("", done(1, "all five")), "All is there.")
    assert (stopped.why, how(play)) == ("finished", ("completed", "reported"))
    assert play.plan.task(1).result == "all five"


def test_m4_the_model_confirms_the_end_by_closing_a_second_time() -> None:
    play, stopped = assumed_end("All is there.", "Yes, all is there.")
    assert (stopped.why, how(play)) == ("finished", ("completed", "reported"))
    assert play.said() == ["Yes, all is there."]
    assert play.shown().count("only assumed to be done") == 2, "when it was, and when it closed"
    assert play.plan.task(1).result == "Now the rest."


def test_m4_a_last_task_assumed_by_the_closing_reply_itself_is_no_end_either() -> None:
    play = Play(["Now it is all there.", "Yes."], new_plan("Fetch"))
    play.options = ToolLoop(least_iterations=1)
    assert play.say(GOAL).status == "completed"
    assert (play.said(), len(play.thinks)) == (["Now it is all there.", "Yes."], 2)


@pytest.mark.parametrize(
    ("report", "confirmation"),
    [
        ("The full report: revenue rose by 4 %.", "Yes, it is done."),
        ("The full report: revenue rose by 4 %.", "Yes, it is done. [Done]"),
        ("报告：2023 年营收增长 4%。", "是的，已完成。"),
    ],
)
def test_r0_06_the_report_before_a_confirmation_is_the_answer(
    report: str, confirmation: str
) -> None:
    play, stopped = assumed_end(report, confirmation)
    assert (stopped.why, stopped.answer) == ("finished", report)
    assert sorted(play.said()) == sorted((report, confirmation)), "people read both, once"


def test_r0_06_a_report_after_more_work_replaces_the_one_before() -> None:
    play, stopped = assumed_end("A long report that was wrong.", ("", poke()), "A new one.")
    assert (stopped.why, stopped.answer) == ("finished", "A new one.")
    assert play.said() == ["A new one."]


def test_m4_the_model_can_go_on_with_more_steps() -> None:
    play, stopped = assumed_end("There is more:\n[Step] Sort", ("[Done]", poke()), "All sorted.")
    assert (stopped.status, names(play.plan)) == ("completed", ["Fetch", "Sort"])


def test_m4_the_model_can_reopen_the_last_step() -> None:
    play, stopped = assumed_end(("Not yet:\n[Step] Fetch", poke()), "[Done]")
    assert (stopped.status, names(play.plan), how(play)[1]) == ("completed", ["Fetch"], "reported")


def test_m4_a_closing_reply_that_reopens_a_step_is_no_attempt_to_stop() -> None:
    play, stopped = assumed_end("Not yet:\n[Step] Fetch", ("", poke()), "[Done]")
    assert (stopped.status, play.view().stop_count) == ("completed", 0)


def test_m4_a_person_can_reopen_the_last_step() -> None:
    play, _ = assumed_end(("", poke()), max_iterations=2)
    play.plan.resume()
    again = Play([("", poke())], play.plan, options=ToolLoop(max_iterations=1))
    again.say("还没完成")
    assert again.plan.task(1).status == "in_progress"


def test_m4_after_a_restart_the_model_is_told_again() -> None:
    play, _ = assumed_end(("", poke()), max_iterations=2)
    again = Play(["All is there.", "Yes."], play.plan)
    assert again.say("continue").status == "completed"
    assert "only assumed to be done" in again.shown(0)


def test_m4_an_end_whose_confirmation_is_refused_is_none() -> None:
    play, _ = assumed_end(("", poke()), max_iterations=2)
    checks = (Check("command", "false"),)
    play.plan.core.acting_as("human").commit(
        (EditTask(1, checks=checks, amend=True),), return_commit
    )
    again = Play(["All is there.", "Yes.", ("", poke())], play.plan)
    again.options = ToolLoop(max_iterations=3)
    assert again.say("continue").status == "paused"
    assert "Step 1 (Fetch) is not done yet:" in again.shown()


def test_m4_a_marker_is_worth_nothing_once_the_end_was_confirmed_elsewhere() -> None:
    play, _ = assumed_end(("", poke()), max_iterations=2)
    plan = play.plan
    plan.resume()

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.core.acting_as("ann").commit((Complete(1, "ann"),), return_commit)
        return {"output": "ok"}

    again = Play([("[Done]", poke()), "Bye"], plan, act=act)
    assert again.say(GOAL).status == "completed"


def test_m4_a_marker_confirms_no_end_that_is_none_any_more() -> None:
    play, _ = assumed_end(("", poke()), max_iterations=2)
    plan = play.plan
    plan.resume()

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.add("Sort")
        return {"output": "ok"}

    again = Play([("[Done]", poke())], plan, act=act, options=ToolLoop(max_iterations=1))
    again.say(GOAL)
    assert (plan.task(1).how, plan.task(2).status) == ("assumed", "in_progress")


# Whatever a model says

LINES = (
    "Now the next one.",
    "接下来继续。",
    "Fetch (1/3)",
    "Fetch (3/3)",
    "Sort (2/4)",
    "(2/5)",
    "[Progress] 1/2",
    "[Progress] 2/2",
    "[Step] Fetch",
    "[Step] Print",
    "[Done]",
    "[Done] Sort",
    "Well.",
    "Which one?",
)
replies = st.tuples(st.lists(st.sampled_from(LINES), max_size=3).map("\n".join), st.integers(0, 1))


@given(
    said=st.lists(replies, min_size=1, max_size=40),
    options=st.builds(
        ToolLoop,
        max_iterations=st.integers(1, 15),
        policy=st.sampled_from(("auto", "words")),
        stop_limit=st.integers(0, 3),
        most_iterations=st.integers(1, 4),
        can_ask=st.booleans(),
    ),
    begun=st.booleans(),
)
def test_m6_no_reply_completes_what_is_not_done_or_ends_a_plan_by_an_assumption(
    said: list[tuple[str, int]], options: ToolLoop, *, begun: bool
) -> None:
    plan = new_plan("Fetch", "Sort") if begun else None
    thoughts = iter(said)
    for _run in range(3):
        play = Play(lambda _think: _next(thoughts), plan, options=options)
        play.say(GOAL if _run == 0 else "继续")
        plan = play.plan if play.has_plan else None
        check(play)


def _next(thoughts: Any) -> Any:
    text, calls = next(thoughts, ("Enough.", 0))
    return (text, *[poke()] * calls)


def check(play: Play) -> None:
    tasks = play.plan.tasks()
    for task in tasks:
        if task.how == "assumed" and task.progress:
            assert task.progress.current == task.progress.total
    finished = [task for task in tasks if task.finished]
    if tasks and len(finished) == len(tasks):
        last = play.plan.core.read(lambda state: state.last_completed())
        is_assumed = play.plan.task(last or 0).how == "assumed"
        assert is_assumed == (play.plan.status != "completed")


@pytest.mark.parametrize(
    "mark",
    [
        *("- [x] Fetch [Done]", "✅ Fetch [Done]", "✓ Fetch [Done]", "| Fetch | [Done] |"),
        *("The fetch step: [Done]", "Fetch → [Done]", "Sort is not [Done]", "[Done]? Not yet."),
        *(
            "[Done] Step 7",
            "[Step 7 Done]",
            "[Done] #9",
            "[步骤7完成]",
            "[Done] Print it after that",
        ),
    ],
)
def test_r0_05_a_marker_about_something_else_does_not_complete_the_current_task(mark: str) -> None:
    plan = new_plan("Fetch", "Sort", "Print")
    plan.complete(1)
    play = Play([(mark, poke()), "Bye"], plan, options=LET_GO)
    play.say(GOAL)
    assert play.statuses() == ["completed", "in_progress", "pending"]


@pytest.mark.parametrize(
    ("language", "mark", "note"),
    [
        ("en", "[Step 7 Done]", "not clear which step of the plan this is about: #7."),
        ("zh", "[步骤7完成]", "不清楚说的是计划中的哪一步：#7。"),
        ("en", "[Done] Test suite runs again", "this is about: Test suite runs again."),
    ],
)
def test_r0_05_a_marker_that_is_not_clear_completes_nothing_and_is_told(
    language: Language, mark: str, note: str
) -> None:
    plan = graph("Write the parser", "Test")
    play = Play([(mark, poke()), "Bye"], plan, options=LET_GO, language=language)
    play.say(GOAL)
    assert play.statuses() == ["in_progress", "pending"]
    assert note in play.shown()


@pytest.mark.parametrize(
    "remark",
    [
        "现在下载第二份，共五份",
        "Now two of five",
        "现在还剩3份",
        "Next: report 2 (of 5)",
        "Then 3 left",
    ],
)
def test_r0_05_words_complete_nothing_while_parts_are_open(remark: str) -> None:
    play = Play([(remark, poke())] * 5 + ["Bye"], new_plan("Download", "Extract"), options=WORDS)
    play.say(GOAL)
    assert play.plan.task(1).status == "in_progress"


@pytest.mark.parametrize(
    ("message", "reopened"),
    [
        ("step 1 is not done yet", 1),
        ("第1步还没完成", 1),
        ("the fetch step is not done yet", 1),
        ("not done yet", 2),
        ("the chart is not done yet", 2),
        ("step 3 is not done yet", None),
        ("step 9 is not done yet", None),
    ],
)
def test_r0_12_the_task_that_is_not_done_is_reopened(message: str, reopened: int | None) -> None:
    for is_said_meanwhile in (False, True):
        plan = new_plan("Fetch", "Sort", "Print")
        plan.complete(1)
        plan.complete(2)
        play = Play(["Bye"], plan, options=LET_GO)
        if is_said_meanwhile:
            plan.questions.say(message)
        play.say("Go on with it" if is_said_meanwhile else message)
        opened = [task.id for task in plan.tasks()[:2] if task.status != "completed"]
        assert opened == ([reopened] if reopened else [])
