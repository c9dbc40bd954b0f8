"""Whether a coding agent may stop (R4.08): it is blocked only for a reason that it can remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.context.escape import one_line
from outlast.errors import CheckFailed, CheckNotApproved, Refused
from outlast.hosts.session_record import SessionRecord
from outlast.model.commands import Complete

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from outlast.config.settings import Settings
    from outlast.hosts.wire.events import HostEvent
    from outlast.model.model import Task
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan

_RESULT: Final = 200
_MOST_CHECKED: Final = 5  # open tasks, when everything is said to be done


class Refusal(Struct, frozen=True):
    """A task that was reported done and is not: its check fails, or is not approved."""

    task: int
    error: CheckFailed | CheckNotApproved


class StopDecision(Struct, frozen=True):
    """Whether the agent's stop is blocked, and the new record.

    If not, whether a block was due that was dropped (`is_let_go`), or the plan has been completed.
    """

    record: SessionRecord
    is_blocked: bool = False
    is_let_go: bool = False
    is_completed: bool = False


def decide_stop(  # noqa: PLR0913 - what it depends on
    plan: Plan,
    record: SessionRecord,
    event: HostEvent,
    refusals: Collection[Refusal],
    settings: Settings,
    *,
    is_refused: bool = False,
) -> StopDecision:
    """Block a stop after a completion with a red check, or if a hook of the user refuses it.

    An agent that asks its user something may stop. One that was blocked and stops again may too,
    unless the plan is on guard. After `rules.stop_limit` blocked stops without
    progress it may in any case.
    """
    from outlast.model.markers import closing_question

    status, open_tasks, finished = plan.core.read(_read_progress)
    if finished != record.finished:
        record = replace(record, blocked_stops=0, finished=finished)
    red = any(isinstance(refusal.error, CheckFailed) for refusal in refusals)
    is_unfinished = status not in ("completed", "failed")
    guards = is_unfinished and record.guard and open_tasks > 0
    objects = is_refused or (red and is_unfinished)
    is_on = settings.hooks.on_stop
    may_block = is_on and status != "paused" and not closing_question(event.last_message)
    if may_block and (guards or (objects and not event.was_blocked)):
        if record.blocked_stops < settings.rules.stop_limit:
            blocked = replace(record, blocked_stops=record.blocked_stops + 1)
            return StopDecision(blocked, is_blocked=True)
        return StopDecision(record, is_let_go=open_tasks > 0, is_completed=status == "completed")
    return StopDecision(record, is_completed=status == "completed")


def _has_open_checks(state: PlanState) -> bool:
    return any(task.checks and not task.finished for task in state.tasks.values())


def _read_progress(state: PlanState) -> tuple[str, int, int]:
    return state.status, len(state.tasks) - state.finished_count, state.finished_count


def complete_claimed(plan: Plan, record: SessionRecord, event: HostEvent) -> tuple[Refusal, ...]:
    """Complete the tasks that the agent claims to have done; return those that are not done.

    Words complete only what a check proves. A marker completes a task without checks too. If all
    is said to be done, the checks of the tasks that are still open have to pass as well. A message
    that ends in a question claims nothing.
    """
    from outlast.model.markers import closing_question, done_marks

    message = event.last_message
    is_marked = bool(done_marks(message))
    if not (is_marked or plan.core.read(_has_open_checks)) or closing_question(message):
        return ()
    from outlast.hosts.claims.claims import claimed_numbers, claims_everything, claims_task

    claimed, current = (*record.refused, *claimed_numbers(message)), plan.current()
    if current is not None and (is_marked or claims_task(message, current.name)):
        claimed += (current.id,)
    result = one_line(message, _RESULT)
    refusals = []
    for task in plan.core.read(lambda state: _find_tasks(state, claimed)):
        if not (task.checks or is_marked):
            continue
        try:
            plan.complete(task.id, result)
        except (CheckFailed, CheckNotApproved) as error:
            refusals.append(Refusal(task.id, error))
        except Refused:  # such as a task that another process has finished meanwhile
            continue
    if claims_everything(message):
        refusals += _run_open_checks(plan, {refusal.task for refusal in refusals})
    return tuple(refusals)


def _run_open_checks(plan: Plan, refused: Collection[int]) -> Iterator[Refusal]:
    """Run the checks of tasks that are still open, but for those whose checks have just run.

    Yield what fails, or waits for a person.
    """

    def find(state: PlanState) -> list[Task]:
        tasks = (task for task in state.tasks_in_order() if task.checks and not task.finished)
        return [task for task in tasks if task.id not in refused][:_MOST_CHECKED]

    for task in plan.core.read(find):
        try:
            plan.core.prove(Complete(task.id, plan.actor))
        except (CheckFailed, CheckNotApproved) as error:
            yield Refusal(task.id, error)
        except Refused:  # such as a task that another process has finished meanwhile
            continue


def _find_tasks(state: PlanState, numbers: tuple[int, ...]) -> list[Task]:
    """Return the tasks with these numbers that are open, each once."""
    found = (state.tasks.get(number) for number in dict.fromkeys(numbers))
    return [task for task in found if task is not None and not task.finished]
