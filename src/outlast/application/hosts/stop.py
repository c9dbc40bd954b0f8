"""Whether a coding agent may stop (R4.08): it is held up only for a reason that it can remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.application.context.escape import one_line
from outlast.application.hosts.refusal import Refusal
from outlast.domain.commands import Complete
from outlast.errors import CheckFailed, CheckNotApproved, Refused
from outlast.ports.host_session import SessionRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from outlast.application.plan.plan import Plan
    from outlast.domain.model import Task
    from outlast.domain.state import PlanState
    from outlast.formats.hosts.events import HostEvent

_CURRENT: Final = 0  # in place of a task's number
_MOST_HOLDS: Final = 3  # without progress
_RESULT: Final = 200
_MOST_CHECKED: Final = 5  # open tasks, when everything is said to be done
# Without one of these a message ends in no question, and has no marker: the modules that look
# closely take longer to load than the rest of the answer.
_QUESTION_ENDS: Final = ("?", "？", "吗", "嗎")  # noqa: RUF001 - as Chinese is typed
_MARK_BEGINS: Final = ("[", "【", "［")  # noqa: RUF001 - the same


class StopDecision(Struct, frozen=True):
    """Whether the agent is held up, the completions that were refused, and the new record."""

    record: SessionRecord
    holds: bool = False
    refusals: tuple[Refusal, ...] = ()
    is_let_go: bool = False
    is_completed: bool = False


def decide_stop(
    plan: Plan,
    record: SessionRecord,
    event: HostEvent,
    is_on: bool,  # noqa: FBT001 - a setting
) -> StopDecision:
    """Complete what the agent says it has done; hold it up if a check of that fails.

    An agent that asks its user something may stop. One that was held up and stops again may too,
    unless the plan is on guard: then it may after three times without progress.
    """
    asks = _asks(event.last_message)
    refusals = () if asks else _complete_claimed(plan, record, event)
    status, open_tasks, finished = plan.core.read(_read_progress)
    if finished != record.finished:
        record = replace(record, holds=0, finished=finished)
    red = any(isinstance(refusal.error, CheckFailed) for refusal in refusals)
    wants_to_hold = is_on and not asks and status not in ("paused", "completed", "failed")
    guards = record.guard and open_tasks > 0
    if wants_to_hold and (guards or (red and not event.held)):
        if record.holds < _MOST_HOLDS:
            held = replace(record, holds=record.holds + 1)
            return StopDecision(held, holds=True, refusals=refusals)
        return StopDecision(record, refusals=refusals, is_let_go=True)
    return StopDecision(record, refusals=refusals, is_completed=status == "completed")


def _asks(message: str) -> bool:
    if not any(end in message for end in _QUESTION_ENDS):
        return False
    from outlast.domain.replies.markers import closing_question

    return bool(closing_question(message))


def _is_marked(message: str) -> bool:
    if not any(begin in message for begin in _MARK_BEGINS):
        return False
    from outlast.domain.replies.markers import done_marks

    return bool(done_marks(message))


def _has_open_checks(state: PlanState) -> bool:
    return any(task.checks and not task.finished for task in state.tasks.values())


def _read_progress(state: PlanState) -> tuple[str, int, int]:
    return state.status, len(state.tasks) - state.finished_count, state.finished_count


def _complete_claimed(plan: Plan, record: SessionRecord, event: HostEvent) -> tuple[Refusal, ...]:
    """Complete the tasks that the agent claims to have done; return those that are not done.

    Words complete only what a check proves. A marker completes a task without checks too. If all
    is said to be done, the checks of the tasks that are still open have to pass as well.
    """
    message = event.last_message
    is_marked = _is_marked(message)
    if not (is_marked or plan.core.read(_has_open_checks)):
        return ()
    from outlast.domain.replies.claims import claimed_numbers, claims_done, claims_everything

    claimed = (*record.refused, *claimed_numbers(message))
    if is_marked or claims_done(message):
        claimed += (_CURRENT,)
    result = one_line(message, _RESULT)
    refusals = []
    for task in plan.core.read(lambda state: _find_tasks(state, plan.actor, claimed)):
        if not (task.checks or is_marked):
            continue
        try:
            plan.complete(task.id, result)
        except (CheckFailed, CheckNotApproved) as error:
            refusals.append(Refusal(task.id, error))
        except Refused:  # such as a task that somebody else has finished meanwhile
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
        except Refused:  # such as a task that somebody else has finished meanwhile
            continue


def _find_tasks(state: PlanState, actor: str, numbers: tuple[int, ...]) -> list[Task]:
    """Return the tasks that are meant and open, each once."""
    current = state.current_task(actor)
    found = (state.tasks.get(current or 0 if n == _CURRENT else n) for n in dict.fromkeys(numbers))
    tasks = [task for task in found if task is not None and not task.finished]
    return [*{task.id: task for task in tasks}.values()]
