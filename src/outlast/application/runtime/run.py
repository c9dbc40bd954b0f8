"""A run: one process that works on one plan under a lease, with one or more lanes."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from outlast.application.hooks.engine import HooksEngine
from outlast.application.plan.plan import Plan
from outlast.application.runtime.guards import error_text
from outlast.application.runtime.transcript_writer import TranscriptWriter
from outlast.application.runtime.workspace_lock import WorkspaceLock
from outlast.application.tools.tool_sets import find_tool
from outlast.config.settings import Settings
from outlast.domain.budget import NO_LIMIT, NOTHING, spend_between
from outlast.domain.commands import Charge, Interject, SetBudget, TakeInterjections
from outlast.domain.costs import used_amount
from outlast.domain.decide.conversation import check_message
from outlast.domain.execute import return_commit
from outlast.domain.model import PERSON
from outlast.errors import StoreError
from outlast.ports.edits import EditableStore
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
    from contextlib import AbstractAsyncContextManager

    from outlast.application.plan.core import PlanCore
    from outlast.application.runtime.lease_holder import LeaseHolder
    from outlast.domain.budget import Budget, Spend
    from outlast.domain.changes import Commit
    from outlast.domain.commands import Command
    from outlast.domain.model import Interjection, Lease
    from outlast.domain.state import PlanState
    from outlast.ports.events import Event
    from outlast.ports.hook import Hook
    from outlast.ports.model import Model
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool
    from outlast.ports.transcript import Transcript
    from outlast.texts import Language

    Acquire = Callable[[Plan], Lease]
    Create = Callable[[str, Acquire, Budget], tuple[Plan, Lease]]


def _no_transcript(_plan: Plan) -> None:
    return None


@dataclass(frozen=True)
class Dependencies:
    """What a run needs beside its plan.

    `create_plan` creates a stored plan and acquires its lease, `create_scratch` a scratch plan.
    `allow` are patterns of calls that need no permission, `yes` allows all. At most `slots` lanes
    beside the main one work at the same time. `speaker` is the actor who sends messages to it.
    """

    model: Model
    tools: tuple[Tool, ...]
    holder: LeaseHolder
    create_plan: Create
    create_scratch: Callable[[], Plan]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    timeout: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout
    settings: Settings = field(default_factory=Settings)
    budget: Budget = NO_LIMIT
    listener: Callable[[Event], object] | None = None
    person: Person | None = None
    transcript_of: Callable[[Plan], Transcript | None] = _no_transcript
    hooks: tuple[Hook, ...] = ()
    allow: tuple[str, ...] = ()
    yes: bool = False
    slots: int = 1
    language: Language = "en"
    speaker: str = PERSON

    def tool(self, name: str) -> Tool | None:
        """Return the tool with a name."""
        return next((tool for tool in self.tools if tool.name == name), None)


class Run:
    """The plan of a run, its lease, and what its lanes share.

    `used` is what the plan has cost, `used_before` what it had cost when the run began.
    `is_scratch` marks a scratch plan. `store_error` is why the stored plan had to be left;
    `is_error_reported` tells that people know. `always_allowed` are the calls that a person has
    allowed for the rest of the run.
    """

    def __init__(
        self, plan: Plan, lease: Lease, dependencies: Dependencies, *, is_scratch: bool = False
    ) -> None:
        self.dependencies, self.language = dependencies, dependencies.language
        self.store_error: StoreError | None = None
        self.is_error_reported = False
        self.always_allowed: set[str] = set()
        self.last_reported: object = None
        self.transcript = TranscriptWriter(dependencies.transcript_of)
        self.workspace = WorkspaceLock()
        self.slots = asyncio.Semaphore(dependencies.slots)
        self.used = self.used_before = self.planning = NOTHING
        self.budget: Budget = NO_LIMIT
        self.lane_count = 0
        self._messages: tuple[Interjection, ...] = ()
        self._heard: tuple[Interjection, ...] = ()
        self._last_taken = 0  # number of the last message that was read
        # Messages posted during a switch.
        self._inbox: list[tuple[Command, Future[Commit]]] | None = None
        self._inbox_lock = Lock()
        self._budget_waiters: list[asyncio.Future[None]] = []
        self.running_attempts: set[str] = set()
        self.ended_attempts = 0  # how often attempts have ended
        self.hooks = HooksEngine(
            PlanOfRun(self),
            dependencies.settings,
            dependencies.hooks,
            language=dependencies.language,
            is_plan_tool=is_plan_tool,
            in_loop=True,
        )
        self.switch_to(plan, lease, is_scratch=is_scratch)

    def switch_to(self, plan: Plan, lease: Lease, *, is_scratch: bool = False) -> None:
        """Work on another plan from now on."""
        self.plan, self.core, self.is_scratch = plan, plan.core.with_lease(lease), is_scratch
        self.now, self.token = plan.core.now, lease.token
        store = plan.core.store
        self._views = store if isinstance(store, EditableStore) else None

    async def sync_views(self, during: str = "") -> None:
        """Apply edits in the plan's views now; `during` is the tool that ran since the last call.

        A failure is stored in `store_error`: what the tool has done must not be done again.
        """
        views = self._views
        if views is not None:
            try:
                await call_in_pool(partial(views.sync_touched, during))
            except StoreError as error:
                self.store_error = error

    @asynccontextmanager
    async def hold_messages(self) -> AsyncIterator[None]:
        """Hold back messages that are posted during a switch: they would stay in the old plan."""
        with self._inbox_lock:
            self._inbox = []
        try:
            yield
        finally:
            with self._inbox_lock:
                inbox, self._inbox = self._inbox, None
                for command, stored in inbox:
                    self._submit_message(command).add_done_callback(partial(_pass_on, stored))

    def post_message(self, message: str) -> Future[Commit]:
        """Send a person's message to the main lane, from any thread; the future is its commit."""
        command = Interject(check_message(message), self.dependencies.speaker)
        with self._inbox_lock:
            if self._inbox is None:
                return self._submit_message(command)
            stored: Future[Commit] = Future()
            self._inbox.append((command, stored))
            return stored

    def _submit_message(self, command: Command) -> Future[Commit]:
        core = self.plan.core.acting_as(self.dependencies.speaker)
        return core.submit((command,), return_commit)

    def handover_commands(self) -> tuple[Command, ...]:
        """Return the commands that carry budget, spending and messages over to another plan."""
        charge = Charge(self.used, planning=self.planning)
        heard = (Interject(message.text, message.by, heard=True) for message in self._heard)
        return SetBudget(self.budget), charge, *heard, *self.message_commands()

    def message_commands(self) -> tuple[Command, ...]:
        """Return the commands that carry unread messages over, under the same numbers."""
        messages = (Interject(message.text, message.by) for message in self._messages)
        return TakeInterjections(self._last_taken), *messages

    def remember(self, state: PlanState) -> None:
        """Remember the limits that stay in force if the plan can no longer be read."""
        counters = state.ledger.counters
        self.used, self.planning = used_amount(state), counters.planning
        self.budget = counters.budgets.get(0, NO_LIMIT)
        conversation = state.ledger.conversation
        self._messages, self._heard = conversation.interjections, conversation.heard
        self._last_taken = conversation.last_taken

    def cost(self) -> Spend:
        """Return what this run has cost."""
        return spend_between(self.used_before, self.used)

    def error_text(self, error: Exception) -> str:
        """Return the text of an error in the run's language."""
        return error_text(error, self.language)

    # Budgets across lanes

    def attempt_began(self, attempt: str) -> None:
        """Count an attempt as running: what it has reserved will be free again."""
        self.running_attempts.add(attempt)

    def attempts_ended(self, attempts: Iterable[str]) -> None:
        """Let lanes that wait for budget try again."""
        self.running_attempts.difference_update(attempts)
        self.ended_attempts += 1
        waiters, self._budget_waiters = self._budget_waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait_for_budget(self, ended: int) -> bool:
        """Wait until there are more `ended_attempts`; return False if none is running."""
        if self.ended_attempts != ended:
            return True
        if not self.running_attempts:
            return False
        waiter = asyncio.get_running_loop().create_future()
        self._budget_waiters.append(waiter)
        await waiter
        return True


class PlanOfRun:
    """The plan of a run as an actor sees it, for hooks; a scratch plan is hidden."""

    def __init__(self, run: Run, core: PlanCore | None = None) -> None:
        """Show the plan of the run; `core` is that of the actor, if it is not the run's own."""
        self._run, self._core = run, core

    @property
    def is_visible(self) -> bool:
        """Whether models and people are shown the plan."""
        return not self._run.is_scratch

    def find(self) -> Plan:
        """Return the plan."""
        return Plan(self._run.core if self._core is None else self._core)

    def get_or_create(self) -> Plan:
        """Return the plan, which exists."""
        return self.find()


def is_plan_tool(name: str) -> bool:
    """Return whether a tool is a plan tool, of either set."""
    return find_tool(name) is not None


def wait_until_stored(messages: Iterable[Future[Commit]]) -> None:
    """Wait for posted messages; on the event loop, which must not be blocked, log failures only."""
    on_event_loop = _is_on_event_loop()
    for stored in messages:
        if on_event_loop:
            stored.add_done_callback(_log_failure)
        else:
            stored.result()


def _is_on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _pass_on(stored: Future[Commit], commit: Future[Commit]) -> None:
    """Resolve a future as another one."""
    error = commit.exception()
    if error is None:
        stored.set_result(commit.result())
    else:
        stored.set_exception(error)


def _log_failure(future: Future[Commit]) -> None:
    error = future.exception()
    if error is not None:
        LOG.error("a message could not be stored: %s", error)
