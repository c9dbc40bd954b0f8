"""X3 and F4: a loop killed anywhere continues, and repeats nothing that is not settled."""

import random
from functools import partial
from pathlib import Path

import pytest

from outlast.agent.effects import Act, Effect, Outcome, PlanTool, Think
from outlast.agent.runtime.lane import CallNext, Lane, Middleware
from outlast.model.changes import AttemptBegan, AttemptEnded
from tests.agent.runtime.scene import FILES, TURNS, DyingMiddleware, Scene, die_at_yield
from tests.store.faults import FaultyDisk, Killed, QuickDisk

CALLS = [call.name for turn in TURNS[:-1] for call in turn.calls]
PLANNING = [name for name in CALLS if not name.endswith("_file")]


def undisturbed(path: Path) -> Scene:
    scene = Scene(path)
    stopped = scene.go()
    assert (stopped.status, stopped.why) == ("completed", "finished")
    assert scene.files() == FILES
    scene.check()
    return scene


def test_x3_an_undisturbed_run_does_everything_once(tmp_path: Path) -> None:
    scene = undisturbed(tmp_path)
    assert set(scene.runs.values()) == {1}
    assert len(scene.runs) == 4


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_x3_a_loop_killed_at_any_yield_ends_as_if_it_had_not_been(
    tmp_path: Path, *, after: bool
) -> None:
    expected = undisturbed(tmp_path / "whole").outcome()
    effects = 0
    while True:
        effects += 1
        scene = Scene(tmp_path / str(effects))
        wrap = partial(die_at_yield, at=effects, after=after)
        try:
            scene.go(wrap=wrap)
        except Killed:
            assert scene.go().status == "completed"
        else:
            break
        assert scene.outcome() == expected
        scene.check()
    assert effects > 20


@pytest.mark.slow
def test_f4_a_loop_killed_at_any_io_call_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = undisturbed(tmp_path / "whole")
    counting = FaultyDisk(QuickDisk())
    Scene(tmp_path / "counted").go(counting)
    for call in range(1, len(counting.calls) + 1):
        scene = Scene(tmp_path / str(call))
        with pytest.raises(Killed):
            scene.go(FaultyDisk(QuickDisk(), call, torn=call % 7))
        assert scene.go().status == "completed"
        assert scene.outcome() == whole.outcome()
        scene.check()
    assert len(counting.calls) > 200


@pytest.mark.slow
def test_f4_a_loop_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "whole").outcome()
    kills = 0
    for seed in range(20):
        rng = random.Random(seed)  # noqa: S311 - to be repeated
        scene = Scene(tmp_path / str(seed))
        for _ in range(50):
            try:
                scene.go(FaultyDisk(QuickDisk(), rng.randrange(1, 100), torn=rng.randrange(9)))
            except Killed:
                kills += 1
        assert scene.go().status == "completed"
        assert scene.outcome() == expected
        scene.check()
    assert kills > 150


def arm(disk: FaultyDisk, deadly: str) -> Middleware:
    """Return middleware that makes a kind of I/O call deadly once a file is to be written."""

    async def arm_disk(effect: Effect, _lane: Lane, call_next: CallNext) -> Outcome:
        if isinstance(effect, Act) and effect.call.name == "write_file":
            disk.deadly = deadly
        return await call_next(effect)

    return arm_disk


@pytest.mark.parametrize(
    ("deadly", "files", "outcome"),
    [("rename", {}, "lost"), ("sync_directory", {"a.txt": "alpha"}, "done")],
)
def test_x3_a_tool_is_asked_what_it_did_before_the_kill(
    deadly: str, files: dict[str, str], outcome: str, tmp_path: Path
) -> None:
    scene = Scene(tmp_path)
    disk = FaultyDisk(QuickDisk())
    with pytest.raises(Killed):
        scene.go(disk, inside=arm(disk, deadly))
    assert {name: text for name, text in scene.files().items() if name[0] != "."} == files
    scene.go()
    assert scene.files() == FILES, "what the dead process left unfinished is swept"
    assert settled(scene) == [(outcome, "tool")]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_x3_a_planning_call_is_no_attempt_its_commit_is_its_outcome(
    tmp_path: Path, *, after: bool
) -> None:
    scene = Scene(tmp_path)
    with pytest.raises(Killed):
        scene.go(inside=DyingMiddleware(PlanTool, 1, after=after))
    assert len(scene.outcome()[2]) == (3 if after else 0)
    scene.go()
    assert [task[2] for task in scene.outcome()[2]] == ["completed"] * 3
    assert settled(scene) == []
    scene.check()


def test_x3_only_model_calls_and_tools_are_attempts(tmp_path: Path) -> None:
    scene = undisturbed(tmp_path)
    changes = [change for commit in scene.past() for change in commit.changes]
    begun = [change for change in changes if isinstance(change, AttemptBegan)]
    tools = [change.what.partition(" ")[0] for change in begun if change.kind == "act"]
    assert tools == [name for name in CALLS if name not in PLANNING]
    assert {change.kind for change in begun} == {"act", "think"}


def test_x3_a_thought_that_was_never_used_is_lost(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    with pytest.raises(Killed):
        scene.go(inside=DyingMiddleware(Think, 2, after=True))
    scene.go()
    lost = [end for end in ends(scene) if end.outcome == "lost"]
    assert [(end.id, end.settled_by) for end in lost] == [("1#2", "")]


def ends(scene: Scene) -> list[AttemptEnded]:
    changes = (change for commit in scene.past() for change in commit.changes)
    return [change for change in changes if isinstance(change, AttemptEnded)]


def settled(scene: Scene) -> list[tuple[str, str]]:
    return [(end.outcome, end.settled_by) for end in ends(scene) if end.settled_by]
