"""R0.08 to R0.12: the limit, resuming, correcting, failing; played by hand."""

from typing import Any

import pytest

from outlast.agent import effects as e
from outlast.agent.agent_spec import ToolLoop
from outlast.agent.events import Notified, Stopped
from outlast.agent.loops.endings import finished_end
from outlast.language import Language
from outlast.model.commands import Pause
from tests.agent.loops.play import GOAL, Play, done, new_plan, poke
from tests.making import count_iteration

ONE = ToolLoop(max_iterations=1)
LIMIT: dict[Language, str] = {
    "en": "Task in progress (1/2 steps done). Type 'continue' to resume.",
    "zh": "任务执行中（1/2 步已完成）。输入'继续'以恢复执行。",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_r0_08_at_the_limit_the_plan_is_paused_and_the_user_informed(language: Language) -> None:
    plan = new_plan("One", "Two")
    play = Play([("[Done]", poke())], plan, options=ONE, language=language)
    assert play.say(GOAL) == Stopped("paused", "limit", LIMIT[language])
    assert (plan.iteration_count, play.view().pause_reason) == (1, "limit")


def test_r0_08_the_allowance_is_for_each_run_and_the_limit_shown_is_raised() -> None:
    plan = new_plan("One")
    options = ToolLoop(max_iterations=3)
    Play([("", poke())] * 3, plan, options=options).say(GOAL)
    assert plan.iteration_count == 3
    play = Play([("", poke())] * 3, plan, options=options)
    assert play.say("continue").why == "limit"
    assert "\nIterations used: 3/6\n" in play.shown(0)
    assert plan.iteration_count == 6


def test_r0_08_without_a_plan_the_limit_has_its_own_text() -> None:
    options = ToolLoop(max_iterations=2, auto_create_plan=False)
    stopped = Play([("", poke())] * 2, options=options).say(GOAL)
    assert stopped.why == "limit"
    assert stopped.text.startswith("Stopped at the limit of 2 iterations.")


@pytest.mark.parametrize(
    ("language", "message", "head", "tail"),
    [
        ("zh", "继续", "[恢复任务] 当前任务: ", "\n\n用户指令: 继续"),
        ("en", " Go on! ", "[Resuming task] Current task: ", "\n\nUser instruction:  Go on! "),
    ],
)
def test_r0_09_resuming_gives_the_model_a_summary_of_the_plan(
    language: Language, message: str, head: str, tail: str
) -> None:
    plan = new_plan("One", "Two")
    plan.start()
    plan.pause()
    play = Play(["[Done]", "[Done]"], plan, language=language)
    assert play.say(message).status == "running"
    assert plan.task(1).status == "completed"
    said = play.messages(0)[1]
    assert said.role == "user"
    assert said.text.startswith(f"{head}{GOAL}\n")
    assert said.text.endswith(tail)
    labels = "进度 当前步骤 已用迭代 历史步骤" if language == "zh" else "Progress Steps"
    assert all(f"\n{label}:" in said.text for label in labels.split())


@pytest.mark.parametrize("message", ["don't continue", "不要继续执行"])
def test_r0_09_a_negation_does_not_resume(message: str) -> None:
    plan = new_plan("One")
    plan.pause()
    assert Play(["As you like."], plan).say(message).status == "paused"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_r0_09_a_paused_plan_is_announced_at_the_start_before_anything_is_asked(
    language: Language,
) -> None:
    plan = new_plan("One", "Two")
    plan.complete(1)
    plan.pause()
    play = Play(["Sunny."], plan, language=language)
    play.say("How is the weather?")
    told = [effect for effect in play.effects if not isinstance(effect, e.Record)]
    assert told[0] == e.Emit(Notified(LIMIT[language], "paused"))
    assert isinstance(told[1], e.ReadBrief)
    assert isinstance(told[2], e.Think)


def test_r0_09_repeating_the_goal_resumes_the_plan() -> None:
    plan = new_plan("One", "Two")
    Play([("", poke())], plan, options=ONE).say(GOAL)
    play = Play([("[Done]", poke()), "[Done]"], plan)
    assert play.say(f" {GOAL}\n").status == "completed"
    assert play.messages(0)[1].text.startswith("[Resuming task] ")


def test_r0_09_repeating_a_goal_longer_than_a_plan_stores_resumes_it_too() -> None:
    goal = "财报" * 20_000
    play = Play([("[Step] One", poke())], options=ONE)
    assert play.say(goal).why == "limit"
    assert len(play.plan.goal) < len(goal)
    assert Play(["[Done]"], play.plan).say(goal).status == "completed"


def test_r0_09_an_interrupted_plan_is_paused_first() -> None:
    plan = new_plan("One")
    plan.start()
    play = Play(["Sure."], plan)
    stopped = play.say("What is this?", interrupted=True)
    assert (stopped.status, stopped.why) == ("paused", "answered")
    assert play.view().pause_reason == "interrupted"
    recorded = [one.commands for one in play.effects if isinstance(one, e.Record)]
    assert recorded[:2] == [(), (Pause("interrupted"),)]
    again = Play(["[Done]"], plan)
    assert again.say(GOAL, interrupted=True).status == "completed"


def test_r0_09_a_plan_whose_runner_died_just_before_the_end_is_not_started_again() -> None:
    plan = new_plan("One")
    plan.complete(1)
    play = Play([], plan)
    stopped = play.say(GOAL, interrupted=True)
    assert stopped == Stopped("completed", "finished", "Plan completed: 1/1 steps")
    assert play.thinks == []


@pytest.mark.parametrize("message", ["not done yet", "还没完成", "Not done yet!"])
def test_r0_12_not_done_yet_reopens_the_task_completed_last(message: str) -> None:
    plan = new_plan("One", "Two", "Three")
    plan.complete(1)
    plan.start()
    count_iteration(plan)
    play = Play([("", poke()), "Bye"], plan, options=ToolLoop(stop_limit=0))
    play.say(message)
    assert play.statuses() == ["in_progress", "pending", "pending"]
    assert f"User instruction: {message}" in play.shown(0)


def test_r0_12_it_also_reopens_a_finished_plan() -> None:
    plan = new_plan("One")
    plan.complete(1)
    play = Play(["[Done]"], plan)
    end = Stopped("completed", "finished", "Plan completed: 1/1 steps")
    assert play.say("not done yet") == end
    assert len(play.thinks) == 1
    assert "1. ⏳ One (in progress)" in play.shown(0)


def test_r0_12_a_task_is_reopened_even_if_another_must_come_first_now() -> None:
    plan = new_plan("One", "Two")
    plan.start()
    plan.complete(1)
    plan.move(2, first=True)
    play = Play([("", poke())], plan, options=ONE)
    play.say("not done yet")
    assert [(task.id, task.status) for task in plan.tasks()] == [
        *((2, "in_progress"), (1, "pending"))
    ]


def test_r0_12_a_paused_plan_stays_paused_when_it_is_corrected() -> None:
    plan = new_plan("One", "Two")
    plan.complete(1)
    plan.pause()
    play = Play([], plan)
    stopped = play.say("not done yet")
    assert (stopped.status, stopped.why) == ("paused", "paused")
    assert stopped.text.startswith("Step 1 is open again.\nTask in progress (0/2 steps done).")
    assert play.statuses() == ["pending", "pending"]


def test_r0_12_not_done_yet_as_an_interjection_takes_effect_at_the_next_iteration() -> None:
    plan = new_plan("One", "Two")

    def think(_effect: e.Think) -> Any:
        if len(play.thinks) == 1:
            plan.questions.say("not done yet")
            return "[Done]", poke()
        return ("", poke(2)) if len(play.thinks) == 2 else "Bye"

    play = Play(think, plan, options=ToolLoop(stop_limit=0))
    play.say(GOAL)
    assert play.statuses() == ["in_progress", "pending"]
    assert "The user says that step 1 is not done yet" in play.shown(1)
    assert "not done yet" not in play.shown(0)
    assert play.view().new_messages == ()


def test_r0_12_total_failure_ends_the_loop_and_keeps_everything() -> None:
    plan = new_plan("One", "Two")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.fail(1, "no way", retry=False)
        return {"output": "failed"}

    play = Play([("", poke()), "There is no way to the reports."], plan, act=act)
    stopped = play.say(GOAL)
    assert (stopped.status, stopped.why) == ("failed", "finished")
    assert stopped.answer == "There is no way to the reports."
    assert stopped.text.endswith("; step 1 (One): no way")
    assert play.said() == [stopped.answer], "the model has the last word"
    assert "The plan has failed and cannot go on" in play.shown()
    assert play.thinks[-1].tools == ()
    assert plan.task(1).error == "no way"


def test_r0_12_the_user_learns_why_a_plan_failed() -> None:
    plan = new_plan("One", "Two")
    plan.start()
    plan.fail(1, "no way at all", retry=False)
    text = finished_end(Play([], plan).view(), "en").text
    assert text.startswith("Plan failed: 0/2 tasks done")
    assert text.endswith("; step 1 (One): no way at all")


def test_r0_12_an_aborted_plan_ends_without_a_last_word() -> None:
    plan = new_plan("One", "Two")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.abort()
        return {"output": "ok"}

    play = Play([("", poke())], plan, act=act)
    assert play.say(GOAL).status == "failed"
    assert len(play.thinks) == 1


def test_r0_12_steps_in_the_last_word_of_a_failed_plan_may_save_it() -> None:
    plan = new_plan("One", order="graph")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.fail(1, "no way", retry=False)
        return {"output": "failed"}

    replies = [("", poke()), "[Step] Another way", ("", done(2)), "Bye"]
    play = Play(replies, plan, act=lambda effect: act(effect) if len(play.thinks) == 1 else {})
    play.say(GOAL)
    assert play.statuses() == ["failed", "completed"]


def test_r0_12_the_loop_continues_without_a_plan_that_cannot_be_created() -> None:
    play = Play([("[Step] One", poke()), ("[Step] Two", poke()), "Bye"])
    play.creation_error = "The disk is full"
    assert play.say(GOAL).why == "answered"
    assert len([one for one in play.effects if isinstance(one, e.CreatePlan)]) == 1, "tried once"
    assert play.acts() == ["poke", "poke"]
    assert "<plan>\n" not in play.shown()


def test_r0_12_the_loop_continues_without_a_plan_that_is_lost_on_the_way() -> None:
    plan = new_plan("One", "Two")

    def think(_effect: e.Think) -> Any:
        if len(play.thinks) == 1:
            play.plan, play.has_plan = new_plan(goal="scratch"), False
            return "[Done]", poke()
        return "Bye"

    play = Play(think, plan)
    assert play.say(GOAL).why == "answered"
    assert "<plan>\n" in play.shown(0)
    assert "<plan>\n" not in play.shown(1)
    assert [tool.name for tool in play.thinks[1].tools] == ["poke"]
    assert not any(isinstance(effect, e.CreatePlan) for effect in play.effects)


def test_x4_a_budget_that_is_used_up_pauses_the_plan() -> None:
    out = {"error": "Not enough budget", "code": "OUT_OF_BUDGET"}
    for thoughts, act in (([out], None), ([("", poke())], lambda _effect: out)):
        plan = new_plan("One")
        play = Play(thoughts, plan, act=act)
        stopped = play.say(GOAL)
        assert (stopped.status, stopped.why) == ("paused", "budget")
        assert stopped.text == "Not enough budget"
        assert play.view().pause_reason == "budget"


def test_f13_a_model_that_fails_pauses_the_plan() -> None:
    plan = new_plan("One")
    stopped = Play([{"error": "garbage"}], plan).say(GOAL)
    assert stopped == Stopped("paused", "model_failed", "The model failed: garbage")


def test_r0_08_a_plan_that_a_person_pauses_stops_the_loop() -> None:
    plan = new_plan("One")

    def act(_effect: e.ToolCall) -> dict[str, Any]:
        plan.pause()
        return {"output": "poked"}

    play = Play([("", poke(), poke(2))], plan, act=act)
    stopped = play.say(GOAL)
    assert (stopped.status, stopped.why) == ("paused", "paused")
    assert play.acts() == ["poke"]


def test_r0_06_an_iteration_starts_the_next_task_if_none_is_in_progress() -> None:
    plan = new_plan("One", "Two")
    play = Play([("", done(1)), "[Done]"], plan)
    assert play.say(GOAL).status == "completed"
    assert "- Current step: 2. Two (2/2)" in play.shown(1)
