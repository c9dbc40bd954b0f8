"""X3 and F4: a loop killed anywhere continues, and repeats nothing that is not settled."""

import random
from functools import partial
from pathlib import Path

import pytest

from outlast.domain.changes import AttemptBegan, AttemptEnded
from outlast.ports.effects import Act, Effect, Handler, Reply, Think
from tests.adapters.stores.faults import FaultyDisk, Killed, QuickDisk
from tests.application.runtime.scene import FILES, TURNS, DyingHandler, Scene

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
        wrap = partial(DyingHandler, at=effects, after=after, error=Killed())
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


class ArmingHandler:
    """A handler that makes a kind of I/O call deadly once a file is to be written."""

    def __init__(self, inner: Handler, disk: FaultyDisk, deadly: str) -> None:
        self._inner, self._disk, self._deadly = inner, disk, deadly

    async def handle(self, effect: Effect) -> Reply:
        if isinstance(effect, Act) and effect.call.name == "write_file":
            self._disk.deadly = self._deadly
        return await self._inner.handle(effect)


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
        scene.go(disk, inside=partial(ArmingHandler, disk=disk, deadly=deadly))
    assert {name: text for name, text in scene.files().items() if name[0] != "."} == files
    scene.go()
    assert scene.files() == FILES, "what the dead process left unfinished is swept"
    assert settled(scene) == [(outcome, "tool")]


@pytest.mark.parametrize(("after", "outcome"), [(False, "lost"), (True, "done")])
def test_x3_a_planning_call_is_settled_by_its_key(
    tmp_path: Path, outcome: str, *, after: bool
) -> None:
    scene = Scene(tmp_path)
    with pytest.raises(Killed):
        scene.go(inside=partial(DyingHandler, kind=Act, at=1, after=after, error=Killed()))
    scene.go()
    assert scene.outcome()[2][2][2] == "completed"
    assert settled(scene) == [(outcome, "key")]


def test_x3_the_key_of_a_planning_call_is_the_id_of_its_attempt(tmp_path: Path) -> None:
    scene, open_now, keys = undisturbed(tmp_path), "", list[str]()
    for commit in scene.past():
        open_now = next((c.id for c in commit.changes if isinstance(c, AttemptBegan)), open_now)
        if commit.key:
            assert commit.key == open_now
            keys.append(commit.key)
    assert len(keys) == len(PLANNING)


def test_x3_a_thought_that_was_never_used_is_lost(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    with pytest.raises(Killed):
        scene.go(inside=partial(DyingHandler, kind=Think, at=2, after=True, error=Killed()))
    scene.go()
    lost = [end for end in ends(scene) if end.outcome == "lost"]
    assert [(end.id, end.settled_by) for end in lost] == [("1#3", "")]


def ends(scene: Scene) -> list[AttemptEnded]:
    changes = (change for commit in scene.past() for change in commit.changes)
    return [change for change in changes if isinstance(change, AttemptEnded)]


def settled(scene: Scene) -> list[tuple[str, str]]:
    return [(end.outcome, end.settled_by) for end in ends(scene) if end.settled_by]
