"""R0.03 to R0.07: how a plan is created, grows and advances, played by hand."""

import pytest

from outlast.agent import effects as e
from outlast.agent.agent_spec import Policy, ToolLoop
from outlast.agent.events import Stopped
from outlast.context.chat_model import Call
from outlast.model.commands import AddTasks, CountIteration, NewTask, NoteLoop
from outlast.model.execute import return_commit
from outlast.model.markers import WORDS_EN
from outlast.model.model import Check, Progress
from tests.agent.loops.play import GOAL, Play, done, new_plan, poke


def test_r0_03_the_first_reply_with_a_call_creates_a_plan() -> None:
    play = Play([("I look.", poke()), "That is all."])
    assert play.say(GOAL) == Stopped("running", "answered", "That is all.", "That is all.")
    assert [one.goal for one in play.effects if isinstance(one, e.CreatePlan)] == [GOAL]
    assert (play.plan.goal, play.plan.tasks(), play.has_plan) == (GOAL, (), True)
    assert play.plan.iteration_count == 2, "the iteration before the plan counts too"
    kinds = [type(effect) for effect in play.effects]
    assert kinds.index(e.CreatePlan) < kinds.index(e.Act)


def test_r0_03_a_first_reply_without_a_call_creates_none() -> None:
    play = Play(["Hello to you"])
    assert play.say("Hello").why == "answered"
    assert not any(isinstance(effect, e.CreatePlan) for effect in play.effects)
    assert play.said() == ["Hello to you"]


def test_r0_03_before_there_is_a_plan_none_is_shown() -> None:
    play = Play([("", poke()), "Done"])
    play.say(GOAL)
    assert "<plan>\n" not in play.shown(0)
    assert "<plan>\n" in play.shown(1)
    assert 0 < play.thinks[0].planning_characters < play.thinks[1].planning_characters


def test_x5_a_request_starts_like_the_one_before_even_when_a_plan_is_created() -> None:
    play = Play([("", poke()), "Done"])
    play.say(GOAL)
    first, second = play.thinks
    assert "complete_task" in [tool.name for tool in first.tools]
    assert first.tools == second.tools
    assert second.messages[: len(first.messages)] == first.messages


def test_r0_03_a_plan_tool_may_be_the_first_call() -> None:
    play = Play([("", Call("plan_read")), "Done"])
    play.say(GOAL)
    assert [effect.goal for effect in play.effects if isinstance(effect, e.CreatePlan)] == [GOAL]


@pytest.mark.parametrize(
    "options", [ToolLoop(auto_create_plan=False), ToolLoop(enable_planning=False)]
)
def test_r4_12_no_plan_is_created_if_that_is_switched_off(options: ToolLoop) -> None:
    play = Play([("[Step] One", poke()), "Done"], options=options)
    assert play.say(GOAL).why == "answered"
    assert not any(isinstance(effect, e.CreatePlan) for effect in play.effects)
    assert "[Step]" not in play.messages(0)[0].text, "the prompt does not speak of plans"
    assert play.plan.tasks() == ()


def test_r0_03_after_a_plan_has_ended_the_next_message_is_a_new_task() -> None:
    plan = new_plan("One")
    plan.complete(1)
    play = Play([("", poke()), "Fine"], plan)
    play.say("Something else")
    assert play.plan is not plan
    assert (plan.status, plan.iteration_count) == ("completed", 0)
    assert "<plan>\n" not in play.shown(0)
    assert play.plan.goal == "Something else"


def test_r0_03_an_unfinished_plan_is_never_replaced() -> None:
    plan = new_plan("One")
    play = Play([("", poke()), "Fine"], plan, options=ToolLoop(stop_limit=0))
    play.say("Something else")
    assert play.plan is plan
    assert not any(isinstance(effect, e.CreatePlan) for effect in play.effects)


def test_r0_03_a_message_beside_a_paused_plan_is_answered_and_leaves_it_paused() -> None:
    plan = new_plan("One", "Two")
    plan.start()
    plan.pause()
    before = plan.revision
    play = Play(["[Step] Three\n[Done] It is sunny."], plan)
    stopped = play.say("How is the weather?")
    how = "Task in progress (0/2 steps done). Type 'continue' to resume."
    answer = f"[Step] Three\n[Done] It is sunny.\n\n{how}"
    assert stopped == Stopped("paused", "answered", answer, answer)
    assert play.said() == [stopped.text]
    assert play.notices("paused") == [how]
    assert play.statuses() == ["in_progress", "pending"]
    assert play.plan.revision == before + 1, "what a person said is recorded"
    assert play.thinks[0].tools == ()


def test_r0_03_if_the_model_fails_beside_a_paused_plan_the_user_still_learns_how_to_resume() -> (
    None
):
    plan = new_plan("One")
    plan.pause()
    stopped = Play([{"error": "it is gone"}], plan).say("Well?")
    assert (stopped.status, stopped.why) == ("paused", "model_failed")
    assert "it is gone" in stopped.text
    assert "Type 'continue' to resume." in stopped.text
    out = {"error": "Raise the budget to continue", "code": "OUT_OF_BUDGET"}
    stopped = Play([out], plan).say("Well?")
    words = "Raise the budget to continue"
    assert stopped == Stopped("paused", "budget", words), "it is not the model that has failed"


def test_r0_04_declared_steps_become_tasks_and_the_first_starts_at_once() -> None:
    text = "Plan:\n  [step] Fetch\n[Step] Sort\n```\n[Step] no\n```\n[Step] Fetch"
    play = Play([(text, poke()), ("[Step] Sort\n[Step] Print", poke(2)), "Bye"])
    play.options = ToolLoop(stop_limit=0)
    play.say(GOAL)
    assert [task.name for task in play.plan.tasks()] == ["Fetch", "Sort", "Print"]
    assert play.statuses() == ["in_progress", "pending", "pending"]
    assert play.plan.order == "sequential"
    tasks = [effect.task for effect in play.effects if isinstance(effect, e.Act)]
    assert tasks == [1, 1], "the first call is made for the first step already"


def test_r0_04_an_identical_open_task_is_not_added_twice_however_far_away() -> None:
    plan = new_plan(*(f"Task {n}" for n in range(50)))
    text = "[Step] Task 49\n[Step] Task 50"
    Play([(text, poke()), "Bye"], plan, options=ToolLoop(stop_limit=0)).say(GOAL)
    assert len(plan.tasks()) == 51


def test_r0_05_a_marker_completes_the_task_current_when_the_reply_arrived() -> None:
    plan = new_plan("One", "Two")
    play = Play([("[Step] Three\nOne is [Done]", poke()), "Bye"], plan)
    play.options = ToolLoop(stop_limit=0)
    play.say(GOAL)
    assert play.statuses() == ["completed", "in_progress", "pending"]
    assert plan.task(1).how == "reported"
    assert play.view().model_managed


def test_r0_05_at_most_one_task_is_completed_by_a_reply() -> None:
    plan = new_plan("One", "Two", "Three")
    play = Play([("[Done]\n[步骤完成]\nNow, next.", done(1)), "Bye"], plan)
    play.options = ToolLoop(stop_limit=0, least_iterations=1)
    play.say(GOAL)
    assert play.statuses() == ["completed", "in_progress", "pending"]
    assert plan.task(1).result == "ok"


def words_after(count: int, policy: Policy, *, managed: bool = False, said: str = "Now") -> str:
    """Return the status of a task after some iterations, the last of which uses these words."""
    plan = new_plan("One", "Two")
    first = ("", Call("todo_write", {"persist": True})) if managed else ("Hm", poke())
    replies = [first, *[("Hm", poke())] * (count - 2), (f"{said} the second.", poke()), "Bye"]
    options = ToolLoop(policy=policy, stop_limit=0, max_iterations=50)
    Play(replies, plan, options=options).say(GOAL)
    return f"{plan.task(1).status} {plan.task(1).how}".strip()


@pytest.mark.parametrize("said", [*WORDS_EN, "现在", "接下来"])
def test_r0_05_words_complete_a_task_after_two_iterations(said: str) -> None:
    assert words_after(2, "auto", said=said) == "completed assumed"


def test_r0_05_words_in_the_first_iteration_of_a_task_do_not_count() -> None:
    plan = new_plan("One", "Two")
    Play([("Now", poke()), "Bye"], plan, options=ToolLoop(stop_limit=0)).say(GOAL)
    assert plan.task(1).status == "in_progress"


def test_r0_05_other_words_and_words_in_code_do_not_count() -> None:
    assert words_after(2, "auto", said="Nowhere near") == "in_progress"
    assert words_after(2, "auto", said="```\nnow\n```\n") == "in_progress"


def test_r0_05_words_do_not_count_once_the_model_manages_the_plan() -> None:
    assert words_after(3, "auto", managed=True) == "in_progress"
    assert words_after(3, "words", managed=True) == "completed assumed"
    assert words_after(3, "explicit") == "in_progress"


def test_r0_05_transition_words_can_be_configured() -> None:
    plan = new_plan("One", "Two")
    options = ToolLoop(words=("basta",), stop_limit=0)
    Play([("now", poke()), ("now", poke()), ("Basta!", poke()), "Bye"], plan, options=options).say(
        GOAL
    )
    assert plan.task(1).status == "completed"
    assert plan.task(1).result == "Basta!"


@pytest.mark.parametrize(("policy", "status"), [("auto", "completed"), ("explicit", "in_progress")])
def test_r0_05_ten_iterations_complete_a_task_or_raise_a_notice(
    policy: Policy, status: str
) -> None:
    plan = new_plan("One", "Two")
    options = ToolLoop(policy=policy, stop_limit=0)
    play = Play([*[("Hm", poke())] * 11, "Bye"], plan, options=options)
    play.say(GOAL)
    assert plan.task(1).status == status
    notice = ["10 iterations spent on this task so far: One"]
    assert play.notices("slow") == (notice if policy == "explicit" else [])


def test_r0_05_counts_survive_pause_and_restart() -> None:
    plan = new_plan("One", "Two")
    Play([("Hm", poke())], plan, options=ToolLoop(max_iterations=1)).say(GOAL)
    assert (plan.status, plan.task(1).status) == ("paused", "in_progress")
    Play([("Now", poke())], plan, options=ToolLoop(max_iterations=1)).say("continue")
    assert plan.task(1).status == "completed", "one iteration before the pause, one after"


def test_r0_05_a_task_with_checks_is_completed_only_through_them() -> None:
    plan = new_plan()
    check = Check("command", "false")
    plan.core.commit((AddTasks((NewTask("One", checks=(check,)),)),), return_commit)
    play = Play([("[Done]", poke()), "Bye"], plan, options=ToolLoop(stop_limit=0))
    play.say(GOAL)
    assert plan.task(1).status == "in_progress"
    assert "<check-result>\nStep 1 (One) is not done yet:" in play.shown()


@pytest.mark.parametrize("reply", ["[Done]", "Now the next"])
def test_r0_05_a_completion_refused_by_checks_is_not_tried_again(reply: str) -> None:
    plan = new_plan("One", "Two")
    options = ToolLoop(policy="words", least_iterations=1, stop_limit=0)
    refused = {"error": "The check failed", "code": "CHECK_FAILED"}
    call = Call("todo_write", {"persist": True}, "t")
    play = Play([(reply, call), "Bye"], plan, options=options, act=lambda _effect: refused)
    play.say(GOAL)
    assert play.statuses() == ["in_progress", "pending"]
    assert play.view().model_managed, "the model manages the plan, though it is refused"


def test_r0_06_a_completion_says_what_was_done_and_starts_the_next() -> None:
    plan = new_plan("One", "Two")
    reply = "[Done]\nFound   five\nlinks.\n```\ncode\n```\n[Step] Three"
    play = Play([("", poke()), (reply, poke()), "Bye"], plan, options=ToolLoop(stop_limit=0))
    play.say(GOAL)
    task = plan.task(1)
    assert task.result == "Found five links."
    assert task.started_at
    assert task.ended_at
    assert play.statuses() == ["completed", "in_progress", "pending"]


def test_r0_06_the_result_is_at_most_2000_characters() -> None:
    plan = new_plan("One", "Two")
    Play([("[Done]\n" + "x" * 5_000, poke()), "Bye"], plan).say(GOAL)
    assert plan.task(1).result == "x" * 1_999 + "…"


FOUND = "找到了: FACT-42 五个链接 tencent_2024.pdf"


@pytest.mark.parametrize(
    ("end", "before"),
    [
        ("[完成]", ""),
        ("[Done] 搜索财报", ""),
        ("接下来开始下载。", ""),
        ("[Done] 链接齐了", "链接齐了; "),
        (done(1, None), ""),
        (done(1, ""), ""),
    ],
)
def test_r0_06_a_result_tells_what_the_replies_of_the_task_found(
    end: str | Call, before: str
) -> None:
    plan = new_plan("搜索财报", "下载文件")
    last = ("", end) if isinstance(end, Call) else (end, poke())
    options = ToolLoop(policy="words")
    Play(
        [(FOUND, poke()), ("好的。", poke()), last, "Bye"], plan, language="zh", options=options
    ).say(GOAL)
    task = plan.task(1)
    assert task.status == "completed"
    assert task.result == f"{before}好的。; {FOUND}"


def test_r0_06_a_result_keeps_what_was_said_before_the_process_ended() -> None:
    plan = new_plan("One", "Two")
    Play([("Found FACT-42.", poke()), {"error": "gone"}], plan).say(GOAL)
    Play([("[Done]", poke()), "Bye"], plan).say("continue")
    assert plan.task(1).result == "Found FACT-42."
    assert plan.task(2).result is None


def test_r0_06_the_last_task_completes_the_plan() -> None:
    plan = new_plan("One")
    play = Play(["All sorted. [Done]"], plan)
    assert play.say(GOAL) == Stopped("completed", "finished", "All sorted.", "All sorted.")
    assert play.said() == ["All sorted. [Done]"]


def test_r0_06_a_plan_completed_by_a_call_is_summed_up_without_tools() -> None:
    plan = new_plan("One")
    play = Play([("", done(1), poke()), "All sorted."], plan)
    assert play.say(GOAL).why == "finished"
    assert play.acts() == ["complete_task"], "nothing runs once the plan is finished"
    assert play.said() == ["All sorted."]
    assert play.thinks[-1].tools == ()
    assert "[Step]" not in play.messages()[-1].text, "nobody is asked for what would not be heard"
    assert play.messages()[-1].text.endswith("tell the user the outcome in a few sentences.")
    assert [m.call_id for m in play.messages() if m.role == "tool"] == ["d1", "c1"]


def test_r0_06_tasks_added_by_the_completing_reply_are_worked_on() -> None:
    plan = new_plan("One")

    def act(effect: e.ToolCall) -> dict[str, str]:
        if effect.call.name == "todo_write":
            plan.add("Two")
        return {"output": "ok"}

    more = Call("todo_write", {"persist": True}, "t")
    play = Play([("", done(1), poke(), more, poke(2)), "[Done]"], plan, act=act)
    assert play.say(GOAL).status == "completed"
    assert play.acts() == ["complete_task", "todo_write", "poke"]
    assert play.statuses() == ["completed", "completed"]


def test_r0_06_a_plan_is_finished_even_if_the_model_cannot_sum_it_up() -> None:
    plan = new_plan("One")
    play = Play([("", done(1)), {"error": "gone"}], plan)
    assert play.say(GOAL) == Stopped("completed", "finished", "Plan completed: 1/1 steps")
    assert play.said() == []


def test_r0_07_progress_is_read_from_the_reply() -> None:
    plan = new_plan("Fetch", "Sort")
    replies = [("[Progress] 2/5 Fetch", poke()), ("Fetch goes on (3/5)", poke()), ("(9/5)", poke())]
    play = Play([*replies, "Bye"], plan, options=ToolLoop(stop_limit=0))
    play.say(GOAL)
    assert plan.task(1).progress == Progress(3, 5)
    assert "- Step progress: 3/5" in play.shown()


def test_r0_08_every_iteration_is_counted_for_its_task() -> None:
    plan = new_plan("One")
    play = Play([("", poke()), "[Done]"], plan)
    play.say(GOAL)
    counts = [effect.commands for effect in play.effects if isinstance(effect, e.Think)]
    first = CountIteration(1), NoteLoop(seen=2)  # people's changes after this one are told
    assert counts == [first, (CountIteration(1),)], "in one commit with the start of the attempt"
    assert plan.iteration_count == 2


def test_r0_06_the_text_after_the_marker_is_the_result() -> None:
    play = Play([("[Step] One", poke()), ("[Done] Wrote a.txt.", poke(2)), "Fine"])
    play.say(GOAL)
    (task,) = play.plan.tasks()
    assert (task.status, task.result) == ("completed", "Wrote a.txt.")


def test_r0_04_a_model_is_informed_when_it_declares_too_many_tasks() -> None:
    many = "\n".join(f"[Step] Part {number}" for number in range(103))
    play = Play([(many, poke()), ("Well", poke(2)), "Enough"], options=ToolLoop(stop_limit=0))
    play.say(GOAL)
    assert len(play.plan.tasks()) == 100
    roles = [message.role for message in play.messages(1)][-4:]
    assert roles == ["assistant", "tool", "user", "user"], "it stands behind the results"
    assert "first 100 declared steps were added, 3 were not" in play.messages(1)[-2].text
    assert play.shown(2).count("3 were not") == 1


def todo_write(**more: object) -> Call:
    todos = [{"content": "One", "status": "pending", "activeForm": "Doing"}]
    return Call("todo_write", {"todos": todos, **more}, "t")


def test_r4_10_without_automatic_plans_a_model_can_request_one() -> None:
    asked = todo_write(persist=True, planTitle="Reports")
    told = [("", todo_write(persist=True)), ("", todo_write()), ("", asked), "Well"]
    play = Play(told, options=ToolLoop(auto_create_plan=False, stop_limit=0))
    play.say(GOAL)
    assert [tool.name for tool in play.thinks[0].tools] == ["plan_read", "todo_write", "poke"]
    founded = [
        isinstance(one, e.CreatePlan) for one in play.effects if not isinstance(one, e.Record)
    ]
    assert founded.count(True) == 1
    thinks = [isinstance(one, e.Think) for one in play.effects if not isinstance(one, e.Record)]
    assert sum(thinks[: founded.index(True)]) == 3, "only when it has a title and is to be kept"
    assert "complete_task" in [tool.name for tool in play.thinks[3].tools]
