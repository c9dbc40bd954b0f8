"""The scheduler: plan the goal, keep agents busy with the tasks that are ready, sum up.

It runs on the main lane and spawns a task loop for each task; only the scheduler changes the shape
of the plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.agent import effects as e
from outlast.agent.effects import Ended, ReadyTask, Schedule, Waiting
from outlast.agent.events import Stopped
from outlast.agent.loops.endings import LoopEnd, finished_end, pause_at_end, paused_end
from outlast.agent.loops.questions import ask
from outlast.documents.proposals import approval_question
from outlast.language import Language, clauses, text
from outlast.model.commands import Abort, AnswerQuestion, Deliver, Pause, Resume
from outlast.model.intents import parse_yes_or_no
from outlast.orchestrator.model_requests import ask_for_text, plain_summary, summary_messages
from outlast.orchestrator.planner import Planner
from outlast.orchestrator.task_loop import TaskEnd, work_on_task
from outlast.orchestrator.task_questions import settle_attempt
from outlast.system.patterns import may_overlap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.agent_spec import Delegation
    from outlast.context.plan_view import PlanView

_CONSIDERED: Final = 500  # ready tasks: the first ones may all need files that are in use


def orchestrate(options: Delegation, language: Language) -> e.Loop[Stopped]:
    """Plan the goal if there are no tasks yet, carry the plan out, and sum up.

    A paused plan is resumed; attempts that a crash left open are settled first.
    """
    scheduler = _Scheduler(options, language)
    end, plan = yield from pause_at_end(scheduler.run(), language)
    stopped = Stopped(plan.status, end.why, end.text, scheduler.summary)
    yield from e.Emit(stopped)
    return stopped


class _Scheduler:
    """The lanes that work now, by the task each works on, and those that wait for a person.

    `_aside` are the tasks that cannot go on in this run, and why; a task that waits for an answer
    goes on as soon as there is one. Agents may still work on those `_in_doubt`.
    """

    def __init__(self, options: Delegation, language: Language) -> None:
        self._options, self._language = options, language
        self._parallel = 1 if options.share_session else options.parallel
        self._planner = Planner(options, language)
        self._lanes: dict[str, ReadyTask] = {}
        self._idle: set[str] = set()
        self._unanswered: dict[int, str] = {}
        self._in_doubt: dict[int, ReadyTask] = {}
        self._aside: dict[int, str] = {}
        self._is_stopping = False
        self.summary = ""

    def run(self) -> e.Loop[LoopEnd]:
        """Carry out the plan; what has begun when it stops may end first.

        A plan that has ended, for whatever reason, is summed up.
        """
        try:
            end = yield from self._run()
        except LoopEnd as raised:
            end = raised
        yield from self._wait_for_all()
        plan = (yield from e.record()).plan
        is_over = plan.has_ended and not self._options.plan_only
        return (yield from self._sum_up(plan)) if is_over else end

    def _run(self) -> e.Loop[LoopEnd]:
        plan = (yield from e.record()).plan
        if plan.status == "paused":
            plan = (yield from e.record(Resume())).plan
        if not self._options.plan_only:
            yield from self._settle_attempts(plan)
        if not plan.total and self._options.has_model and not plan.has_ended:
            yield from self._planner.plan_goal(plan)
        if self._options.plan_only:
            return LoopEnd("answered", "")
        yield from self._get_approval()
        yield from self._try_agent()
        while True:
            plan = (yield from e.record()).plan
            if plan.has_ended:
                return finished_end(plan, self._language)
            if plan.status == "paused":
                return paused_end(plan, self._language)
            schedule = yield from self._start_ready()
            if not self._lanes:
                yield from self._stop_blocked(plan, schedule)
            else:
                yield from self._wait(plan)

    # Before the work

    def _settle_attempts(self, plan: PlanView) -> e.Loop[None]:
        """Settle the attempts that a crash left open, but for those of tasks that go on.

        They are settled where the task goes on, side by side.
        """
        schedule = (yield from e.ReadSchedule((), 0)).outcome
        begun = {task.id for task in schedule.ready if task.is_begun}
        for attempt in plan.attempts:
            is_elsewhere = attempt.task in begun
            if not is_elsewhere and not (yield from settle_attempt(attempt, self._language)):
                problem = text("orders_unsettled", self._language, tasks=[attempt.task])
                yield from self._end_unanswered(LoopEnd("unsettled", problem))

    def _get_approval(self) -> e.Loop[bool]:
        """Let a person approve what may run, all at once; return whether anything had to be."""
        was_needed = False
        if (yield from e.record()).plan.has_ended:
            return was_needed
        while checks := (yield from e.ReadUnapproved()).outcome.checks:
            question = approval_question(checks, self._language)
            answer = None if question is None else (yield from ask(question))
            if answer is None or not parse_yes_or_no(answer):
                problem = text("checks_unapproved", self._language, count=len(checks))
                yield from self._end_unanswered(LoopEnd("waiting", problem))
                return True
            was_needed = True
        yield from self._close_approval()
        return was_needed

    def _try_agent(self) -> e.Loop[None]:
        """Find out whether the agent can work, if there is something to do for it."""
        schedule = (yield from e.ReadSchedule((), 1)).outcome
        problem = (yield from e.TryAgent()).outcome.error if schedule.ready else ""
        if problem:
            yield from e.record(Pause())
            raise LoopEnd("paused", problem)

    def _close_approval(self) -> e.Loop[None]:
        """Answer the questions about checks that were approved elsewhere meanwhile."""
        plan = (yield from e.record()).plan
        for question in plan.questions:
            if question.kind == "checks":
                yes = text("answer_yes", self._language)
                yield from e.record(AnswerQuestion(yes, plan.actor, question.id))

    # Work

    def _start_ready(self) -> e.Loop[Schedule]:
        """Start as many of the ready tasks as there is room for."""
        running = {task.id: task for task in self._lanes.values()}
        left_alone = {*running, *self._unanswered, *self._aside}
        schedule = (yield from e.ReadSchedule(tuple(left_alone), _CONSIDERED)).outcome
        open_ones = {id_: why for id_, why in self._unanswered.items() if id_ in schedule.asked}
        if len(open_ones) < len(self._unanswered):  # somebody has answered elsewhere
            self._unanswered = open_ones
            self._in_doubt = {
                id_: self._in_doubt[id_] for id_ in self._in_doubt if id_ in open_ones
            }
            return (yield from self._start_ready())
        free = self._parallel - len(self._lanes) + len(self._idle)
        read_only = self._options.permissions == "read"
        busy = [*running.values(), *self._in_doubt.values()]
        for task in choose_tasks(schedule.ready, busy, free, read_only=read_only):
            loop = work_on_task(task.id, self._options, self._language, self._may_go_on)
            spawned = yield from e.Spawn(loop, task.id)
            self._lanes[spawned.outcome.lane] = task
        return schedule

    def _may_go_on(self) -> bool:
        return not self._is_stopping

    def _wait(self, plan: PlanView) -> e.Loop[None]:
        """Wait until a task ends, or the plan changes; do what follows from the end of a task."""
        outcome = (yield from e.Join(tuple(self._lanes), plan.revision)).outcome
        if isinstance(outcome, Waiting):
            self._idle.add(outcome.lane)
        if not isinstance(outcome, Ended):
            return
        task, end = self._take(outcome), outcome.result
        if not isinstance(end, TaskEnd):
            problem = text("task_lane_failed", self._language, task=task.id, problem=outcome.error)
            raise LoopEnd("paused", problem)
        if end.outcome == "unsettled":
            self._in_doubt[task.id] = task
        yield from self._follow(end)

    def _follow(self, end: TaskEnd) -> e.Loop[None]:
        """Do what follows from the end of the work on a task."""
        if end.outcome == "replan":
            if (yield from self._planner.replan(end.task)):
                yield from self._get_approval()
            else:
                problem = text("replan_unanswered", self._language)
                yield from self._end_unanswered(LoopEnd("waiting", problem))
        elif end.outcome == "unapproved":
            if not (yield from self._get_approval()):
                self._aside[end.task] = end.reason
        elif end.outcome in ("unanswered", "unsettled"):
            self._unanswered[end.task] = end.reason
            if self._options.unattended == "abort":
                yield from self._end_unanswered(LoopEnd("waiting", end.reason))
        elif end.outcome == "returned" and end.reason:
            self._aside[end.task] = end.reason
        elif end.outcome == "stopped":
            raise LoopEnd(end.why, end.reason)

    def _take(self, ended: Ended) -> ReadyTask:
        self._idle.discard(ended.lane)
        return self._lanes.pop(ended.lane)

    # The end

    def _end_unanswered(self, end: LoopEnd) -> e.Loop[None]:
        """End a run in which nobody answers: leave the plan waiting, or abort it."""
        if self._options.unattended == "wait":
            raise end
        yield from e.record(Abort(), reason=end.text)

    def _wait_for_all(self) -> e.Loop[None]:
        """Let the attempts that have begun end, and be evaluated; no other one begins."""
        self._is_stopping = True
        while self._lanes:
            joined = yield from e.Join(tuple(self._lanes))
            if isinstance(joined.outcome, Ended):
                self._take(joined.outcome)

    def _stop_blocked(self, plan: PlanView, schedule: Schedule) -> e.Loop[None]:
        """End a run that can start nothing although the plan is not finished."""
        if self._in_doubt:
            problem = text("orders_unsettled", self._language, tasks=list(self._in_doubt))
            raise LoopEnd("unsettled", problem)
        if self._unanswered:
            raise LoopEnd("waiting", clauses(self._unanswered.values(), self._language))
        yield from e.EndSessions()
        if self._aside:
            problem = clauses(self._aside.values(), self._language)
        elif schedule.claimed:
            problem = text("tasks_claimed", self._language, tasks=list(schedule.claimed))
        else:
            problem = text("nothing_to_start", self._language)
        raise LoopEnd("paused", problem, pauses=bool(plan.total))

    def _sum_up(self, plan: PlanView) -> e.Loop[LoopEnd]:
        """Write the summary, and end the sessions with agents (R1.09)."""
        outline = (yield from e.ReadOutline()).outcome.tasks
        summary = ""
        if self._options.has_model:
            messages = summary_messages(plan.goal, outline, self._language)
            try:
                summary = yield from ask_for_text(messages, self._language)
            except LoopEnd:  # the plan has ended all the same
                summary = ""
        self.summary = summary or plain_summary(plan, outline, self._language)
        yield from e.record(Deliver(self.summary))
        yield from e.EndSessions()
        return finished_end(plan, self._language)


def choose_tasks(
    ready: Iterable[ReadyTask], running: Iterable[ReadyTask], free: int, *, read_only: bool
) -> list[ReadyTask]:
    """Return the tasks to start now, in the order of `ready`, at most `free`.

    A task whose files are not known may change any file, so that it runs alone; tasks that only
    read never collide.
    """
    busy, chosen = list(running), list[ReadyTask]()
    for task in ready:
        if len(chosen) == free:
            break
        if read_only or not any(may_overlap(task.files, other.files) for other in busy):
            chosen.append(task)
            busy.append(task)
    return chosen
