"""U4, U7: a plan in any state is dropped, unless a run or other people need it, and comes back."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from outlast import open_plan
from outlast.agent.plan_locator import PlanLocator
from outlast.errors import DamagedJournal, InvalidArgument, PlanNotFound, TaskClaimed, Unconfirmed
from outlast.model.budget import NO_LIMIT
from outlast.model.commands import InitializePlan
from outlast.model.execute import return_commit
from outlast.plan.archive import wait_until_dropped
from outlast.plan.home.find import home_of, workspace_at
from outlast.plan.plan_list import list_plans
from outlast.plans import archive_plan, drop_plan, list_archived, open_archived, restore_plan
from outlast.system.clock import sleep
from tests.model.indexes import snapshot

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.plans import Layout
from tests.plan.test_archive import KINDS, LAYOUTS, OPEN, make, place

STOPPED: dict[str, Any] = {"actor": "human", "stop": True}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [*OPEN, "completed", "aborted"])
def test_u4_a_plan_in_any_state_is_dropped_and_comes_back_as_it_was(
    tmp_path: Path, kind: str, status: str
) -> None:
    where, layout = place(tmp_path, kind)
    make(where, "a", status, layout)
    with open_plan(where, "a") as plan:
        before = plan.core.read(snapshot)
    name = drop_plan(where, "a")
    assert list_plans(where) == []
    [listed] = list_archived(where)
    assert (listed.name, listed.goal, listed.is_aborted) == (name, "Goal", status == "aborted")
    assert restore_plan(where, name) == "a"
    with open_plan(where, "a") as plan:
        assert plan.core.read(snapshot) == before


def test_u4_a_plan_that_does_not_exist_or_is_damaged_is_not_dropped(tmp_path: Path) -> None:
    make(tmp_path, "a", "idle")
    with pytest.raises(PlanNotFound):
        drop_plan(tmp_path, "b")
    with pytest.raises(InvalidArgument, match="wait_seconds"):
        drop_plan(tmp_path, "a", wait_seconds=-1)
    journal = tmp_path / ".outlast/plans/a/journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:1], b"?\n", *lines[1:]]))
    (tmp_path / ".outlast/plans/a/snapshot.json").unlink(missing_ok=True)
    with pytest.raises(DamagedJournal):
        drop_plan(tmp_path, "a", actor="human")
    assert journal.exists()


@pytest.mark.parametrize("kind", ["outlast", "database"])
def test_u7_an_agent_drops_only_a_plan_that_nobody_else_has_changed(
    tmp_path: Path, kind: str
) -> None:
    where, layout = place(tmp_path, kind)
    make(where, "own", "idle", layout)
    drop_plan(where, "own")
    make(where, "shared", "idle", layout)
    with open_plan(where, "shared", actor="human") as plan:
        plan.questions.say("Careful")
    for actor, others in (("agent", "human"), ("bob", "agent, human")):
        with pytest.raises(Unconfirmed) as caught:
            drop_plan(where, "shared", actor=actor)
        assert str(caught.value) == (
            f"{actor} may drop only a plan that nobody else has changed; {others} changed this one "
            "too: ask a person"
        )
    with pytest.raises(InvalidArgument) as refused:
        drop_plan(where, "shared", stop=True)
    assert (refused.value.text, refused.value.details["argument"]) == ("only_a_person", "stop")
    drop_plan(where, "shared", actor="human")


def test_u7_nobody_drops_as_a_person_inside_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a", "idle")
    monkeypatch.setenv("CLAUDECODE", "1")
    with pytest.raises(InvalidArgument):
        drop_plan(tmp_path, "a", actor="human")
    assert [plan.key for plan in list_plans(tmp_path)] == ["a"]


@pytest.mark.parametrize("kind", ["outlast", "database"])
def test_u4_a_plan_at_work_is_dropped_only_by_force_and_after_its_run_has_stopped(
    tmp_path: Path, kind: str
) -> None:
    where, layout = place(tmp_path, kind)
    make(where, "a", "in_progress", layout)
    with open_plan(where, "a", actor="runner") as plan, plan.core.claim_plan(60) as heartbeat:
        with pytest.raises(TaskClaimed, match="runner"):
            drop_plan(where, "a", actor="human")
        assert plan.status == "running"
        for _ in range(2):  # the second time it is paused already
            with pytest.raises(TaskClaimed) as caught:
                drop_plan(where, "a", actor="human", stop=True, wait_seconds=0)
            assert str(caught.value) == (
                "runner has not ended its current call yet and stops after it; the plan is paused"
            )
            assert plan.core.read(pause_reason) == "", "it was not dropped"
        assert wait_until_dropped(where, "a", 0) == ""
        dropped = Thread(target=drop_plan, args=(where, "a"), kwargs=STOPPED)
        dropped.start()
        while plan.core.read(pause_reason) != "dropped":
            sleep(0.01)
        heartbeat.__exit__(None, None, None)
        name = wait_until_dropped(where, "a", 60)
        dropped.join()
    assert (list_plans(where), [plan.name for plan in list_archived(where)]) == ([], [name])


def pause_reason(state: PlanState) -> str:
    return state.ledger.counters.pause_reason


def test_u4_a_run_that_ends_its_plan_is_not_told_that_it_was_dropped(tmp_path: Path) -> None:
    make(tmp_path, "a", "completed")
    with open_plan(tmp_path, "a", actor="runner") as plan, plan.core.claim_plan(60):
        with pytest.raises(TaskClaimed, match="the plan is completed"):
            drop_plan(tmp_path, "a", actor="human", stop=True, wait_seconds=0)
        assert plan.status == "completed"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_u4_a_copied_or_renamed_directory_has_the_key_of_its_name(
    tmp_path: Path, layout: Layout
) -> None:
    make(tmp_path, "ship", "idle", layout)
    ship = Path(workspace_at(tmp_path).plan_directory("ship"))
    copytree(ship, ship.with_name("copy"))
    ship.rename(ship.with_name("Renamed~c1"))
    with open_plan(tmp_path, "copy") as plan:
        store = plan.core.store
        home = home_of(store)
        assert (plan.key, store.state_before(2).key, home and home[1]) == ("copy",) * 3
        plan.abort()
        plan.core.commit((InitializePlan("plan_2", "Next", ()),), return_commit)
        assert plan.key == "copy"
    assert [plan.key for plan in list_plans(tmp_path)] == ["Renamed", "copy"]
    for key in ("copy", "Renamed"):
        name = drop_plan(tmp_path, key)
        [archived] = list_archived(tmp_path)
        assert (archived.key, archived.name) == (key, name)
        with open_archived(tmp_path, key) as plan:
            assert plan.key == key
        assert restore_plan(tmp_path, name) == key
    with open_plan(tmp_path, "Renamed") as plan:
        plan.complete(1)
    archive_plan(tmp_path, "Renamed")
    assert [plan.key for plan in list_plans(tmp_path)] == ["copy"]


def test_r0_03_the_next_goal_of_a_copy_archives_the_copy(tmp_path: Path) -> None:
    make(tmp_path, "ship", "completed")
    plans = tmp_path / ".outlast" / "plans"
    copytree(plans / "ship", plans / "copy")
    locator = PlanLocator(None, tmp_path, "copy", "agent")
    plan, _ = locator.create("Next", lambda plan: plan.core.claim_plan(60).lease, NO_LIMIT)
    assert (plan.key, plan.goal) == ("copy", "Next")
    locator.close()
    assert sorted(plan.key for plan in list_plans(tmp_path)) == ["copy", "ship"]
    assert [plan.key for plan in list_archived(tmp_path)] == ["copy"]


def test_u4_a_claimed_task_holds_a_plan_back_unless_a_person_insists(tmp_path: Path) -> None:
    make(tmp_path, "a", "idle")
    with open_plan(tmp_path, "a", actor="bob") as plan:
        plan.claim(1)
    with pytest.raises(TaskClaimed, match="bob"):
        drop_plan(tmp_path, "a", actor="human")
    drop_plan(tmp_path, "a", **STOPPED)
    assert list_plans(tmp_path) == []
