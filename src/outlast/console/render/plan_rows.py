"""Plans as rows: a bar, the current task, who works on it, the cost, and what waits for an answer.

On a terminal a row fits its width: long names end in an ellipsis, and what does not fit beside the
task is in the next line. Elsewhere nothing is truncated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.console.render.output import has_colours, terminal_width
from outlast.language import Language, explain, status_words, text, visible
from outlast.language.columns import text_width, wrap_line
from outlast.system.clock import now

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from outlast.console.call import Call, Json
    from outlast.model.budget import Spend
    from outlast.model.model import Question, Task
    from outlast.plan.plan_list import ListedPlan

    Part = tuple[str, str]  # a text and its style on a terminal
    Line = list[Part]

_CURRENT: Final = "▸ "
_INDENT: Final = "  "
_BAR: Final = 10  # columns
_BETWEEN: Final = " · "
_SHORTEST_NAME: Final = 12  # columns of a task's name
_MINUTE: Final = 60
_HOUR: Final = 3_600
_DAY: Final = 86_400
_STYLES: Final = {
    "running": "cyan",
    "paused": "yellow",
    "interrupted": "bold yellow",
    "needs_approval": "bold yellow",
    "aborted": "red",
    "failed": "red",
    "completed": "green",
}


def draw_rows(plans: Iterable[ListedPlan], call: Call) -> str:
    """Return the rows of some plans, coloured on a terminal."""
    width = terminal_width()
    lines = [line for plan in plans for line in _row_lines(plan, call, width)]
    if has_colours():
        from outlast.console.render.tree import render_lines

        return render_lines(lines)
    return "\n".join("".join(part for part, _ in line).rstrip() for line in lines)


def row_json(plan: ListedPlan) -> Json:
    """Return a plan of a list for `--json`."""
    current = plan.current
    archived = {"name": plan.name, "path": plan.path} if plan.name else {}
    return {
        "key": plan.key,
        "title": plan.title,
        "goal": plan.goal,
        "status": plan.status,
        "condition": plan.condition,
        "is_aborted": plan.is_aborted,
        "is_current": plan.is_current,
        "done": plan.done,
        "total": plan.total,
        "current": _task_json(current),
        "actor": current.actor if current else "",
        "since": current.started_at if current else None,
        "next": _task_json(plan.next),
        "worker": plan.worker,
        "spent": asdict(plan.spent),
        "questions": [
            {"id": question.id, "text": _question_text(question, "en")}
            for question in plan.questions
        ],
        "updated_at": plan.updated_at,
        "problem": explain(plan.problem) if plan.problem else "",
        **archived,
    }


def _task_json(task: Task | None) -> Json | None:
    return {"id": task.id, "name": task.name} if task else None


def _question_text(question: Question, language: Language) -> str:
    from outlast.documents.waiting_edits import question_text

    return question_text(question, language).strip()


def _row_lines(plan: ListedPlan, call: Call, width: int) -> list[Line]:
    mark = _CURRENT if plan.is_current else _INDENT
    key = f"{mark}{visible(plan.name or plan.key)}"
    title = visible(f"  {plan.title}") if plan.title else ""
    title = _cut(title, width and max(1, width - text_width(key)))
    lines: list[Line] = [[(key, "bold cyan" if plan.is_current else "bold"), (title, "")]]
    if plan.problem:
        problem = visible(explain(plan.problem, call.language, **call.command_options))
        wrapped = wrap_line(f"{_INDENT}! {problem}", width, _INDENT * 2)
        return [*lines, *([(line, "red")] for line in wrapped)]
    lines += _progress_lines(plan, call.language, width)
    if not (plan.name or plan.has_ended):
        lines += _question_lines(plan, call, width)
        lines += _resume_lines(plan, call)
    return lines


def _progress_lines(plan: ListedPlan, language: Language, width: int) -> list[Line]:
    """Return the bar and what is beside it; on a narrow terminal some of that is below it."""
    filled = _BAR * plan.done // plan.total if plan.total else 0
    status = status_words(plan.condition, language)
    if plan.name:
        status = text("say_archived_status", language, status=status)
    line: Line = [
        (f"{_INDENT}{'█' * filled}", "green"),
        ("░" * (_BAR - filled), "dim"),
        (f" {plan.done}/{plan.total}  ", ""),
        (status, _STYLES.get(plan.condition, "")),
    ]
    name, beside = _task_text(plan, language), _other_parts(plan, language)
    below: list[Part] = []
    while beside and width and _room(line, beside, width) < min(_SHORTEST_NAME, text_width(name)):
        below.insert(0, beside.pop())
    task: Part = (_cut(name, width and _room(line, beside, width)), "")
    lines = [_join([line, *([part] for part in (task, *beside) if part[0])])]
    if below:
        lines.append([(_INDENT * 2, ""), *_join([[part] for part in below])])
    return lines


def _join(pieces: list[Line]) -> Line:
    """Return the pieces of a line with a dot between them."""
    first, *others = pieces
    return [*first, *(part for piece in others for part in ((_BETWEEN, "dim"), *piece))]


def _other_parts(plan: ListedPlan, language: Language) -> list[Part]:
    """Return who works on the plan, its cost, and when it was changed if nobody works on it."""
    worker = _worker_part(plan, language)
    time = f"{plan.updated_at.astimezone():%Y-%m-%d %H:%M}" if plan.updated_at else ""
    parts = (worker, (_cost_text(plan.spent, language), ""), ("" if worker[0] else time, "dim"))
    return [part for part in parts if part[0]]


def _room(line: Line, others: Sequence[Part], width: int) -> int:
    """Return the columns that are left for the task between the parts of a line."""
    taken = sum(text_width(part) for part, _ in (*line, *others))
    return max(1, width - taken - text_width(_BETWEEN) * (1 + len(others)))


def _task_text(plan: ListedPlan, language: Language) -> str:
    task = plan.current or plan.next
    if task is None or plan.has_ended:
        return ""
    name = f"{task.id} {visible(task.name)}"
    return name if plan.current else text("row_next", language, task=name)


def _worker_part(plan: ListedPlan, language: Language) -> Part:
    """Return who works on the plan and since when: a run, or the actor of the task in progress."""
    current = plan.current if plan.condition == "running" else None
    actor = plan.worker or (current.actor if current else "")
    if not actor:
        return "", ""
    if current is None or current.started_at is None:
        return text("row_run", language, actor=visible(actor)), "bold cyan"
    time = _time_between(current.started_at, now(), language)
    key, style = ("row_run_since", "bold cyan") if plan.worker else ("row_since", "cyan")
    return text(key, language, actor=visible(actor), time=time), style


def _time_between(start: datetime, end: datetime, language: Language) -> str:
    """Return how long ago something began, in its largest unit."""
    seconds = (end - start).total_seconds()
    for unit, key in ((_DAY, "row_days"), (_HOUR, "row_hours"), (_MINUTE, "row_minutes")):
        if seconds >= unit:
            return text(key, language, count=int(seconds // unit))
    return text("row_moment", language)


def _cost_text(spent: Spend, language: Language) -> str:
    """Return the money that was spent; without a price, the tokens."""
    kind = "money" if spent.money else "tokens"
    value = getattr(spent, kind)
    if not value:
        return ""
    from outlast.documents.amount_words import amount_text

    return amount_text(kind, value, language)


def _question_lines(plan: ListedPlan, call: Call, width: int) -> list[Line]:
    """Return the oldest question, how many more there are, and the commands that answer it."""
    if not plan.questions:
        return []
    from outlast.console.render.overview import answer_commands

    oldest, *more = plan.questions
    question = visible(" ".join(_question_text(oldest, call.language).split()))
    count = call.text("row_more", count=len(more)) if more else ""
    room = width and max(1, width - text_width(f"{_INDENT}? {count}"))
    return [
        [(f"{_INDENT}? {_cut(question, room)}", "yellow"), (count, "dim")],
        *map(_command_line, answer_commands(call, oldest, "--plan", plan.key)),
    ]


def _resume_lines(plan: ListedPlan, call: Call) -> list[Line]:
    """Return the command for a plan that nobody works on although it was not paused."""
    if plan.condition not in ("interrupted", "needs_approval"):
        return []

    return [_command_line(call.suggest("resume", "--plan", plan.key))]


def _command_line(command: str) -> Line:
    return [(f"{_INDENT * 2}{command}", "dim")]


def _cut(words: str, width: int) -> str:
    """Return a text that fits so many columns, if need be with an ellipsis; 0 is no limit."""
    if not width or text_width(words) <= width:
        return words
    kept = ""
    for character in words:
        if text_width(kept + character) >= width:
            break
        kept += character
    return f"{kept.rstrip()}…"
