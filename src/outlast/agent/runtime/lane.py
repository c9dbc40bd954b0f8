"""A lane: one conversation of a run, with its view of the plan and its commits.

Commits and reads leave the event loop: the store's threads carry them out. The end of an attempt
may wait in its lane for the next commit, so that a model call with one tool takes two commits.
"""

from __future__ import annotations

import asyncio
from asyncio import CancelledError, TimerHandle
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from outlast.agent.effects import Acted, Effect, LeaseLost, Outcome, Record, Reply, Thought
from outlast.agent.events import Event, Notified, PlanMoved, Streamed, TodoUpdated
from outlast.agent.runtime.attempt_costs import RequestCursor
from outlast.agent.runtime.listeners import send_event, shown_state, todo_list
from outlast.context.plan_view import PlanView
from outlast.errors import ClaimLost, HistoryDiverged, InvalidStatus, Refused, StoreError
from outlast.hooks.rules import HookCounts
from outlast.language import text
from outlast.model.budget import NO_LIMIT, NOTHING, Budget, add_spend, free_reservation
from outlast.model.changes.facts import add_done
from outlast.model.commands import Command, EndAttempt
from outlast.model.execute import return_commit
from outlast.model.plan_costs import tightest_budget
from outlast.plan.plan import Plan
from outlast.plan.plan_view import plan_view
from outlast.redact.stream import StreamRedactor
from outlast.redact.structs import redact_event
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool, call_to_end

if TYPE_CHECKING:
    from concurrent.futures import Future
    from datetime import datetime

    from outlast.agent.runtime.run import Run
    from outlast.model.changes import Commit
    from outlast.model.model import Task
    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore

T = TypeVar("T")
Handler = Callable[[Effect, "Lane"], Awaitable[Outcome]]
CallNext = Callable[[Effect], Awaitable[Outcome]]
Middleware = Callable[[Effect, "Lane", CallNext], Awaitable[Outcome]]
Unsubscribe = Callable[[], Awaitable[object]]
MAIN: Final = "main"
_FLUSH_SECONDS: Final = 0.05  # after which the end of an attempt is committed on its own


class Snapshot(Struct, frozen=True):
    """What a lane knows of the plan: the view, and what its task may still spend."""

    view: PlanView
    remaining: Budget
    has_checks: bool


class Lane:
    """One conversation of a run.

    `requests` measures what the model is sent. `hook_counts` are the counters of the hooks' rules.
    `attempts_started` counts the attempts of this lane. While it `expects_repeats`, the model may
    make the last calls of an earlier run again because it has not seen them, or those of this run
    if the conversation `is_compacted`. `answered_repeats` are the attempts whose recorded results
    it got then. The plan `may_be_edited` if it has new commits that the lane did not make.
    """

    def __init__(
        self, run: Run, handler: Handler, id_: str = MAIN, actor: str = "", task: int = 0
    ) -> None:
        """Pass the effects of this lane to a handler; `actor` is who works on it, for a task."""
        self.id, self.run, self.task = id_, run, task
        self.requests = RequestCursor()
        self.hook_counts = HookCounts()
        self.attempts_started = 0
        self.has_thought = False
        self.may_be_edited = False
        self.expects_repeats, self.is_compacted = True, False
        self.answered_repeats: set[str] = set()
        self._handler, self._actor = handler, actor
        self._snapshot: Snapshot | None = None
        self._revision = 0  # that was seen last; 0 before the first
        self._is_stale = True
        self._pending: list[Command] = []
        self._committing: list[Command] = []  # what waited, and is being committed
        self._timer: TimerHandle | None = None
        self._flushes: set[asyncio.Task[None]] = set()
        self._attempts: set[str] = set()  # whose end is not committed
        self._just_ended = ""
        self._last_current: Task | None = None  # that was reported
        self._redactor = StreamRedactor()
        self._on_wait: Callable[[bool], object] = bool
        self._has_slot = False

    @property
    def is_main(self) -> bool:
        """Whether this is the first lane of its run."""
        return self.id == MAIN

    # The plan

    @property
    def core(self) -> PlanCore:
        """The plan of the run, for the actor of this lane, under the lease of the run."""
        core = self.run.core
        return core if self._actor in ("", core.actor) else core.acting_as(self._actor)

    @property
    def plan(self) -> Plan:
        """The same as the handle that tools get."""
        return Plan(self.core)

    @property
    def view(self) -> PlanView:
        """The plan as this lane saw it last, with the attempts that have ended since.

        Attempts that other lanes are running are left out: they are not open questions.
        """
        view, ends = self.snapshot.view, self._pending_ends()
        others = self.run.running_attempts - self._attempts
        if others:
            attempts = tuple(attempt for attempt in view.attempts if attempt.id not in others)
            view = replace(view, attempts=attempts)
        if not ends:
            return view
        open_attempts = {attempt.id: attempt for attempt in view.attempts}
        current, work, used = view.current.id if view.current else 0, view.recent_work, view.used
        for end in ends:
            attempt = open_attempts.pop(end.attempt, None)
            if attempt is not None:
                used = add_spend(used, end.spent or NOTHING)
                if end.outcome == "done" and attempt.task == current:
                    work = add_done(work, attempt, end.settled_by)
        attempts = tuple(open_attempts.values())
        return replace(view, attempts=attempts, recent_work=work, used=used)

    @property
    def snapshot(self) -> Snapshot:
        """What this lane saw last."""
        if self._snapshot is None:
            raise RuntimeError(self.id)
        return self._snapshot

    @property
    def budget_left(self) -> Budget:
        """What the current task may still spend; attempts that have ended reserve nothing more."""
        left = self.snapshot.remaining
        if left == NO_LIMIT:
            return left
        reserves = {attempt.id: attempt.reserve for attempt in self.snapshot.view.attempts}
        for end in self._pending_ends():
            if end.spent is not None and end.attempt in reserves:
                left = free_reservation(left, reserves[end.attempt], end.spent)
        return left

    @property
    def has_unrecorded_words(self) -> bool:
        """Whether what a reply says about its task still waits for a commit."""
        return any(end.said for end in self._pending_ends())

    def mark_stale(self) -> None:
        """Read the plan again before the next reply: time has passed or others have committed."""
        self._is_stale = True

    async def refresh(self) -> PlanView:
        """Read the plan; return the last view if it cannot be read.

        A read error is stored in the run's `store_error` instead of raised: the effect just
        executed must not be executed again because of it.
        """
        try:
            await self._submit((), return_commit)
        except StoreError as error:
            if self._snapshot is None:
                raise
            self.run.store_error = error
        self._is_stale = False
        return self.view

    async def read(self, question: Callable[[PlanState], T]) -> T:
        """Read anything else from the plan."""
        return await self._submit((), lambda state, _commit: question(state))

    async def commit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
        key: str = "",
        author: str = "",
    ) -> T:
        """Commit commands together with what waits in the lane.

        Raises `LeaseLost`, or the error that refuses the commands; what waited is committed then
        all the same. A cancellation is raised after the commit, which it cannot prevent.
        """
        if key or author:  # a key must stand for the same commands when it is used again
            await self.flush()
        waiting = self._take_pending()
        try:
            with self._in_flight(waiting):
                request = (*waiting, *commands)
                return await self._submit(request, then, reason=reason, key=key, author=author)
        except CancelledError as cancelled:
            if isinstance(cancelled.__cause__, Refused):
                self._pending[:0] = waiting  # a refused start never refuses the ends
            raise
        except Refused:
            if not waiting:
                raise
            await self._commit_waiting(waiting)
            return await self._submit(commands, then, reason=reason, key=key, author=author)

    def defer(self, *commands: Command) -> None:
        """Commit commands with the next commit of this lane, or soon on their own."""
        self._pending += commands
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_FLUSH_SECONDS, self._flush_soon)

    def end_attempt(self, command: EndAttempt) -> None:
        """Let the end of an attempt wait, and look whether another party has settled it."""
        self.defer(command)
        self._just_ended = command.attempt
        self.mark_stale()

    async def flush(self) -> None:
        """Commit what waits in the lane."""
        waiting = self._take_pending()
        if waiting:
            await self._commit_waiting(waiting)

    async def finish(self) -> None:
        """Commit what waits in the lane, at its end; report a plan that cannot be written."""
        try:
            await self.flush()
        except StoreError as error:
            if not self.is_main:
                raise
            self.run.store_error = error
        if self._flushes:
            await asyncio.wait(self._flushes)
        if self.run.store_error is not None:
            self.report_lost_plan(self.run.store_error)
        await self.run.transcript.finish()

    def report_lost_plan(self, error: StoreError) -> None:
        """Report once that the run goes on without its plan, or why it cannot go on."""
        run = self.run
        if not run.is_error_reported:
            run.is_error_reported = True
            message = problem = run.error_text(error)
            if not (isinstance(error, HistoryDiverged) or run.needs_plan):
                message = text("degraded", run.language, problem=problem)
                LOG.error("going on without a plan: %s", problem, extra={"reported": True})
            self.emit(Notified(message, "degraded"))

    def drop_pending(self) -> None:
        """Forget what waits in the lane: the plan that it was for is lost."""
        self._take_pending()

    def close(self) -> None:
        """Give up the slot, and the reservations of attempts whose end stays unknown."""
        self.free_slot()
        self._take_pending()
        self.run.attempts_ended(self._attempts)

    def attempt_began(self, attempt: str) -> None:
        """Count an attempt whose start is committed."""
        self.attempts_started += 1
        self._attempts.add(attempt)
        self.run.attempt_began(attempt)

    async def _commit_waiting(self, commands: Sequence[Command]) -> None:
        """Commit deferred commands; drop those that are refused.

        Another party may have settled an attempt meanwhile.
        """
        try:
            with self._in_flight(commands):
                await self._submit(commands, return_commit)
        except Refused as error:
            if len(commands) == 1:
                LOG.warning("an outcome came too late: %s", error)
                self._count_ended(commands)
                return
            for index, command in enumerate(commands):
                try:
                    await self._commit_waiting((command,))
                except CancelledError:
                    self._pending[:0] = commands[index + 1 :]
                    raise

    async def _submit(
        self,
        commands: Sequence[Command],
        then: Callable[[PlanState, Commit], T],
        *,
        reason: str = "",
        key: str = "",
        author: str = "",
    ) -> T:
        def take_snapshot(state: PlanState, commit: Commit) -> tuple[T, Snapshot]:
            try:
                return then(state, commit), self._look(state, commit)
            except StopIteration as error:  # asyncio could not pass it on
                raise RuntimeError from error

        try:
            name = self.run.spec.person_name
            core = self.core.acting_as(author, name) if author else self.core
            future = core.submit(commands, take_snapshot, reason=reason, key=key)
            answer, snapshot = await _finish(future)
        except ClaimLost as error:
            raise LeaseLost from error
        self._snapshot, self._is_stale = snapshot, False
        self._count_ended(commands)
        return answer

    def _count_ended(self, commands: Sequence[Command]) -> None:
        ended = [command.attempt for command in commands if isinstance(command, EndAttempt)]
        if ended:
            self._attempts.difference_update(ended)
            self.run.attempts_ended(ended)

    def _look(self, state: PlanState, commit: Commit) -> Snapshot:
        run, actor = self.run, self._actor or self.run.core.actor
        run.remember(state)
        if self._revision and state.revision != self._revision + bool(commit.changes):
            self.may_be_edited = True
        self._revision = state.revision
        may_be_edited = self.may_be_edited or run.has_views
        view = plan_view(state, actor, is_scratch=run.is_scratch, may_be_edited=may_be_edited)
        if not self.is_main:  # which reads what people say
            view = replace(view, new_messages=())
        task = view.current.id if view.current else 0
        return Snapshot(view, tightest_budget(state, task), bool(state.checked_tasks))

    def _take_pending(self) -> list[Command]:
        waiting, self._pending = self._pending, []
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return waiting

    @contextmanager
    def _in_flight(self, commands: Sequence[Command]) -> Iterator[None]:
        """Count commands as waiting until their commit is made."""
        self._committing += commands
        try:
            yield
        finally:
            del self._committing[: len(commands)]

    def _pending_ends(self) -> list[EndAttempt]:
        waiting = (*self._committing, *self._pending)
        return [command for command in waiting if isinstance(command, EndAttempt)]

    def _flush_soon(self) -> None:
        self._timer = None
        task = asyncio.get_running_loop().create_task(self._flush_in_background())
        self._flushes.add(task)
        task.add_done_callback(self._flushes.discard)

    async def _flush_in_background(self) -> None:
        try:
            await self.flush()
        except StoreError as error:
            self.run.store_error = error
        except LeaseLost:
            self.mark_stale()  # the next read raises it again

    # Effects and events

    async def perform(self, effect: Effect) -> Reply[Any]:
        """Carry out an effect; return its outcome with the plan and the time after it."""
        if self._snapshot is None and effect != Record():
            await self._read_first()
        return await self.reply(await self._handler(effect, self))

    async def _read_first(self) -> None:
        """Read the plan as a loop does: every layer may look at it."""
        await self._handler(Record(), self)

    async def reply(self, outcome: Outcome) -> Reply[Any]:
        """Attach the plan and the time to an outcome, and report changes of the plan."""
        if self._snapshot is None:
            await self._read_first()
        elif self._is_stale:
            await self.refresh()
        if isinstance(outcome, Thought | Acted) and self._is_settled_by_another():
            error = InvalidStatus("attempt_not_open", attempt=self._just_ended)
            outcome = replace(outcome, error=self.run.error_text(error), code=error.code)
        self._just_ended = ""
        await self._report_plan()
        return self.latest_reply(outcome)

    def _is_settled_by_another(self) -> bool:
        """Return whether the attempt that has just ended was no longer open."""
        ended = self._just_ended
        is_waiting = any(end.attempt == ended for end in self._pending_ends())
        attempts = self.snapshot.view.attempts
        return is_waiting and all(attempt.id != ended for attempt in attempts)

    def now(self) -> datetime:
        """Return the time by the clock of the plan."""
        return self.run.now()

    def latest_reply(self, outcome: Outcome) -> Reply[Any]:
        """Attach the plan as this lane saw it last."""
        run = self.run
        return Reply(outcome, self.view, run.now(), run.resources.monotonic())

    async def _report_plan(self) -> None:
        """Emit events if the plan changed since the run reported it last."""
        view, run = self.view, self.run
        if view.revision < run.reported_revision:  # another lane has seen more
            return
        run.reported_revision = view.revision
        shown, current = shown_state(view), view.current
        is_same = run.last_reported == shown and self._last_current == current
        is_first = run.last_reported is None
        run.last_reported, self._last_current = shown, current
        if is_same or is_first or view.is_scratch:
            return
        name = current.name if current else ""
        self.emit(PlanMoved(view.revision, view.status, view.done, view.total, name))
        is_sent = run.resources.agent is None and run.spec.settings.sync_to_todo_write
        if is_sent and view.total:
            try:
                self.emit(TodoUpdated(await self.read(todo_list)))
            except StoreError as error:
                run.store_error = error

    def stream(self, piece: str) -> None:
        """Send a piece of what a model or an agent says."""
        self.emit(Streamed(piece))

    def emit(self, event: Event) -> None:
        """Send an event to the listener, without secrets; the text of each lane is one stream."""
        if isinstance(event, Streamed):
            safe_text = self._redactor.add(event.text)
            if safe_text:
                self._send(Streamed(safe_text))
            return
        tail = self._redactor.flush()
        if tail:
            self._send(Streamed(tail))
        self._send(redact_event(event))

    def _send(self, event: Event) -> None:
        if not self.is_main and hasattr(event, "lane"):
            task = getattr(event, "task", 0) or self.task
            event = replace(event, lane=self.id, task=task)
        send_event(self.run.resources.listener, event)

    # Lanes

    def open_lane(self, task: int | None, actor: str) -> Lane:
        """Open another lane of the run, which works for a task as an actor of its own."""
        self.run.lane_count += 1
        name = f"{task or 0}.{self.run.lane_count}"
        own_actor = f"{self.run.core.actor}/{task}" if task else ""
        return Lane(self.run, self._handler, name, actor or own_actor, task or 0)

    def on_wait(self, callback: Callable[[bool], object]) -> None:
        """Call `callback` with True when the lane starts to wait for a person, then with False."""
        self._on_wait = callback

    async def on_plan_change(self, callback: Callable[[int], object]) -> Unsubscribe:
        """Call `callback` with the revision of every commit; return the unsubscriber."""

        def tell(commit: Commit) -> None:
            callback(commit.revision)

        subscriptions: list[Callable[[], None]] = []
        try:
            await call_to_end(lambda: subscriptions.append(self.core.store.subscribe(tell)))
        except asyncio.CancelledError:  # nobody would end what has begun
            for unsubscribe in subscriptions:
                await call_to_end(unsubscribe)
            raise
        return partial(call_in_pool, subscriptions[0])

    async def take_slot(self) -> None:
        """Wait until the run has a free slot for this lane."""
        await self.run.slots.acquire()
        self._has_slot = True

    def hand_over_to(self, lane: Lane) -> bool:
        """Let another lane work in place of this one; return whether it has the slot now.

        Its waits for a person count as waits of this one.
        """
        lane.on_wait(self._on_wait)
        lane._has_slot, self._has_slot = self._has_slot, False
        return lane._has_slot

    def free_slot(self) -> bool:
        """Give the slot back; return whether there was one."""
        had_slot, self._has_slot = self._has_slot, False
        if had_slot:
            self.run.slots.release()
        return had_slot

    @asynccontextmanager
    async def without_slot(self) -> AsyncIterator[None]:
        """Wait for a person without a slot; take one again before going on."""
        self._on_wait(True)  # noqa: FBT003 - its one argument
        had_slot = self.free_slot()
        try:
            yield
        finally:
            self._on_wait(False)  # noqa: FBT003 - its one argument
            if had_slot:
                await self.take_slot()


async def _finish(future: Future[T]) -> T:
    """Wait for a submitted commit, even if the lane is cancelled meanwhile."""
    if future.done():
        return future.result()
    waiting = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiting)
    except CancelledError:
        await asyncio.wait((waiting,))
        error = None if waiting.cancelled() else waiting.exception()
        raise CancelledError from error
