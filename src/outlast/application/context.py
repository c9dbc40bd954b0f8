"""Every word that a model is shown by our own loops.

What did not come from our own texts is data: it is escaped here, cut, and never has the system
role. What tools return stands in messages of their own, whose role says where it comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.ports.model import Message
from outlast.texts import text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.domain.model import Attempt, Finding, Task, TaskStatus
    from outlast.ports.effects import PlanView
    from outlast.ports.model import Call
    from outlast.ports.tool import Settlement
    from outlast.texts import Language

Settled = tuple["Attempt", "Settlement"]
_GOAL: Final = 200
_NAME: Final = 60
_TITLES: Final = 3  # findings of each category
_OUTPUT: Final = 20_000
_ICONS: Final[dict[TaskStatus, str]] = {
    "completed": "✓",
    "in_progress": "⏳",
    "pending": "⏸",
    "failed": "✗",
    "skipped": "⊘",
}
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escape(value: str, longest: int) -> str:
    """Return a text from outside on one line, cut, that opens and closes no tag of ours."""
    cut = value if len(value) <= longest else f"{value[: longest - 1]}…"
    return visible(cut).translate(_ENTITIES)


def opening(
    goal: str,
    plan: PlanView,
    settled: Iterable[Settled],
    allowance: int,
    language: Language = "en",
) -> list[Message]:
    """Return how a conversation begins: with the goal, or with a summary of what came before."""
    said = goal
    if plan.iteration_count:
        limit = plan.iteration_count + allowance
        summary = resume_summary(plan, limit, language, settled)
        told = text("resuming", language, summary=summary)
        said = "\n\n".join((told, text("instruction", language, text=goal)))
    return [Message("system", text("loop_system", language)), Message("user", said)]


def resume_summary(
    plan: PlanView, limit: int, language: Language = "en", settled: Iterable[Settled] = ()
) -> str:
    """Say where a plan stands, for a model that has not seen the work so far."""
    used = plan.iteration_count
    lines = [
        text("summary_goal", language, goal=escape(plan.goal, _GOAL)),
        text("summary_progress", language, done=plan.done, total=plan.total),
        _current(plan, language),
        text("summary_iterations", language, used=used, limit=limit),
        "",
        text("summary_steps", language),
        *_steps(plan, language),
    ]
    told = list(settled)
    known = {attempt.id for attempt, _ in told}
    lines += (
        text("already_done", language, what=escape(done.what, _GOAL))
        for done in plan.already
        if done.id not in known
    )
    for attempt, found in told:
        key = "settled_done" if found == "done" else "settled_not_done"
        lines.append(text(key, language, what=escape(attempt.what, _GOAL)))
    return "\n".join(lines)


def plan_block(plan: PlanView, language: Language = "en") -> str:
    """Return the plan as it stands, in few words; the same bytes while nothing has changed."""
    facts = (
        text("summary_goal", language, goal=escape(plan.goal, _GOAL)),
        text("summary_progress", language, done=plan.done, total=plan.total),
        _current(plan, language),
    )
    lines = (text("block_head", language), *(f"- {fact}" for fact in facts))
    return "\n".join(("<plan>", *lines, *_steps(plan, language), "</plan>"))


def plan_message(plan: PlanView, language: Language = "en") -> Message:
    """Return the plan block as the last message of a request."""
    return Message("user", plan_block(plan, language))


def findings_summary(findings: Iterable[Finding], language: Language = "en") -> str:
    """Return what was learned by its titles, a few of each category; nothing if there is none."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.category, []).append(finding)
    if not groups:
        return ""
    count = sum(map(len, groups.values()))
    lines = ["<findings-summary>", text("findings_total", language, count=count), ""]
    for category, found in groups.items():
        titles = (f"- {escape(finding.title, _GOAL)}" for finding in found[:_TITLES])
        lines += (f"**{category}:**", *titles, "")
    return "\n".join((*lines, "</findings-summary>"))


def tool_message(call: Call, output: str, failed: str) -> Message:
    """Return what came of a call, cut."""
    said = text("call_failed", problem=failed) if failed else output
    if len(said) > _OUTPUT:
        cut = text("call_cut", count=len(said) - _OUTPUT)
        said = f"{said[:_OUTPUT]}\n{cut}"
    return Message("tool", said, call_id=call.id)


def _current(plan: PlanView, language: Language) -> str:
    task = plan.current
    if task is None:
        return text("summary_no_step", language)
    name, done = escape(task.name, _NAME), task.progress
    progress = f" ({done.current}/{done.total})" if done else ""
    return text("summary_step", language, id=task.id, name=name) + progress


def _steps(plan: PlanView, language: Language) -> Iterator[str]:
    for task in plan.tasks:
        yield _step(task, language)
    hidden = plan.total - len(plan.tasks)
    if hidden:
        yield text("summary_hidden", language, count=hidden)


def _step(task: Task, language: Language) -> str:
    line = f"{task.id}. {_ICONS[task.status]} {escape(task.name, _NAME)}"
    if task.status == "in_progress":
        return " ".join((line, text("step_running", language)))
    if task.status == "pending":
        return " ".join((line, text("step_waiting", language)))
    return line
