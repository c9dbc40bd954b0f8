"""The plan as a whole: its tasks, advice on their proofs, its costs and its open questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.console.call import QUOTED_BLANK, Call, Json
from outlast.console.render.json import plan_json, task_json
from outlast.console.render.output import has_colours
from outlast.console.render.summary import resume_lines
from outlast.documents.amount_words import COUNTED, amount_texts, limits_in, part_of_limit
from outlast.errors import StoreError
from outlast.language import Language, clauses, text, visible
from outlast.model.budget import NO_LIMIT, NOTHING, Budget
from outlast.model.model import PERSON, Label, Question, QuestionKind, Task
from outlast.model.plan_costs import (
    forecast,
    remaining_budget,
    reserved_amount,
    spent_amount,
    used_amount,
)
from outlast.plan.core import holder_state

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from outlast.console.render.outline import Labels
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan
    from outlast.store.port import Notice

ADVICE_KEYS: Final[dict[Label, str]] = {
    "stale": "advice_stale",
    "tampered": "advice_tampered",
    "forged": "not_proved_here",
    "fails now": "advice_fails",
    "unproved, fails now": "advice_fails",
    "unknown": "advice_unknown",
    "not approved": "advice_not_approved",
}
_DELIVERABLE_LINES: Final = 20
_ANSWERS: Final[dict[QuestionKind, tuple[str, ...]]] = {  # that each kind of question accepts
    "ask": (),
    "settle": ("answer_done", "answer_not_done"),
    "permit": ("answer_no",),  # a yes counts only where the agent runs
    "goal": ("answer_yes", "answer_no"),
    "edit": ("answer_yes", "answer_no"),
    "replan": ("answer_approve", "answer_reject"),
    "checks": ("answer_yes", "answer_no"),
    "confirm": ("answer_yes", "answer_no"),
}


def plan_text(plan: Plan, call: Call, *, archived: bool = False) -> str:
    """Return the plan, and below it what to do about doubtful proofs and waiting checks.

    A notice reports forged proofs already, so the advice leaves them out. Nothing can be done about
    an archived plan.
    """
    return plan.core.read(lambda state: _plan_text(state, plan, call, archived=archived))


def _plan_text(state: PlanState, plan: Plan, call: Call, *, archived: bool) -> str:
    labels = load_proof_labels(plan, call)
    is_over = state.status in ("completed", "failed")
    answer = deliverable_lines(plan, call, or_answer=True) if is_over else []
    if archived:
        return "\n".join([draw_plan(plan, call, labels), *answer, *plan_cost_lines(plan, call)])
    doubtful = {
        task: label
        for task, label in labels.items()
        if label == "tampered" or (label != "forged" and state.tasks[task].status == "completed")
    }
    unapproved = {
        task: label
        for task, label in _unapproved_labels(state, plan).items()
        if task not in doubtful
    }
    lines = [
        draw_plan(plan, call, labels),
        *answer,
        *advice_lines(call, doubtful),
        *advice_lines(call, unapproved),
        *agent_lines(plan, call),
    ]
    condition = state.condition(plan.core.now(), holder_state)
    return "\n".join([*lines, *resume_lines(condition, call)])


def _unapproved_labels(state: PlanState, plan: Plan) -> Labels:
    """Return the unfinished tasks that have unapproved checks."""
    if not any(task.checks for task in state.tasks.values()):
        return {}
    try:
        unapproved = plan.checks.unapproved()
    except StoreError:  # a notice reports it already
        return {}
    return {task: "not approved" for task in unapproved if not state.tasks[task].finished}


def question_lines(call: Call, questions: tuple[Question, ...]) -> list[str]:
    """Return the open questions, each with the command that answers it."""
    from outlast.documents.waiting_edits import question_text

    lines = []
    for question in questions:
        lines_of_question = question_text(question, call.language).strip().splitlines()
        words = "\n    ".join(map(visible, lines_of_question))
        command = "\n  ".join(answer_commands(call, question))
        lines.append(call.text("say_question", id=question.id, question=words, command=command))
    return lines


def answer_commands(call: Call, question: Question, *options: str) -> list[str]:
    """Return the commands that answer a question, one for each answer that its kind accepts."""
    answers = [call.text(key) for key in _answer_texts(question)] or [QUOTED_BLANK]
    return [
        call.suggest("answer", str(question.id), *answer.split(), *options) for answer in answers
    ]


def _answer_texts(question: Question) -> tuple[str, ...]:
    """Return the texts of the answers that a question accepts; none if it takes any words."""
    if question.kind != "ask":
        return _ANSWERS[question.kind]
    if "#" in question.about:  # an attempt of a task
        return "answer_done", "answer_retry", "answer_skip", "answer_abort"
    return ()


def agent_lines(plan: Plan, call: Call) -> list[str]:
    """Return what an agent has used and asks, if one has worked on the plan."""
    return [*plan_cost_lines(plan, call), *_open_question_lines(plan, call)]


def plan_cost_lines(plan: Plan, call: Call) -> list[str]:
    """Return what was used and what is left, if anything was counted."""
    if not plan.core.read(_has_costs):
        return []

    return plan.core.read(lambda state: cost_lines(state, call.language))


def deliverable_lines(plan: Plan, call: Call, *, or_answer: bool = False) -> list[str]:
    """Return the first lines of the deliverable, or of the agent's answer; none without one."""
    notes = plan.core.read(lambda state: state.notes)
    text = notes.deliverable or (notes.answer if or_answer else "")
    if not text:
        return []
    shown = text.strip().splitlines()[:_DELIVERABLE_LINES]
    head = call.text("run_delivered", file="deliverable.md")
    return [head, *(f"  {visible(line)}" for line in shown)]


def _has_costs(state: PlanState) -> bool:
    counters = state.ledger.counters
    return bool(counters.spent or counters.budgets)


def _open_question_lines(plan: Plan, call: Call) -> list[str]:
    if not plan.core.read(lambda state: state.ledger.conversation.questions):
        return []
    return question_lines(call, plan.questions.open())


def overview_json(plan: Plan, call: Call) -> Json:
    """Return the plan with all its tasks, each with its label."""
    labels = load_proof_labels(plan, call)
    about = plan_json(plan)
    return plan.core.read(lambda state: {"plan": about, **_overview_json(state, labels)})


def _overview_json(state: PlanState, labels: Labels) -> Json:
    tasks = [
        {**task_json(task, state.blocked_by(task)), "proof": labels.get(task.id, "")}
        for task in state.tasks_in_order()
    ]
    phases = [{"id": phase.id, "title": phase.title} for phase in state.phases.values()]
    costs = None
    if _has_costs(state):
        costs = cost_json(state)
    content: Json = {"phases": phases, "tasks": tasks, "costs": costs}
    content["questions"] = [asdict(question) for question in state.open_questions()]
    return content


def load_proof_labels(plan: Plan, call: Call) -> Labels:
    """Return the labels of the tasks; add a notice if they cannot be read or a proof is forged."""
    try:
        labels = {task: status.label for task, status in plan.checks.proofs().items()}
    except StoreError as error:
        call.notices.append((error.text, error.details))
        return {}
    foreign = [task for task, label in labels.items() if label == "forged"]
    if foreign:
        notice: Notice = ("not_proved_here", advice_details(foreign))
        if notice not in call.notices:
            call.notices.append(notice)
    return labels


def draw_plan(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan as a coloured tree, or without colours as an outline."""
    if has_colours():
        from outlast.console.render.tree import render_tree

        return render_tree(plan, call.language, labels)
    return outline_plan(plan, call, labels)


def draw_glance(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan like `draw_plan`, but on a terminal only the current part of a long plan."""
    if has_colours():
        from outlast.console.render.tree import render_glance

        return render_glance(plan, call.language, labels)
    return outline_plan(plan, call, labels)


def outline_plan(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan as plain lines."""
    from outlast.console.render.outline import outline

    moment = plan.core.now()
    return plan.core.read(lambda state: outline(state, call.language, moment, labels))


def advice_lines(call: Call, labels: Mapping[int, Label]) -> Iterator[str]:
    """Yield a line for each label that needs attention, with its tasks."""
    for label in ADVICE_KEYS:
        tasks = [task for task, current in labels.items() if current == label]
        if tasks:
            yield advice_line(call, label, tasks)


def approval_advice(plan: Plan, call: Call, tasks: Collection[Task]) -> list[str]:
    """Return advice on tasks with unapproved checks, for an actor who may not approve them."""
    if plan.actor == PERSON or not any(task.checks for task in tasks):
        return []
    unapproved = plan.checks.unapproved()
    return [
        *advice_lines(call, {task.id: "not approved" for task in tasks if task.id in unapproved})
    ]


def advice_line(call: Call, label: Label, tasks: list[int]) -> str:
    """Return the advice on a label; the commands in it are about its tasks."""
    return call.text(ADVICE_KEYS[label], **advice_details(tasks))


def advice_details(tasks: list[int]) -> dict[str, object]:
    """Return what the advice on some tasks says; only a single one is named to `check`."""
    number = f" {tasks[0]}" if len(tasks) == 1 else ""
    return {"tasks": tasks, "number": number, "first": tasks[0]}


def cost_lines(state: PlanState, language: Language) -> list[str]:
    """Return what was used, what is left of the budget, and the forecast."""
    budget = state.ledger.counters.budgets.get(0, NO_LIMIT)
    sums = {"cost_used": spent_amount(state), "cost_reserved": reserved_amount(state)}
    texts = {key: amount_texts(spend, language) for key, spend in sums.items() if spend != NOTHING}
    lines = [text(key, language, what=what) for key, what in texts.items()]
    if budget != NO_LIMIT:
        lines.append(text("cost_left", language, what=_remaining_text(state, 0, language)))
    if state.finished_count < len(state.tasks):
        lines.append(_forecast_line(state, language))
    return lines


def _remaining_text(state: PlanState, task: int, language: Language) -> str:
    """Return how much of each limit of a task, or of the plan (0), is left."""
    left = remaining_budget(state, task)
    return clauses(
        [
            part_of_limit(kind, getattr(left, kind), limit, language)
            for kind, limit in limits_in(state.ledger.counters.budgets[task])
        ],
        language,
    )


def _forecast_line(state: PlanState, language: Language) -> str:
    expected = forecast(state)
    if expected is None:
        return text("cost_unknown", language)
    return text("cost_forecast", language, what=amount_texts(expected, language))


def full_cost_lines(state: PlanState, language: Language) -> list[str]:
    """Return all costs: also those of each task and of planning."""
    lines = cost_lines(state, language)
    if spent_amount(state) != NOTHING:
        planning = amount_texts(state.ledger.counters.planning, language)
        lines.append(text("cost_planning", language, what=planning))
    return [*lines, *_task_cost_lines(state, language)]


def _task_cost_lines(state: PlanState, language: Language) -> Iterator[str]:
    for task in state.tasks_in_order():
        cost, name = spent_amount(state, task.id), f"{task.id} {visible(task.name)}"
        if cost != NOTHING:
            yield text("cost_of_task", language, task=name, what=amount_texts(cost, language))
        if task.id in state.ledger.counters.budgets:
            left = _remaining_text(state, task.id, language)
            yield text("cost_left_of_task", language, task=name, what=left)


def cost_json(state: PlanState) -> Json:
    """Return all costs for `--json`; a missing limit and an unknown forecast are null."""
    counters = state.ledger.counters
    expected = forecast(state)
    return {
        "used": asdict(used_amount(state)),
        "budget": asdict(counters.budgets.get(0, NO_LIMIT)),
        "left": asdict(remaining_budget(state)),
        "forecast": None if expected is None else asdict(expected),
        "planning": asdict(counters.planning),
        "tasks": [
            {
                "task": task,
                "used": asdict(used_amount(state, task)),
                "budget": asdict(counters.budgets.get(task, NO_LIMIT)),
            }
            for task in sorted((counters.spent.keys() | counters.budgets.keys()) - {0})
        ],
    }


def doubled_limits(budget: Budget) -> str:
    """Return a budget with twice the limits, as `--budget` takes it; empty if it has none."""
    limits = ((kind, 2 * limit) for kind, limit in limits_in(budget))
    return ",".join(f"{kind}={_spell_limit(kind, limit)}" for kind, limit in limits)


def _spell_limit(kind: str, limit: float) -> str:
    if kind in COUNTED and limit and limit % 1_000 == 0:
        return f"{limit // 1_000:.0f}k"
    return f"{limit:.2f}".removesuffix(".00")
