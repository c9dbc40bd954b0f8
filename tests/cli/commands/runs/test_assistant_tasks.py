"""R3.17, U8: the tasks of the assistant are plans, which all commands can look at."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from outlast import Assistant
from tests.agent.loops.replan_loop.replies import Script, ask, done, planned, replanned, use
from tests.cli.agent_scripts import isolated_home, model, turn
from tests.cli.processes import environment, outlast, stdout_of


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The directory of an assistant with a task that waits and one that is over."""
    store = tmp_path / "my tasks"
    first = Script(planned("a"), done(), done("Hello."))
    assert Assistant(first, store).handle("Say hello").text == "Hello."
    second = Script(
        planned("look", "buy"), use("/todo list"), done(), replanned("buy"), ask("Which milk?")
    )
    assert Assistant(second, store).handle("Buy milk").kind == "question"
    return store


def test_u8_the_command_that_help_names_shows_the_tasks(here: Path) -> None:
    page = Assistant(store=here).handle("/help").text
    match = re.search("cd .*", page)
    assert match is not None
    command = match[0].replace("outlast", "python -m outlast")
    shown = subprocess.run(  # noqa: S602 - as a person would
        command,
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        env=environment(**isolated_home(here)),
    ).stdout
    assert "Say hello" in shown
    assert "Buy milk" in shown
    assert "Which milk?" in shown


def test_u3_a_task_goes_on_with_its_own_tools_when_it_is_resumed_elsewhere(here: Path) -> None:
    turns = [
        turn("Decide what remains", say=json.dumps(replanned("buy oat milk"))),
        turn("Added todo 1", say=json.dumps(ask("How much?"))),
        turn(say=json.dumps(use("/todo add oat milk"))),
    ]
    variables = isolated_home(here)
    stdout_of(here, "answer", "Oat milk", "--plan", "buy-milk", **variables)
    chosen = ("resume", "--model", model(here, turns), "--plan", "buy-milk")
    shown = outlast(here, *chosen, **variables)
    assert "How much?" in shown.stdout, shown.stderr
    assistant = Assistant(Script(replanned("end"), done(), done("Two bottles.")), here)
    assert [todo.text for todo in assistant.agenda.todos().values()] == ["oat milk"]
    with_memory = stdout_of(here, "show", "--plan", "buy-milk", "--json", **variables)
    assert json.loads(with_memory)["ok"]
    task = assistant.pending_task()
    assert task is not None
    assert task.question_shown == "Please confirm: How much?"
    assert assistant.handle("Two").text == "Two bottles."


def test_u2_a_workspace_does_not_show_the_tasks(here: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    variables = isolated_home(here) | {"XDG_DATA_HOME": str(here.parent)}
    stdout_of(project, "new", "Ship it", **variables)
    listed = outlast(project, "list", **variables).stdout
    assert "ship-it" in listed
    assert "milk" not in listed
