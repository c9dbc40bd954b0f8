"""The plan as a whole: its tasks, its costs and its open questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.errors import StoreError
from outlast.interfaces.cli.render.json import plan_json, task_json
from outlast.interfaces.cli.render.output import has_colours
from outlast.texts import visible

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Question
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.outline import Labels
    from outlast.interfaces.cli.render.output import Json
    from outlast.ports.store import Notice

_DELIVERABLE_LINES: Final = 20


def question_lines(call: Call, questions: tuple[Question, ...]) -> list[str]:
    """Return the open questions, each with the command that answers it."""
    from outlast.application.sync.waiting_edits import question_text
    from outlast.interfaces.cli.render.next_command import QUOTED_BLANK, suggest_command

    lines = []
    for question in questions:
        lines_of_question = question_text(question, call.language).strip().splitlines()
        words = "\n    ".join(map(visible, lines_of_question))
        command = suggest_command(call, "answer", str(question.id), QUOTED_BLANK)
        lines.append(call.text("say_question", id=question.id, question=words, command=command))
    return lines


def agent_lines(plan: Plan, call: Call) -> list[str]:
    """Return what an agent has used and asks, if one has worked on the plan."""
    return [*plan_cost_lines(plan, call), *_open_question_lines(plan, call)]


def plan_cost_lines(plan: Plan, call: Call) -> list[str]:
    """Return what was used and what is left, if anything was counted."""
    if not plan.core.read(_has_costs):
        return []
    from outlast.interfaces.cli.render.costs import cost_lines

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
    return plan.core.read(lambda state: _overview_json(state, labels))


def _overview_json(state: PlanState, labels: Labels) -> Json:
    tasks = [
        {**task_json(task, state.blocked_by(task)), "proof": labels.get(task.id, "")}
        for task in state.tasks_in_order()
    ]
    phases = [{"id": phase.id, "title": phase.title} for phase in state.phases.values()]
    costs = None
    if _has_costs(state):
        from outlast.interfaces.cli.render.costs import cost_json

        costs = cost_json(state)
    content: Json = {"plan": plan_json(state), "phases": phases, "tasks": tasks, "costs": costs}
    questions = state.ledger.conversation.questions.values()
    content["questions"] = [asdict(item) for item in questions if item.answer is None]
    return content


def load_proof_labels(plan: Plan, call: Call) -> Labels:
    """Return the labels of the tasks; add a notice if they cannot be read or a proof is forged."""
    try:
        labels = {task: status.label for task, status in plan.checks.proofs().items()}
    except StoreError as error:
        call.notices.append((error.text, error.details))
        return {}
    foreign = [task for task, label in labels.items() if label == "forged"]
    notice: Notice = ("not_proved_here", {"tasks": foreign})
    if foreign and notice not in call.notices:
        call.notices.append(notice)
    return labels


def draw_plan(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan as a coloured tree, or without colours as an outline."""
    if has_colours():
        from outlast.interfaces.cli.render.tree import render_tree

        return render_tree(plan, call.language, labels)
    return outline_plan(plan, call, labels)


def draw_glance(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan like `draw_plan`, but on a terminal only the current part of a long plan."""
    if has_colours():
        from outlast.interfaces.cli.render.tree import render_glance

        return render_glance(plan, call.language, labels)
    return outline_plan(plan, call, labels)


def outline_plan(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan as plain lines."""
    from outlast.interfaces.cli.render.outline import outline

    return plan.core.read(lambda state: outline(state, call.language, labels))
