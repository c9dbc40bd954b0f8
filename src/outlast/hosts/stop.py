"""Whether a coding agent may stop (R4.08): it is blocked only for a reason that it can remove.

What was done is judged by evidence, not by what the agent says of it: by the files that changed
since the task was started, and by its checks. Words only decide whether a check that takes long is
worth running, and whether a task whose checks are green is completed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from outlast.context.escape import one_line
from outlast.errors import CheckFailed, CheckNotApproved, Refused
from outlast.hosts.session_record import SessionRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from outlast.config.settings import Settings
    from outlast.hosts.wire.events import HostEvent
    from outlast.model.markers import NamedTask
    from outlast.model.model import Check, Proof
    from outlast.model.state import PlanState
    from outlast.plan.plan import Plan
    from outlast.proof.prover import Prover

# The only words that count. A check that passes needs one of them to complete its task.
DONE_WORDS: Final = (
    *("done", "finished", "fixed", "complete", "completed", "implemented", "resolved", "solved"),
    *("passing", "passes", "passed", "ready", "working"),
    *("完成", "搞定", "修好", "做完", "改好", "解决", "通过"),
)
_RESULT: Final = 200
_OUTPUT_LINES: Final = 20
_LONGEST_CHEAP_MS: Final = 3_000
_MOST_HELD: Final = 50  # that are remembered
_WORDS: Final = ("person", "report")  # kinds of checks: the agent cannot make them green


class Refusal(Struct, frozen=True):
    """A task that is not done: its check fails, or is not approved.

    `content` is the id of what was checked.
    """

    task: int
    error: CheckFailed | CheckNotApproved
    content: str = ""

    @property
    def is_red(self) -> bool:
        """Whether a check fails."""
        return isinstance(self.error, CheckFailed)

    @property
    def red_checks(self) -> list[dict[str, str]]:
        """The checks that are red: their kinds, rules and output."""
        return cast("list[dict[str, str]]", self.error.details.get("failed", []))

    @property
    def output(self) -> str:
        """The last lines that the first red check has printed."""
        printed = next((check["tail"] for check in self.red_checks if check["tail"].strip()), "")
        return "\n".join(printed.strip("\n").splitlines()[-_OUTPUT_LINES:])

    @property
    def key(self) -> str:
        """The task and the content that was refused."""
        return f"{self.task} {self.content}"


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
    """Block a stop with a red check, once for each content, or if a hook of the user refuses it.

    An agent that asks its user something may stop. One that a hook has blocked and that stops again
    may too, unless the plan is on guard. After `rules.stop_limit` blocked stops without progress it
    may in any case.
    """
    status, open_tasks, finished = plan.core.read(_read_progress)
    if finished != record.finished:
        record = replace(record, blocked_stops=0, finished=finished)
    new = [each.key for each in refusals if each.is_red and each.key not in record.held]
    is_unfinished = status not in ("completed", "failed")
    guards = is_unfinished and record.guard and open_tasks > 0
    objects = (new and is_unfinished) or (is_refused and not event.was_blocked)
    if may_hold(plan, event, settings) and (guards or objects):
        if record.blocked_stops < settings.rules.stop_limit:
            held = tuple(dict.fromkeys((*record.held, *new)))[-_MOST_HELD:]
            blocked = replace(record, blocked_stops=record.blocked_stops + 1, held=held)
            return StopDecision(blocked, is_blocked=True)
        return StopDecision(record, is_let_go=open_tasks > 0, is_completed=status == "completed")
    return StopDecision(record, is_completed=status == "completed")


def may_hold(plan: Plan, event: HostEvent, settings: Settings) -> bool:
    """Return whether a stop may be blocked at all."""
    from outlast.model.markers import closing_question

    is_on = settings.hooks.on_stop and plan.status != "paused"
    return is_on and not closing_question(event.last_message)


def _read_progress(state: PlanState) -> tuple[str, int, int]:
    return state.status, len(state.tasks) - state.finished_count, state.finished_count


def complete_marked(plan: Plan, record: SessionRecord, event: HostEvent) -> tuple[Refusal, ...]:
    """Complete the tasks that a marker says are done; return those whose checks are not green.

    What the agent has listed as completed in this turn is tried again.
    """
    from outlast.model.markers import closing_question

    if closing_question(event.last_message):
        return ()
    tasks = dict.fromkeys((*record.refused, *_marked_tasks(plan, event.last_message)))
    result = one_line(event.last_message, _RESULT)
    completions = (_complete(plan, task, result) for task in tasks)
    return tuple(refusal for refusal in completions if refusal is not None)


def _marked_tasks(plan: Plan, message: str) -> Iterator[int]:
    """Yield the tasks that markers are about: the current one, unless they name another."""
    from outlast.model.markers import done_marks

    current = plan.current()
    for mark in done_marks(message):
        named = plan.core.read(partial(_find_named_task, mark.text))
        task = named.task
        if task is None and named.is_clear and not mark.must_name:
            task = current
        if task is not None and named.is_clear and not task.finished:
            yield task.id


def _find_named_task(text: str, state: PlanState) -> NamedTask:
    from outlast.model.markers import find_named_task

    return find_named_task(text, state.tasks.values())


def judge_work(plan: Plan, event: HostEvent) -> tuple[Refusal, ...]:
    """Judge the task in progress by its checks; return why it is not done if it is not.

    Nothing is run while the workspace is as it was when the task was started, nor twice for the
    same content. A check that is not known to be cheap runs only if a word says that work is done.
    """
    task = plan.current()
    prover = plan.core.prover() if task is not None and _has_machine_check(task.checks) else None
    if task is None or prover is None:
        return ()
    runs = prover.runs(task.id)
    took = next((run.took_ms for run in runs if run.took_ms is not None), None)
    is_cheap = took is not None and took <= _LONGEST_CHEAP_MS
    if not (is_cheap or says_done(event)):
        return ()
    content = prover.content_id()
    if any(run.stage == "before" and run.content == content for run in runs):
        return ()
    known = next((run for run in runs if run.content == content), None)
    if (known is None or known.is_green) and says_done(event):
        refusal = _complete(plan, task.id, one_line(event.last_message, _RESULT))
    else:
        refusal = _refuse(known or _run_checks(prover, task.id))
    return () if refusal is None or not _is_removable(refusal) else (refusal,)


def says_done(event: HostEvent) -> bool:
    """Return whether the agent uses a word for what is done, outside code."""
    from outlast.model.markers import has_word

    return has_word(event.last_message, DONE_WORDS)


def _has_machine_check(checks: Iterable[Check]) -> bool:
    return any(not check.is_word for check in checks)


def _run_checks(prover: Prover, task: int) -> Proof | None:
    """Run the checks of a task and record what they show; None if they may not run."""
    try:
        return None if prover.recheck(task) else next(iter(prover.runs(task)), None)
    except Refused:  # such as a task that another process has removed meanwhile
        return None


def _complete(plan: Plan, task: int, result: str) -> Refusal | None:
    """Complete a task if it is open; return why its checks refuse that."""
    if plan.core.read(lambda state: task not in state.tasks or state.tasks[task].finished):
        return None
    try:
        plan.complete(task, result)
    except (CheckFailed, CheckNotApproved) as error:
        return note_refusal(plan, task, error)
    except Refused:  # such as a task that another process has finished meanwhile
        return None
    return None


def note_refusal(plan: Plan, task: int, error: CheckFailed | CheckNotApproved) -> Refusal:
    """Return why a completion was refused, with the content that the checks have just seen."""
    prover = plan.core.prover() if isinstance(error, CheckFailed) else None
    runs = prover.runs(task) if prover is not None else ()
    return Refusal(task, error, runs[0].content if runs else "")


def _refuse(run: Proof | None) -> Refusal | None:
    """Return what a red run says against a task; one that shows nothing says nothing."""
    from outlast.model.decide.proof import find_failure

    failure = None if run is None else find_failure(run)
    if run is None or not isinstance(failure, CheckFailed):
        return None
    return Refusal(run.task, failure, run.content)


def _is_removable(refusal: Refusal) -> bool:
    """Return whether the agent can do something about it: not if only a person's word is missing.

    One that waits for an approval is told to the person, and holds nothing.
    """
    return not refusal.is_red or any(check["kind"] not in _WORDS for check in refusal.red_checks)
