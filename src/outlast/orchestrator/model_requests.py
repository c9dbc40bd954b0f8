"""What the orchestrator tells its model: the goal, tasks, and what agents report, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec import Struct

from outlast.agent import effects as e
from outlast.agent.context.prompts import prompt
from outlast.agent.loops.endings import failure_end
from outlast.context.chat_model import Message
from outlast.context.escape import one_line, quote_lines, quote_one_line
from outlast.documents.contracts.contract import Check, Salvage, parse_contract
from outlast.language import Language, clauses, text

if TYPE_CHECKING:
    from outlast.agent.effects import Checked
    from outlast.context.plan_view import PlanView
    from outlast.model.model import Task, TaskReport, TaskStatus

_GOAL_CHARACTERS: Final = 50_000
_SECTION_CHARACTERS: Final = 8_000
_OUTPUT_CHARACTERS: Final = 4_000
_LINE_CHARACTERS: Final = 300
_SUMMARY_KEYS: Final[dict[TaskStatus, str]] = {
    "pending": "summary_task_pending",
    "in_progress": "summary_task_in_progress",
    "completed": "summary_task_completed",
    "failed": "summary_task_failed",
    "skipped": "summary_task_skipped",
}
T = TypeVar("T")
Accept = Callable[[T], e.Loop[str]]  # returns why the plan refuses a value, or nothing
_REPAIRS: Final = 2  # times the model is asked to correct its answer


def planning_messages(goal: str, told: Iterable[str], language: Language) -> tuple[Message, ...]:
    """Return the request to plan a goal; `told` is what people have said about it."""
    sections = [("section_goal", quote_lines(goal, _GOAL_CHARACTERS)), *_told_section(told)]
    return _system("plan_tasks", language), _user(sections, language)


def replanning_messages(
    goal: str, tasks: Iterable[Task], advice: str, told: Iterable[str], language: Language
) -> tuple[Message, ...]:
    """Return the request to change the tasks that have not started."""
    sections = [
        ("section_goal", quote_lines(goal, _GOAL_CHARACTERS)),
        ("section_tasks", "\n".join(_task_line(task) for task in tasks)),
        ("section_advice", quote_lines(advice, _SECTION_CHARACTERS)),
        *_told_section(told),
    ]
    return _system("replan_tasks", language), _user(sections, language)


def evaluation_messages(  # noqa: PLR0913 - what an evaluation depends on
    goal: str,
    task: Task,
    report: TaskReport,
    checked: Checked,
    language: Language,
    *,
    advice: str = "",
) -> tuple[Message, ...]:
    """Return the request to evaluate a report; everything that the agent wrote is quoted data.

    `advice` is what the agent was told to do differently than in the attempt before.
    """
    checks = text("checks_green" if checked.is_green else "checks_red", language)
    if not task.checks:
        checks = text("checks_none", language)
    sections = [
        ("section_goal", quote_lines(goal, _GOAL_CHARACTERS)),
        ("section_task", _task_text(task)),
        ("section_expected", quote_lines(task.expected, _SECTION_CHARACTERS)),
        ("section_told_agent", quote_lines(advice, _SECTION_CHARACTERS)),
        ("section_checks", checks),
        ("section_check_output", quote_lines(checked.output, _OUTPUT_CHARACTERS)),
        ("section_strays", "\n".join(f"- {_short(path)}" for path in checked.strays)),
        ("section_status", report.status),
        ("section_results", quote_lines(report.results, _SECTION_CHARACTERS)),
        ("section_pitfalls", quote_lines(report.pitfalls, _SECTION_CHARACTERS)),
        ("section_next_steps", quote_lines(report.next_steps, _SECTION_CHARACTERS)),
        ("section_late", quote_lines(report.late, _SECTION_CHARACTERS)),
    ]
    return _system("evaluate_report", language), _user(sections, language)


def summary_messages(goal: str, tasks: Iterable[Task], language: Language) -> tuple[Message, ...]:
    """Return the request to sum up what was done."""
    sections = [
        ("section_goal", quote_lines(goal, _GOAL_CHARACTERS)),
        ("section_tasks", "\n".join(_outcome_line(task) for task in tasks)),
    ]
    return _system("summarize_work", language), _user(sections, language)


def plain_summary(plan: PlanView, tasks: Sequence[Task], language: Language) -> str:
    """Return the summary of a plan that no model sums up: how each task ended."""
    key = "summary_finished" if plan.status == "completed" else "summary_unfinished"
    statuses = [task.status for task in tasks]
    counts = {"done": statuses.count("completed"), "total": len(statuses)}
    first = text(key, language, **counts)
    if skipped := statuses.count("skipped"):
        first = clauses((first, text("summary_skipped", language, count=skipped)), language)
    lines = (_summary_line(task, language) for task in tasks)
    return "\n".join((first, "", *lines))


def _summary_line(task: Task, language: Language) -> str:
    name = one_line(task.name, _LINE_CHARACTERS)
    what = text(_SUMMARY_KEYS[task.status], language, task=task.id, name=name)
    said = (task.result or task.error or "").strip().partition("\n")[0]
    said = one_line(said, _LINE_CHARACTERS)
    return f"- {what}: {said}" if said else f"- {what}"


def _system(name: str, language: Language) -> Message:
    return Message("system", prompt(name, language))


def _user(sections: Iterable[tuple[str, str]], language: Language) -> Message:
    """Return the sections that have a text, each below its heading."""
    shown = (f"## {text(key, language)}\n{body}" for key, body in sections if body.strip())
    return Message("user", "\n\n".join(shown))


def _told_section(messages: Iterable[str]) -> list[tuple[str, str]]:
    lines = "\n\n".join(quote_lines(message, _SECTION_CHARACTERS) for message in messages)
    return [("section_told", lines)] if lines else []


def _task_text(task: Task) -> str:
    parts = (f"{task.id} {task.name}", task.description, task.constraints)
    return "\n".join(quote_lines(part, _SECTION_CHARACTERS) for part in parts if part)


def _task_line(task: Task) -> str:
    needs = f" needs: {', '.join(map(str, task.needs))}" if task.needs else ""
    return f"- {task.id} [{task.status}] {_short(task.name)}{needs}"


def _outcome_line(task: Task) -> str:
    how = task.how if task.status == "completed" and task.how else task.status
    result = f": {_short(task.result)}" if task.result else ""
    return f"- {task.id} {_short(task.name)} ({how}){result}"


def _short(value: str) -> str:
    return quote_one_line(value, _OUTPUT_CHARACTERS)


class Request(Struct, Generic[T], frozen=True):
    """What the model is asked for: data of a type, with what else has to hold for it."""

    contract: type[T]
    check: Check[T] | None = None
    salvage: Salvage[T] | None = None


def ask_model(
    messages: tuple[Message, ...],
    request: Request[T],
    language: Language,
    *,
    task: int | None = None,
    accept: Accept[T] | None = None,
) -> e.Loop[T | None]:
    """Return what the model answers; None if none of three answers can be used.

    Raises `LoopEnd` if the model cannot be asked.
    """
    for _ in range(_REPAIRS + 1):
        reply = yield from e.Think(messages, (), task=task)
        if reply.outcome.error:
            raise failure_end(reply.outcome, reply.plan, language)
        parsed = parse_contract(
            reply.outcome.text, request.contract, request.check, request.salvage
        )
        if parsed.value is None:
            repair = parsed.repair_request(language)
        else:
            refusal = "" if accept is None else (yield from accept(parsed.value))
            if not refusal:
                return parsed.value
            repair = text("contract_repair", language, problems=f"- {refusal}")
        answer = Message("assistant", reply.outcome.text)
        messages = (*messages, answer, Message("user", repair))
    return None


def ask_for_text(messages: tuple[Message, ...], language: Language) -> e.Loop[str]:
    """Return what the model answers in words. Raises `LoopEnd` if it cannot be asked."""
    reply = yield from e.Think(messages, ())
    if reply.outcome.error:
        raise failure_end(reply.outcome, reply.plan, language)
    return reply.outcome.text.strip()
