"""Commands of loops and people, chosen by three numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.model import commands as c
from outlast.model.budget import Budget, Spend
from outlast.model.model import (
    DECISIONS,
    PAUSE_REASONS,
    PERSON,
    QUESTION_KINDS,
    REFUSERS,
    REPORT_STATUSES,
    LastRun,
)
from outlast.model.replan_position import Observation, PlannedAction

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.model.state import PlanState

    Make = Callable[[PlanState, int, int], c.Command]


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


def _move_replan(state: PlanState, x: int, y: int) -> c.Command:
    position = state.ledger.replan
    moves = (
        position.begin_first_list(),
        position.finish_item(f"found {x}"),
        position.decide("look", PlannedAction("sh", f"ls {x}", x)),
        position.grant(y + 1).begin_step(),
        position.begin_new_list(),
    )
    observation = Observation("sh", f"ls {y}", ok=bool(x % 2), result=f"{x}") if y % 3 else None
    return c.MoveReplan(moves[x % len(moves)], observation)


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


def _replan(state: PlanState, x: int, y: int) -> c.Command:
    """Keep some of the pending tasks in another order, and add one that the first of them needs."""
    pending = [task for task in state.tasks.values() if task.status == "pending"]
    kept = [c.NewTask(task.name, description=f"{x}") for task in pending[x % 3 :][::-1]]
    first = [replace(task, peers=(len(kept) + 1,)) for task in kept[:1]]
    tasks = (*first, *kept[1:], c.NewTask(f"new {y}", needs=tuple(state.tasks)[: y % 2]))
    return c.Replan(tasks, c.Charge(Spend(replans=1)) if x % 2 else None)


def _attempt(state: PlanState, x: int, y: int) -> str:
    tasks = [*state.tasks] or [1]
    return f"{tasks[x % len(tasks)]}#{y + 1}"


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
    lambda state, x, y: c.NoteReport(
        _attempt(state, x, y),
        "codex",
        REPORT_STATUSES[y % 3],
        f"s-{y % 3}" if x % 2 else "",
        "done",
    ),
    lambda state, x, y: c.NoteDecision(_attempt(state, x, y), DECISIONS[y % 4], "why", "ann", "so"),
    lambda state, x, y: c.NoteSession(_attempt(state, x, y), "codex", f"s-{y % 3}"),
    lambda state, x, y: c.NoteFootprint(
        _attempt(state, x, y), "", f"{x:040x}", (f"f{y}",) * (x % 2), x % 3, shared=bool(y % 2)
    ),
    lambda _, __, y: c.EndSession(f"s-{y % 3}"),
    _move_replan,
    _replan,
    _begin,
    _begin,
    _end,
    lambda state, x, _: c.CountIteration(_scope(state, x)),
    lambda _, x, __: c.Pause(PAUSE_REASONS[x % len(PAUSE_REASONS)]),
)
KINDS: Final = len(_COMMANDS)
