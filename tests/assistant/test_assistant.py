"""R3: the assistant as a library, with a scripted model."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from outlast import Assistant
from outlast.errors import InvalidArgument, ModelFailed
from outlast.language import Language
from outlast.plans import list_archived, restore_plan
from outlast.settings import AssistantSettings, Settings
from outlast.testing import FixedClock
from tests.agent.loops.replan_loop.replies import Script, ask, done, planned, replanned, use

NOTHING_USABLE = ["no JSON"] * 3


def archived(where: Path) -> list[tuple[str, str]]:
    """Return the goals of the tasks that are over, and how they ended."""
    return [(plan.goal, plan.condition) for plan in list_archived(where)]


def todos(assistant: Assistant) -> list[str]:
    return [todo.text for todo in assistant.agenda.todos().values()]


# Tasks


def test_r3_01_a_task_is_planned_carried_out_and_answered(tmp_path: Path) -> None:
    model = Script(planned("add milk"), use("/todo add milk"), done(), done("Added milk."))
    assistant = Assistant(model, tmp_path)
    reply = assistant.handle("Remember to buy milk")
    assert (reply.kind, reply.text) == ("answer", "Added milk.")
    assert todos(assistant) == ["milk"]
    assert assistant.pending_task() is None
    assert assistant.tasks() == []
    assert archived(tmp_path) == [("Remember to buy milk", "completed")]


def test_r3_17_each_task_is_a_plan_with_a_key_of_its_own(tmp_path: Path) -> None:
    answers = [planned("a"), done(), done("One."), planned("a"), done(), done("Two.")]
    assistant = Assistant(Script(*answers), tmp_path)
    assert assistant.handle("Say a number").text == "One."
    assert assistant.handle("Say a number").text == "Two."
    names = [plan.name for plan in list_archived(tmp_path)]
    assert len(set(names)) == len(names) == 2


def test_r3_01_the_model_is_told_the_time_in_the_zone_of_the_user(tmp_path: Path) -> None:
    settings = Settings(assistant=AssistantSettings(time_zone="Asia/Shanghai"))
    model = Script(planned("a"), done(), done("Fine."))
    clock = FixedClock(datetime(2026, 11, 16, 23, 30, tzinfo=UTC))
    assistant = Assistant(model, tmp_path, settings=settings, clock=clock)
    assistant.handle("What day is it?")
    assert "2026-11-17 07:30 (Tuesday), UTC+08:00" in model.asked[0]
    assert assistant.today() == date(2026, 11, 17)


# Questions


def test_r3_08_a_question_waits_over_a_restart_and_slash_commands(tmp_path: Path) -> None:
    first = Assistant(Script(planned("buy"), ask("Which milk?")), tmp_path)
    reply = first.handle("Buy milk")
    assert (reply.kind, reply.text) == ("question", "Please confirm: Which milk?")
    before = first.pending_task()
    assert before is not None
    assert before.awaiting_clarification
    assert before.question_shown == reply.text
    assert first.handle("/todo list").kind == "command"
    assert first.handle("/nonsense").kind == "error"
    assert first.pending_task() == before
    model = Script(replanned("buy oat milk"), use("/todo add oat milk"), done(), done("Done."))
    second = Assistant(model, tmp_path)
    assert second.pending_task() == before
    reply = second.handle("Oat milk")
    assert (reply.kind, reply.text) == ("answer", "Done.")
    assert "Oat milk" in model.asked[0]


@pytest.mark.parametrize("line", ["/dry-run x", "／dry-run x", "/a_b"])
def test_r3_08_an_unknown_command_is_neither_an_answer_nor_a_task(
    tmp_path: Path, line: str
) -> None:
    assistant = Assistant(Script(planned("buy"), ask("Which milk?")), tmp_path)
    reply = assistant.handle(line)
    assert (reply.kind, assistant.tasks()) == ("error", [])
    assert reply.text.startswith("unknown command /")
    assistant.handle("Buy milk")
    before = assistant.pending_task()
    assert assistant.handle(line) == reply
    assert assistant.pending_task() == before


@pytest.mark.parametrize("phrase", ["取消当前任务", "/cancel", "cancel"])
def test_r3_08_a_waiting_task_can_be_dropped(tmp_path: Path, phrase: str) -> None:
    model = Script(planned("buy"), ask("哪种牛奶？"), planned("a"), done(), done("好的"))
    assistant = Assistant(model, tmp_path, language="zh")
    reply = assistant.handle("买牛奶")
    assert (reply.kind, reply.text) == ("question", "请确认：哪种牛奶？")
    reply = assistant.handle(phrase)
    assert (reply.kind, reply.text) == ("command", "已取消：买牛奶")
    assert assistant.tasks() == []
    assert archived(tmp_path) == [("买牛奶", "paused")]
    assert assistant.handle(phrase).text == "没有可取消的任务。"
    assert assistant.handle("燕麦奶").text == "好的", "no answer any more, but a task"


def test_u4_a_task_that_was_dropped_by_mistake_can_be_restored(tmp_path: Path) -> None:
    assistant = Assistant(Script(planned("buy"), ask("Which milk?"), done("Oat.")), tmp_path)
    assistant.handle("Buy milk")
    before = assistant.pending_task()
    assistant.handle("/cancel")
    restore_plan(tmp_path, "buy-milk")
    assert assistant.pending_task() == before
    assert assistant.handle("oat").text == "Oat."


def test_r3_08_a_goal_of_several_lines_is_shown_in_one(tmp_path: Path) -> None:
    assistant = Assistant(Script(planned("a"), ask("When?")), tmp_path)
    assistant.handle("Arrange\n  a party")
    assert assistant.handle("/plan").text.startswith("Task: Arrange a party\n")
    assert assistant.handle("/cancel").text == "Cancelled: Arrange a party"


def test_r3_08_an_answer_to_a_question_that_is_gone_becomes_no_task(tmp_path: Path) -> None:
    assistant = Assistant(Script(planned("buy"), ask("Which milk?")), tmp_path)
    assistant.handle("Buy milk")
    Assistant(store=tmp_path).handle("/cancel")  # another window
    reply = assistant.handle("Oat milk")
    assert (reply.kind, assistant.tasks()) == ("stopped", [])
    assert "no longer open" in reply.text


@pytest.mark.parametrize("phrase", ["还没完成", "not done yet"])
def test_m8_not_done_yet_begins_no_task(tmp_path: Path, phrase: str) -> None:
    model = Script(planned("a"), done(), done("Fine."))
    assistant = Assistant(model, tmp_path, max_steps=2)
    assert assistant.handle("Buy milk").kind == "answer"
    assert assistant.handle(phrase).kind == "error"
    model.answers += [planned("a"), use("/todo list"), *[use("/todo list")] * 2]
    assert assistant.handle("Look").kind == "limit"
    assert assistant.handle(phrase).kind == "limit", "only continue grants steps"
    assert [task.goal for task in assistant.tasks()] == ["Look"]
    model.answers[:] = [done(), done("Looked.")]
    assert assistant.handle("continue").text == "Looked."
    assert f"> {phrase}" in model.asked[-1]


# Limits and failures


def test_r3_05_at_the_limit_continue_goes_on_and_anything_else_is_a_new_task(
    tmp_path: Path,
) -> None:
    model = Script(planned("a"), use("/todo add one"), use("/todo add two"))
    assistant = Assistant(model, tmp_path, language="zh", max_steps=3)
    reply = assistant.handle("加两项待办")
    assert reply.kind == "limit"
    parts = ("已完成部分", "未完成原因", "下一步建议")
    assert [part for part in parts if part in reply.text] == [*parts]
    task = assistant.pending_task()
    assert task is not None
    assert (task.state, task.step_count, task.goal) == ("paused", 3, "加两项待办")
    model.answers += [planned("x"), done(), done("别的")]
    assert assistant.handle("做点别的").text == "别的"
    assert [each.goal for each in assistant.tasks()] == ["加两项待办"], "it stays listed"
    model.answers += [done(), done("两项都加了")]
    assert assistant.handle("继续").text == "两项都加了"
    assert todos(assistant) == ["one", "two"], "the action decided last runs first"
    assert assistant.tasks() == []


def test_r3_06_a_task_whose_first_plan_fails_is_dropped(tmp_path: Path) -> None:
    assistant = Assistant(Script(*NOTHING_USABLE * 3), tmp_path)
    reply = assistant.handle("Do something")
    assert reply.kind == "unavailable"
    assert "/help" in reply.text
    assert assistant.tasks() == []
    assert assistant.handle("continue").kind == "error"


def test_r3_06_a_task_that_was_planned_is_paused(tmp_path: Path) -> None:
    model = Script(planned("a"), *NOTHING_USABLE * 3)
    assistant = Assistant(model, tmp_path)
    reply = assistant.handle("Do something")
    assert reply.kind == "unavailable"
    assert reply.text.endswith("\nThe task is paused; type 'continue' to try again.")
    (task,) = assistant.tasks()
    assert task.state == "paused"
    model.answers += [planned("b"), done(), done("Other."), done(), done("First.")]
    assert assistant.handle("Do something else").text == "Other."
    assert assistant.handle("continue").text == "First."
    assert assistant.tasks() == []


def test_r3_06_a_model_that_cannot_be_reached_is_unavailable(tmp_path: Path) -> None:
    failures = [ModelFailed("model_failed", problem="no network")] * 9
    reply = Assistant(Script(*failures), tmp_path).handle("Do something")
    assert reply.kind == "unavailable"


def test_r3_07_a_setting_says_how_many_failures_are_too_many(tmp_path: Path) -> None:
    settings = Settings(assistant=AssistantSettings(most_failures=1))
    model = Script(planned("a"), *[use("/todo done 9")] * 2, done(), done("It does not work."))
    assert Assistant(model, tmp_path, settings=settings).handle("Do it").kind == "answer"
    assert "answer with ask_user or done" in model.asked[2]
    assert "too many tool runs in a row failed" in model.asked[3]


def test_r3_15_a_setting_lets_replans_be_skipped(tmp_path: Path) -> None:
    settings = Settings(assistant=AssistantSettings(skip_replans=True))
    model = Script(planned("a", "b"), done(), done(), done("Fine."))
    assert Assistant(model, tmp_path, settings=settings).handle("Do it").text == "Fine."
    assert model.answers == []


# No model


@pytest.mark.parametrize(
    ("language", "words"), [("en", "No model is configured"), ("zh", "未配置模型")]
)
def test_r3_13_without_a_model_slash_commands_work(
    tmp_path: Path, language: Language, words: str
) -> None:
    assistant = Assistant(store=tmp_path, language=language)
    assert assistant.model_name == ""
    assert assistant.handle("/todo add milk").kind == "command"
    reply = assistant.handle("Buy milk")
    assert reply.kind == "no_model"
    assert words in reply.text
    assert "OUTLAST_MODEL" in reply.text
    assert "Assistant(NAME)" in reply.text
    assert assistant.tasks() == [], "nothing is begun"


def test_r3_13_a_model_that_cannot_be_used_is_explained(tmp_path: Path) -> None:
    assistant = Assistant("nonsense:x", tmp_path)
    assert assistant.model_name == "nonsense:x"
    assert assistant.handle("/todo list").kind == "command"
    reply = assistant.handle("Buy milk")
    assert reply.kind == "no_model"
    assert "anthropic:NAME" in reply.text


def test_r3_13_the_model_of_the_settings_is_used(tmp_path: Path) -> None:
    settings = Settings()
    assert Assistant(store=tmp_path, settings=settings).model_name == settings.loop.model


# Slash commands


def test_r3_10_slash_commands_answer_as_before(tmp_path: Path) -> None:
    assistant = Assistant(store=tmp_path, language="zh")
    assert "1" in assistant.handle("/todo add 买牛奶 --tag 家 --due 2030-01-02 09:00").text
    assert "买牛奶" in assistant.handle("/view all").text
    assert "2030-01-02 09:00" in assistant.handle("/todo get 1").text
    assert assistant.handle("/schedule add 2030-01-02 10:00 牙医").kind == "command"
    assert "牙医" in assistant.handle("/schedule view day 2030-01-02").text
    reply = assistant.handle("/todo add")
    assert reply.kind == "error"
    assert "/todo add TEXT" in reply.text


def test_r3_10_plan_and_help(tmp_path: Path) -> None:
    assistant = Assistant(Script(planned("buy", "carry"), ask("Which milk?")), tmp_path)
    assert assistant.handle("/plan").text == "There is no unfinished task."
    assistant.handle("Buy milk")
    page = assistant.handle("/plan").text.splitlines()
    assert page[:3] == ["Task: Buy milk", "◐ buy", "○ carry"]
    assert page[-1] == "Waits for your answer: Which milk?"
    page_of_help = assistant.handle("/help").text
    assert "/schedule repeat ID on|off" in page_of_help
    assert f"cd {tmp_path} && outlast list --archived" in page_of_help


def test_r3_10_help_tells_where_the_database_is(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/tasks.db"
    page = Assistant(store=url).handle("/help").text
    assert page.endswith(f"Todos, appointments and tasks are in {url}"), "nobody can go into it"


def test_r3_10_plan_lists_the_other_tasks_too(tmp_path: Path) -> None:
    model = Script(planned("a"), use("/todo list"), planned("b"), use("/todo list"))
    assistant = Assistant(model, tmp_path, max_steps=1)
    assistant.handle("First")
    assistant.handle("Second")
    page = assistant.handle("/plan").text
    assert page.startswith("Task: Second\n")
    assert page.splitlines()[-4:] == [
        "Paused; type 'continue' to go on",
        "",
        "Other unfinished tasks; their turn comes when the one above is finished or cancelled:",
        "- First (paused)",
    ]


@pytest.mark.parametrize("line", ["", "   ", "\n"])
def test_nothing_typed_is_no_task(tmp_path: Path, line: str) -> None:
    assert Assistant(store=tmp_path).handle(line).kind == "error"


def test_continue_without_a_task_says_so(tmp_path: Path) -> None:
    reply = Assistant(Script(), tmp_path, language="zh").handle("继续")
    assert (reply.kind, reply.text) == ("error", "没有可以继续的任务。请说明要做什么。")


def test_only_text_can_be_handled(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument):
        Assistant(store=tmp_path).handle(5)  # type: ignore[arg-type]


# Review


def test_x7_with_review_a_person_approves_each_change_of_the_plan(tmp_path: Path) -> None:
    model = Script(planned("look", "buy"), done(), replanned("buy oat milk"))
    assistant = Assistant(model, tmp_path, review=True)
    reply = assistant.handle("Buy milk")
    assert reply.kind == "question"
    assert "buy oat milk" in reply.text
    task = assistant.pending_task()
    assert task is not None
    assert (task.question_shown, task.plan_items) == (reply.text, ["look", "buy"])
    page = assistant.handle("/plan").text.splitlines()
    assert page[-len(reply.text.splitlines()) + 1 :] == reply.text.splitlines()[1:]
    model.answers += [replanned("buy soy milk")]
    reply = assistant.handle("rather soy milk")
    assert reply.kind == "question"
    assert "rather soy milk" in model.asked[-1]
    model.answers += [done(), done("Bought.")]
    assert assistant.handle("approve").text == "Bought."


# Reminders


def test_r3_10_reminders_that_fall_due_are_given_once(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 11, 16, 8, tzinfo=UTC))
    assistant = Assistant(store=tmp_path, clock=clock, zone=UTC)
    assert assistant.reminders() == ()
    assistant.handle("/todo add milk --due 2026-11-16 10:00 --remind 2026-11-16 09:00")
    clock.advance(3600)
    (line,) = assistant.reminders()
    assert "milk" in line
    assert Assistant(store=tmp_path, clock=clock, zone=UTC).reminders() == ()


def test_r3_10_tables_keep_to_the_width_of_the_terminal(tmp_path: Path) -> None:
    assistant = Assistant(store=tmp_path, width=lambda: 30)
    assistant.handle(f"/todo add {'milk ' * 20}")
    assert max(map(len, assistant.handle("/todo list").text.splitlines())) <= 30
