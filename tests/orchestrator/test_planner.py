"""R1.07, X7: changes of the plan that are refused or come too late, played by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.effects import (
    Emitted,
    Outcome,
    Outline,
    PatchPreview,
    Recorded,
    TaskPosition,
    Thought,
)
from outlast.agent.events import Notified
from outlast.agent.loops.endings import LoopEnd
from outlast.agent.work import WorkOrder
from outlast.context.plan_view import PlanView
from outlast.documents.proposals import ReplanProposal, write_replan
from outlast.model import commands as c
from outlast.model.model import Question, Task, TaskDecision
from outlast.orchestrator.known_agents import Orchestrate
from outlast.orchestrator.model_requests import planning_messages
from outlast.orchestrator.planner import Planner

if TYPE_CHECKING:
    from outlast.model.commands import Command

AT = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
VIEW = PlanView("Goal", "running", 1, 0, 0, 1, actor="agent")
WALLS = Task(1, "walls", status="in_progress")
REPLAN = TaskDecision(1, "1#7", "replan", "it is a tent", AT, "agent/1")
TENT = '{"tasks": [{"name": "canvas"}]}'
APPROVED = Question(
    1,
    "Change it?",
    AT,
    "replan",
    write_replan(ReplanProposal("1#7", (c.NewTask("canvas"),))),
    1,
    "approve",
    "ann",
)


class Play:
    """A planner whose plan answers as the test says."""

    def __init__(self, *, review: bool = False) -> None:
        self.planner = Planner(Orchestrate(review=review), "en")
        self.position = TaskPosition(WALLS, WorkOrder("task-1", 1, "walls"), decision=REPLAN)
        self.previews: list[PatchPreview] = []
        self.refusals: list[Recorded] = []
        self.answers: list[str] = []
        self.requests: list[str] = []
        self.commands: list[Command] = []
        self.view = VIEW

    def run(self) -> bool:
        loop, outcome = self.planner.replan(1), None
        try:
            effect = next(loop)
            while True:
                outcome = self.perform(effect)
                effect = loop.send(e.Reply(outcome, self.view, AT))
        except StopIteration as end:
            result: bool = end.value
            return result

    def perform(self, effect: e.Effect) -> Outcome:
        match effect:
            case e.ReadPosition():
                return self.position
            case e.ReadOutline():
                return Outline((WALLS,))
            case e.PreviewReplan():
                return self.previews.pop(0) if self.previews else PatchPreview("+ 2 canvas")
            case e.Think():
                self.requests.append(effect.messages[-1].text)
                return Thought(self.answers.pop(0))
            case e.Record():
                return self.record(effect.commands)
        assert isinstance(effect, e.Emit)
        return Emitted()

    def record(self, commands: tuple[Command, ...]) -> Recorded:
        if commands and self.refusals:
            return self.refusals.pop(0)
        self.commands += commands
        for command in commands:
            if isinstance(command, c.AskQuestion):
                asked = (1, command.text, AT, command.kind, command.about, 1, "approve", "ann")
                self.position = replace(self.position, question=Question(*asked))
        return Recorded()

    def kinds(self) -> list[str]:
        return [type(command).__name__ for command in self.commands]


@pytest.mark.parametrize("review", [False, True])
def test_r1_05_a_change_that_the_plan_refuses_is_asked_for_again_with_the_reason(
    *, review: bool
) -> None:
    play = Play(review=review)
    play.previews, play.answers = [PatchPreview(error="a circle")], [TENT, TENT]
    assert play.run()
    assert "- a circle" in play.requests[1]
    assert play.kinds()[-2:] == ["Return", "Replan"]


def test_x7_an_approved_change_that_no_longer_fits_is_planned_again() -> None:
    play = Play(review=True)
    play.position = replace(play.position, question=APPROVED)
    play.previews, play.answers = [PatchPreview(error="task 4 is gone")], [TENT]
    assert play.run()
    assert "task 4 is gone" in play.requests[0]
    assert play.kinds() == ["AskQuestion", "NoteDecision", "Return", "Replan"]


def test_x4_a_change_that_the_budget_does_not_cover_stops_the_run() -> None:
    play = Play()
    play.answers, play.refusals = [TENT], [Recorded("OUT_OF_BUDGET", "no replans are left")]
    with pytest.raises(LoopEnd) as end:
        play.run()
    assert (end.value.why, end.value.text) == ("budget", "no replans are left")


def test_r1_07_a_plan_that_was_aborted_meanwhile_is_not_changed() -> None:
    play = Play()
    play.answers, play.refusals = [TENT], [Recorded("PLAN_NOT_ACTIVE", "aborted")]
    assert play.run()
    assert play.commands == []


@pytest.mark.parametrize("status", ["failed", "paused"])
def test_r1_07_nothing_is_planned_for_a_plan_that_has_stopped(status: Any) -> None:
    play = Play()
    play.view = replace(VIEW, status=status)
    assert play.run()
    assert play.requests == []


def test_r1_07_what_somebody_else_has_decided_counts() -> None:
    play = Play()
    play.position = replace(play.position, decision=replace(REPLAN, decision="retry"))
    assert play.run()
    assert play.requests == []


@pytest.mark.parametrize(
    ("tasks", "order"),
    [
        ('[{"name": "a"}, {"name": "b"}]', "sequential"),
        ('[{"name": "a", "needs": []}, {"name": "b"}]', "graph"),
        ('[{"name": "a"}, {"name": "b", "needs": [1]}]', "graph"),
        ('[{"name": "a", "needs": null}]', "graph"),
    ],
)
def test_m2_a_plan_is_a_graph_where_the_planner_says_what_tasks_need(
    tasks: str, order: str
) -> None:
    play, told = Play(), list[str]()
    play.answers = [f'{{"tasks": {tasks}}}']
    loop = play.planner.plan_goal(VIEW)
    effect: e.Effect | None = next(loop)
    while effect is not None:
        if isinstance(effect, e.Emit) and isinstance(effect.event, Notified):
            told.append(effect.event.text)
        try:
            effect = loop.send(e.Reply(play.perform(effect), VIEW, AT))
        except StopIteration:
            effect = None
    assert play.commands[0] == c.EditPlan(order=order)  # type: ignore[arg-type]
    assert play.kinds() == ["EditPlan", "AddTasks"]
    assert bool(told) == (order == "sequential"), "said once"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_m2_the_planner_is_asked_for_the_needs_of_every_task(language: Any) -> None:
    system = planning_messages("Goal", [], language)[0].text
    assert '"needs": []' in system
    assert "`[]`" in system
