"""R3.08, R3.17, F4: tasks outlast their process, and several processes share one store."""

import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from outlast import Assistant, create_plan, open_plan
from outlast.assistant.tasks import TaskPlans
from outlast.errors import InvalidStatus
from outlast.plans import list_archived
from tests.agent.loops.replan_loop.replies import Script, ask, done, planned, replanned, use
from tests.assistant.killed import ANSWERS, GOAL

ROOT = Path(__file__).parents[2]


def todos(assistant: Assistant) -> list[str]:
    return [todo.text for todo in assistant.agenda.todos().values()]


PLACES = {
    "0": (ANSWERS, "not even planned"),
    "1": (ANSWERS[1:], "before the first thought"),
    "before": (ANSWERS[2:], "the action had no effect: it runs again"),
    "after": (ANSWERS[2:], "the action had its effect: it does not run again"),
    "2": (ANSWERS[2:], "after the tool run"),
    "3": (ANSWERS[3:], "before the replan"),
}


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the stores of assistants that were killed, by the place of their death."""
    directory = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-m", "tests.assistant.killed", str(directory), *PLACES, "01", "end"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)  # noqa: S603 - our own program
    return directory


@pytest.mark.parametrize("place", PLACES)
def test_f4_a_killed_turn_goes_on_and_doubles_nothing(killed: Path, place: str) -> None:
    rest, state = PLACES[place]
    model = Script(*rest)
    assistant = Assistant(model, killed / place)
    task = assistant.pending_task()
    assert task is not None
    assert (task.state, task.goal) == ("interrupted", GOAL)
    steps = task.step_count
    reply = assistant.handle("continue")
    assert (reply.kind, reply.text) == ("answer", "Added milk."), state
    assert todos(assistant) == ["milk"], state
    assert model.answers == []
    assert steps <= 5
    assert assistant.tasks() == []


def test_f4_after_a_kill_any_other_input_is_a_new_task(killed: Path) -> None:
    assistant = Assistant(Script(planned("x"), done(), done("Hello.")), killed / "01")
    assert assistant.handle("Say hello").text == "Hello."
    assert [task.goal for task in assistant.tasks()] == [GOAL]
    assert assistant.handle("/cancel").text == f"Cancelled: {GOAL}"
    assert assistant.tasks() == []


def test_f4_an_answer_that_nobody_has_read_is_given_after_a_restart(killed: Path) -> None:
    assistant = Assistant(store=killed / "end", language="zh")
    assert assistant.tasks() == []
    assert assistant.missed_answers() == (f"已完成：{GOAL}\nAdded milk.",)
    assert assistant.missed_answers() == ()
    assert [plan.condition for plan in list_archived(killed / "end")] == ["completed"]


def test_r3_08_a_task_that_another_process_works_on_is_left_alone(tmp_path: Path) -> None:
    replies: list[tuple[str, str]] = []

    async def meanwhile() -> object:
        """What a second window can do while the first one works."""
        model = Script(planned("y"), done(), done("Other."))
        other = Assistant(model, tmp_path)
        task = other.pending_task()
        assert task is not None
        assert task.state == "working"
        for line in ("continue", "/cancel", "Do something else"):
            reply = await other.ahandle(line)
            replies.append((reply.kind, reply.text))
        return planned("a")

    assistant = Assistant(Script(meanwhile, done(), done("Fine.")), tmp_path)
    assert assistant.handle("Do it").text == "Fine."
    elsewhere = "Another process is working on this task. Wait for it, or stop it there."
    assert replies == [("error", elsewhere), ("error", elsewhere), ("answer", "Other.")]
    assert sorted(plan.goal for plan in list_archived(tmp_path)) == ["Do it", "Do something else"]


def test_r3_08_of_two_answers_to_one_question_the_first_counts(tmp_path: Path) -> None:
    replies: list[tuple[str, str]] = []
    first = Assistant(Script(planned("buy"), ask("Which milk?")), tmp_path)
    first.handle("Buy milk")

    async def meanwhile() -> object:
        reply = await first.ahandle("soy")
        replies.append((reply.kind, reply.text))
        return replanned("buy oat milk")

    model = Script(meanwhile, use("/todo add oat milk"), done(), done("Oat it is."))
    second = Assistant(model, tmp_path)
    assert second.handle("oat").text == "Oat it is."
    gone = (
        "Your input was not used: its question is no longer open, because it was answered or "
        "cancelled elsewhere."
    )
    assert replies == [("stopped", gone)]


def test_r3_08_an_answer_is_not_taken_for_one_to_a_later_question(tmp_path: Path) -> None:
    first = Assistant(Script(planned("buy"), ask("Which milk?")), tmp_path)
    first.handle("Buy milk")
    second = Assistant(Script(replanned("buy"), ask("How much?"), done("Bought.")), tmp_path)
    second.handle("oat")
    reply = first.handle("soy")
    gone = (
        "Your input was not used: its question is no longer open, because it was answered or "
        "cancelled elsewhere."
    )
    assert (reply.kind, reply.text) == ("question", f"{gone}\nPlease confirm: How much?")
    task = second.pending_task()
    assert task is not None
    assert [each.answer for each in task.clarification_history] == ["oat"]
    assert second.handle("one litre").text == "Bought."


def test_r3_08_several_questions_are_answered_by_those_who_were_asked(tmp_path: Path) -> None:
    second = Assistant(Script(planned("b"), ask("B?"), done("Second.")), tmp_path)

    async def ask_too() -> object:
        assert (await second.ahandle("Second task")).kind == "question"
        return ask("A?")

    first = Assistant(Script(planned("a"), ask_too, done("First.")), tmp_path)
    assert first.handle("First task").text == "Please confirm: A?"
    task = second.pending_task()
    assert task is not None
    assert task.goal == "Second task"
    assert second.handle("b").text == "Second."
    assert first.handle("a").text == "First."


def test_f4_a_task_that_another_process_is_about_to_begin_is_left_to_it(tmp_path: Path) -> None:
    key = TaskPlans(str(tmp_path), "en").create("Buy milk")
    assistant = Assistant(Script(), tmp_path)
    assert assistant.tasks() == []
    assert assistant.handle("continue").kind == "error"
    assert key == "buy-milk"


@pytest.mark.parametrize("is_archived", [True, False])
@pytest.mark.parametrize("line", ["oat milk", "continue"])
def test_f4_a_task_that_ends_elsewhere_meanwhile_is_not_begun_again(
    tmp_path: Path, line: str, *, is_archived: bool
) -> None:
    Assistant(Script(planned("buy"), ask("Which milk?")), tmp_path).handle("Buy milk")

    def end_task() -> datetime:
        """Be quicker, in another process: it is asked for the time right before the lease."""
        if is_archived:
            Assistant(store=tmp_path).handle("/cancel")
        else:
            with open_plan(tmp_path, "buy-milk") as plan, suppress(InvalidStatus):
                plan.abort()  # once
        return datetime.now(UTC)

    if line == "continue":
        with open_plan(tmp_path, "buy-milk") as plan:
            plan.questions.answer("oat")
    reply = Assistant(Script(), tmp_path, clock=end_task).handle(line)
    gone = "The task is not there any more: it was finished or dropped elsewhere."
    assert (reply.kind, reply.text) == ("stopped", gone)
    assert Assistant(store=tmp_path).tasks() == []


# Where tasks are


def test_u2_the_plans_of_others_are_no_tasks(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it") as plan:
        plan.add("build")
        plan.pause()
    assistant = Assistant(Script(), tmp_path)
    assert assistant.tasks() == []
    assert assistant.handle("continue").kind == "error"
    assert assistant.handle("/cancel").text == "There is no task to cancel."
    with open_plan(tmp_path, "ship-it") as plan:
        assert plan.status == "paused"


def test_r3_10_slash_commands_work_whatever_has_become_of_the_tasks(tmp_path: Path) -> None:
    (tmp_path / ".outlast").write_text("no directory")
    assistant = Assistant(Script(), tmp_path)
    assert assistant.handle("/todo add milk").kind == "command"
    assert assistant.handle("Do it").kind == "error"


def test_r3_10_tasks_are_in_the_data_directory_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    assistant = Assistant(Script(planned("a"), ask("Really?")))
    assistant.handle("/todo add milk")
    assistant.handle("Do it")
    where = tmp_path / "data" / "outlast"
    assert (where / "agenda.db").is_file()
    assert [path.name for path in (where / ".outlast" / "plans").iterdir()] == ["do-it"]
    assert where.stat().st_mode & 0o077 == 0
    assert not (tmp_path / ".outlast").exists(), "the project has nothing of it"


def test_u2_a_database_holds_the_tasks_as_well(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/tasks.db"
    first = Assistant(Script(planned("buy"), ask("Which milk?")), url)
    assert first.handle("Buy milk").kind == "question"
    assert first.handle("/todo add milk").kind == "command"
    second = Assistant(Script(done("Oat.")), url)
    assert second.handle("oat").text == "Oat."
    assert todos(second) == ["milk"]
    assert second.tasks() == []
