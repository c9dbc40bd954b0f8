"""F40: a plan whose directory was removed is known, and can be brought back."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from errno import EPERM
from pathlib import Path
from stat import S_IMODE
from typing import TYPE_CHECKING

import pytest

from outlast import create_plan, open_plan
from outlast.errors import PlanExists
from outlast.model.commands import CreatePlan
from outlast.plan.home.find import forget_gone_plans, gone_plans, restore_gone_plan
from outlast.plan.home.kept_journals import KEPT_DAYS, KeptJournals
from outlast.plan.home.workspace import Workspace
from outlast.plan.plan_list import renew_identity, repair_plan
from outlast.system.clock import now
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from outlast.plan.home.kept_journals import KeptPlan

JOURNAL = ".outlast/plans/k/journal.jsonl"


class LinklessDisk(Disk):
    """A file system without hard links."""

    def link(self, old: str, new: str) -> None:
        raise PermissionError(EPERM, os.strerror(EPERM), old, None, new)


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


def kept_files() -> list[Path]:
    place = Path(os.environ["XDG_STATE_HOME"], "outlast", "journals")
    return sorted(place.iterdir()) if place.exists() else []


def kept_journals() -> list[bytes]:
    return [path.read_bytes() for path in kept_files() if path.suffix == ".jsonl"]


def make(root: Path, key: str = "k", *tasks: str) -> None:
    root.mkdir(exist_ok=True)
    with create_plan(root, "Goal", key) as plan:
        for task in tasks or ("one", "two"):
            plan.add(task)
        plan.complete(1, result="ok")


def names(root: Path, key: str = "k") -> list[str]:
    with open_plan(root, key) as plan:
        return [task.name for task in plan.tasks()]


def gone_keys(root: Path) -> list[str]:
    return [plan.key for plan in gone_plans(str(root))]


def only(root: Path) -> KeptPlan:
    [plan] = gone_plans(str(root))
    return plan


def test_f40_a_plan_that_was_removed_comes_back_with_every_commit(tmp_path: Path) -> None:
    make(tmp_path)
    content = (tmp_path / JOURNAL).read_bytes()
    assert gone_keys(tmp_path) == []
    shutil.rmtree(tmp_path / ".outlast")
    assert gone_keys(tmp_path) == ["k"]
    restore_gone_plan(only(tmp_path))
    assert (tmp_path / JOURNAL).read_bytes() == content
    assert names(tmp_path) == ["one", "two"]
    assert gone_keys(tmp_path) == []
    with open_plan(tmp_path, "k") as plan:
        plan.add("three")
    shutil.rmtree(tmp_path / ".outlast")
    restore_gone_plan(only(tmp_path))
    assert names(tmp_path) == ["one", "two", "three"]


def test_f40_second_names_are_for_the_user_alone(tmp_path: Path) -> None:
    make(tmp_path)
    files = kept_files()
    assert len(files) == 2
    assert {S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert S_IMODE(files[0].parent.stat().st_mode) == 0o700


def test_f40_a_replaced_journal_gets_the_second_name(tmp_path: Path) -> None:
    make(tmp_path)
    journal = tmp_path / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:2], b"damage\n", *lines[2:]]))
    repair_plan(tmp_path, "k")
    assert names(tmp_path) == ["one", "two"]
    assert kept_journals() == [journal.read_bytes()]
    renew_identity(tmp_path, "k")
    assert names(tmp_path) == ["one", "two"]
    assert journal.read_bytes() in kept_journals()


def test_f40_a_plan_that_is_elsewhere_is_not_gone(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    make(old)
    old.rename(new)
    old.mkdir()
    assert gone_keys(old) == []
    assert names(new) == ["one", "two"]
    assert gone_keys(old) == []
    assert len(kept_journals()) == 1
    shutil.rmtree(new / ".outlast")
    assert (gone_keys(old), gone_keys(new)) == ([], ["k"])


def test_f40_an_archived_plan_is_not_gone(tmp_path: Path) -> None:
    make(tmp_path)
    Workspace(str(tmp_path), Disk()).archive("k", now(), lambda _state, _now: None)
    assert gone_keys(tmp_path) == []
    make(tmp_path, "k", "another")
    shutil.rmtree(tmp_path / ".outlast")
    restore_gone_plan(only(tmp_path))
    assert names(tmp_path) == ["another"]


def test_f40_an_older_plan_comes_back_instead_of_a_newer_one_in_the_archive(tmp_path: Path) -> None:
    make(tmp_path)
    shutil.rmtree(tmp_path / ".outlast")
    make(tmp_path, "k", "another")
    archived = Workspace(str(tmp_path), Disk()).archive("k", now(), lambda _state, _now: None)
    restore_gone_plan(only(tmp_path))
    assert names(tmp_path) == ["one", "two"]
    assert not (tmp_path / JOURNAL).samefile(Path(archived.path, "journal.jsonl"))


def test_f40_what_came_back_by_itself_is_there_once(tmp_path: Path) -> None:
    make(tmp_path)
    shutil.copytree(tmp_path / ".outlast", tmp_path / "stash")
    shutil.rmtree(tmp_path / ".outlast")
    assert gone_keys(tmp_path) == ["k"]
    (tmp_path / "stash").rename(tmp_path / ".outlast")
    assert gone_keys(tmp_path) == []
    assert names(tmp_path) == ["one", "two"]
    assert kept_journals() == [(tmp_path / JOURNAL).read_bytes()]


def test_f40_nothing_is_overwritten(tmp_path: Path) -> None:
    make(tmp_path)
    shutil.rmtree(tmp_path / ".outlast")
    gone = only(tmp_path)
    make(tmp_path, "k", "new")
    with pytest.raises(PlanExists):
        restore_gone_plan(gone)
    assert names(tmp_path) == ["new"]
    shutil.rmtree(tmp_path / ".outlast")
    assert gone_keys(tmp_path) == ["k"]


def test_f40_a_copy_serves_where_there_are_no_links(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path), LinklessDisk())
    workspace.create(CreatePlan("plan_x", "Goal", "k"), "ann", now()).close()
    journal = tmp_path / JOURNAL
    assert kept_journals() == [journal.read_bytes()]
    assert journal.stat().st_nlink == 1
    with journal.open("ab") as file:
        file.write(b"torn")
    workspace.open("k", now()).close()
    assert kept_journals() == [journal.read_bytes()]
    content = journal.read_bytes()
    assert KeptJournals(LinklessDisk()).find_gone({str(tmp_path)}) == []
    archived = workspace.archive("k", now(), lambda _state, _now: None)
    assert KeptJournals(LinklessDisk()).find_gone({str(tmp_path)}) == []
    shutil.rmtree(archived.path)
    [gone] = KeptJournals(LinklessDisk()).find_gone({str(tmp_path)})
    workspace.bring_back(gone)
    assert journal.read_bytes() == content
    with pytest.raises(PlanExists):
        workspace.bring_back(gone)


def test_f40_a_repair_takes_a_lost_journal_from_its_second_name(tmp_path: Path) -> None:
    make(tmp_path)
    content = (tmp_path / JOURNAL).read_bytes()
    (tmp_path / JOURNAL).unlink()
    assert [text for text, _ in repair_plan(tmp_path, "k")] == ["journal_back"]
    assert (tmp_path / JOURNAL).read_bytes() == content
    assert repair_plan(tmp_path, "k") == []
    assert [path.name for path in (tmp_path / JOURNAL).parent.glob("*.edited*")] == []
    assert names(tmp_path) == ["one", "two"]
    (tmp_path / JOURNAL).unlink()
    for path in kept_files():
        path.unlink()
    assert repair_plan(tmp_path, "k")[0][0] == "plan_rebuilt"


def test_f40_a_repair_takes_only_the_second_name_of_the_same_directory(tmp_path: Path) -> None:
    make(tmp_path, "k")
    make(tmp_path, "other", "three")
    (tmp_path / JOURNAL).unlink()
    shutil.rmtree(tmp_path / ".outlast/plans/other")
    forget_gone_plans(str(tmp_path), "k")
    assert repair_plan(tmp_path, "k")[0][0] == "plan_rebuilt"
    assert names(tmp_path) == ["one", "two"]
    assert gone_keys(tmp_path) == ["other"]


def test_f40_a_copy_that_lacks_the_latest_is_completed_by_the_view(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path), LinklessDisk())
    workspace.create(CreatePlan("plan_x", "Goal", "k"), "ann", now()).close()
    copied = kept_journals()
    with open_plan(tmp_path, "k") as plan:
        plan.add("one")
    [path] = [path for path in kept_files() if path.suffix == ".jsonl"]
    path.unlink()
    path.write_bytes(copied[0])  # as it was before the plan was changed
    [info] = [path for path in kept_files() if path.suffix == ".json"]
    info.write_bytes(info.read_bytes()[:-1] + b',"is_copy":true}')
    (tmp_path / JOURNAL).unlink()
    assert "journal_copy_back" in [text for text, _ in workspace.repair("k", now())]
    assert names(tmp_path) == ["one"]


def test_f40_second_names_are_removed_thirty_days_after_the_plan_left(tmp_path: Path) -> None:
    make(tmp_path)
    kept, start = KeptJournals(Disk()), now()
    kept.remove_old(start + timedelta(days=400))  # it is there
    assert len(kept_journals()) == 1
    (tmp_path / ".outlast").rename(tmp_path / "away")
    kept.remove_old(start)
    kept.remove_old(start + timedelta(days=KEPT_DAYS, seconds=-1))
    assert len(kept_journals()) == 1
    (tmp_path / "away").rename(tmp_path / ".outlast")
    kept.remove_old(start + timedelta(days=KEPT_DAYS))  # it came back: the days count anew
    shutil.rmtree(tmp_path / ".outlast")
    kept.remove_old(start + timedelta(days=40))
    kept.remove_old(start + timedelta(days=69))
    assert gone_keys(tmp_path) == ["k"]
    kept.remove_old(start + timedelta(days=70))
    assert (gone_keys(tmp_path), kept_files()) == ([], [])


def test_f40_a_new_plan_removes_old_second_names_once_a_day(tmp_path: Path) -> None:
    start = now()
    make(tmp_path)  # which removes those that are old today
    shutil.rmtree(tmp_path / ".outlast")

    def create(key: str, after: timedelta) -> None:
        workspace = Workspace(str(tmp_path), Disk())
        workspace.create(CreatePlan(f"plan_{key}", "Goal", key), "ann", start + after).close()

    create("a", timedelta(hours=23))
    create("b", timedelta(days=40))  # the first day on which it is seen to be gone
    create("c", timedelta(days=69))
    assert "k" in gone_keys(tmp_path)
    create("d", timedelta(days=70))
    assert gone_keys(tmp_path) == []


def test_f40_forgotten_plans_do_not_come_back(tmp_path: Path) -> None:
    make(tmp_path, "k")
    make(tmp_path, "other")
    assert forget_gone_plans(str(tmp_path), "k") == 0  # it is there
    shutil.rmtree(tmp_path / ".outlast")
    assert sorted(gone_keys(tmp_path)) == ["k", "other"]
    assert forget_gone_plans(str(tmp_path), "k") == 1
    assert gone_keys(tmp_path) == ["other"]


def test_f40_a_state_directory_that_cannot_be_used_costs_nothing_but_the_second_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    make(tmp_path / "w")
    assert names(tmp_path / "w") == ["one", "two"]
    assert gone_keys(tmp_path / "w") == []


def test_f40_what_is_no_record_of_ours_is_left_alone(tmp_path: Path) -> None:
    make(tmp_path)
    place = kept_files()[0].parent
    (place / "x.json").write_text("{}")
    (place / "x.jsonl").write_text("")
    (place / "y.json").write_text("{}")
    KeptJournals(Disk()).remove_old(now())
    shutil.rmtree(tmp_path / ".outlast")
    assert gone_keys(tmp_path) == ["k"]
    assert (place / "x.json").exists()
