"""F7, F20: people save as their editors do, while agents in two processes work."""

import os
from itertools import count
from pathlib import Path

import pytest

from tests.faults.editors import HABITS, Habit, RenameOver
from tests.faults.live import LivePlan
from tests.faults.simulation import FILE, FIRST, Simulation

EDITS = int(os.environ.get("OUTLAST_F20", "2000"))  # with all editors together
SAVES = 10  # in one plan


def edit_plans(habit: type[Habit], edits: int) -> None:
    """Let people edit plans in one kind of editor; nothing is lost, doubled or set aside."""
    done = 0
    for seed in count():
        simulation = Simulation(seed, habit)
        for _ in range(SAVES):
            simulation.edit()
        assert simulation.end() == [], f"seed {seed}"
        done += simulation.meaning.edits
        if done >= edits:
            break


@pytest.mark.parametrize("habit", HABITS)
def test_f20_no_save_is_lost_or_doubled_whatever_the_editor(habit: type[Habit]) -> None:
    edit_plans(habit, 50)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("habit", HABITS)
def test_f20_no_save_is_lost_or_doubled_in_many_plans(habit: type[Habit]) -> None:
    edit_plans(habit, EDITS // len(HABITS))


@pytest.mark.slow
def test_f20_no_save_is_lost_or_doubled_with_live_timers(tmp_path: Path) -> None:
    plan = LivePlan(tmp_path, seed=1)
    with plan:
        for habit in HABITS:
            plan.edit(habit, 12)
    assert plan.find_faults() == []
    assert plan.meaning.edits >= 200


class TakeBack(Simulation):
    """A person adds a line and takes it out again, while a process waits for the plan's lock."""

    def __init__(self, wait: int) -> None:
        self.waits = 0
        self._wait = 0
        super().__init__(1, RenameOver)
        self.before = self.disk.get(FILE)
        self.save(self.before.replace(b"\n\n---\n*Last", b"\n- [ ] One\n\n---\n*Last"))
        self.waits, self._wait = 0, wait
        self._sync(self.plans[0])
        assert self.waits >= wait
        self.settle()

    def let_other_act(self, process: int) -> None:
        self.waits += 1
        if self.waits == self._wait and process == 0:
            self.save(self.before)
            self._sync(self.plans[1 - process])
            self.plans[1 - process].add("Two")
            self.plans[1 - process].files.render()

    def save(self, content: bytes) -> None:
        self.person.folder.replace(content)
        self.advance(80_000_000)


@pytest.mark.parametrize("wait", [1, 2], ids=["commit", "rendering"])
def test_f20_a_line_that_is_taken_out_again_goes_whenever_that_is_saved(wait: int) -> None:
    names = [task.name for task in TakeBack(wait).plans[0].tasks()]
    assert "One" not in names
    assert len(names) == FIRST + 1
