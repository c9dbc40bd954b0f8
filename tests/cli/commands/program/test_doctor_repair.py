"""F21, F5, F19: `doctor` and `doctor --repair`, as a person reads them."""

import errno
import json
import os
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.cli.commands.program.doctor import inspect_machine
from outlast.errors import DamagedJournal
from outlast.model.commands import NewTask
from outlast.system.keys import directory_name
from tests.cli.processes import json_of, outlast, stdout_of
from tests.small_disks import fill_disk, mount_small_disk
from tests.store.faults import FaultyDisk, QuickDisk

HOPELESS = (
    "neither this journal nor the files beside it have anything readable; nothing was changed; "
    "restore a good copy, or move the directory away to free its key"
)


def make_plan(workspace: Path, key: str, *tasks: str) -> Path:
    with create_plan(workspace, f"Goal of {key}", key, actor="human") as plan:
        plan.add_all([NewTask(name) for name in tasks])
    return workspace / ".outlast" / "plans" / key


def marked(printed: str, sign: str = "✗") -> list[str]:
    return [line.removeprefix(f"{sign} ") for line in printed.splitlines() if line[0] == sign]


def test_f21_one_hopeless_plan_does_not_keep_the_others_from_being_repaired(tmp_path: Path) -> None:
    paths = {key: make_plan(tmp_path, key, "One", "Two") for key in ("a", "b", "c")}
    shutil.rmtree(paths["a"])
    paths["a"].mkdir()
    (paths["a"] / "journal.jsonl").write_bytes(b"")
    (paths["b"] / "journal.jsonl").unlink()
    (paths["b"] / "journal.jsonl").write_bytes(b"")
    done = outlast(tmp_path, "doctor", "--repair")
    assert (done.returncode, done.stderr) == (4, "")
    assert marked(done.stdout) == [f"plan a: {paths['a']}/journal.jsonl: {HOPELESS}"]
    rebuilt, kept, healthy, sound = marked(done.stdout, "✓")[5:9]
    assert rebuilt == (
        f"plan b: {paths['b']}: rebuilt from task_plan.md (revision 2, 2 tasks), since the journal "
        "had no readable commit; the history before that is gone, the other files are kept"
    )
    assert kept.startswith("plan b: task_plan.md was kept as it was before the repair")
    assert (healthy, sound) == ("plan b: idle 0/2", "plan c: idle 0/2")
    command = shlex.split(kept.rpartition("make a plan of it: outlast ")[2])
    assert "with 2 tasks" in stdout_of(tmp_path, *command)
    shutil.rmtree(paths["a"])
    [gone] = marked(outlast(tmp_path, "doctor").stdout)
    assert "are gone: a." in gone
    stdout_of(tmp_path, "drop", "a", "--forget", "--yes")
    assert stdout_of(tmp_path, "doctor").endswith("Everything is in order.\n")


@pytest.mark.parametrize("arguments", [["show"], ["next"], ["log"], ["add", "Three"]])
def test_f21_a_missing_journal_stops_every_command(tmp_path: Path, arguments: list[str]) -> None:
    path = make_plan(tmp_path, "ship", "One", "Two")
    (path / "journal.jsonl").unlink()
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    done = outlast(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        f"outlast: {path}/journal.jsonl is missing, but was there once (see rendered.json, "
        "task_plan.md); nothing was changed; put the journal back, or rebuild the plan from what "
        "is left: outlast doctor --repair\n"
    )
    error = json_of(tmp_path, *arguments, code=4)["error"]
    assert error["code"] == "DAMAGED_JOURNAL"
    assert error["details"]["files"] == ["rendered.json", "task_plan.md"]
    assert {file.name: file.read_bytes() for file in path.iterdir()} == before


def test_f40_the_printed_repair_brings_a_missing_journal_back_whole(tmp_path: Path) -> None:
    path = make_plan(tmp_path, "ship", "One", "Two")
    log = stdout_of(tmp_path, "log")
    (path / "journal.jsonl").unlink()
    advice = outlast(tmp_path).stderr.rpartition(": outlast ")[2].split()
    repaired = stdout_of(tmp_path, *advice)
    assert "the journal was missing and is back, with its whole history" in repaired
    assert repaired.endswith("Everything is in order.\n")
    assert stdout_of(tmp_path, "log") == log


def test_f21_the_way_out_is_the_same_in_chinese(tmp_path: Path) -> None:
    path = make_plan(tmp_path, "ship", "One", "Two")
    (path / "journal.jsonl").write_bytes(b"")
    [problem] = marked(outlast(tmp_path, "doctor", "--lang", "zh").stdout)
    assert problem == (
        f"计划 ship: {path}/journal.jsonl 中没有任何提交；未作任何改动；请换上一份完好的副本，"
        "或用同目录的文件重建计划：outlast doctor --repair --lang zh"
    )
    repaired = stdout_of(tmp_path, "doctor", "--repair", "--lang", "zh")
    assert "日志中没有可读的提交，已根据 task_plan.md（修订 2，2 个任务）重建；" in repaired
    assert repaired.endswith("\n一切正常。\n")


@pytest.mark.parametrize("is_database", [False, True])
def test_f6_damage_that_a_snapshot_covers_stops_the_history_and_nothing_else(
    tmp_path: Path,
    is_database: bool,  # noqa: FBT001 - a table
) -> None:
    where = f"sqlite:///{tmp_path}/plans.db" if is_database else str(tmp_path)
    with create_plan(where, "Ship it", "ship", actor="human") as plan:
        for number in range(3):
            plan.add(f"Task {number}", description="x" * 40_000)
    if is_database:
        with closing(sqlite3.connect(tmp_path / "plans.db")) as database:
            database.execute("update commits set line = x'00' where place = 2")
            database.commit()
    else:
        journal = tmp_path / ".outlast/plans/ship/journal.jsonl"
        journal.write_bytes(journal.read_bytes().replace(b"Task 0", b"Tusk 0"))
    with open_plan(where, "ship", actor="human") as plan:
        with pytest.raises(DamagedJournal) as caught:
            plan.history.commits()
        assert caught.value.text == ("commit_damaged" if is_database else "line_damaged")
        assert "cannot be changed" not in str(caught.value)
        plan.add("Another")
        assert plan.notices == []
    assert outlast(tmp_path, "doctor", "--repair", where).returncode == 0
    with open_plan(where, "ship", actor="human") as plan:
        assert [task.name for task in plan.tasks()][-1] == "Another"
        assert plan.task(1).name == "Task 0", "which the snapshot has"
        assert plan.history.commits()


def test_f6_a_repair_says_which_file_the_lost_tasks_came_from(tmp_path: Path) -> None:
    path = make_plan(tmp_path, "ship", "One", "Two", "Three")
    stdout_of(tmp_path, "done", "1", "--result", "made")
    journal = path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"Two", b"Too"))
    damaged = {file.name: file.read_bytes() for file in path.iterdir()}
    printed = stdout_of(tmp_path, "doctor", "--repair")
    assert marked(printed, "✓")[6] == (
        "plan ship: 3 tasks that the journal had lost came back from task_plan.md (revision 3); "
        "please check them"
    )
    assert "plan ship: running 1/3\n" in printed
    assert "● 1 One  → made\n  ○ 2 Two\n  ○ 3 Three\n" in stdout_of(tmp_path, "show")
    for name, data in damaged.items():
        (path / name).write_bytes(data)
    chinese = stdout_of(tmp_path, "doctor", "--repair", "--lang", "zh")
    assert "日志中丢失的 3 个任务已从 task_plan.md（修订 3）找回，请核对\n" in chinese


# The identity of a plan


def test_f19_a_copied_plan_is_named_and_gets_its_own_identity(tmp_path: Path) -> None:
    path = make_plan(tmp_path, "a", "One")
    shutil.copytree(path, path.parent / "c")
    [copied] = marked(outlast(tmp_path, "doctor").stdout)
    assert copied == (
        "plan c: was copied from plan a and still has its identity, also for approvals; give it "
        "its own: outlast doctor --new-identity c"
    )
    *before, _ = json_of(tmp_path, "log", "--plan", "c")["commits"]
    done = stdout_of(tmp_path, *copied.rpartition("outlast ")[2].split())
    assert done == (
        "✓ plan c: has its own identity now; earlier approvals and proofs no longer count for it\n"
    )
    assert stdout_of(tmp_path, "doctor").endswith("Everything is in order.\n")
    *after, created = json_of(tmp_path, "log", "--plan", "c")["commits"]
    assert (after, created["changes"][0]["key"]) == (before, "c")
    assert json_of(tmp_path, "pause", "--plan", "c")["plan"]["key"] == "c"
    with open_plan(tmp_path, "a") as original, open_plan(tmp_path, "c") as copy:
        assert (copy.key, copy.status, original.status) == ("c", "paused", "idle")
        assert copy.id != original.id
        assert [task.name for task in copy.tasks()] == ["One"]


def test_f19_the_snapshot_of_a_copy_does_not_bring_the_old_identity_back(tmp_path: Path) -> None:
    path = make_plan(tmp_path, "a", "One")
    with open_plan(tmp_path, "a", actor="human") as plan:
        plan.add("Two", description="x" * 60_000)
        plan.add("Three", description="x" * 60_000)
    assert (path / "snapshot.json").exists()
    shutil.copytree(path, path.parent / "c")  # the same length: the offsets of the journal stay
    with open_plan(tmp_path, "c") as held:
        stdout_of(tmp_path, "doctor", "--new-identity", "c")
        with open_plan(tmp_path, "a") as original, open_plan(tmp_path, "c") as copy:
            assert held.id == copy.id != original.id
            assert [task.name for task in copy.tasks()] == ["One", "Two", "Three"]


def test_f21_advice_on_another_directory_works_where_it_is_printed(tmp_path: Path) -> None:
    other = tmp_path / "the other"
    other.mkdir()
    paths = [make_plan(other, key, "One") for key in ("a", "b")]
    (paths[1] / "journal.jsonl").unlink()
    shutil.copytree(paths[0], paths[0].parent / "c")
    problems = marked(outlast(tmp_path, "doctor", "the other").stdout)
    assert len(problems) == 2
    for problem in problems:
        advice = problem.rpartition(": outlast ")[2]
        assert advice.endswith(" 'the other'")
        outlast(tmp_path, *shlex.split(advice))
    assert stdout_of(tmp_path, "doctor", "the other").endswith("Everything is in order.\n")


def test_f19_a_plan_of_a_copied_project_gets_an_identity_on_request(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    make_plan(tmp_path / "one", "a", "One")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert "has its own identity now" in stdout_of(
        tmp_path / "two", "doctor", "--new-identity", "a"
    )
    with open_plan(tmp_path / "one", "a") as original, open_plan(tmp_path / "two", "a") as copy:
        assert (copy.id != original.id, copy.key) == (True, "a")


def test_f19_a_renamed_plan_keeps_its_id_and_gets_its_key(tmp_path: Path) -> None:
    path = make_plan(tmp_path, "a", "One")
    with open_plan(tmp_path, "a") as plan:
        plan_id = plan.id
    path.rename(path.parent / "b")
    [renamed] = marked(outlast(tmp_path, "doctor", "--lang", "zh").stdout)
    assert renamed == (
        "计划 b: 其日志属于计划 a，而 a 不在这里；如果是您改了目录名，"
        "请更新它的标识：outlast doctor --new-identity b --lang zh"
    )
    stdout_of(tmp_path, "doctor", "--new-identity", "b")
    with open_plan(tmp_path, "b") as plan:
        assert (plan.id, plan.key) == (plan_id, "b")
    assert b'"key":"b"' in (path.parent / "b" / "journal.jsonl").read_bytes().splitlines()[0]


def test_f19_swapped_journals_are_named_and_can_be_put_back(tmp_path: Path) -> None:
    a, b = (make_plan(tmp_path, key, f"Task of {key}") for key in "ab")
    swap(a / "journal.jsonl", b / "journal.jsonl")
    problems = marked(outlast(tmp_path, "doctor").stdout)
    assert problems[0] == (
        "plan a: has the journal of plan b, and b has that of a; swap the two files "
        "journal.jsonl, or keep it so: outlast doctor --new-identity a"
    )
    assert "plan b: has the journal of plan a" in "\n".join(problems)
    swap(a / "journal.jsonl", b / "journal.jsonl")
    assert "journal of plan" not in outlast(tmp_path, "doctor").stdout
    assert stdout_of(tmp_path, "doctor").endswith("Everything is in order.\n")
    assert "Task of a" in stdout_of(tmp_path, "show", "--plan", "a")


@pytest.mark.parametrize("commits", [0, 1, 3])
def test_f19_a_journal_of_another_history_is_named_and_the_view_of_the_lost_one_kept(
    tmp_path: Path, commits: int
) -> None:
    path = make_plan(tmp_path, "ship", "One")
    branch = tmp_path / "branch"
    shutil.copytree(tmp_path / ".outlast", branch / ".outlast")
    with open_plan(branch, "ship") as plan:
        for number in range(commits):
            plan.add(f"Other {number}")
    stdout_of(tmp_path, "add", "Two")
    newer = (path / "task_plan.md").read_bytes()
    shutil.copy(branch / path.relative_to(tmp_path) / "journal.jsonl", path)
    [problem] = marked(outlast(tmp_path, "doctor").stdout)
    assert problem.startswith(
        "plan ship: task_plan.md showed another history of this plan than its journal, which was "
        "replaced or rolled back; that version was kept: "
    )
    assert Path(problem.rpartition(": ")[2]).read_bytes() == newer
    assert stdout_of(tmp_path, "doctor").endswith("Everything is in order.\n")


def swap(one: Path, other: Path) -> None:
    kept = one.with_suffix(".swap")
    one.rename(kept)
    other.rename(one)
    kept.rename(other)


def test_f19_an_identity_is_a_persons_to_give_and_a_plans_in_files(tmp_path: Path) -> None:
    make_plan(tmp_path, "a", "One")
    refused = json_of(tmp_path, "doctor", "--new-identity", "a", "--as", "bot", code=1)
    assert refused["error"]["code"] == "UNCONFIRMED"
    create_plan(f"sqlite:///{tmp_path}/plans.db", "Ship", "a").close()
    error = json_of(tmp_path, "doctor", "sqlite:///plans.db", "--new-identity", "a", code=2)
    assert error["error"]["code"] == "INVALID_ARGUMENT"
    assert json_of(tmp_path, "doctor", "--new-identity", "z", code=3)["ok"] is False


@pytest.mark.parametrize("snapshot", [True, False])
def test_f21_a_plan_whose_directory_does_not_tell_its_key_is_found(
    tmp_path: Path,
    snapshot: bool,  # noqa: FBT001 - a table
) -> None:
    key = "★ ship it ★"
    path = make_plan(tmp_path, key, "One").parent / directory_name(key)
    if snapshot:
        with open_plan(tmp_path, key, actor="human") as plan:
            for name in ("Two", "Three"):
                plan.add(name, description="x" * 60_000)
    (path / "journal.jsonl").write_bytes(b"")
    shown = marked(outlast(tmp_path, "doctor").stdout)
    if snapshot:
        assert shown[0].startswith(f"plan {key}: {path}/journal.jsonl has no commits")
    else:
        assert shown == [
            (
                f"workspace: {path} holds a plan, but its key is not readable; rename the "
                "directory to a key of letters and digits, then: outlast doctor --repair"
            )
        ]
        path.rename(path.parent / "ship")
    assert stdout_of(tmp_path, "doctor", "--repair").endswith("Everything is in order.\n")
    assert "One" in stdout_of(tmp_path, "show")


# Disks


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB."""
    with mount_small_disk(tmp_path, 256) as path:
        yield path


def test_f5_a_full_disk_is_named_and_leaves_no_files(small: Path) -> None:
    path = make_plan(small, "ship", "One")
    filler = fill_disk(small)
    for arguments in (["show"], ["done", "1"], ["add", "Two"], ["doctor"]):
        outlast(small, *arguments)
        assert not [*small.rglob("*.new")], arguments
    problems = marked(outlast(small, "doctor").stdout)
    assert problems[0] == (
        f"workspace: {small} (tmpfs): No space left on device; plans can be read, but not changed "
        "until this is fixed"
    )
    filler.unlink()
    assert stdout_of(small, "doctor").endswith("Everything is in order.\n")
    assert (path / "journal.jsonl").exists()


def test_f5_a_read_only_disk_is_named(small: Path) -> None:
    make_plan(small, "ship", "One")
    mount = str(shutil.which("mount"))
    subprocess.run([mount, "-o", "remount,ro", str(small)], check=True)  # noqa: S603
    done = outlast(small, "doctor", "--lang", "zh")
    assert done.returncode == 4
    assert marked(done.stdout) == [
        f"工作区: {small} (tmpfs)：Read-only file system；问题解决之前，计划只能读取，不能更改"
    ]
    assert stdout_of(small, "show").startswith("Goal of ship")


@pytest.mark.parametrize("name", ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EIO"])
@pytest.mark.parametrize("call", ["open", "write", "sync"])
def test_f5_every_refused_write_is_named_and_removed(tmp_path: Path, name: str, call: str) -> None:
    make_plan(tmp_path, "ship", "One")
    before = sorted(tmp_path.rglob("*"))
    code = getattr(errno, name)
    disk = FaultyDisk(QuickDisk(), error=OSError(code, name))
    disk.deadly = call
    assert inspect_machine(str(tmp_path), disk).problem == os.strerror(code)
    assert sorted(tmp_path.rglob("*")) == before
    assert inspect_machine(str(tmp_path)).problem == ""


# Databases


def test_f6_a_database_without_a_readable_commit_is_not_sent_to_the_same_repair(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    with create_plan(url, "Ship it", "ship", actor="human") as plan:
        for number in range(60):
            plan.add(f"Task {number}", description="x" * 500)
    file = tmp_path / "plans.db"
    file.write_bytes(file.read_bytes()[: 3 * 4096])
    damaged = file.read_bytes()
    refused = outlast(tmp_path, "doctor", "--repair", url)
    assert refused.returncode == 4
    [problem] = marked(refused.stdout)
    assert "no commit of plan ship is readable" in problem
    assert "restore a good copy" in problem
    assert "--repair" not in problem
    assert file.read_bytes() == damaged


def test_f6_a_truncated_database_is_repaired_by_the_command_in_its_message(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    with (
        create_plan(url, "Ship it", "ship", actor="human") as ship,
        create_plan(url, "Other", "other", actor="human") as other,
    ):
        for number in range(60):
            for plan in (ship, other):
                plan.add(f"Task {number}", description="x" * 500)
    file = tmp_path / "plans.db"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2 + 100])
    damaged = file.read_bytes()
    done = outlast(tmp_path, "doctor", url)
    assert (done.returncode, done.stderr) == (4, "")
    [problem] = marked(done.stdout)
    command = f"outlast doctor --repair {url}"
    assert f"`{command}`" in problem
    repaired = outlast(tmp_path, *command.split()[1:])
    assert repaired.stderr == ""
    assert "the damaged database was kept" in repaired.stdout
    copies = [path.read_bytes() for path in tmp_path.glob("plans.db.damaged-*")]
    body = slice(100, len(damaged))  # without the header, in which SQLite counts changes
    assert damaged[body] in [copy[body] for copy in copies]
    findings = json.loads(outlast(tmp_path, "doctor", url, "--json").stdout)["findings"]
    assert [one for one in findings if not one["ok"]] == []
    with open_plan(url, "ship", actor="human") as plan:
        assert len(plan.tasks()) > 10
        plan.add("Work goes on")
    file.write_bytes(whole[:4096])  # the schema and nothing else
    done = outlast(tmp_path, *command.split()[1:])
    assert (done.returncode, done.stderr) == (4, "")
    assert marked(done.stdout) == [
        (
            f"database: {file}: nothing in it is readable; the file was not changed; restore a "
            "good copy"
        )
    ]
    assert file.read_bytes() == whole[:4096]
