"""F11: whatever the clock does, revisions give the order, and a lease ends at its deadline."""

import os
from datetime import datetime, timedelta
from random import Random

import pytest

from outlast.errors import TaskClaimed
from outlast.model import commands as c
from outlast.model.execute import return_commit
from outlast.plan.core import PlanCore
from outlast.plan.plan import Plan
from outlast.store.port import Request
from tests.store.opening import new_files
from tests.store.operations import CREATE, NOW, open_store, state
from tests.store.simulated_disk import SimulatedDisk

WALKS = int(os.environ.get("OUTLAST_WALKS", "1000"))
BLOCKS = 10
WHERE = "/plan"
JUMPS = (0, 1, 59, 60, 61, 3600, -1, -60, -86_400, 86_400)
FAR = (datetime.min.replace(tzinfo=NOW.tzinfo), datetime.max.replace(tzinfo=NOW.tzinfo))


class Walk:
    """A plan with a clock that jumps."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - a clock is no secret
        self.now = NOW
        self.disk = SimulatedDisk()
        self.store = new_files(WHERE, self.disk, CREATE, author="ann", now=NOW)
        self.plan = Plan(PlanCore(self.store, self.clock, str, "ann"))

    def clock(self) -> datetime:
        """Return the time, after a jump."""
        self.now += timedelta(seconds=self.random.choice(JUMPS))
        return self.now

    def step(self) -> None:
        """Change the plan, or reopen it as another process."""
        self.random.choice((self.add, self.add, self.hold, self.undo, self.reopen))()

    def add(self) -> None:
        before = self.plan.revision
        self.plan.add(f"task {before}")
        assert self.plan.revision == before + 1
        assert self.plan.history.commits(1)[0].at == self.now

    def hold(self) -> None:
        """Claim a task; others get it exactly when the lease has ended."""
        task = self.plan.add("to be held").id
        lease = self.plan.claim(task, seconds=60)
        assert lease.until == self.now + timedelta(seconds=60)
        other = self.plan.acting_as("bob")
        try:
            taken = other.claim(task)
        except TaskClaimed:
            assert self.now < lease.until
        else:
            assert not lease.is_live(self.now)
            assert taken.token > lease.token

    def undo(self) -> None:
        name = f"undone {self.plan.revision}"
        self.plan.add(name)
        before = [task.name for task in self.plan.tasks()]
        undone = self.plan.undo()
        assert undone.changes[0].task.name == name  # type: ignore[union-attr]
        assert [task.name for task in self.plan.tasks()] == before[:-1]

    def reopen(self) -> None:
        expected = state(self.store)
        self.store.close()
        self.store = open_store(WHERE, self.disk)
        assert state(self.store) == expected
        self.plan = Plan(PlanCore(self.store, self.clock, str, "ann"))

    def check(self) -> None:
        """Check that the history is in order, with the times of the commits."""
        made = self.store.commits_since(0)
        assert [commit.revision for commit in made] == [*range(1, len(made) + 1)]
        assert state(self.store)["updated_at"] == made[-1].at
        for commit in made[1:]:
            assert self.store.state_before(commit.revision).revision == commit.revision - 1


@pytest.mark.soak
@pytest.mark.parametrize(
    "block", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, BLOCKS))]
)
def test_f11_order_undo_and_leases_are_right_whatever_the_clock_does(block: int) -> None:
    for seed in range(block, WALKS, BLOCKS):
        walk = Walk(seed)
        try:
            for _ in range(8):
                walk.step()
            walk.check()
        except Exception as error:
            error.add_note(f"walk {seed}")
            raise


def test_f11_the_first_and_the_last_moment_can_be_kept() -> None:
    disk = SimulatedDisk()
    store = new_files(WHERE, disk, CREATE, author="ann", now=NOW)
    for moment in FAR:
        store.commit(Request((c.AddTasks((c.NewTask("x"),)),), "ann", moment), return_commit)
    expected = state(store)
    store.close()
    again = open_store(WHERE, disk)
    assert state(again) == expected
    assert [commit.at for commit in again.commits_since(1)] == [*FAR]
