"""A13: whose an edit is: a person's, or nobody's if a tool ran; and what a person says about it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outlast import Check, NewTask, open_plan
from outlast.agent.events import Asked, Notified
from outlast.context.chat_model import Reply, Usage
from outlast.errors import InvalidArgument, ProofNeeded
from outlast.model.changes import QuestionAnswered, TaskCompleted
from outlast.model.commands import EndAttempt
from outlast.model.execute import return_commit
from outlast.model.model import PERSON, UNATTRIBUTED
from outlast.models import Call
from outlast.tools import as_tool
from tests.attacks import edited_plan
from tests.attacks.edited_plan import (
    FILE,
    FOLDER,
    TICK,
    bash,
    edit_questions,
    history,
    make_plan,
    run_agent,
)
from tests.cli.processes import json_of, outlast, stdout_of
from tests.fake_model import FakeModel, ModelRequest

if TYPE_CHECKING:
    from outlast.model.model import Attempt, Question
    from outlast.model.state import PlanState

PATIENCE = 100.0
REPOSITORY = Path(__file__).parents[2]


class Person:
    """A person at the terminal, who answers the same to everything."""

    def __init__(self, words: str) -> None:
        self.asked: list[Question] = []
        self._words = words

    async def answer(self, question: Question) -> str | None:
        self.asked.append(question)
        return self._words


def change(root: Path, old: str, new: str, name: str = FILE) -> None:
    path = root / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def tick_review(root: Path) -> None:
    change(root, "[ ] ○ **2** Review", "[x] ● **2** Review")


def author_of(root: Path, task: int) -> str:
    """Return who completed a task."""
    authors = [
        commit.author
        for commit in history(root)
        for made in commit.changes
        if isinstance(made, TaskCompleted) and made.id == task
    ]
    return authors[-1] if authors else ""


def test_a13_ordinary_edits_during_a_call_apply_as_nobodys(tmp_path: Path) -> None:
    make_plan(tmp_path)
    rename = f"sed -i 's/Rest/Break/' {FILE}"
    tick = f"sed -i 's/- .*Build/- [x] ● **1** Build/' {FILE}"
    more = f"sed -i 's/^- .*Break.*/&\\n- [ ] Clean up/' {FILE}"
    run_agent(tmp_path, bash(f"{rename}; {tick}; {more}"))
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(5).name == "Break"
        assert plan.task(1).status == "completed"
        assert plan.task(6).name == "Clean up"
        assert plan.questions.open() == ()
    assert author_of(tmp_path, 1) == UNATTRIBUTED
    log = stdout_of(tmp_path, "log")
    [line] = [line for line in log.splitlines() if "completed 1 Build" in line]
    assert "unattributed (during a tool call)  " in line
    assert "because: task_plan.md" in log
    assert "作者不明（工具运行期间）" in stdout_of(tmp_path, "log", "--lang", "zh")


def test_a13_notes_that_change_during_a_call_are_nobodys(tmp_path: Path) -> None:
    make_plan(tmp_path)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.notes.add_finding("insight", "It is blue", "seen")
        plan.files.render()
    notes, deliverable = f"{FOLDER}/findings.md", f"{FOLDER}/deliverable.md"
    run_agent(
        tmp_path, bash(f"sed -i 's/It is blue/It is red/' {notes}; echo Mine > {deliverable}")
    )
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        [finding] = plan.notes.findings()
        assert finding.title == "It is red"
        assert plan.questions.open() == ()
    authors = {commit.author for commit in history(tmp_path) if commit.reason.endswith(".md")}
    assert authors == {UNATTRIBUTED}


def test_a13_an_edit_from_before_the_call_is_the_persons(tmp_path: Path) -> None:
    first = make_plan(tmp_path)

    def edit(_request: ModelRequest) -> None:
        if len(model.requests) == 1:
            time.sleep(0.1)  # while the model thinks
            tick_review(tmp_path)

    replies = [Reply("", (bash("sleep 0.2"),), Usage(9, 1)), Reply("Done.", (), Usage(9, 1))]
    model = FakeModel(replies, on_request=edit)
    run_agent(tmp_path, bash("sleep 0.2"), model=model)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(2).how == "proved"
        assert plan.questions.open() == ()
    assert author_of(tmp_path, 2) == PERSON
    [tick] = [commit for commit in history(tmp_path) if commit.author == PERSON][first:]
    assert tick.reason == "task_plan.md"


def test_a13_another_terminal_sees_that_a_call_is_running(tmp_path: Path) -> None:
    make_plan(tmp_path)
    shown: list[str] = []

    @as_tool
    def work() -> str:
        """Work while a person looks at the plan from another terminal."""
        tick_review(tmp_path)
        shown.append(outlast(tmp_path, "show").stdout)
        return "worked"

    run_agent(tmp_path, Call("work", {}), tools=[work])
    assert "task_plan.md was changed while the agent's work ran" in shown[0]
    assert "● 2 Review" not in shown[0]
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "pending"
        assert len(edit_questions(plan)) == 1


def test_a13_a_tool_that_fails_is_looked_after_too(tmp_path: Path) -> None:
    make_plan(tmp_path)

    @as_tool
    def work() -> str:
        """Tick and fail."""
        tick_review(tmp_path)
        raise ValueError

    run_agent(tmp_path, Call("work", {}), tools=[work])
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "pending"
        assert len(edit_questions(plan)) == 1


def test_a13_an_edit_after_a_cancelled_call_is_asked_about_until_it_is_settled(
    tmp_path: Path,
) -> None:
    make_plan(tmp_path)

    @as_tool
    async def work() -> str:
        """Tick, and never end."""
        change(tmp_path, "○ **5** Rest", "○ **5** Break")
        change(tmp_path, "[x] ● **4** Decide", "[ ] ○ **4** Decide")
        await asyncio.sleep(PATIENCE)
        return ""

    with pytest.raises(TimeoutError):
        run_agent(tmp_path, Call("work", {}), tools=[work], seconds=1.0)
    tick_review(tmp_path)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert [attempt.kind for attempt in plan.core.read(open_attempts)] == ["act"]
        assert (plan.task(5).name, plan.task(4).status) == ("Break", "completed")
        assert plan.task(2).status == "pending"
        assert len(edit_questions(plan)) == 2, "the tool's and the person's"
    assert_settled_edits_are_the_persons(tmp_path)


def assert_settled_edits_are_the_persons(root: Path) -> None:
    """Settle the open call, and change the goal in the file."""
    with open_plan(root, "k", actor=PERSON) as plan:
        [attempt] = plan.core.read(open_attempts)
        plan.core.commit((EndAttempt(attempt.id, "done", "person"),), return_commit)
        asked = edit_questions(plan)
        plan.files.render()
    change(root, "Objective:** Ship", "Objective:** Sail")
    with open_plan(root, "k", actor=PERSON) as plan:
        assert plan.goal == "Sail"
        assert edit_questions(plan) == asked
        assert plan.history.commits(1)[0].author == PERSON


def open_attempts(state: PlanState) -> list[Attempt]:
    return [*state.ledger.attempts.values()]


def test_a13_a_check_that_runs_what_an_agent_wrote_confirms_nothing(tmp_path: Path) -> None:
    make_plan(tmp_path)
    (tmp_path / "tick.sh").write_text(f"touch made.txt; {TICK}\n")
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.add("Prove", checks=[Check("command", "sh tick.sh")])
    assert outlast(tmp_path, "done", "6").returncode == 0
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "pending"
        [question] = edit_questions(plan)
        assert "while the agent's check ran" in question.text
        assert plan.task(6).how == "proved"


def test_a13_a_tick_whose_check_ticks_another_task_confirms_only_itself(tmp_path: Path) -> None:
    make_plan(tmp_path)
    (tmp_path / "tick.sh").write_text(f"{TICK}\n")
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.add("Prove", checks=[Check("command", "sh tick.sh")])
    change(tmp_path, "[ ] ○ **6** Prove", "[x] ● **6** Prove")
    for _ in range(2):
        with open_plan(tmp_path, "k", actor=PERSON) as plan:
            assert plan.task(6).how == "proved"
            assert plan.task(2).status == "pending"
    assert author_of(tmp_path, 6) == PERSON


# What the person says


def ticked(root: Path) -> int:
    """Let a tool tick what only a person may; return the number of the question."""
    make_plan(root)
    run_agent(root, bash(f"{TICK}; sed -i 's/Objective:\\*\\* Ship/Objective:** Sail/' {FILE}"))
    with open_plan(root, "k", actor=PERSON) as plan:
        [question] = edit_questions(plan)
        return question.id


def test_a13_a_yes_applies_the_edit_as_the_persons(tmp_path: Path) -> None:
    number = ticked(tmp_path)
    comment = "<!-- outlast: not applied: - [x] ● Review -->"
    assert comment in (tmp_path / FILE).read_text()
    answered = outlast(tmp_path, "answer", str(number), "yes")
    assert (answered.returncode, answered.stderr) == (0, "")
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert (plan.task(2).status, plan.task(2).how) == ("completed", "proved")
        assert plan.goal == "Sail"
        assert plan.questions.open() == ()
    assert author_of(tmp_path, 2) == PERSON
    assert comment not in (tmp_path / FILE).read_text()


def test_a13_a_no_drops_the_edit_and_the_log_says_so(tmp_path: Path) -> None:
    number = ticked(tmp_path)
    answered = json_of(tmp_path, "answer", str(number), "no")
    assert answered["question"]["answer"] == "no"
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert (plan.task(2).status, plan.goal) == ("pending", "Ship")
        assert plan.questions.open() == ()
    log = stdout_of(tmp_path, "log", "-n", "3")
    assert f"human (mira)  answered question {number}: no" in log
    assert "because: task_plan.md: Sail - [x] ● Review" in log


def test_a13_an_unclear_answer_leaves_the_question_open(tmp_path: Path) -> None:
    number = ticked(tmp_path)
    refused = outlast(tmp_path, "answer", str(number), "perhaps")
    hint = '"perhaps" does not answer question 1: answer yes (y) or no (n)'
    assert (refused.returncode, refused.stderr) == (2, f"outlast: {hint}\n")
    with (
        open_plan(tmp_path, "k", actor="agent") as agent,
        pytest.raises(InvalidArgument, match="only a person"),
    ):
        agent.questions.answer("yes", number)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert [question.id for question in edit_questions(plan)] == [number]


def test_a13_a_yes_that_cannot_apply_yet_leaves_the_question_open(tmp_path: Path) -> None:
    make_plan(tmp_path)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.update(2, checks=[Check("person", "it looks right"), Check("command", "test -f ok")])
    run_agent(tmp_path, bash(TICK))
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        with pytest.raises(ProofNeeded):
            plan.questions.answer("yes")
        assert plan.task(2).status != "completed"
        (tmp_path / "ok").touch()
        plan.questions.answer("yes")
        assert plan.task(2).how == "proved"
        assert plan.questions.open() == ()


def test_a13_a_yes_to_what_has_come_true_meanwhile_only_closes_the_question(tmp_path: Path) -> None:
    number = ticked(tmp_path)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.complete(2, "seen myself")
        plan.questions.answer("yes", number)
        assert (plan.task(2).result, plan.goal) == ("seen myself", "Sail")


def test_a13_a_file_that_looks_like_a_mistake_waits_as_a_whole(tmp_path: Path) -> None:
    make_plan(tmp_path)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.add_all([NewTask(f"Extra {number}") for number in range(4)])
    run_agent(tmp_path, bash(f"sed -i '/Extra/d; /<!-- outlast r/d' {FILE}; {TICK}"))
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert len(plan.tasks()) == 9
        [question] = edit_questions(plan)
        assert "looks like a mistake" in question.text
        assert "Extra 3" in (tmp_path / FILE).read_text(), "the file shows the plan meanwhile"
        plan.questions.answer("yes")
        assert (len(plan.tasks()), plan.task(2).status) == (5, "completed")
    assert "Extra 3" not in (tmp_path / FILE).read_text()
    assert author_of(tmp_path, 2) == PERSON
    assert len([*(tmp_path / FOLDER).glob("task_plan.md.edited-*")]) == 1


@pytest.mark.parametrize(("words", "status"), [("yes", "completed"), ("no", "pending")])
def test_a13_the_person_at_the_terminal_is_asked_once(
    tmp_path: Path, words: str, status: str
) -> None:
    make_plan(tmp_path)
    person = Person(words)
    events = run_agent(tmp_path, bash(TICK), bash("true"), bash("true"), person=person)
    [question] = person.asked
    assert question.text.startswith("task_plan.md was changed while the agent's bash ran:\n  line ")
    assert [event.question.id for event in events if isinstance(event, Asked)] == [question.id]
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(2).status == status
        assert plan.questions.open() == ()
    assert [
        (commit.author, made.answer, made.by)
        for commit in history(tmp_path)
        for made in commit.changes
        if isinstance(made, QuestionAnswered)
    ] == [(PERSON, words, PERSON)]


def test_a13_the_person_at_the_terminal_is_told_why_a_yes_is_not_applied(tmp_path: Path) -> None:
    make_plan(tmp_path)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.update(2, checks=[Check("person", "it looks right"), Check("command", "test -f ok")])
    person = Person("yes")
    events = run_agent(tmp_path, bash(TICK), person=person)
    assert len(person.asked) == 1
    notices = [event.text for event in events if isinstance(event, Notified)]
    assert len([notice for notice in notices if "test -f ok" in notice]) == 1
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert len(edit_questions(plan)) == 1


def test_x8_the_person_is_asked_in_their_language(tmp_path: Path) -> None:
    make_plan(tmp_path)
    person = Person("是")
    run_agent(tmp_path, bash(TICK), person=person, language="zh")
    assert person.asked[0].text.endswith("是您做的更改吗？是 / 否")
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "completed"


def test_a13_without_a_person_the_run_goes_on_and_the_plan_shows_what_waits(tmp_path: Path) -> None:
    make_plan(tmp_path)
    events = run_agent(tmp_path, bash(TICK), bash("touch on"))
    assert (tmp_path / "on").exists()
    assert len([event for event in events if isinstance(event, Asked)]) == 1
    shown = stdout_of(tmp_path, "show")
    assert "task_plan.md was changed while the agent's bash ran:" in shown
    assert "outlast answer 1" in shown
    assert "是您做的更改吗？是 / 否" in stdout_of(tmp_path, "show", "--lang", "zh")


def test_a13_the_same_edit_is_not_asked_about_twice(tmp_path: Path) -> None:
    make_plan(tmp_path)
    run_agent(tmp_path, bash(TICK), bash(TICK), bash(TICK))
    run_agent(tmp_path, bash(TICK))
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert len(edit_questions(plan)) == 1


# A runner that dies


def kill_runner(root: Path, command: str, lease: int = 60) -> None:
    """Let a tool run a command and kill the process that runs it."""
    killed = subprocess.run(  # noqa: S603 - our own program
        [
            *(sys.executable, "-m", edited_plan.__name__),
            *(str(root), f"{command}; kill -9 $PPID", str(lease)),
        ],
        check=False,
        cwd=REPOSITORY,
        timeout=PATIENCE,
    )
    assert killed.returncode == -9


@pytest.mark.skipif(sys.platform != "linux", reason="the tool finds its runner as on Linux")
def test_a13_an_edit_of_a_tool_whose_runner_died_is_nobodys(tmp_path: Path) -> None:
    make_plan(tmp_path)
    kill_runner(tmp_path, TICK)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(2).status == "pending"
        assert len(edit_questions(plan)) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the tool finds its runner as on Linux")
def test_a13_an_edit_after_the_lease_of_a_dead_runner_expired_is_asked_about_once(
    tmp_path: Path,
) -> None:
    make_plan(tmp_path)
    kill_runner(tmp_path, f"sed -i 's/Rest/Break/' {FILE}", lease=1)
    time.sleep(1.1)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert plan.task(5).name == "Break"
    tick_review(tmp_path)
    for _ in range(2):
        with open_plan(tmp_path, "k", actor=PERSON) as plan:
            assert plan.task(2).status == "pending"
            [question] = edit_questions(plan)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        plan.questions.answer("yes", question.id)
        assert plan.task(2).how == "proved"
    assert author_of(tmp_path, 2) == PERSON
    assert_settled_edits_are_the_persons(tmp_path)
