"""The order to an agent: what it has to know to carry out one task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent.context.prompts import prompt
from outlast.agent.work import WorkOrder, is_session_id
from outlast.context.chat_model import Message
from outlast.context.escape import quote, quote_lines, quote_one_line
from outlast.language import text
from outlast.model.check_rules import write_rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.work import Permissions
    from outlast.language import Language
    from outlast.model.ledger import DoneAttempt
    from outlast.model.model import Task
    from outlast.model.state import PlanState

_RESULT_CHARACTERS: Final = 2_000
_GOAL_CHARACTERS: Final = 50_000
_ADVICE_CHARACTERS: Final = 8_000
_MOST_MESSAGES: Final = 10
_CALL_CHARACTERS: Final = 200


def make_order(  # noqa: PLR0913 - what an order depends on
    state: PlanState,
    task: Task,
    id_: str,
    language: Language,
    *,
    session: str = "",
    advice: str = "",
    permissions: Permissions = "edit",
    timeout: float = 600.0,
    may_run: bool = False,
    approved: tuple[str, ...] = (),
    money: float | None = None,
) -> WorkOrder:
    """Return the order for the next attempt of a task."""
    return WorkOrder(
        id_,
        task.id,
        task.name,
        task.description,
        task.constraints,
        task.expected,
        tuple(write_rule(check) for check in task.checks),
        task.run,
        task.files,
        task.protect,
        _context(state, task, language),
        advice=quote(advice, _ADVICE_CHARACTERS),
        session=session if is_session_id(session) else "",
        permissions=permissions,
        timeout=timeout,
        may_run=may_run,
        approved=approved,
        money=money,
        plan=state.id,
    )


def tools_messages(
    order: WorkOrder, done: Iterable[DoneAttempt], language: Language
) -> tuple[Message, ...]:
    """Return the opening of a conversation in which the model itself carries out an order.

    `done` is what was done for the task before, which the conversation does not have.
    """
    calls = [quote_one_line(each.what, _CALL_CHARACTERS) for each in done if each.kind == "act"]
    lines = "\n".join(f"- {call}" for call in calls)
    heading = text("order_done_before", language)
    earlier = f"\n\n# {heading}\n{lines}" if calls else ""
    system = Message("system", prompt("work_with_tools", language))
    return system, Message("user", order.prompt(language) + earlier)


def _context(state: PlanState, task: Task, language: Language) -> str:
    """Return the goal, what people have said, and the results of the tasks that it needs."""
    messages = state.ledger.conversation.messages[-_MOST_MESSAGES:]
    needed = (state.tasks[need] for need in task.needs)
    results = [
        f"- {other.id} {quote_one_line(other.name, _CALL_CHARACTERS)}:\n"
        + quote_lines(other.result, _RESULT_CHARACTERS)
        for other in needed
        if other.result
    ]
    sections = {
        "section_goal": quote_lines(state.goal, _GOAL_CHARACTERS),
        "section_told": "\n\n".join(
            quote_lines(message.text, _RESULT_CHARACTERS) for message in messages
        ),
        "section_needed": "\n".join(results),
    }
    return "\n\n".join(
        f"## {text(key, language)}\n{body}" for key, body in sections.items() if body
    )
