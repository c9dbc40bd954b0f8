"""One person, two processes and three agents on a simulated disk, with one clock for all of them.

Nothing waits: the clock moves with every call that a process makes on the disk, and the editor's
next step is taken when it is due, in the middle of whatever the process does. Before a process gets
the plan's lock, the other one may act.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from outlast import Plan
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.store.port import Request
from outlast.testing import FixedClock
from tests.documents.views.rendered_plans import ViewsWithoutTimer, with_sync
from tests.faults.agents import KEY, Agent, describe_problems
from tests.faults.editors import WORDS, Habit, Person, SimulatedFolder, random_encoding
from tests.faults.oracle import Acknowledged, Meaning, Oracle, Outcome
from tests.store.faults import FaultyDisk, Killed
from tests.store.opening import new_views, open_views, views_of
from tests.store.simulated_disk import SimulatedDisk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.model.state import PlanState

WHERE = "/plan"
FILE = f"{WHERE}/task_plan.md"
START_NS = 4 * 10**18  # after every boot of this machine
CALL_NS = 30_000
FIRST = 5  # tasks
BREAKS = 0.04  # how often an editor dies while it saves in place
DEATHS = 0.03  # how often a process dies
AGAIN = 0.5  # how often the person saves again meanwhile
LEAP = 0.08  # how often the other process is quicker


class ScheduledDisk(FaultyDisk):
    """The disk of one process; every call takes time, in which others act."""

    def __init__(self, simulation: Simulation, process: int) -> None:
        super().__init__(simulation.disk)
        self._simulation = simulation
        self._process = process

    def _count(self, kind: str, *, writes: bool = False) -> None:
        super()._count(kind, writes=writes)
        self._simulation.advance(CALL_NS)
        if kind == "lock":
            self._simulation.let_other_act(self._process)

    def sleep(self, seconds: float) -> None:
        self._simulation.advance(round(seconds * 1e9))


class Simulation:
    """A plan in a directory, and everybody who uses it."""

    def __init__(self, seed: int, habit: type[Habit]) -> None:
        self.random = random = Random(seed)  # noqa: S311 - no secret
        self.disk = SimulatedDisk()
        self.disk.time_ns = START_NS
        self.clock = FixedClock()
        self.meaning = Meaning()
        self.acknowledged = Acknowledged()
        self.reports: list[str] = []
        self.broken_off = False
        self._create()
        self.person = Person(
            habit(random),
            SimulatedFolder(self.disk, FILE),
            self.meaning,
            random_encoding(random),
            random,
        )
        self._save: Iterator[float] | None = None
        self._save_due = 0
        self._busy: set[int] = set()
        self._disks: dict[int, ScheduledDisk] = {}
        self.plans: list[Plan] = []
        self.plans += [self.open(process) for process in (0, 1)]
        self.agents = [Agent(number, random, self.acknowledged) for number in (1, 2, 3)]
        assert self.person.load()

    def _create(self) -> None:
        create = c.CreatePlan("plan_test", "Ziel 目标", KEY)
        names = (f"p{n}p {WORDS[n % len(WORDS)]}" for n in range(1, FIRST + 1))
        store = new_views(WHERE, self.disk, create, now=self.clock(), kind=ViewsWithoutTimer)
        tasks = c.AddTasks(tuple(map(c.NewTask, names)))
        store.commit(Request((tasks,), "ann", self.clock()), return_commit)
        store.close()

    def open(self, process: int) -> Plan:
        """Open the plan as one of the processes."""
        disk = self._disks[process] = ScheduledDisk(self, process)
        store = open_views(WHERE, disk, self.clock(), ViewsWithoutTimer)
        core = PlanCore(with_sync(store, self.clock), self.clock, lambda: "plan_next", "agent")
        return Plan(core)

    # Time

    def advance(self, nanoseconds: int) -> None:
        """Move the clock; the editor takes the steps that are due."""
        end = self.disk.time_ns + nanoseconds
        while self._save is not None and self._save_due <= end:
            self.disk.time_ns = max(self.disk.time_ns, self._save_due)
            self._step()
        self.disk.time_ns = end

    def _step(self) -> None:
        assert self._save is not None
        try:
            self._save_due = self.disk.time_ns + round(next(self._save) * 1e9)
        except StopIteration:
            self._save = None

    def let_other_act(self, process: int) -> None:
        """Let the other process act, now and then, while this one waits for the lock.

        What this one has read before may be outdated then: the person may save once more.
        """
        is_possible = len(self.plans) > 1 and not self.disk.is_locked()
        if is_possible and not self._busy - {process} and self.random.random() < LEAP:
            if self._save is None and self.random.random() < AGAIN:
                self._save_again()
            self.act(1 - process)

    def _save_again(self) -> None:
        """Let the person save once more, in a moment."""
        self.person.edit()
        for seconds in self.person.save():
            self.advance(round(seconds * 1e9))

    def act(self, process: int) -> None:
        """Let a process act; now and then it dies in the middle, and another one follows it."""
        self._busy.add(process)
        self.clock.advance(1)
        plan, disk = self.plans[process], self._disks[process]
        if self.random.random() < DEATHS:
            disk.at = len(disk.calls) + self.random.randrange(1, 80)
        try:
            self._use(plan, process)
        except Killed:
            self.reports += describe_problems(plan)
            self.plans[process] = self.open(process)
        self._disks[process].at = 0
        self._busy.discard(process)

    def _use(self, plan: Plan, process: int) -> None:
        """Let one of the agents in a process act, or its timer render."""
        kind = self.random.random()
        if kind < 0.8:
            self._sync(plan)
        if kind < 0.6:
            self.random.choice(self.agents[:2] if process == 0 else self.agents[2:]).act(plan)
        elif kind >= 0.8:
            plan.files.render()

    @staticmethod
    def _sync(plan: Plan) -> None:
        """Look at the views, as before a request to a model."""
        views_of(plan.core.store).sync_touched()

    # The person

    def edit(self) -> None:
        """Let the person edit and save once, while the agents work."""
        is_broken_off = self.person.habit.in_place and self.random.random() < BREAKS
        if is_broken_off:  # nobody could have seen what the editor had truncated at once
            self.settle()
        self.person.reload()
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.person.edit()
        self._save, self._save_due = self.person.save(), self.disk.time_ns
        for _ in range(self.random.randrange(1, 5)):
            self.advance(round(self.random.choice((0.001, 0.02, 0.1, 0.25)) * 1e9))
            self.act(self.random.randrange(2))
            if is_broken_off and self._save is not None:
                is_broken_off = False
                self._break_off()
        while self._save is not None:
            self.advance(10_000_000)

    def _break_off(self) -> None:
        """Let the editor die in the middle of its save.

        The person then opens the plan again, or saves the whole file again if it is left as it is.
        """
        self._save = None  # which closes the file
        self.broken_off = True
        self.settle()
        if self.person.load():
            self.meaning.break_off()
        else:
            self._save, self._save_due = self.person.save(), self.disk.time_ns

    def settle(self) -> None:
        """Let time pass, and both processes look at the views."""
        for _ in range(3):
            self.advance(10**9)
            for process, plan in enumerate(self.plans):
                self._busy.add(process)
                self._sync(plan)
                plan.files.render()
                self._busy.discard(process)

    def end(self) -> list[str]:
        """Let everybody end; return the faults."""
        self.settle()
        self._busy |= {0, 1}
        for plan in self.plans:
            self._close(plan)
        self.advance(10**9)
        plan = self.open(0)
        plan.files.sync()
        plan.files.render()
        states: list[PlanState] = []
        plan.core.read(states.append)
        files = {
            path.removeprefix(f"{WHERE}/"): bytes(inode.content)
            for path, inode in self.disk.files.items()
            if "task_plan" in path
        }
        self._close(plan)
        outcome = Outcome(states[0], files, self.reports)
        return Oracle(self.meaning, self.acknowledged, outcome).find_faults(
            broken_off=self.broken_off or self.person.habit.has_stalled
        )

    def _close(self, plan: Plan) -> None:
        plan.close()
        self.reports += describe_problems(plan)


def run(seed: int, habit: type[Habit], saves: int) -> Simulation:
    """Return a simulation in which a person has saved so many times."""
    simulation = Simulation(seed, habit)
    for _ in range(saves):
        simulation.edit()
    return simulation
