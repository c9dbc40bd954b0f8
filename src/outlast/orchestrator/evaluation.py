"""Evaluation: decide about a report by what the model says and what the checks show (R1.05)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from outlast.language import Language, text
from outlast.model.model import OUTLAST, PERSON, Check, Decision, TaskReport
from outlast.orchestrator.model_requests import Request, ask_model, evaluation_messages

if TYPE_CHECKING:
    from outlast.agent import effects as e
    from outlast.agent.effects import Checked, TaskPosition


class Evaluation(Struct, frozen=True):
    """What a model says that follows from a report."""

    decision: Literal["next", "retry", "replan", "abort"]
    reason: Annotated[str, Meta(min_length=1, max_length=1000)]
    advice: str | None = None


class Verdict(Struct, frozen=True):
    """What was decided about an attempt, by whom, and what the next one should do differently.

    `problem` says more than the reason does, to a person who is asked.
    """

    decision: Decision
    reason: str
    advice: str = ""
    by: str = OUTLAST
    problem: str = ""


def evaluate(
    position: TaskPosition,
    report: TaskReport,
    checked: e.Reply[Checked],
    has_model: bool,  # noqa: FBT001 - one of the options of the run
    language: Language,
) -> e.Loop[Verdict | None]:
    """Return the verdict on a report; None if only a person can tell.

    Without a model, and about what no agent has reported, the checks decide.
    """
    shown, task = checked.outcome, position.task
    if not has_model or report.agent in (OUTLAST, PERSON):
        return _judge_by_checks(report, shown, language)
    messages = evaluation_messages(
        checked.plan.goal, task, report, shown, language, advice=position.order.advice
    )
    evaluation = yield from ask_model(messages, Request(Evaluation), language, task=task.id)
    if evaluation is None:
        is_proved = report.status == "SUCCESS" and shown.proof is not None and shown.is_green
        return Verdict("next", text("checks_green", language)) if is_proved else None
    advice, by = evaluation.advice or "", checked.plan.actor
    verdict = Verdict(evaluation.decision, evaluation.reason, advice, by)
    if verdict.decision == "next" and report.status == "FAILED":
        return replace(verdict, decision="retry")
    return verdict


def _judge_by_checks(report: TaskReport, checked: Checked, language: Language) -> Verdict:
    """Return the verdict without a model: the report's, unless a check says otherwise."""
    if not (checked.is_green or find_unconfirmed(checked)):
        return red_verdict(checked.problem, checked.output, language)
    if report.agent == PERSON:
        return Verdict("next", text("person_confirmed", language), by=PERSON)
    if report.agent == OUTLAST:  # it says itself how the end is known
        return Verdict("next", report.results)
    if report.status == "SUCCESS":
        key = "agent_succeeded" if checked.proof is None else "agent_proved"
        return Verdict("next", text(key, language))
    return Verdict("retry", report.results or text("agent_failed", language))


def red_verdict(problem: str, output: str, language: Language) -> Verdict:
    """Return the verdict on work whose checks fail."""
    reason = text("checks_failed", language, problem=problem)
    shown = text("checks_failed", language, problem=output)
    return Verdict("retry", reason, output, problem=shown)


def find_unconfirmed(checked: Checked) -> list[Check]:
    """Return the checks that only a person can confirm, if they are all that is missing."""
    evidence = () if checked.proof is None else checked.proof.evidence
    failed = [item.check for item in evidence if not item.ok]
    return failed if all(check.kind == "person" for check in failed) else []
