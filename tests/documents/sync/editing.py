"""A person with an editor and agents in several processes, all at one plan in one directory."""

import re
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

from outlast import Plan
from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.documents.views.synced_views import SyncedViews
from outlast.errors import Refused
from outlast.language import text
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.model.model import LONGEST_LEASE, PERSON, Lease
from outlast.model.state import PlanState
from outlast.plan.core import PlanCore
from outlast.store.port import Request
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from tests.documents.views.rendered_plans import ViewsWithoutTimer, strip_time, with_sync
from tests.store.faults import FaultyDisk, Killed
from tests.store.opening import new_views, open_views, views_of
from tests.store.simulated_disk import SimulatedDisk

if TYPE_CHECKING:
    from outlast.store.store import Store

WHERE = "/plan"
FILE = f"{WHERE}/task_plan.md"
TASK = re.compile(r"- \[(.)\] ")
ID = re.compile(r"\*\*(\d+)\*\*")
CREATE = c.CreatePlan("plan_test", "Goal", "some-key")
FIRST = c.AddTasks(tuple(c.NewTask(name) for name in ("one", "two", "three", "four")))


class MeddledDisk(FaultyDisk):
    """A disk on which something happens at call number `at`, and the call goes on."""

    def __init__(self, inner: Disk, at: int, meddle: Callable[[], None]) -> None:
        super().__init__(inner, at)
        self._meddle = meddle

    def _strike(self) -> None:
        self._meddle()


class Person:
    """A person who has the file open, edits what they see, and saves it now or later.

    What they wrote is told by words of its own (`h7`). `wrote` are those that were saved, `gone`
    the tasks whose lines they took out, `undone` those that they unticked.
    """

    def __init__(self, disk: SimulatedDisk) -> None:
        self.disk = disk
        self.lines: list[str] = []
        self.words = 0
        self.own: set[str] = set()
        self.wrote: set[str] = set()
        self.gone: set[int] = set()
        self.undone: set[int] = set()
        self._pending: tuple[set[int], set[int]] = set(), set()

    def read(self) -> None:
        """Look at the file as it is now, if it is there and not broken off."""
        found = self.disk.files.get(FILE)
        if found is not None and re.search(rb"<!-- outlast r\d+(?: \w+)? -->", found.content):
            content = found.content.decode().removeprefix("\ufeff")
            self.lines = content.replace("\r\n", "\n").split("\n")
            self.own, self._pending = set(), (set(), set())

    def save(self, style: int) -> None:
        """Write everything to the file, as editors do."""
        if not self.lines:
            return
        mark, end = "\ufeff" if style & 1 else "", "\r\n" if style & 2 else "\n"
        content = (mark + end.join(self.lines)).encode()
        if style & 4 and FILE in self.disk.files:
            self.disk.files[FILE].do(0)
            self.disk.files[FILE].do((0, content))
        else:
            self.disk.put(FILE, content)
        self.wrote |= self.own
        self.gone |= self._pending[0]
        self.undone |= self._pending[1]

    def edit(self, kind: int, where: int) -> None:
        """Change something in what they see."""
        places = [n for n, line in enumerate(self.lines) if TASK.match(line)]
        if places:
            getattr(self, EDITS[kind % len(EDITS)])(places[where % len(places)])

    def _word(self) -> str:
        self.words += 1
        self.own.add(word := f"h{self.words}h")
        return word

    def add(self, at: int) -> None:
        self.lines.insert(at, f"- [ ] new {self._word()}")

    def add_done(self, at: int) -> None:
        self.lines.insert(at + 1, f"- [x] new {self._word()}")

    def rename(self, at: int) -> None:
        self.lines[at] += f" {self._word()}"

    def copy(self, at: int) -> None:
        self.lines.insert(at, self.lines[at])
        self.rename(at)

    def tick(self, at: int) -> None:
        self.lines[at] = self.lines[at].replace("- [ ]", "- [x]", 1)

    def untick(self, at: int) -> None:
        if self.lines[at].startswith("- [x] ●"):
            self.lines[at] = self.lines[at].replace("- [x] ●", "- [ ] ○", 1)
            self._pending[1].update(map(int, ID.findall(self.lines[at])))

    def take_out(self, at: int) -> None:
        if not re.search(r"h\d+h", self.lines[at]):
            self._pending[0].update(map(int, ID.findall(self.lines.pop(at))))

    def move(self, at: int) -> None:
        places = [n for n, line in enumerate(self.lines) if TASK.match(line)]
        self.lines.insert(places[at % len(places)], self.lines.pop(at))

    def remark(self, at: int) -> None:
        self.lines[at + 1 : at + 1] = ["", f"A remark, {self._word()}."]

    def describe(self, at: int) -> None:
        self.lines.insert(at + 1, f"  More about it, {self._word()}.")

    def detail(self, at: int) -> None:
        if "- run:" not in "".join(self.lines[at + 1 : at + 3]):
            self.lines.insert(at + 1, f"  - run: make {self._word()}")

    def nonsense(self, at: int) -> None:
        self.lines.insert(at + 1, f"- [?] what {self._word()}")

    def new_phase(self, _: int) -> None:
        self.lines.insert(len(self.lines) - 4, f"## ○ Phase: later {self._word()}\n")
        self.lines = "\n".join(self.lines).split("\n")

    def new_goal(self, _: int) -> None:
        for n, line in enumerate(self.lines):
            if line.startswith("> **Objective:**"):
                self.lines[n] = f"{line} {self._word()}"


EDITS = (
    *("add", "rename", "tick", "untick", "take_out", "move", "remark", "describe"),
    *("detail", "nonsense", "new_phase", "new_goal", "copy", "add_done"),
)


class World:
    """The directory, the people and processes that use it, and what agents were told is done."""

    def __init__(self, kind: type[SyncedViews] = ViewsWithoutTimer) -> None:
        self.kind = kind
        self.disk = SimulatedDisk()
        self.clock = FixedClock()
        self.person = Person(self.disk)
        self.told: list[str] = []
        self.done: set[int] = set()
        self.added: set[int] = set()
        self.names = 0
        store = new_views(WHERE, self.disk, CREATE, now=self.clock(), kind=kind)
        store.commit(Request((FIRST,), "ann", self.clock()), return_commit)
        store.close()
        self.plans: list[Plan | None] = [None, None]
        self.stores: dict[int, Store] = {}
        self.lease: Lease | None = None
        self.call = ""  # the attempt of the tool call that is running
        self.free_words: set[str] = set()  # that the person saved while no tool ran

    def open(self, disk: Disk | None = None) -> Plan:
        """Open the plan as another process would; pending edits are applied."""
        store = open_views(WHERE, disk or self.disk, self.clock(), self.kind)
        return Plan(
            PlanCore(with_sync(store, self.clock), self.clock, lambda: "plan_next", "agent")
        )

    def close(self, plan: Plan) -> None:
        """Close a plan, and hear what it has to say."""
        plan.close()
        self.told += [text(key, **details) for key, details in plan.notices]

    def plan(self, process: int) -> Plan:
        """Return the plan as one of the processes has it open."""
        plan = self.plans[process] = self.plans[process] or self.open()
        return plan

    def leave(self, process: int) -> None:
        """End one of the processes."""
        plan, self.plans[process] = self.plans[process], None
        if plan is not None:
            self.close(plan)

    def act(self, plan: Plan, kind: int, which: int) -> None:
        """Let an agent do something; what it is told is done is remembered."""
        self.clock.advance(1)
        tasks = plan.tasks()
        task = tasks[which % len(tasks)] if tasks else None
        with suppress(Refused):
            if kind == 0 or task is None:
                self.names += 1
                self.added.add(plan.add(f"agent {self.names}").id)
            elif kind == 1:
                self.done.add(plan.complete(task.id, "did it").id)
            elif kind == 2 and "h" not in task.name.replace("three", ""):
                self.names += 1
                plan.update(task.id, name=f"agent {self.names}")
            elif kind == 3:
                plan.start(task.id)
            elif kind == 4:
                plan.files.sync()
            elif kind == 5:
                plan.files.render()
            elif kind == 6:
                plan.notes.add_finding("insight", "Found", "something")
            elif kind == 7 and not re.search(r"h\d+h", task.name):
                plan.move(task.id, first=True)
            elif kind == 8 and not task.description:
                plan.update(task.id, description=f"agent\n{self.names}")

    def begin_call(self) -> None:
        """Let the first process begin a tool call, as the runtime does."""
        plan = self.plan(0)
        if self.lease is None:
            claim = c.ClaimPlan("agent", LONGEST_LEASE)
            self.lease = plan.core.commit((claim,), lambda state, _: state.ledger.leases[0])
        if not self.call:
            views_of(plan.core.store).sync_touched()
            begin = c.BeginAttempt(None, "act", "bash {}", token=self.lease.token)
            begun: Any = plan.core.commit((begin,), return_commit).changes[0]
            self.call = begun.id

    def end_call(self) -> None:
        """Let the call end; the files are looked at before."""
        if self.call and self.lease is not None:
            plan = self.plan(0)
            views_of(plan.core.store).sync_touched("bash")
            end = c.EndAttempt(self.call, "done", token=self.lease.token)
            plan.core.commit((end,), return_commit)
            self.call = ""

    def save(self, style: int) -> None:
        """Let the person save; what they save during a call may be taken for the tool's."""
        self.person.save(style)
        if not self.call:
            self.free_words |= self.person.own

    def answer_all(self) -> None:
        """Let the person say that every edit in question was theirs."""
        plan = self.open().acting_as(PERSON)
        for question in plan.questions.open():
            with suppress(Refused):  # such as a task that is gone by now
                plan.questions.answer("yes", question.id)
        self.close(plan)

    def die(self, kind: int, which: int, call: int) -> None:
        """Let a process open the plan, do something, and die in one of its calls."""
        with suppress(Killed):
            plan = self.open(FaultyDisk(self.disk, call))
            self.act(plan, kind, which)
            self.close(plan)

    def race(self, kind: int, which: int, call: int, style: int) -> None:
        """Let the person save in the middle of what a process does."""
        disk = MeddledDisk(self.disk, call, lambda: self.save(style))
        plan = self.open(disk)
        self.act(plan, kind, which)
        self.close(plan)

    def step(self, name: str, *how: int) -> None:
        """Run one step of a story."""
        if name == "act":
            self.act(self.plan(how[0] % 2), how[1] % 9, how[2])
        elif name == "leave":
            self.leave(how[0] % 2)
        elif name == "die":
            self.die(how[0] % 9, how[1], how[2])
        elif name == "race":
            self.race(how[0] % 9, how[1], how[2], how[3])
        elif name == "read":
            self.person.read()
        elif name == "edit":
            self.person.edit(how[0], how[1])
        elif name == "begin":
            self.begin_call()
        elif name == "end":
            self.end_call()
        else:
            self.save(how[0] % 8)

    def cut(self, random: Random) -> None:
        """Take the power away: all processes end, and what was not synced may be lost."""
        self.plans = [None, None]
        self.disk.power_cut(random)

    def settle(self) -> PlanState:
        """Let everybody end, take in what waits, and return the plan."""
        for process in (0, 1):
            self.leave(process)
        for _ in range(3):
            self.close(self.open())
        found: dict[str, Any] = {}
        plan = self.open()
        plan.files.render()
        plan.core.read(lambda state: found.update(state=state))
        self.close(plan)
        state: PlanState = found["state"]
        return state

    def check(self) -> None:
        """See that nothing is lost, and that the file says what the plan is."""
        state = self.settle()
        content = self.disk.get(FILE).decode()
        assert merge(state, state, parse(content)).edits == ()
        assert strip_time(content) == strip_time(render(state))
        kept = [
            inode.content.decode(errors="replace")
            for path, inode in self.disk.files.items()
            if "/task" in path
        ]
        questions = repr(state.ledger.conversation.questions)
        everything = "\n".join([*kept, *self.told, repr(state.tasks), state.goal, questions])
        unread = [word for word in self.person.wrote if word not in everything]
        assert not unread, f"{unread} in\n{content}\n{self.told}"
        for task in self.done - self.person.gone - self.person.undone:
            assert state.tasks[task].status == "completed", f"{task} in\n{content}\n{self.told}"
        lost = self.added - self.person.gone - state.tasks.keys()
        assert not lost, f"{lost} in\n{content}\n{self.told}"
        assert not [told for told in self.told if "could not be applied yet" in told], self.told
        assert not [path for path in self.disk.files if path.endswith((".new", ".was"))]
