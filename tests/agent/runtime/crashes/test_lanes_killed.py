"""X3 and F4: a run with four lanes, killed anywhere, continues and repeats nothing."""

import os
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random

import pytest

from outlast.agent.runtime.driver import run
from outlast.model.changes import AttemptBegan, AttemptEnded, TaskCompleted
from outlast.model.commands import Release
from outlast.model.execute import return_commit
from tests.agent.runtime.lanes import (
    Bomb,
    Ends,
    Mark,
    MarkModel,
    Mortal,
    dawdle,
    open_lane,
    schedule,
    work_on,
)
from tests.store.faults import FaultyDisk, Killed, QuickDisk

LANES = 4
ROUNDS = int(os.environ.get("OUTLAST_F4", "200"))


class Scene(Mortal[Ends]):
    """A plan on disk and marks in the world, for runs that are killed and started again."""

    def __init__(self, path: Path, tasks: int = 6, seed: int = 0) -> None:
        super().__init__(path, tasks)
        self.marks: Counter[int] = Counter()
        self.dice = Random(seed)  # noqa: S311 - to be repeated

    async def live(self, disk: FaultyDisk, bomb: Bomb) -> Ends:
        plan, wait = self.open(disk), dawdle(self.dice)

        async def pass_time(number: int) -> None:
            await wait(number)
            if disk.dead:
                raise Killed

        lane = open_lane(plan, MarkModel(pass_time), Mark(self.marks, pass_time), slots=LANES)
        loops = {task: work_on(task) for task in range(1, self.tasks + 1)}
        results: Ends = await run(bomb.arm(schedule(loops)), lane)
        plan.core.commit((Release(0, lane.run.token),), return_commit)
        plan.close()
        return results

    def check(self) -> None:
        """Check that all is done, and nothing twice; that every attempt began and ended once."""
        plan = self.open(QuickDisk())
        assert [task.status for task in plan.tasks()] == ["completed"] * self.tasks
        assert self.marks == Counter(range(1, self.tasks + 1))
        open_attempts: dict[str, AttemptBegan] = {}
        completed: list[int] = []
        for commit in plan.core.store.commits_since(0):
            for change in commit.changes:
                if isinstance(change, AttemptBegan):
                    tasks = [attempt.task for attempt in open_attempts.values()]
                    assert change.task not in tasks, "one attempt at a time for a task"
                    open_attempts[change.id] = change
                elif isinstance(change, AttemptEnded):
                    del open_attempts[change.id]
                elif isinstance(change, TaskCompleted):
                    completed.append(change.id)
        assert open_attempts == {}, "everything is settled"
        assert sorted(completed) == list(range(1, self.tasks + 1))
        plan.close()


def test_x3_an_undisturbed_run_does_everything_once(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "plan")
    assert scene.go() == dict.fromkeys(range(1, 7), "done")
    scene.check()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_x3_lanes_killed_at_any_yield_continue(tmp_path: Path, *, after: bool) -> None:
    for at in count(1):
        scene, disk = Scene(tmp_path / str(at), seed=at), FaultyDisk(QuickDisk())
        try:
            scene.go(disk, Bomb(disk, at, after=after))
        except Killed:
            scene.go()
        else:
            break
        scene.check()
    assert at > 40


@pytest.mark.parametrize("torn", [0, 9])
def test_x3_lanes_killed_at_any_write_continue(tmp_path: Path, torn: int) -> None:
    for spared in count():
        scene, disk = Scene(tmp_path / str(spared), seed=spared), FaultyDisk(QuickDisk(), torn=torn)
        disk.deadly, disk.spared = "write", spared
        try:
            scene.go(disk)
        except Killed:
            scene.go()
        else:
            break
        scene.check()
    assert spared > 8


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_f4_lanes_killed_again_and_again_do_nothing_twice(tmp_path: Path, part: int) -> None:
    kills = 0
    for seed in range(part, ROUNDS, 4):
        scene = Scene(tmp_path / str(seed), tasks=8, seed=seed)
        for _ in range(scene.dice.randrange(1, 12)):
            disk = FaultyDisk(QuickDisk(), torn=scene.dice.randrange(200))
            bomb = None
            if scene.dice.random() < 0.5:
                after = scene.dice.random() < 0.5
                bomb = Bomb(disk, scene.dice.randrange(1, 40), after=after)
            else:
                disk.deadly, disk.spared = "write", scene.dice.randrange(12)
            try:
                scene.go(disk, bomb)
            except Killed:
                kills += 1
        scene.go()
        scene.check()
    assert kills > ROUNDS // 4
