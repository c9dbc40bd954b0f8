"""A13: the agent answers for the person, or undoes what the person said."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import TYPE_CHECKING, TypeVar

import pytest

from outlast import AgentLoop, Check, create_plan, open_plan
from outlast.agent.events import CallEnded, CallRefused
from outlast.agent.tools.choice import built_in_tools
from outlast.errors import InvalidStatus
from outlast.model.changes import QuestionAnswered, RefusalNoted
from outlast.model.commands import AnswerQuestion
from outlast.model.execute import return_commit
from outlast.models import Call
from outlast.system.caller import MARK
from outlast.testing import ScriptedModel, Turn
from tests.attacks import answering_process
from tests.cli.processes import outlast

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from outlast import Plan
    from outlast.agent.events import Event
    from outlast.model.model import Question

T = TypeVar("T", QuestionAnswered, RefusalNoted)
PATIENCE = 100.0
REMOVE = Call("bash", {"command": "rm -rf src"})


class Person:
    """A person at the terminal: something happens elsewhere while they think, then they answer."""

    def __init__(
        self, root: Path, words: str | None, meanwhile: Callable[[Plan, int], None]
    ) -> None:
        self._root, self._words, self._meanwhile = root, words, meanwhile

    async def answer(self, question: Question) -> str | None:
        await asyncio.to_thread(self._think, question.id)
        return self._words

    def _think(self, question: int) -> None:
        with open_plan(self._root, "k", actor="human") as elsewhere:
            self._meanwhile(elsewhere, question)


def run_agent(root: Path, person: Person, before: str = "") -> list[Event]:
    """Let an agent remove the sources, after another command if one is given."""
    (root / "src").mkdir()
    (root / "src/main.py").write_text("print()\n")
    events: list[Event] = []
    script = [Turn("Not allowed", "I stop."), Turn("(no output)", "Done."), Turn(calls=(REMOVE,))]
    if before:
        first = Call("bash", {"command": f"{before}; echo begun"})
        script[-1:] = [Turn("begun", calls=(REMOVE,)), Turn(calls=(first,))]
    agent = AgentLoop(
        model=ScriptedModel(script),
        tools=built_in_tools(str(root), allow_outside=True),
        workdir=root,
        key="k",
        on_event=events.append,
        person=person,
        max_iterations=4,
    )
    asyncio.run(agent.run("Clean up"))
    return events


def recorded(root: Path, kind: type[T]) -> list[T]:
    """Return the changes of a kind, oldest first."""
    with open_plan(root, "k", actor="human") as plan:
        commits = plan.history.commits(1_000)[::-1]
    return [change for commit in commits for change in commit.changes if isinstance(change, kind)]


def assert_refused(root: Path, events: list[Event], note: str) -> None:
    assert (root / "src/main.py").exists()
    [refused] = [event for event in events if isinstance(event, CallRefused)]
    assert (refused.call.name, refused.by, refused.reason) == ("bash", "permission", note)
    ended = [event for event in events if isinstance(event, CallEnded)][-1]
    assert ended.error.startswith("Not allowed")
    [noted] = recorded(root, RefusalNoted)
    assert (noted.by, noted.note) == ("permission", note)
    assert "rm -rf src" in noted.what


def say_yes_elsewhere(plan: Plan, question: int) -> None:
    with pytest.raises(InvalidStatus, match="where the agent runs"):
        plan.questions.answer("yes", question)


def forge_yes(plan: Plan, question: int) -> None:
    """Answer as only the process that asked should."""
    command = AnswerQuestion("yes", "human", question, by_asker=True)
    plan.core.commit((command,), return_commit)


def say_no_elsewhere(plan: Plan, question: int) -> None:
    plan.questions.answer("no, not now", question)


@pytest.mark.parametrize("attack", [say_yes_elsewhere, forge_yes])
@pytest.mark.parametrize("words", ["no", "no, wait", "", None])
def test_a13_a_yes_from_elsewhere_changes_nothing_about_what_the_person_says(
    tmp_path: Path, attack: Callable[[Plan, int], None], words: str | None
) -> None:
    events = run_agent(tmp_path, Person(tmp_path, words, attack))
    assert_refused(tmp_path, events, words or "(no answer)")
    assert recorded(tmp_path, QuestionAnswered)[-1].answer == (words or "(no answer)")


@pytest.mark.parametrize("words", ["yes", "always", None])
def test_a13_a_no_from_elsewhere_counts_whatever_the_person_here_says(
    tmp_path: Path, words: str | None
) -> None:
    events = run_agent(tmp_path, Person(tmp_path, words, say_no_elsewhere))
    assert_refused(tmp_path, events, "no, not now")
    assert [change.answer for change in recorded(tmp_path, QuestionAnswered)] == ["no, not now"]


def test_a13_the_persons_own_yes_still_counts(tmp_path: Path) -> None:
    for attack in (say_yes_elsewhere, forge_yes):
        root = tmp_path / attack.__name__
        root.mkdir()
        events = run_agent(root, Person(root, "yes", attack))
        assert not (root / "src").exists()
        assert not any(isinstance(event, CallRefused) for event in events)


@pytest.mark.skipif(sys.platform != "linux", reason="the process leaves its tool as on Linux")
def test_a13_a_process_left_behind_cannot_say_yes_before_the_person_says_no(tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes"

    def think(_plan: Plan, _question: int) -> None:
        end, seen = time.monotonic() + PATIENCE, len(attempts())
        while len(attempts()) < seen + 2 and time.monotonic() < end:
            time.sleep(0.05)

    def attempts() -> list[str]:
        return outcomes.read_text().split("\n\n") if outcomes.exists() else []

    command = (sys.executable, answering_process.__file__, str(outcomes))
    (tmp_path / "w.py").write_text(f"import os\nos.execv({command[0]!r}, {command!r})\n")
    try:
        events = run_agent(tmp_path, Person(tmp_path, "no", think), "python3 w.py")
    finally:
        (tmp_path / "stop").touch()
    assert "say yes where the agent runs" in outcomes.read_text(), "the attack was tried"
    assert_refused(tmp_path, events, "no")
    assert [change.answer for change in recorded(tmp_path, QuestionAnswered)] == ["no"]


def test_a13_inside_a_tool_the_command_line_is_no_person(tmp_path: Path) -> None:
    inside = {f"{MARK}0a1b": "1"}
    with create_plan(tmp_path, "Ask", "k", actor="human") as plan:
        plan.add("one", checks=[Check("person", "it looks right")])
        plan.questions.ask("Which port?")
    refused = [
        ("answer", "80"),
        ("check", "1", "--confirm"),
        ("check", "1", "--approve"),
        ("done", "1", "--force"),
        ("reset", "--yes"),
        ("done", "1", "--as", "human"),
        ("answer", "80", "--as", "human"),
    ]
    for words in refused:
        ended = outlast(tmp_path, *words, **inside)
        assert ended.returncode != 0, words
    assert outlast(tmp_path, "start", "1", **inside).returncode == 0
    with open_plan(tmp_path, "k", actor="human") as plan:
        assert plan.task(1).actor == "agent"
        assert plan.task(1).status == "in_progress"
        assert [question.answer for question in plan.questions.open()] == [None]
    assert outlast(tmp_path, "answer", "80").returncode == 0


def test_a13_an_agent_does_not_undo_the_checks_that_a_person_gave(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Work", "k", actor="human") as plan:
        plan.add("one")
    assert outlast(tmp_path, "edit", "1", "--check", "test -f work.txt").returncode == 0
    undone = outlast(tmp_path, "undo", "--as", "agent")
    assert undone.returncode != 0
    assert "an agent can undo only its own commits" in undone.stderr
    assert outlast(tmp_path, "done", "1", "--as", "agent").returncode != 0
    with open_plan(tmp_path, "k", actor="agent") as agent:
        own = agent.add("two", checks=[Check("command", "true")])
        with pytest.raises(InvalidStatus) as caught:
            agent.undo()
        assert (caught.value.code, caught.value.text) == ("INVALID_STATUS", "undo_of_checks")
        assert agent.task(own.id).checks
        agent.add("three")
        agent.undo()
        assert len(agent.tasks()) == 2
    assert outlast(tmp_path, "undo", "3").returncode == 0


def test_a13_the_environment_of_a_tool_has_the_mark(tmp_path: Path) -> None:
    shown = asyncio.run(built_in_tools(str(tmp_path))[-1].run({"command": "env"}))
    assert any(line.startswith(MARK) for line in shown.splitlines())
    assert not any(name.startswith(MARK) for name in os.environ)
