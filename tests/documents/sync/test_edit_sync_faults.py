"""F1, F2, F5, F7: a sync dies in any call, loses power, or meets a faster process."""

import os
from random import Random

import pytest

from outlast.errors import OutlastError
from outlast.model.commands import KeepProse
from outlast.model.execute import return_commit
from outlast.model.model import Prose
from outlast.model.state import PlanState
from outlast.store.files.log import open_files
from outlast.store.port import Request
from tests.documents.sync.editing import FILE, WHERE, MeddledDisk, World
from tests.store.faults import ERRNOS, FaultyDisk, Killed, refusal, sites
from tests.store.operations import NOW

SEEDS = int(os.environ.get("OUTLAST_SEEDS", "20000")) // 10
EVERYTHING = (
    "rename",
    "tick",
    "add",
    "remark",
    "take_out",
    "detail",
    "new_phase",
    "new_goal",
    "copy",
    "describe",
)


def edited() -> World:
    """Return a world in which a person has changed something of everything, and saved it."""
    world = World()
    person = world.person
    person.read()
    for number, edit in enumerate(EVERYTHING):
        places = [n for n, line in enumerate(person.lines) if line.startswith("- [")]
        getattr(person, edit)(places[number % len(places)])
    person.save(0)
    return world


def play(world: World, disk: FaultyDisk) -> None:
    """Take the edit in, complete a task, close the plan."""
    plan = world.open(disk)
    try:
        world.done.add(plan.complete(1, "did it").id)
    finally:
        world.close(plan)


def dies(world: World, call: int) -> bool:
    """Let a process die in a call of all that; tell whether it came to that call."""
    try:
        play(world, FaultyDisk(world.disk, call))
    except Killed:
        return True
    return False


def shape(state: PlanState) -> dict[str, object]:
    """Return what the plan is, whenever it became so."""
    return {
        "goal": state.goal,
        "phases": [(phase.title, phase.notes) for phase in state.phases.values()],
        "tasks": sorted(
            (task.name, task.status, task.run, task.description) for task in state.tasks.values()
        ),
        "prose": state.notes.prose,
    }


def test_f1_dying_at_any_call_of_a_sync_loses_and_doubles_nothing() -> None:
    world = edited()
    play(world, calm := FaultyDisk(world.disk))
    expected = shape(world.settle())
    died = 0
    for call in range(1, len(calm.calls) + 1):
        world = edited()
        died += dies(world, call)
        again = world.open()
        again.complete(1, "did it") if again.task(1).status != "completed" else None
        world.close(again)
        world.check()
        assert shape(world.settle()) == expected, f"died in call {call}"
    assert died > 100, "a slow machine looks more often, and makes some calls more"


def keep_a_line(world: World) -> None:
    """Let another process, which was quicker, keep a line of its own."""
    store = open_files(WHERE, world.disk, NOW)
    prose = (*store.read(lambda state: state.notes.prose), Prose("phase:other", ("theirs",)))
    store.commit(Request((KeepProse(prose),), "human", NOW), return_commit)
    store.close()


def test_f7_a_line_that_another_process_saves_during_a_sync_stays() -> None:
    play(edited(), calm := FaultyDisk(edited().disk))
    for spared in range(calm.calls.count("lock")):
        world = edited()
        disk = MeddledDisk(world.disk, 0, lambda world=world: keep_a_line(world))  # type: ignore[misc]
        disk.deadly, disk.spared = "lock", spared
        play(world, disk)
        kept = world.settle().notes.prose
        assert "theirs" in {line for one in kept for line in one.lines}, f"lock {spared}"
        assert any("h3" in line for one in kept for line in one.lines), "and so does the person's"


def test_f20_an_older_save_is_not_applied_after_a_newer_one() -> None:
    play(edited(), calm := FaultyDisk(edited().disk))
    for spared in range(calm.calls.count("lock")):
        world = edited()

        def save_again(world: World = world) -> None:
            world.person.rename(
                next(n for n, line in enumerate(world.person.lines) if "h2h" in line)
            )
            world.person.save(0)
            world.close(world.open())

        disk = MeddledDisk(world.disk, 0, save_again)
        disk.deadly, disk.spared = "lock", spared
        play(world, disk)
        names = [task.name for task in world.settle().tasks.values() if "h2h" in task.name]
        assert names == ["new h2h h9h"], f"lock {spared}"


@pytest.mark.slow
def test_f1_dying_twice_in_a_sync_does_no_more_harm() -> None:
    world = edited()
    play(world, calm := FaultyDisk(world.disk))
    expected = shape(world.settle())
    random = Random(1)  # noqa: S311 - no secret
    for _ in range(200):
        world = edited()
        for _ in range(2):
            with pytest.raises(Killed):
                play(world, FaultyDisk(world.disk, random.randrange(1, len(calm.calls) // 3)))
        play(world, FaultyDisk(world.disk))
        world.check()
        assert shape(world.settle()) == expected


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("name", ERRNOS)
def test_f5_a_refused_call_is_a_typed_error_or_a_notice_and_costs_at_most_the_view(
    name: str,
    lasting: bool,  # noqa: FBT001 - a parameter
) -> None:
    world = edited()
    play(world, calm := FaultyDisk(world.disk))
    expected = shape(world.settle())
    told: set[str] = set()
    for call, kind in sites(calm):
        world = edited()
        disk = FaultyDisk(world.disk, call, error=refusal(name), lasting=lasting)
        try:
            play(world, disk)
        except OutlastError as error:
            told.add(type(error).__name__)
        except OSError as error:
            pytest.fail(f"{kind}, call {call}, is not told as an error of ours: {error!r}")
        told.update(world.told)
        assert not disk.held, f"{kind}, call {call}, leaves a file open"
        world.told.clear()  # it says that something has failed
        again = world.open()
        again.complete(1, "did it") if again.task(1).status != "completed" else None
        world.close(again)
        world.check()
        assert shape(world.settle()) == expected, f"{kind} failed in call {call}"
    assert len(told) > 2


@pytest.mark.slow
def test_f2_a_power_cut_after_any_call_of_a_sync_loses_and_doubles_nothing() -> None:
    world = edited()
    play(world, calm := FaultyDisk(world.disk))
    expected = shape(world.settle())
    for call in range(1, len(calm.calls) + 1):
        for seed in range(4):
            world = edited()
            dies(world, call)
            world.cut(Random(seed))  # noqa: S311 - no secret
            again = world.open()
            again.complete(1, "did it") if again.task(1).status != "completed" else None
            world.close(again)
            world.check()
            assert shape(world.settle()) == expected, f"died in call {call}, cut {seed}"


@pytest.mark.slow
@pytest.mark.soak
def test_f2_what_was_acknowledged_or_saved_survives_every_power_cut() -> None:
    for seed in range(SEEDS):
        random = Random(seed)  # noqa: S311 - no secret
        world = World()
        try:
            world.person.read()
            for _ in range(random.randrange(2, 14)):
                numbers = [random.randrange(8) for _ in range(4)]
                name = random.choice(("act", "act", "leave", "read", "edit", "edit", "save", "cut"))
                if name == "cut":
                    world.cut(random)
                elif name == "save":
                    world.step(name, numbers[0] & 3)
                else:
                    world.step(name, *numbers)
            world.cut(random)
            world.check()
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


def test_f2_a_view_that_a_power_cut_truncated_is_no_edit() -> None:
    whole = World().disk.get(FILE)
    for length in range(len(whole)):
        world = World()
        world.disk.put(FILE, whole[:length])
        before = shape(world.settle())
        assert [name for name, *_ in before["tasks"]] == ["four", "one", "three", "two"]  # type: ignore[attr-defined]
        assert before["prose"] == ()
        kept = [path for path in world.disk.files if path.startswith(f"{FILE}.bad-")]
        assert len(kept) == 1 or length >= whole.rindex(b"<!-- outlast r")
        assert world.disk.get(f"{WHERE}/task_plan.md") == whole
