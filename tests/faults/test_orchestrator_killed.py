"""F4 and R1.12: an orchestrator with four lanes, killed anywhere, goes on and repeats nothing."""

import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from outlast.model.changes import (
    AttemptBegan,
    AttemptEnded,
    Change,
    Commit,
    DecisionNoted,
    QuestionAsked,
    TaskReturned,
)
from tests.agent.runtime.lanes import Bomb
from tests.faults.orchestrated import Scene
from tests.store.faults import FaultyDisk, Killed, QuickDisk

pytestmark = pytest.mark.filterwarnings(  # the watcher of a dead process dies too
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)
ROUNDS = int(os.environ.get("OUTLAST_F4", "200"))
STEP = 3 if ROUNDS <= 200 else 1


def undisturbed(path: Path) -> dict[str, Any]:
    scene = Scene(path)
    assert scene.go().why == "finished"
    scene.check()
    return scene.outcome()


def test_r1_01_an_undisturbed_run_does_everything_as_decided(tmp_path: Path) -> None:
    whole = undisturbed(tmp_path / "plan")
    assert whole["status"] == "completed"
    assert whole["deliverable"] == "All is well."
    assert whole["sessions"] == {}
    once = {f"part {number}": 1 for number in (1, 3, 5, 6, 9, 10, 11)}
    assert whole["deeds"] == {**once, "part 2": 2, "part 4": 2}


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_r1_12_an_orchestrator_killed_at_any_yield_goes_on(tmp_path: Path, *, after: bool) -> None:
    whole = undisturbed(tmp_path / "whole")
    for at in count(1 + after, STEP):
        scene, disk = Scene(tmp_path / str(at), seed=at), FaultyDisk(QuickDisk())
        try:
            scene.go(disk, Bomb(disk, at, after=after))
        except Killed:
            assert scene.go().why == "finished", at
        else:
            break
        scene.check()
        assert scene.outcome() == whole, at
    assert at > 100


def torn_run(scene: Scene) -> bool:
    """Run once and die at a yield or a write, as the dice say; return whether it died."""
    dice = scene.world.dice
    disk, bomb = FaultyDisk(QuickDisk(), torn=dice.randrange(200)), None
    if dice.random() < 0.5:
        bomb = Bomb(disk, dice.randrange(1, 120), after=dice.random() < 0.5)
    else:
        disk.deadly, disk.spared = "write", dice.randrange(40)
    try:
        scene.go(disk, bomb)
    except Killed:
        return True
    return False


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("forgets", [False, True], ids=["remembers", "forgets"])
def test_f4_an_orchestrator_killed_again_and_again_does_as_it_says(
    tmp_path: Path, *, forgets: bool
) -> None:
    """Each attempt has one outcome; what `resume` announces is what happens (X3)."""
    whole, kills = undisturbed(tmp_path / "whole"), 0
    for seed in count():
        if kills >= ROUNDS // 2:
            break
        scene = Scene(tmp_path / str(seed), seed=seed, forgets=forgets)
        for _ in range(scene.world.dice.randrange(1, 8)):
            revision, outlook = scene.outlook()
            kills += torn_run(scene)
            check_outlook(outlook, scene.commits_since(revision))
        revision, outlook = scene.outlook()
        scene.go()
        check_outlook(outlook, scene.commits_since(revision))
        scene.check()
        found = scene.outcome()
        if forgets:  # nobody evaluates what only a person has seen
            assert (found["status"], found["sessions"]) == ("completed", {}), seed
            assert all(whole["deeds"].get(part, 1) >= n for part, n in found["deeds"].items()), seed
        else:
            assert found == whole, seed


FIRST: dict[str, tuple[str, ...]] = {  # what may happen first to a task of which this was said
    "outlook_done": (),
    "outlook_failed": (),
    "outlook_in_doubt": ("settled",),
    "outlook_reported": ("decided", "asked"),
    "outlook_replanned": ("returned",),
    "outlook_asked": ("decided",),
    "outlook_answered": ("decided",),
    "outlook_begun": ("sent",),
    "outlook_left": ("sent",),
}


def check_outlook(outlook: dict[str, set[int]], commits: list[Commit]) -> None:
    """Check that the first thing that happened to each task is what was announced."""
    happened: dict[int, str] = {}
    for commit in commits:
        for change in commit.changes:
            for task, what in _events(change):
                happened.setdefault(task, what)
    for said, tasks in outlook.items():
        for task in tasks & happened.keys():
            assert happened[task] in FIRST[said], f"task {task}: {said}"


def _events(change: Change) -> list[tuple[int, str]]:
    """Return what a change means for the work of agents on tasks."""
    match change:
        case AttemptBegan(task=task, kind="delegate"):
            return [(task, "sent")]
        case AttemptEnded(id=id_, settled_by=by) if by in ("session", "check", "person"):
            return [(int(id_.partition("#")[0]), "settled")]
        case DecisionNoted(decision=decision):
            return [(decision.task, "decided")]
        case QuestionAsked(question=question) if question.task and question.kind == "ask":
            return [(question.task, "asked")]
        case TaskReturned(id=task):
            return [(task, "returned")]
    return []
