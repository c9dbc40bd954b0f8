"""A run: one process that works on one plan under a lease, with one or more lanes."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from outlast.agent.agent_spec import AgentSpec, Delegation
from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions, merge_permissions
from outlast.agent.runtime.guards import error_text
from outlast.agent.runtime.transcript import Transcript, TranscriptWriter
from outlast.agent.runtime.workspace import WorkspaceLock, WorkspaceProbe, WorkspaceWatch
from outlast.errors import StoreError
from outlast.hooks.engine import HooksEngine
from outlast.model.budget import NO_LIMIT, NOTHING, Budget, Spend, spend_between
from outlast.model.commands import (
    Charge,
    Command,
    Interject,
    RememberRun,
    RequireApproval,
    SetBudget,
    TakeInterjections,
)
from outlast.model.decide.conversation import check_message
from outlast.model.execute import return_commit
from outlast.model.model import PERSON, Interjection, LastRun, Lease
from outlast.model.plan_costs import used_amount
from outlast.plan.plan import Plan
from outlast.plan.tools.tool_sets import find_tool
from outlast.system.clock import monotonic
from outlast.system.logs import LOG
from outlast.system.threads import call_in_pool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    from outlast.agent.events import Event
    from outlast.agent.permissions import PermissionStore
    from outlast.agent.runtime.lease_holder import LeaseHolder
    from outlast.agent.work import Agent, Preflight
    from outlast.context.chat_model import Model
    from outlast.context.tool import Tool
    from outlast.hooks.port import Hook
    from outlast.model.changes import Commit
    from outlast.model.state import PlanState
    from outlast.plan.core import PlanCore

    Acquire = Callable[[Plan], Lease]
    Create = Callable[[str, Acquire, Budget], tuple[Plan, Lease]]


def _no_transcript(_plan: Plan) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What is made or opened for the runs of a spec.

    `create_plan` creates a stored plan and acquires its lease, `create_scratch` a scratch plan.
    `allow` are patterns of calls that need no permission. `chosen` is what a person allowed when
    the run was started; `permission_store` keeps that for later runs. `agent` carries out what
    lanes delegate; `probe` looks at the directory that it changes. `speaker` is the actor who sends
    messages to the run. `monotonic` measures how long things take: it does not jump with the clock.
    """

    model: Model
    tools: tuple[Tool, ...]
    holder: LeaseHolder
    create_plan: Create
    create_scratch: Callable[[], Plan]
    transcript_of: Callable[[Plan], Transcript | None] = _no_transcript
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    timeout: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout
    monotonic: Callable[[], float] = monotonic
    listener: Callable[[Event], object] | None = None
    hooks: tuple[Hook, ...] = ()
    allow: tuple[str, ...] = ()
    permission_store: PermissionStore | None = None
    chosen: PlanPermissions = NO_PERMISSIONS
    agent: Agent | None = None
    preflight: Preflight | None = None
    probe: WorkspaceProbe | None = None
    speaker: str = PERSON

    def tool(self, name: str) -> Tool | None:
        """Return the tool with a name."""
        return next((tool for tool in self.tools if tool.name == name), None)


class Run:
    """The plan of a run, its lease, and what its lanes share.

    `used` is what the plan has cost, `used_before` what it had cost when the run began.
    `last_run` is what the plan remembers of it. At most `delegation.parallel` lanes beside the
    main one work at the same time. `is_scratch` marks a scratch plan. `store_error` is why the
    stored plan had to be left; `is_error_reported` tells that people know. `permissions` is what a
    person has allowed, in this run or an earlier one of the plan, and has not taken back.
    """

    def __init__(
        self,
        plan: Plan,
        lease: Lease,
        spec: AgentSpec,
        resources: Resources,
        *,
        is_scratch: bool = False,
    ) -> None:
        self.spec, self.resources, self.language = spec, resources, spec.language
        self.delegation = spec.delegation or Delegation()
        self.last_run: LastRun | None = None
        self.store_error: StoreError | None = None
        self.is_error_reported = False
        self.permissions = self._new_permissions = resources.chosen
        self._withdrawal = ""  # the last one when the run began to work on the plan
        self.last_reported: object = None
        self.transcript = TranscriptWriter(resources.transcript_of)
        self.workspace = WorkspaceLock()
        self.watch = None if resources.probe is None else WorkspaceWatch(resources.probe)
        self.slots = asyncio.Semaphore(self.delegation.parallel)
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
            spec.settings,
            resources.hooks,
            language=spec.language,
            is_plan_tool=is_plan_tool,
            in_loop=True,
            has_rules=spec.has_rules,
        )
        self.switch_to(plan, lease, is_scratch=is_scratch)

    @property
    def needs_plan(self) -> bool:
        """Whether it cannot go on without its plan: its loop says so, or it has lanes or agents."""
        has_agent = self.resources.agent is not None
        return self.spec.needs_plan or bool(self.lane_count) or has_agent

    def switch_to(self, plan: Plan, lease: Lease, *, is_scratch: bool = False) -> None:
        """Work on another plan from now on."""
        self.reported_revision = 0  # at which its state was reported last
        self.plan, self.core, self.is_scratch = plan, plan.core.with_lease(lease), is_scratch
        self.now, self.token = plan.core.now, lease.token
        self._views = plan.core.views

    @property
    def has_views(self) -> bool:
        """Whether people can edit the plan in files."""
        return self._views is not None

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
        command = Interject(check_message(message), self.resources.speaker)
        with self._inbox_lock:
            if self._inbox is None:
                return self._submit_message(command)
            stored: Future[Commit] = Future()
            self._inbox.append((command, stored))
            return stored

    def _submit_message(self, command: Command) -> Future[Commit]:
        core = self.plan.core.acting_as(self.resources.speaker, self.spec.person_name)
        return core.submit((command,), return_commit)

    def handover_commands(self) -> tuple[Command, ...]:
        """Return the commands that carry budget, spending and messages over to another plan."""
        charge = Charge(self.used, planning=self.planning)
        heard = (Interject(message.text, message.by, heard=True) for message in self._heard)
        return (
            SetBudget(self.budget),
            *self.run_commands(),
            charge,
            *heard,
            *self.message_commands(),
        )

    def run_commands(self) -> tuple[Command, ...]:
        """Return the commands that record in a stored plan what this run works with."""
        remember = () if self.last_run is None else (RememberRun(self.last_run),)
        return (*remember, RequireApproval()) if self.spec.dry_run else remember

    # Permissions

    def recall_permissions(self) -> None:
        """Use what a person has allowed for the plan before, and keep what this run was allowed.

        Raises `StoreError` if nothing can be read, since then only the permissions of this run
        count, or if not all of them can be kept.
        """
        self.permissions, store = self._new_permissions, self._permission_store
        self._withdrawal = ""
        if store is None:
            return
        try:
            stored = store.read(self.plan.id)
            self._withdrawal = stored.withdrawal
            self.permissions = merge_permissions(stored, self._new_permissions)
        finally:
            if self._new_permissions != NO_PERMISSIONS:
                store.add(self.plan.id, self._new_permissions)

    async def refresh_permissions(self) -> None:
        """Use what is allowed for the plan now; a withdrawal also ends what this run was allowed.

        Raises `StoreError` if what was allowed before this run can no longer be read.
        """
        store = self._permission_store
        if store is None:
            return
        try:
            stored = await call_in_pool(partial(store.read, self.plan.id))
        except StoreError:
            before, self.permissions = self.permissions, self._new_permissions
            if before != self.permissions:
                raise
            return
        if stored.withdrawal != self._withdrawal:
            self._withdrawal, self._new_permissions = stored.withdrawal, NO_PERMISSIONS
        self.permissions = merge_permissions(stored, self._new_permissions)

    async def allow_always(self, calls: Iterable[str]) -> None:
        """Allow calls in this run and in later ones of the plan. Raises `StoreError`."""
        allowed, store = PlanPermissions(calls=tuple(calls)), self._permission_store
        self.permissions = merge_permissions(self.permissions, allowed)
        self._new_permissions = merge_permissions(self._new_permissions, allowed)
        if store is not None:
            await call_in_pool(lambda: store.add(self.plan.id, allowed))

    @property
    def _permission_store(self) -> PermissionStore | None:
        return None if self.is_scratch else self.resources.permission_store

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
