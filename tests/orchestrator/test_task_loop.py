"""R1.05, R1.06: one task of the orchestrator, played by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from outlast.agent import effects as e
from outlast.agent.effects import (
    Answered,
    Checked,
    Delegated,
    Emitted,
    Outcome,
    Recorded,
    TaskPosition,
    Thought,
)
from outlast.agent.work import AT_WORK, Report, WorkOrder, WorkResult
from outlast.context.plan_view import PlanView
from outlast.model import commands as c
from outlast.model.model import (
    Check,
    Evidence,
    Proof,
    Question,
    ReportStatus,
    Task,
    TaskDecision,
    TaskReport,
)
from outlast.orchestrator.known_agents import Orchestrate
from outlast.orchestrator.task_loop import TaskEnd, work_on_task

AT = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
TASK = Task(1, "walls", checks=(Check("command", "make"),))
PROOF = Proof(1, "done", AT)
MODEL = Orchestrate()
NO_MODEL = Orchestrate(has_model=False)


class Play:
    """A task loop whose plan is a few values that the test sets."""

    def __init__(self, options: Orchestrate = MODEL, task: Task = TASK) -> None:
        self.may_go_on = True
        self.task = task
        self.loop = work_on_task(task.id, options, "en", lambda: self.may_go_on)
        self.report: TaskReport | None = None
        self.decision: TaskDecision | None = None
        self.checked = Checked(proof=PROOF)
        self.works: list[WorkResult] = []
        self.evaluations: list[str] = []
        self.answers: list[str | None] = []
        self.orders: list[WorkOrder] = []
        self.commands: list[c.Command] = []
        self.questions: list[Question] = []
        self.question: Question | None = None
        self.refusals: list[Recorded] = []
        self.thoughts = 0

    def run(self) -> TaskEnd:
        outcome: Any = None
        try:
            effect = next(self.loop)
            while True:
                outcome = self.perform(effect)
                effect = self.loop.send(e.Reply(outcome, self.view(), AT))
        except StopIteration as end:
            result: TaskEnd = end.value
            return result

    def view(self) -> PlanView:
        return PlanView(
            "Goal", "running", 1, 0, 0, 1, questions=tuple(self.questions), actor="agent/1"
        )

    def perform(self, effect: e.Effect) -> Outcome:  # noqa: PLR0911 - one for each effect
        match effect:
            case e.Record():
                return self.record(effect.commands)
            case e.ReadPosition():
                return self.position()
            case e.Delegate():
                return self.work(effect.order)
            case e.RunChecks():
                return self.checked
            case e.Think():
                self.thoughts += 1
                return Thought(self.evaluations.pop(0))
            case e.Emit():
                return Emitted()
            case e.Ask():
                return Answered(self.answers.pop(0))
        raise AssertionError(effect)

    def position(self) -> TaskPosition:
        decision = self.decision
        advice = decision.advice or decision.reason if decision else ""
        order = WorkOrder(f"task-{len(self.orders)}", 1, self.task.name, advice=advice)
        if decision and (self.report is None or decision.attempt != self.report.attempt):
            decision = None
        return TaskPosition(self.task, order, self.report, decision, question=self.question)

    def work(self, order: WorkOrder) -> Delegated:
        self.orders.append(order)
        result, attempt = self.works.pop(0), f"1#{len(self.orders)}"
        report = result.report
        if report is not None:
            self.report = TaskReport(
                attempt, "codex", report.status, AT, "s-1", report.results, denied=result.denied
            )
        return Delegated(result, attempt)

    def record(self, commands: tuple[c.Command, ...]) -> Recorded:
        if any(isinstance(command, c.Complete) for command in commands) and self.refusals:
            return self.refusals.pop(0)
        for command in commands:
            self.commands.append(command)
            match command:
                case c.Start():
                    self.task, self.report = replace(self.task, status="in_progress"), None
                case c.Fail():
                    retries = self.task.retry_count + 1
                    self.task = replace(self.task, status="pending", retry_count=retries)
                case c.Reopen():
                    self.task = replace(self.task, status="pending", retry_count=0)
                case c.NoteDecision():
                    self.decision = TaskDecision(
                        1,
                        command.attempt,
                        command.decision,
                        command.reason,
                        AT,
                        command.by,
                        command.advice,
                    )
                    self.question = None
                case c.AskQuestion():
                    self.question = Question(1, command.text, AT, "ask", command.about, 1)
                    self.questions.append(self.question)
                case c.AnswerQuestion() if self.question:
                    self.question = replace(self.question, answer=command.text, by=command.actor)
                case c.NoteReport():
                    self.report = TaskReport(
                        command.attempt, command.agent, command.status, AT, results=command.results
                    )
        return Recorded()

    def decisions(self) -> list[c.NoteDecision]:
        return [command for command in self.commands if isinstance(command, c.NoteDecision)]

    def kinds(self) -> list[str]:
        return [type(command).__name__ for command in self.commands]


def reported(status: ReportStatus = "SUCCESS", results: str = "built") -> WorkResult:
    return WorkResult(Report(status, "s-1", results), "s-1")


def red(problem: str, output: str = "") -> Checked:
    return Checked(is_green=False, problem=problem, output=output)


def decided(decision: str, advice: str = "") -> str:
    advice = f'"{advice}"' if advice else "null"
    return f'{{"decision": "{decision}", "reason": "because", "advice": {advice}}}'


def test_r1_05_a_good_report_with_green_checks_completes_the_task() -> None:
    play = Play()
    play.works, play.evaluations = [reported()], [decided("next")]
    assert play.run() == TaskEnd(1, "done", "because")
    assert play.kinds() == ["Start", "NoteDecision", "Complete"]
    complete = play.commands[-1]
    assert isinstance(complete, c.Complete)
    assert (complete.result, complete.proof) == ("built", PROOF)


def test_r1_05_next_with_a_red_check_is_a_retry_with_the_output_of_the_check() -> None:
    play = Play()
    play.checked = red("make: exit code 2", "2 tests failed")
    play.works, play.evaluations = [reported(), reported()], [decided("next"), decided("abort")]
    assert play.run().outcome == "aborted"
    assert [order.advice for order in play.orders] == ["", "2 tests failed"]
    assert "Complete" not in play.kinds()
    retry = play.decisions()[0]
    assert (retry.by, retry.reason) == ("outlast", "A check fails: make: exit code 2")


def test_r1_05_a_check_that_turns_red_at_the_completion_is_a_retry_too() -> None:
    play = Play()
    play.refusals = [Recorded("CHECK_FAILED", "make failed")]
    play.works, play.evaluations = [reported(), reported()], [decided("next"), decided("next")]
    assert play.run().outcome == "done"
    assert play.kinds() == ["Start", "NoteDecision", "Fail", "Start", "NoteDecision", "Complete"]


def test_r1_05_a_failed_report_is_never_taken_for_done() -> None:
    play = Play()
    play.works = [reported("FAILED"), reported()]
    play.evaluations = [decided("next"), decided("next")]
    assert play.run().outcome == "done"
    assert play.kinds().count("Fail") == 1


def test_r1_05_garbage_is_asked_for_again_twice_then_green_checks_decide() -> None:
    play = Play()
    play.works, play.evaluations = [reported()], ["what?", '{"decision": "maybe"}', "no"]
    assert play.run().outcome == "done"
    assert play.thoughts == 3


@pytest.mark.parametrize(
    ("report", "checked"),
    [
        (reported("PARTIAL_SUCCESS"), Checked(proof=PROOF)),
        (reported(), Checked()),
        (reported(), Checked(is_green=False)),
    ],
)
def test_r1_05_garbage_without_proof_asks_a_person(report: WorkResult, checked: Checked) -> None:
    play = Play()
    play.checked, play.works, play.evaluations = checked, [report], ["?", "?", "?"]
    play.answers = [None]
    assert play.run().outcome == "unanswered"
    assert play.kinds() == ["Start", "AskQuestion"]


@pytest.mark.parametrize("options", [MODEL, NO_MODEL])
@pytest.mark.parametrize("status", ["SUCCESS", "FAILED"])
def test_f38_a_check_that_shows_nothing_is_a_question_and_no_second_try(
    options: Orchestrate, status: ReportStatus
) -> None:
    killed = Evidence(Check("command", "make test"), ok=None, says="timeout 600")
    play = Play(options)
    play.checked = Checked(
        is_green=False, problem="make test: timeout", proof=replace(PROOF, evidence=(killed,))
    )
    play.works, play.answers = [reported(status)], [None]
    assert play.run().outcome == "unanswered"
    assert (len(play.orders), play.thoughts) == (1, 0)
    assert play.kinds() == ["Start", "AskQuestion"]


def test_r1_06_after_three_failed_attempts_a_person_is_asked_who_grants_three_more() -> None:
    play = Play()
    play.works = [WorkResult(error="timed out") for _ in range(3)] + [reported()]
    play.answers, play.evaluations = ["use the other key"], [decided("next")]
    assert play.run().outcome == "done"
    assert len(play.orders) == 4
    assert [order.advice for order in play.orders][1:] == ["timed out"] * 2 + ["use the other key"]
    assert play.kinds().count("Reopen") == 1


@pytest.mark.parametrize(
    ("answer", "outcome", "decision"),
    [
        ("skip", "skipped", "skip"),
        ("Abort!", "aborted", "abort"),
        ("跳过：不需要", "skipped", "skip"),
    ],
)
def test_r1_06_a_person_may_skip_or_abort(answer: str, outcome: str, decision: str) -> None:
    play = Play()
    play.works = [WorkResult(error="no luck") for _ in range(3)]
    play.answers = [answer]
    assert play.run().outcome == outcome
    last = play.decisions()[-1]
    assert (last.decision, last.by, last.attempt) == (decision, "human", "1#3")
    follows = play.kinds()[-1]
    assert follows == ("Skip" if outcome == "skipped" else "Abort"), "in one commit with it"


def test_r1_06_a_person_may_edit_the_task() -> None:
    play = Play()
    play.works = [WorkResult(error="no luck") for _ in range(3)] + [reported()]
    play.answers, play.evaluations = ["edit: build them of wood"], [decided("next")]
    assert play.run().outcome == "done"
    edit = next(command for command in play.commands if isinstance(command, c.EditTask))
    assert edit.description == "build them of wood"
    assert play.orders[-1].advice == "The task was edited: read it again"


@pytest.mark.parametrize("answer", ["retry", "edit", "重试"])
def test_r1_06_the_answer_retry_grants_as_many_attempts_again(answer: str) -> None:
    play = Play(replace(NO_MODEL, attempts=2))
    play.works = [WorkResult(error="no luck") for _ in range(4)]
    play.answers = [answer, "skip"]
    assert play.run().outcome == "skipped"
    assert len(play.orders) == 4


def test_r1_06_the_question_names_the_failed_check_and_what_it_wrote() -> None:
    play = Play(replace(NO_MODEL, attempts=1))
    play.checked = red("cmp a b: exit code 2", "cmp a b: exit code 2\na b differ")
    play.works, play.answers = [reported()], [None]
    play.run()
    assert "cmp a b: exit code 2\na b differ" in play.questions[0].text


def test_r1_06_a_command_takes_no_advice_so_none_is_asked_for() -> None:
    play = Play(replace(NO_MODEL, attempts=1), replace(TASK, run="make"))
    play.works, play.answers = [reported("FAILED")], [None]
    play.run()
    assert "correct it in the plan, then answer retry" in play.questions[0].text
    assert "differently" not in play.questions[0].text


def test_r1_06_a_long_problem_keeps_its_beginning_and_its_end() -> None:
    play = Play(replace(NO_MODEL, attempts=1))
    play.works, play.answers = [WorkResult(error=f"first {'x' * 9000} last")], [None]
    play.run()
    asked = play.questions[0].text
    assert len(asked) <= 1_900
    assert "first" in asked
    assert "last\nWhat now?" in asked


def test_r1_06_a_question_that_waits_is_asked_again_and_nothing_is_tried() -> None:
    play = Play(task=replace(TASK, status="in_progress"))
    play.question = Question(1, "What now?", AT, "ask", "1#7", 1)
    play.answers = [None]
    assert play.run() == TaskEnd(1, "unanswered", "What now?")
    assert (play.orders, play.commands) == ([], [])


def test_r1_06_an_answer_from_elsewhere_is_obeyed() -> None:
    play = Play(task=replace(TASK, status="in_progress"))
    play.question = Question(1, "What now?", AT, "ask", "1#7", 1, "skip it", "ann")
    assert play.run().outcome == "skipped"
    last = play.decisions()[-1]
    assert (last.decision, last.by, last.attempt, last.reason) == ("skip", "ann", "1#7", "it")


def test_r1_06_a_denied_permission_is_a_question_and_never_a_retry() -> None:
    play = Play()
    play.works = [WorkResult(denied=("Bash(npm install)",))]
    play.answers = [None]
    assert play.run().outcome == "unanswered"
    assert len(play.orders) == 1
    assert "npm install" in play.questions[0].text
    assert "--permissions full" in play.questions[0].text, "how to permit it"


def test_r1_06_what_failed_after_a_denial_is_a_question_and_not_tried_again() -> None:
    play = Play()
    play.works = [replace(reported("FAILED"), denied=("Bash(npm install)",))]
    play.evaluations, play.answers = [decided("retry")], [None]
    assert play.run().outcome == "unanswered"
    assert len(play.orders) == 1
    assert "Bash(npm install)\nbecause" in play.questions[0].text


def test_x3_a_denial_is_a_question_also_after_a_crash_before_the_decision() -> None:
    play = Play()
    play.task = replace(play.task, status="in_progress")
    play.report = TaskReport("1#1", "codex", "FAILED", AT, denied=("Bash(npm install)",))
    play.evaluations, play.answers = [decided("retry")], [None]
    assert play.run().outcome == "unanswered"
    assert play.orders == []
    assert "Bash(npm install)\nbecause" in play.questions[0].text


def test_r1_06_a_denial_that_did_not_matter_is_only_noted() -> None:
    play = Play()
    play.works = [replace(reported(), denied=("Bash(git commit)",))]
    play.evaluations = [decided("next")]
    assert play.run().outcome == "done"
    noted = "because; The agent was not permitted to: Bash(git commit)"
    assert play.decisions()[0].reason == noted


def test_a10_a_command_that_nobody_has_approved_needs_an_approval_and_no_question() -> None:
    class Unapproved(Play):
        def position(self) -> TaskPosition:
            position = super().position()
            return replace(position, order=replace(position.order, run="make"))

    play = Unapproved()
    play.works = [WorkResult(denied=("make",))]
    assert play.run().outcome == "unapproved"
    assert play.questions == []


def test_a10_checks_that_nobody_has_approved_are_no_failed_attempt() -> None:
    play = Play()
    play.works = [reported()]
    play.checked = Checked(is_green=False, error="make is not approved", code="CHECK_NOT_APPROVED")
    assert play.run() == TaskEnd(1, "unapproved", "make is not approved")
    assert play.kinds() == ["Start"]


def test_x2_changed_checks_are_for_a_person_to_decide() -> None:
    play = Play()
    play.works, play.answers = [reported()], [None]
    play.checked = Checked(is_green=False, error="the checks have changed", code="TAMPERED")
    assert play.run() == TaskEnd(1, "unanswered", "the checks have changed")
    assert len(play.orders) == 1


def test_r1_07_a_replan_leaves_the_task_in_progress_until_the_plan_has_changed() -> None:
    play = Play()
    play.works, play.evaluations = [reported()], [decided("replan", "split it")]
    assert play.run() == TaskEnd(1, "replan", "because")
    assert play.kinds() == ["Start", "NoteDecision"]


def test_r1_12_a_replan_that_was_decided_before_a_crash_is_carried_out() -> None:
    play = Play(task=replace(TASK, status="in_progress"))
    play.report = TaskReport("1#7", "codex", "SUCCESS", AT, "s-1", "built")
    play.decision = TaskDecision(1, "1#7", "replan", "split it", AT, "agent")
    assert play.run() == TaskEnd(1, "replan", "split it")
    assert play.commands == []


def test_x7_a_review_that_waits_is_left_to_who_changes_the_plan() -> None:
    play = Play(task=replace(TASK, status="in_progress"))
    play.question = Question(1, "Change it?", AT, "replan", "[]", 1)
    assert play.run().outcome == "replan"


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("outlast", "the checks show it"),
        ("human", "A person confirms that the agent finished its work"),
    ],
)
def test_x3_what_no_agent_reported_is_not_called_its_report(agent: str, says: str) -> None:
    play = Play(task=replace(TASK, status="in_progress"))
    play.report = TaskReport("1#7", agent, "SUCCESS", AT, results="the checks show it")
    assert play.run() == TaskEnd(1, "done", says)
    assert play.thoughts == 0
    assert (play.decisions()[0].by, play.decisions()[0].reason) == (agent, says)


def test_x3_an_agent_that_may_still_work_is_settled_by_its_checks() -> None:
    red_then_green = Evidence(TASK.checks[0], ok=True, baseline="red")
    play = Play()
    play.works = [WorkResult(error="no report in time", code=AT_WORK)]
    play.checked = Checked(proof=replace(PROOF, evidence=(red_then_green,)))
    assert play.run().outcome == "done"
    assert play.decisions()[0].by == "outlast"


def test_x3_an_agent_that_may_still_work_is_never_sent_the_task_again() -> None:
    play = Play()
    play.works, play.answers = [WorkResult(error="no report in time", code=AT_WORK)], [None]
    play.checked = red("make: exit code 2")
    assert play.run() == TaskEnd(1, "unanswered", "no report in time")
    assert len(play.orders) == 1


def test_r1_06_no_attempt_begins_once_the_run_stops() -> None:
    class Stopping(Play):
        def work(self, order: WorkOrder) -> Delegated:
            self.may_go_on = False
            return super().work(order)

    play = Stopping()
    play.works = [WorkResult(error="no luck")]
    assert play.run().outcome == "returned"
    assert play.kinds() == ["Start", "NoteDecision", "Fail"]


def test_x4_a_model_that_fails_stops_the_run_and_says_why() -> None:
    class Silent(Play):
        def perform(self, effect: e.Effect) -> Outcome:
            if isinstance(effect, e.Think):
                return Thought(error="no network")
            return super().perform(effect)

    play = Silent()
    play.works = [reported()]
    end = play.run()
    assert (end.outcome, end.why) == ("stopped", "model_failed")
    assert "no network" in end.reason


def test_r1_12_a_report_that_no_decision_followed_is_evaluated_and_not_asked_for_again() -> None:
    play = Play(task=replace(TASK, status="in_progress"))
    play.report = TaskReport("1#7", "codex", "SUCCESS", AT, "s-1", "built")
    play.evaluations = [decided("next")]
    assert play.run().outcome == "done"
    assert play.orders == []
    assert play.kinds() == ["NoteDecision", "Complete"]


def test_r1_12_a_decided_attempt_is_followed_by_the_next_one_with_its_advice() -> None:
    play = Play(task=replace(TASK, status="in_progress"))
    play.report = TaskReport("1#7", "codex", "FAILED", AT, "s-1")
    play.decision = TaskDecision(1, "1#7", "retry", "no", AT, "agent", "use tabs")
    play.works, play.evaluations = [reported()], [decided("next")]
    assert play.run().outcome == "done"
    assert [order.advice for order in play.orders] == ["use tabs"]


def test_r1_13_without_a_model_checks_decide() -> None:
    play = Play(NO_MODEL)
    play.works = [reported("FAILED", "exit code 2"), reported()]
    assert play.run().outcome == "done"
    assert play.orders[1].advice == "exit code 2"
    assert play.thoughts == 0


def test_r1_13_without_a_model_a_red_check_is_a_retry() -> None:
    play = Play(NO_MODEL)
    play.checked = red("make: exit code 2", "red")
    play.works, play.answers = [reported()] * 3, ["skip"]
    assert play.run().outcome == "skipped"
    assert [order.advice for order in play.orders] == ["", "red", "red"]


def test_x4_a_spent_budget_or_a_paused_plan_stops_the_work() -> None:
    class Broke(Play):
        def work(self, _order: WorkOrder) -> Delegated:
            return Delegated(error="no budget", code="OUT_OF_BUDGET")

    assert Broke().run() == TaskEnd(1, "stopped", "no budget", "budget")


def test_x6_a_task_that_others_ended_is_left_alone() -> None:
    class Gone(Play):
        def perform(self, effect: e.Effect) -> Outcome:
            outcome = super().perform(effect)
            if isinstance(outcome, TaskPosition) and "Start" in self.kinds():
                return replace(outcome, is_open=False)
            return outcome

    assert Gone().run().outcome == "returned"


def test_x6_a_start_that_is_refused_returns_the_task() -> None:
    class Claimed(Play):
        def record(self, commands: tuple[c.Command, ...]) -> Recorded:
            return Recorded("TASK_CLAIMED", "ann has it") if commands else Recorded()

    assert Claimed().run() == TaskEnd(1, "returned", "ann has it")
