"""A run of three tasks on files, repeated as often as needed, and what must hold after it."""

import asyncio
import dataclasses
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from outlast import Plan
from outlast.agent.agent_loop import AgentLoop, RunResult
from outlast.agent.agent_run import AgentRun
from outlast.agent.agent_spec import AgentSpec, ToolLoop
from outlast.agent.effects import Effect, Loop, Outcome
from outlast.agent.events import Stopped
from outlast.agent.loops.chat import converse
from outlast.agent.models.scripted import Turn
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.resources import find_resources
from outlast.agent.runtime.driver import run
from outlast.agent.runtime.lane import CallNext, Lane, Middleware
from outlast.agent.runtime.lease_holder import LeaseHolder, has_stale_lease
from outlast.agent.runtime.pipeline import LAYERS, main_lane
from outlast.agent.runtime.run import Resources, Run
from outlast.agent.tools.files.read import ReadFile
from outlast.agent.tools.files.write import WriteFile
from outlast.context.chat_model import Call, Model
from outlast.context.chat_model import Reply as Answer
from outlast.context.tool import JournalParams, PermissionRequest, Settlement, Tool
from outlast.model.changes import AttemptBegan, AttemptEnded, Commit, TaskAdded, TaskCompleted
from outlast.model.commands import CreatePlan
from outlast.model.execute import return_commit
from outlast.model.model import Lease
from outlast.orchestrator.known_agents import Orchestrate
from outlast.plan.core import PlanCore
from outlast.plan.tools.call_record import call_line, parse_call_line
from outlast.plan.tools.tool_sets import plan_tool_specs, tool_specs
from outlast.store.files.log import open_files
from outlast.store.port import Request, Store
from outlast.stores import MemoryStore
from outlast.system.clock import Clock
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.fake_model import FakeModel, ModelRequest
from tests.store.faults import Killed, QuickDisk
from tests.store.opening import new_files

Wrap = Callable[[Loop[Any]], Loop[Any]]
LEASE = 60
GOAL = "Write three files"
LONG = "beta " * 100
FILES = {"a.txt": "alpha", "b.txt": LONG, "deep/er/c.txt": "gamma\n"}
TASKS = ["First file", "Second file", "Third file"]


def write(path: str) -> Call:
    return Call("write_file", {"path": path, "content": FILES[path]}, f"w-{path}")


def complete(task: int) -> Call:
    return Call("complete_task", {"task": task, "result": f"{task} done"})


PLAN = Call("add_tasks", {"tasks": TASKS})
LOOK = Call("read_file", {"path": "a.txt"})
TURNS = (
    Turn("- Progress: 0/0", "I plan.", (PLAN,)),
    Turn("- Current step: 1.", calls=(write("a.txt"), complete(1))),
    Turn("- Current step: 2.", calls=(LOOK, write("b.txt"), complete(2))),
    Turn("- Current step: 3.", calls=(write("deep/er/c.txt"), complete(3))),
    Turn("- Progress: 3/3", "All is written."),
)
TOLD = ("done: ", "interrupted, but it was done: ")


class AttentiveModel(FakeModel):
    """A scripted model that does not repeat calls which the brief lists as done."""

    async def reply(self, request: ModelRequest) -> Answer:
        reply = await self.play(request)
        shown = (line for message in request.messages for line in message.text.splitlines())
        lines = {line.partition(". ")[2] for line in shown}  # `1. done: write_file …`
        calls = (call for call in reply.calls if not _is_done(call, lines))
        return replace(reply, calls=tuple(calls))


def _is_done(call: Call, lines: set[str]) -> bool:
    said = call_line(call) if "path" not in call.params else ""
    sign = f'"path":"{call.params.get("path")}"'
    heads = tuple(f"{told}{said or call.name + ' '}" for told in TOLD)
    return any(line.startswith(heads) and (said or sign in line) for line in lines)


def call_key(name: str, params: dict[str, Any] | None) -> str:
    """Return the line under which a call of a file tool is counted."""
    return f"{name} {(params or {}).get('path')}"


class ClockFile:
    """A clock that processes share; it stands still until a test moves it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self) -> datetime:
        seconds = int(self._path.read_text()) if self._path.exists() else 0
        return FixedClock()() + timedelta(seconds=seconds)

    def advance(self, seconds: int) -> None:
        shown = (self() - FixedClock()()).total_seconds()
        new = self._path.with_suffix(".new")
        new.write_text(str(int(shown) + seconds))
        new.replace(self._path)


class CountedTool:
    """A tool that counts its runs and its settlements."""

    def __init__(self, tool: Tool, runs: Counter[str]) -> None:
        self.name, self.description, self.parameters = tool.name, tool.description, tool.parameters
        self.level = tool.level
        self._tool, self._runs = tool, runs

    def permission_request(self, params: dict[str, Any]) -> PermissionRequest | None:
        return self._tool.permission_request(params)

    async def run(self, params: dict[str, Any]) -> str:
        self._runs[call_key(self.name, params)] += 1
        return await self._tool.run(params)

    def journal_params(self, params: dict[str, Any]) -> dict[str, Any]:
        return (
            self._tool.journal_params(params) if isinstance(self._tool, JournalParams) else params
        )

    def settle(self, params: dict[str, Any]) -> Settlement:
        return self._tool.settle(params)


class Scene:
    """A plan and a workspace on disk, for loops that are killed and restarted."""

    def __init__(self, path: Path, *, new: bool = True, shared: bool = False) -> None:
        self.path, self.workspace, self.directory = path, path / "work", path / "plan"
        self.clock = ClockFile(path / "clock") if shared else FixedClock()
        self.runs: Counter[str] = Counter()
        if new:
            self.workspace.mkdir(parents=True)
            self.directory.mkdir()
            command = CreatePlan("plan_test", GOAL, "key")
            where, now = str(self.directory), self.clock()
            new_files(where, QuickDisk(), command, author="ann", now=now).close()

    def go(
        self, disk: Disk | None = None, wrap: Wrap | None = None, inside: Middleware | None = None
    ) -> Stopped:
        """Run a loop as a new process would, until it ends or dies.

        A killed run releases nothing: its lease has to expire.
        """
        try:
            return self._go(disk or QuickDisk(), wrap, inside)
        except Killed:
            self.clock.advance(LEASE)
            raise

    def _go(self, disk: Disk, wrap: Wrap | None, inside: Middleware | None) -> Stopped:
        store = open_files(str(self.directory), disk, self.clock())
        plan = plan_on(store, self.clock)
        stale = has_stale_lease(plan)
        if plan.status == "completed" and not stale:  # who asks again has a new goal
            store.close()
            return Stopped("completed", "finished")
        held = plan.core.claim_plan(LEASE)
        try:
            work = self.work(plan, held.lease, disk, wrap=wrap, inside=inside, stale=stale)
            stopped = asyncio.run(work)
        finally:
            held.stop()
        plan.release(held.lease)
        store.close()
        return stopped

    def work(  # noqa: PLR0913 - what a run is made of
        self,
        plan: Plan,
        lease: Lease,
        disk: Disk,
        *,
        wrap: Wrap | None = None,
        inside: Middleware | None = None,
        outside: Middleware | None = None,
        stale: bool = False,
    ) -> Coroutine[Any, Any, Stopped]:
        """Return a run of the loop under this lease.

        `wrap` goes around the loop, `outside` around all layers, `inside` around the execution
        within an attempt.
        """
        tools = self.tools(disk)
        needs = parts(plan, AttentiveModel(turns=TURNS), tools)
        layers = ((outside, object), *LAYERS, (inside, object))
        lane = main_lane(Run(plan, lease, *needs), [layer for layer in layers if layer[0]])
        loop = converse(
            GOAL, tools=tool_specs(tools), plan_tools=plan_tool_specs(), interrupted=stale
        )
        return run(wrap(loop) if wrap else loop, lane)

    def tools(self, disk: Disk) -> tuple[Tool, ...]:
        where = str(self.workspace)
        return tuple(
            CountedTool(tool, self.runs) for tool in (ReadFile(where, disk), WriteFile(where, disk))
        )

    def outcome(self) -> tuple[Any, ...]:
        """Return all that must not depend on how often the process died."""
        store = open_files(str(self.directory), QuickDisk(), self.clock())
        plan = plan_on(store, self.clock)
        tasks = [(task.id, task.name, task.status, task.result) for task in plan.tasks()]
        found = plan.goal, plan.status, tasks, self.files()
        store.close()
        return found

    def files(self) -> dict[str, str]:
        found = (path for path in sorted(self.workspace.rglob("*")) if not path.is_dir())
        return {str(path.relative_to(self.workspace)): path.read_text() for path in found}

    def past(self) -> list[Commit]:
        store = open_files(str(self.directory), QuickDisk(), self.clock())
        commits = store.commits_since(0)
        store.close()
        return commits

    def check(self) -> None:
        """Check the journal: each run was recorded first, and ended once; nothing twice."""
        check_attempts(self.past(), self.runs)


def check_attempts(commits: list[Commit], runs: Counter[str]) -> None:
    open_attempts: dict[str, AttemptBegan] = {}
    begun: Counter[str] = Counter()
    done: set[tuple[object, ...]] = set()

    def do_once(*action: object) -> None:
        assert action not in done, "what was done is not done again"
        done.add(action)

    for change in (change for commit in commits for change in commit.changes):
        if isinstance(change, AttemptBegan):
            assert not open_attempts, "nothing begins while an outcome is unknown"
            open_attempts[change.id] = change
            begun[call_key(*parse_call_line(change.what))] += 1
        elif isinstance(change, AttemptEnded):
            ended = open_attempts.pop(change.id)
            name = ended.what.partition(" ")[0]
            if change.outcome == "done" and name == "write_file":
                do_once(ended.task, name, ended.digest)
        elif isinstance(change, TaskAdded):
            do_once("add_tasks", change.task.name)
        elif isinstance(change, TaskCompleted):
            do_once("complete_task", change.id)
    assert not open_attempts
    for what, count in runs.items():
        assert count <= begun[what], "every run has an attempt of its own"


def plan_on(store: Store, clock: Clock) -> Plan:
    return Plan(PlanCore(store, clock, lambda: "plan_next", "agent"))


def memory_plan(clock: FixedClock | None = None) -> Plan:
    clock = clock or FixedClock()
    store = MemoryStore(clock())
    store.commit(Request((CreatePlan("plan_test", GOAL),), "ann", clock()), return_commit)
    return plan_on(store, clock)


@asynccontextmanager
async def endless(_seconds: float) -> AsyncIterator[None]:
    """Never time out, even without an event loop."""
    yield


def parts(
    plan: Plan, model: Model, tools: tuple[Tool, ...] = (), **options: Any
) -> tuple[AgentSpec, Resources]:
    """Return what a run on an existing plan is made of; other options are those of agents."""
    ours, theirs = (
        {name: options.pop(name) for name in names if name in options}
        for names in (Resources.__annotations__, ("language", "settings", "person", "yes"))
    )
    loop = Orchestrate(**options) if options else ToolLoop()
    resources = Resources(
        model=model,
        tools=tools,
        holder=LeaseHolder(LEASE),
        create_plan=lambda _goal, hold, _budget: (plan, hold(plan)),
        create_scratch=memory_plan,
        **{"timeout": endless, "monotonic": steady(plan), **ours},
    )
    return AgentSpec(model=model, loop=loop, **theirs), resources


def steady(plan: Plan) -> Callable[[], float]:
    """Return seconds by the clock of a plan, which never go back, as those of a machine do not."""
    latest = 0.0

    def monotonic() -> float:
        nonlocal latest
        latest = max(latest, plan.core.now().timestamp())
        return latest

    return monotonic


def agent_run(
    holder: LeaseHolder,
    locator: PlanLocator,
    model: Model,
    *tools: Tool,
    max_iterations: int = 20,
    made: dict[str, Any] | None = None,
    **options: Any,
) -> AgentRun:
    """Return a run that leases plans by this holder; `made` are resources of the test's own."""
    loop = ToolLoop(max_iterations=max_iterations)
    spec = AgentSpec(model=model, tools=tools, loop=loop, **options)
    resources = find_resources(spec, locator, lambda _: None)
    return AgentRun(spec, dataclasses.replace(resources, holder=holder, **made or {}), locator)


def play(
    plan: Plan,
    model: Model,
    tools: tuple[Tool, ...] = (),
    listener: Callable[[object], object] | None = None,
    **options: Any,
) -> Coroutine[Any, Any, RunResult]:
    """Return a run of an agent on a plan."""
    agent = AgentLoop(model=model, tools=tools, plan=plan, on_event=listener, **options)
    return agent.run(GOAL)


def die_at_yield(loop: Loop[Any], at: int, *, after: bool) -> Loop[Any]:
    """Run a loop that dies before or after an effect is carried out."""
    effect = next(loop)
    while True:
        at -= 1
        if at == 0 and not after:
            raise Killed
        reply = yield effect
        if at == 0:
            raise Killed
        try:
            effect = loop.send(reply)
        except StopIteration as end:
            return end.value


class DyingMiddleware:
    """Middleware that dies before or after an effect of one kind."""

    def __init__(self, kind: Any, at: int, *, after: bool) -> None:
        self._kind, self._left, self._after = kind, at, after

    async def __call__(self, effect: Effect, _lane: Lane, call_next: CallNext) -> Outcome:
        if not isinstance(effect, self._kind):
            return await call_next(effect)
        self._left -= 1
        if self._left == 0 and not self._after:
            raise Killed
        outcome = await call_next(effect)
        if self._left == 0:
            raise Killed
        return outcome
