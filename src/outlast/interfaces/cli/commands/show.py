"""`show`: the plan with all its tasks, what it costs, and what somebody has to see to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.errors import StoreError
from outlast.interfaces.cli.render.advice import advised
from outlast.interfaces.cli.render.json import plan_shape, task_shape
from outlast.interfaces.cli.render.output import Answer, on_terminal

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.state import PlanState
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.outline import Labels
    from outlast.interfaces.cli.render.output import Json
    from outlast.ports.store import Notice


def show(plan: Plan, call: Call, *, at: str | None = None, cost: bool = False) -> Answer:
    """Show the plan with all its tasks, as it is or as it was at a revision; or what it costs."""
    if at is not None:
        return _shown_at(plan, call, at)
    plan.render()

    def words() -> str:
        return _cost(plan, call) if cost else _advised(plan, call)

    return Answer(lambda: whole_shape(plan, call), words)


def _cost(plan: Plan, call: Call) -> str:
    from outlast.interfaces.cli.render.costs import whole_cost
    from outlast.interfaces.cli.render.outline import heading

    def lines(state: PlanState) -> list[str]:
        return [heading(state, call.language), *whole_cost(state, call.language)]

    return "\n".join(plan.read(lines))


def _shown_at(plan: Plan, call: Call, at: str) -> Answer:
    from outlast.interfaces.cli.parser.revisions import revision

    past = plan.as_of(revision(at))

    def words() -> str:
        head = call.say("say_as_of", revision=past.revision, newest=plan.revision)
        return f"{head}\n{drawn(past, call, labels_of(past, call))}"

    return Answer(lambda: whole_shape(past, call), words)


def _advised(plan: Plan, call: Call) -> str:
    """Return the plan, and below it what has to be seen to; what is not proved here is told."""
    labels = labels_of(plan, call)
    done = {task.id for task in plan.tasks("completed")}
    doubted = {
        one: label
        for one, label in labels.items()
        if label == "tampered" or (one in done and label != "forged")
    }
    waiting = _waiting(plan)
    lines = [drawn(plan, call, labels), *advised(call, doubted), *advised(call, waiting)]
    return "\n".join([*lines, *agent_lines(plan, call)])


def agent_lines(plan: Plan, call: Call) -> list[str]:
    """Return what an agent has used and asks, if one has worked on the plan."""
    return [*cost_of(plan, call), *_asked(plan, call)]


def cost_of(plan: Plan, call: Call) -> list[str]:
    """Return what was used and what is left, where anything was counted."""
    if not plan.read(_is_counted):
        return []
    from outlast.interfaces.cli.render.costs import cost_lines

    return plan.read(lambda state: cost_lines(state, call.language))


def _is_counted(state: PlanState) -> bool:
    books = state.ledger.books
    return bool(books.spent or books.budgets)


def _asked(plan: Plan, call: Call) -> list[str]:
    if not plan.read(lambda state: state.ledger.talk.questions):
        return []
    from outlast.interfaces.cli.commands.answer import question_lines

    return question_lines(call, plan.questions())


def whole_shape(plan: Plan, call: Call) -> Json:
    """Return a plan with all its tasks, each with what it is known by to be done."""
    labels = labels_of(plan, call)
    return plan.read(lambda state: _whole(state, labels))


def _whole(state: PlanState, labels: Labels) -> Json:
    tasks = [
        {**task_shape(one, state.blocked_by(one)), "proof": labels.get(one.id, "")}
        for one in state.in_order()
    ]
    phases = [{"id": one.id, "title": one.title} for one in state.phases.values()]
    costs = None
    if _is_counted(state):
        from outlast.interfaces.cli.render.costs import cost_shape

        costs = cost_shape(state)
    whole = {"plan": plan_shape(state), "phases": phases, "tasks": tasks, "costs": costs}
    return whole | {"questions": _open_questions(state)}


def _open_questions(state: PlanState) -> list[Json]:
    asked = state.ledger.talk.questions.values()
    waiting = (one for one in asked if one.answer is None)
    return [{name: getattr(one, name) for name in one.__struct_fields__} for one in waiting]


def labels_of(plan: Plan, call: Call) -> Labels:
    """Return by what tasks are known to be done; where nobody can tell, that is said."""
    try:
        found = {task: one.label for task, one in plan.proofs().items()}
    except StoreError as error:
        call.notices.append((error.text, error.details))
        return {}
    foreign = [task for task, label in found.items() if label == "forged"]
    notice: Notice = ("not_proved_here", {"tasks": foreign})
    if foreign and notice not in call.notices:
        call.notices.append(notice)
    return found


def _waiting(plan: Plan) -> Labels:
    """Return the unfinished tasks that have checks which nobody has allowed."""
    try:
        found = plan.unapproved()
    except StoreError:  # which has been told already
        return {}
    return {task: "not approved" for task in found if not plan.task(task).finished}


def drawn(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan as a tree in colours, or where there are none as plain lines."""
    if on_terminal():
        from outlast.interfaces.cli.render.tree import coloured

        return coloured(plan, call.language, labels)
    return outlined(plan, call, labels)


def glanced(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the same; on a terminal no more of a long plan than can be looked at at once."""
    if on_terminal():
        from outlast.interfaces.cli.render.tree import glance

        return glance(plan, call.language, labels)
    return outlined(plan, call, labels)


def outlined(plan: Plan, call: Call, labels: Labels) -> str:
    """Return the plan as plain lines."""
    from outlast.interfaces.cli.render.outline import outline

    return plan.read(lambda state: outline(state, call.language, labels))
