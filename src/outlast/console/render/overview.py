"""The plan as a whole: its tasks, its costs and its open questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from outlast.console.render.advice import advice_details, advice_lines
from outlast.console.render.json import plan_json, task_json
from outlast.console.render.output import has_colours
from outlast.console.render.summary import resume_lines
from outlast.errors import StoreError
from outlast.language import visible
from outlast.plan.core import has_ended

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.console.render.outline import Labels
    from outlast.console.render.output import Json
    from outlast.model.model import Question, QuestionKind
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan
    from outlast.store.port import Notice

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
    labels = load_proof_labels(plan, call)
    has_ended = plan.status in ("completed", "failed")
    answer = deliverable_lines(plan, call, or_answer=True) if has_ended else []
    if archived:
        return "\n".join([draw_plan(plan, call, labels), *answer, *plan_cost_lines(plan, call)])
    done = {task.id for task in plan.tasks("completed")}
    doubtful = {
        task_id: label
        for task_id, label in labels.items()
        if label == "tampered" or (task_id in done and label != "forged")
    }
    unapproved = {
        task: label for task, label in _unapproved_labels(plan).items() if task not in doubtful
    }
    lines = [
        draw_plan(plan, call, labels),
        *answer,
        *advice_lines(call, doubtful),
        *advice_lines(call, unapproved),
    ]
    return "\n".join([*lines, *agent_lines(plan, call), *resume_lines(_condition(plan), call)])


def _condition(plan: Plan) -> str:
    moment = plan.core.now()
    return plan.core.read(lambda state: state.condition(moment, has_ended))


def _unapproved_labels(plan: Plan) -> Labels:
    """Return the unfinished tasks that have unapproved checks."""
    try:
        unapproved = plan.checks.unapproved()
    except StoreError:  # a notice reports it already
        return {}
    return {task: "not approved" for task in unapproved if not plan.task(task).finished}


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
    from outlast.console.render.next_command import QUOTED_BLANK, suggest_command

    answers = [call.text(key) for key in _answer_texts(question)] or [QUOTED_BLANK]
    return [
        suggest_command(call, "answer", str(question.id), *answer.split(), *options)
        for answer in answers
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
    from outlast.console.render.costs import cost_lines

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
        from outlast.console.render.costs import cost_json

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
