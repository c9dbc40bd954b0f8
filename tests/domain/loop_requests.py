"""Commands of loops and people, chosen by three numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.domain import commands as c
from outlast.domain.budget import Budget, Spend
from outlast.domain.model import PAUSE_REASONS, PERSON, QUESTION_KINDS, REFUSERS, LastRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.domain.state import PlanState

    Make = Callable[[PlanState, int, int], c.Command]

KINDS: Final = 14


def loop_command(state: PlanState, kind: int, x: int, y: int) -> c.Command:
    """Return one of many commands."""
    return _COMMANDS[kind % KINDS](state, x, y)


def _scope(state: PlanState, number: int) -> int | None:
    order = state.graph.order
    return order[number % len(order)] if order and number % 3 else None


def _spend(x: int, y: int) -> Spend:
    return Spend(y % 2, x * 10, x / 100, y / 3, x % 2, y % 3)


def _set_budget(state: PlanState, x: int, y: int) -> c.Command:
    limits = Budget(tokens=x * 40, money=y / 10) if x % 4 else Budget()
    return c.SetBudget(limits, _scope(state, y))


def _ask(state: PlanState, x: int, y: int) -> c.Command:
    kind = QUESTION_KINDS[y % len(QUESTION_KINDS)]
    about = next(iter(state.ledger.attempts), "") if y % 2 else ""
    if kind in ("goal", "edit"):
        about = f"another goal {x}"
    return c.AskQuestion(f"question {x}?", kind, about, _scope(state, x))


def _answer(state: PlanState, x: int, y: int) -> c.Command:
    asked = state.ledger.conversation.last_question
    said = ("done", "not done", "no idea", "yes")[x % 4]
    number = max(asked - y % 3, 1) if y % 2 else None
    return c.AnswerQuestion(said, PERSON if x % 2 else "ann", number)


def _begin(state: PlanState, x: int, y: int) -> c.Command:
    task = next(iter(state.tasks_in_progress()), None) if y % 2 else None
    return c.BeginAttempt(task, "think", "think", reserve=_spend(x, y))


def _end(state: PlanState, x: int, y: int) -> c.Command:
    attempt = next(reversed(state.ledger.attempts), "0#1")
    return c.EndAttempt(
        attempt, "done", spent=_spend(y, x) if x % 3 else None, planning=_spend(x, y)
    )


_COMMANDS: Final[tuple[Make, ...]] = (
    _set_budget,
    lambda state, x, y: c.Charge(_spend(x, y), _scope(state, y), _spend(y, x)),
    _ask,
    _answer,
    lambda _, x, __: c.Interject(f"said {x}", "ann", heard=x % 3 == 0),
    lambda state, x, _: c.TakeInterjections(
        max(state.ledger.conversation.last_interjection - x % 3, 0)
    ),
    lambda _, x, y: c.NoteLoop(
        (None, True, False)[x % 3], None if y % 3 else x % 4, (None, y)[x % 2]
    ),
    lambda _, x, y: c.Strike(f"tool {x % 2}", f"{y}"),
    lambda _, x, __: c.ClearStrikes((None, "tool 0", "tool 1")[x % 3]),
    lambda state, x, y: c.NoteRefusal(f"tool {x}", REFUSERS[x % 2], "no", _scope(state, y)),
    lambda _, x, y: c.RememberRun(LastRun(f"ollama:{x}" if x % 3 else "", "ann", "en", y + 1)),
    lambda _, x, __: c.ApprovePlan(PERSON) if x % 2 else c.RequireApproval(),
    _begin,
    _begin,
    _end,
    lambda state, x, _: c.CountIteration(_scope(state, x)),
    lambda _, x, __: c.Pause(PAUSE_REASONS[x % len(PAUSE_REASONS)]),
)
