"""R1.06, R1.10: nobody is there, or answers late; what does not need them goes on."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from outlast import NewTask, Plan, create_plan
from outlast.agent.events import Notified
from outlast.agent.work import Report, WorkOrder, WorkResult
from outlast.context.chat_model import Reply
from outlast.documents.proposals import write_checks
from outlast.model.commands import AnswerQuestion, AskQuestion, BeginAttempt
from outlast.model.decide.conversation import MOST_OPEN
from outlast.model.execute import return_commit
from outlast.model.model import Check, Question
from outlast.system.clock import FixedClock
from tests.agent.runtime.lanes import new_plan
from tests.fake_model import FakeModel, ModelRequest
from tests.orchestrator.fake_agents import FakeAgent, succeed
from tests.orchestrator.test_review import TENT, model
from tests.orchestrator.test_scheduler import (
    Planner,
    diamond,
    empty_plan,
    interrupted,
    orchestrated,
    statuses,
)

WRITTEN = Check("command", "test -f written")


def answer(plan: Plan, number: int, words: str) -> None:
    human = plan.core.acting_as("human")
    human.commit((AnswerQuestion(words, "human", number),), return_commit)


class Failing(FakeAgent):
    """An agent that fails at the tasks called `bad`."""

    def __init__(self) -> None:
        super().__init__(self._try)

    async def _try(self, order: WorkOrder) -> WorkResult:
        if order.name.startswith("bad") and "do it" not in order.advice:
            return WorkResult(error="no luck")
        return await succeed(order)


class Person:
    """A person who answers once `ready` is set."""

    def __init__(self, words: str) -> None:
        self.ready, self._words = asyncio.Event(), words

    async def answer(self, _question: Question) -> str | None:
        await self.ready.wait()
        return self._words


def plan_of(*names: str, apart: bool = False) -> Plan:
    """Return a plan of independent tasks; those `apart` can run side by side."""
    plan = empty_plan()
    plan.add_all(NewTask(name, files=(name,) if apart else ()) for name in names)
    return plan


# What waits, and what goes on


def test_r1_06_what_does_not_need_the_answer_goes_on_and_the_run_waits_at_its_end() -> None:
    plan, agent = plan_of("bad", "good", "better"), Failing()
    plan.add_all([NewTask("after", needs=(1,))])
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert (end.why, "no luck" in end.text) == ("waiting", True)
    assert statuses(plan) == {
        "bad": "in_progress",
        "good": "completed",
        "better": "completed",
        "after": "pending",
    }


def test_r1_06_an_answer_from_elsewhere_is_taken_up_while_others_work() -> None:
    plan = plan_of("bad", "good")

    class Answered(Failing):
        async def _try(self, order: WorkOrder) -> WorkResult:
            if order.name == "good":  # by then the question is asked
                answer(plan, 1, "do it with care")
            return await super()._try(order)

    agent = Answered()
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert end.why == "finished"
    assert agent.orders[-1].advice == "do it with care"


def test_r1_06_a_person_who_thinks_does_not_keep_others_from_working() -> None:
    plan, person = plan_of("bad", "good", apart=True), Person("skip")

    class Waking(Failing):
        async def _try(self, order: WorkOrder) -> WorkResult:
            if order.name == "good":
                person.ready.set()
            return await super()._try(order)

    end = orchestrated(plan, Waking(), FakeModel(), 1, has_model=False, person=person)
    assert (end.why, statuses(plan)) == ("finished", {"bad": "skipped", "good": "completed"})


def test_r1_10_an_unattended_run_can_abort_and_begins_nothing_after_that() -> None:
    plan, agent = plan_of("bad", "good", "better"), Failing()
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, unattended="abort")
    assert (end.why, plan.status) == ("finished", "failed")
    assert {order.name for order in agent.orders} == {"bad"}
    assert plan.core.read(lambda state: state.notes.deliverable).splitlines() == [
        "The plan is not finished: 0 of 3 tasks are done",
        "",
        "- 1 bad (not finished): no luck",
        "- 2 good (not begun)",
        "- 3 better (not begun)",
    ]


def test_r1_09_an_abort_lets_what_has_begun_end_and_ends_the_sessions() -> None:
    plan, begun = plan_of("bad", "good", apart=True), asyncio.Event()

    class Slow(Failing):
        async def _try(self, order: WorkOrder) -> WorkResult:
            if order.name == "bad":
                begun.set()
                return WorkResult(error="no luck")
            await begun.wait()
            await asyncio.sleep(0.05)
            return WorkResult(Report("FAILED", "s-2", "half of it"), "s-2")

    agent = Slow()
    how = {"has_model": False, "unattended": "abort", "attempts": 1}
    assert orchestrated(plan, agent, FakeModel(), 2, **how).why == "finished"
    assert (plan.status, len(agent.orders), agent.ended) == ("failed", 2, ["s-2"])


@pytest.mark.parametrize("attempts", [1, 5])
def test_r1_10_how_often_is_tried_before_a_person_is_asked_is_a_setting(attempts: int) -> None:
    plan, agent = plan_of("bad"), Failing()
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, attempts=attempts)
    assert (end.why, len(agent.orders)) == ("waiting", attempts)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, attempts=attempts)
    assert len(agent.orders) == attempts, "the question waits, and nothing is tried"
    answer(plan, 1, "retry")
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, attempts=attempts)
    assert (end.why, len(agent.orders)) == ("waiting", 2 * attempts)


def test_x3_work_in_doubt_keeps_its_files_and_others_go_on() -> None:
    plan, agent = interrupted(), FakeAgent()
    plan.add_all([NewTask("same"), NewTask("other", files=("o",))])
    human = plan.core.acting_as("human")
    plan.questions.ask("What colour?", task=1)
    end = orchestrated(plan, agent, FakeModel(), 2, has_model=False)
    assert (end.why, [order.name for order in agent.orders]) == ("unsettled", [])
    settle = next(each for each in plan.questions.open() if each.kind == "settle")
    human.commit((AnswerQuestion("done", "human", settle.id),), return_commit)
    end = orchestrated(plan, agent, FakeModel(), 2, has_model=False)
    assert (end.why, len(agent.orders)) == ("finished", 2)


def test_x3_an_attempt_for_no_task_that_goes_on_is_settled_first() -> None:
    plan, agent = plan_of("a"), FakeAgent()
    plan.core.commit((BeginAttempt(None, "act", "deploy {}"),), return_commit)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert (end.why, agent.orders) == ("unsettled", [])
    assert [question.kind for question in plan.questions.open()] == ["settle"]


# Sessions


def test_r1_09_one_session_for_all_tasks_is_used_one_after_another() -> None:
    async def go_on(order: WorkOrder) -> WorkResult:
        await asyncio.sleep(0)
        session = order.session or "s-only"
        return WorkResult(Report("SUCCESS", session, "did it"), session)

    plan, agent = plan_of("a", "b", "c", apart=True), FakeAgent(go_on)
    orchestrated(plan, agent, FakeModel(), 3, has_model=False, share_session=True)
    assert [order.session for order in agent.orders] == ["", "s-only", "s-only"]
    assert (agent.most_busy, agent.ended) == (1, ["s-only"])


# Checks that nobody has approved


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Plan]:
    with create_plan(tmp_path, "Write", "write", actor="agent") as plan:
        plan.add_all([NewTask("a", checks=(WRITTEN,)), NewTask("b", checks=(WRITTEN,))])
        yield plan


class Writer(FakeAgent):
    """An agent that writes the file."""

    def __init__(self, here: Path) -> None:
        super().__init__(self._write)
        self._here = here

    async def _write(self, order: WorkOrder) -> WorkResult:
        (self._here / "written").touch()
        return await succeed(order)


def carried_out(plan: Plan, here: Path, **options: Any) -> tuple[str, int]:
    agent = Writer(here)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, **options)
    return end.why, len(agent.orders)


def test_a10_unapproved_checks_are_one_question_before_any_work(
    stored: Plan, tmp_path: Path
) -> None:
    assert carried_out(stored, tmp_path) == ("waiting", 0)
    assert carried_out(stored, tmp_path) == ("waiting", 0)
    [question] = stored.questions.open()
    assert question.text.splitlines()[1:2] == ["  test -f written"]


def test_a10_a_yes_that_is_given_later_approves_what_was_shown(
    stored: Plan, tmp_path: Path
) -> None:
    carried_out(stored, tmp_path)
    stored.acting_as("human").questions.answer("yes")
    assert carried_out(stored, tmp_path) == ("finished", 2)
    assert {task.how for task in stored.tasks()} == {"proved"}


@pytest.mark.parametrize("words", ["no", None])
def test_a10_without_a_yes_nothing_runs(stored: Plan, tmp_path: Path, words: str | None) -> None:
    person = Person(words or "")
    person.ready.set()
    assert carried_out(stored, tmp_path, person=person) == ("waiting", 0)


def test_a10_a_person_who_is_there_approves_in_the_run(stored: Plan, tmp_path: Path) -> None:
    person = Person("yes")
    person.ready.set()
    assert carried_out(stored, tmp_path, person=person) == ("finished", 2)


def test_a10_the_yes_of_an_agent_approves_nothing(stored: Plan, tmp_path: Path) -> None:
    carried_out(stored, tmp_path)
    stored.questions.answer("yes")
    assert carried_out(stored, tmp_path) == ("waiting", 0)


def test_a10_a_forged_question_approves_only_what_it_shows(stored: Plan, tmp_path: Path) -> None:
    hidden = AskQuestion("May this run?\n  true", "checks", write_checks((WRITTEN,)))
    stored.core.commit((hidden,), return_commit)
    stored.acting_as("human").questions.answer("yes")
    broken = replace(hidden, text="Really?", about="{")
    stored.core.commit((broken,), return_commit)
    stored.acting_as("human").questions.answer("yes")
    assert carried_out(stored, tmp_path) == ("waiting", 0)


def test_a10_what_was_approved_elsewhere_is_not_asked_any_more(
    stored: Plan, tmp_path: Path
) -> None:
    carried_out(stored, tmp_path)
    stored.acting_as("human").checks.approve()
    assert carried_out(stored, tmp_path) == ("finished", 2)
    assert stored.questions.open() == ()


def test_a10_a_person_who_said_yes_to_everything_is_not_asked(stored: Plan, tmp_path: Path) -> None:
    assert carried_out(stored, tmp_path, yes=True, speaker="human") == ("finished", 2)


def test_a10_a_check_too_long_to_be_shown_is_approved_by_command_only(
    stored: Plan, tmp_path: Path
) -> None:
    stored.acting_as("human").checks.approve()
    stored.add_all([NewTask("long", checks=(Check("command", f"true {chr(0x200B) * 900}"),))])
    person = Person("yes")
    person.ready.set()
    assert carried_out(stored, tmp_path, person=person) == ("waiting", 0)


# What only a person can tell

TONE = Check("person", "the tone is right")


def test_x2_what_only_a_person_can_tell_is_one_question_and_no_failed_attempt(
    tmp_path: Path,
) -> None:
    with create_plan(tmp_path, "Write", "write", actor="agent") as plan:
        plan.add_all([NewTask("a", checks=(TONE, Check("file", "written")))])
        plan.acting_as("human").checks.approve()
        assert carried_out(plan, tmp_path) == ("waiting", 1)
        [question] = plan.questions.open()
        assert (question.kind, question.text.splitlines()[1]) == ("confirm", "  the tone is right")
        plan.acting_as("human").questions.answer("no, it is too loud")
        assert carried_out(plan, tmp_path) == ("waiting", 1), "tried again with the words"
        plan.acting_as("human").questions.answer("yes")
        assert carried_out(plan, tmp_path) == ("finished", 0)
        assert (plan.task(1).how, plan.task(1).retry_count) == ("proved", 1)


def test_x2_who_says_that_it_is_done_confirms_what_only_they_can_tell(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Write", "write", actor="agent") as plan:
        plan.add_all([NewTask("bad", checks=(TONE,))])
        how = {"has_model": False, "attempts": 1}
        assert orchestrated(plan, Failing(), FakeModel(), 1, **how).why == "waiting"
        plan.acting_as("human").questions.answer("done")
        assert orchestrated(plan, Failing(), FakeModel(), 1, **how).why == "finished"
        assert plan.task(1).how == "proved"


# The model


def test_r1_09_a_model_that_cannot_sum_up_does_not_undo_the_end() -> None:
    class Tired(Planner):
        async def reply(self, request: ModelRequest) -> Reply:
            if request.messages[0].text.startswith("You write the closing"):
                raise OSError
            return await super().reply(request)

    plan, agent = empty_plan(), FakeAgent()
    assert orchestrated(plan, agent, Tired(diamond(), {})).why == "finished"
    summary = plan.core.read(lambda state: state.notes.deliverable)
    assert summary.splitlines()[-1] == "- 4 roof (done): did roof"
    assert len(agent.ended) == 4


def test_r1_03_a_late_report_is_material_for_the_evaluator() -> None:
    async def late(order: WorkOrder) -> WorkResult:
        return replace(await succeed(order), late="task-1 said: I broke the door")

    plan, planner = plan_of("a"), Planner([], {})
    assert orchestrated(plan, FakeAgent(late), planner).why == "finished"
    said = planner.requests[0].messages[1].text
    assert "came too late to be taken\n> task-1 said: I broke the door" in said


def test_x3_what_an_agent_was_not_permitted_is_kept_with_its_report() -> None:
    async def denied(order: WorkOrder) -> WorkResult:
        return replace(await succeed(order), denied=("Bash(npm install)", "x" * 5_000))

    plan = plan_of("a")
    assert orchestrated(plan, FakeAgent(denied), Planner([], {})).why == "finished"
    report = plan.core.read(lambda state: state.ledger.reports[1])
    assert report.denied == ("Bash(npm install)", "x" * 1_000)


def test_r1_05_every_error_of_a_plan_is_listed_at_once() -> None:
    plan, planner = empty_plan(), Planner([], {})
    bad: Any = "what?"
    planner.tasks = [
        [
            {"name": "a", "needs": [7]},
            {"description": "no name"},
            {"name": "a", "needs": [1, True], "files": "x.py"},
            {"name": "b", "needs": ["b"], "checks": [""]},
            bad,
        ],
        diamond(),
    ]
    assert orchestrated(plan, FakeAgent(), planner).why == "finished"
    repair = planner.requests[1].messages[-1].text
    for words in (
        "7 is no task",
        "tasks[1].name",
        "a second task is named 'a'",
        "tasks[3].checks",
        "wait for each other",
        "tasks[4]",
    ):
        assert words in repair, words


def test_x7_people_are_told_what_a_replan_changed() -> None:
    told: list[Any] = []
    orchestrated(empty_plan(), FakeAgent(), model(TENT), 1, listener=told.append)
    [notice] = [event.text for event in told if isinstance(event, Notified) and event.kind]
    assert notice == "The plan has changed: it is a tent\n- 4 roof\n+ 5 canvas (needs 3): is dry"


def test_r1_05_what_people_say_reaches_the_planner_once() -> None:
    plan, planner = empty_plan(), Planner(diamond(), {})
    plan.questions.say("Use wood")
    orchestrated(plan, FakeAgent(), planner)
    assert "Use wood" in planner.requests[0].messages[1].text
    assert plan.core.read(lambda state: state.ledger.conversation.interjections) == ()


def test_r1_06_a_question_too_many_stops_the_run_and_nothing_is_tried_again() -> None:
    plan, agent = plan_of("bad"), Failing()
    for number in range(MOST_OPEN):
        plan.core.commit((AskQuestion(f"{number}?"),), return_commit)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert (end.why, str(MOST_OPEN) in end.text) == ("waiting", True)
    assert len(agent.orders) == 3
    assert statuses(plan) == {"bad": "in_progress"}


def test_r1_06_an_answer_counts_though_the_clock_was_set_back_meanwhile() -> None:
    clock = FixedClock()

    async def fail(_order: WorkOrder) -> WorkResult:
        clock.advance(-3600)
        return WorkResult(error="no luck")

    plan, agent = new_plan(1, clock), FakeAgent(fail)
    assert orchestrated(plan, agent, FakeModel(), 1, has_model=False).why == "waiting"
    answer(plan, 1, "skip")
    orchestrated(plan, agent, FakeModel(), 1, has_model=False)
    assert set(statuses(plan).values()) == {"skipped"}
    assert len(agent.orders) == 3


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        ("cancel", "failed", "finished"),
        ("取消", "failed", "finished"),
        ("/help", "paused", "waiting"),
    ],
)
def test_r1_06_a_command_is_no_advice_and_cancel_aborts_the_plan(
    words: str, status: str, why: str
) -> None:
    plan, agent, person = plan_of("bad", "good"), Failing(), Person(words)
    person.ready.set()
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, person=person, attempts=1)
    assert (plan.status, end.why) == (status, why)
    assert [order.name for order in agent.orders].count("bad") == 1


def test_x3_a_command_does_not_settle_an_attempt() -> None:
    plan, agent, person = plan_of("a"), FakeAgent(), Person("/help")
    person.ready.set()
    plan.core.commit((BeginAttempt(None, "act", "deploy {}"),), return_commit)
    end = orchestrated(plan, agent, FakeModel(), 1, has_model=False, person=person)
    assert (end.why, agent.orders) == ("unsettled", [])
