"""F21: a journal that is missing, empty or damaged, beside every combination of other files."""

import shutil
import time
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from outlast import create_plan, list_plans, open_plan
from outlast.cli.commands.program.doctor import inspect_plan
from outlast.errors import DamagedJournal, OutlastError, PlanNotFound
from outlast.model.commands import CreatePlan, NewTask
from outlast.model.model import Phase, Task
from outlast.plan.home.layouts import LAYOUTS
from outlast.plans import Layout
from outlast.stores import Notice, repair_plan
from outlast.transfer.plan_import import import_plan

JOURNAL, SNAPSHOT, MANIFEST = "journal.jsonl", "snapshot.json", "rendered.json"
VIEWS: dict[Layout, str] = {
    "outlast": "task_plan.md",
    "code-agent": "task_plan.md",
    "sessions": "plan.json",
}
JOURNALS = ("whole", "empty", "header", "middle", "missing")
SNAPSHOTS = ("old", "bad", "none")
MANIFESTS = ("there", "none")
VIEW_FILES = ("new", "foreign", "none")
QUIET = 0.25  # seconds after which a view counts as saved
OLD, NEW = 6, 7  # tasks in the snapshot, and in the journal and the view
Case = tuple[Layout, str, str, str, str]
CASES: list[Case] = [*product(VIEWS, JOURNALS, SNAPSHOTS, MANIFESTS, VIEW_FILES)]


@pytest.fixture
def workspace() -> Iterator[Path]:
    """A directory in memory, if there is such a file system."""
    ram = Path("/dev/shm")  # noqa: S108 - a private directory in it
    with TemporaryDirectory(prefix="outlast-", dir=ram if ram.is_dir() else None) as made:
        yield Path(made)


@cache
def whole_files(layout: Layout) -> dict[str, bytes]:
    """Return the files of a plan: its snapshot is one task older than its journal and its view."""
    with TemporaryDirectory() as made:
        with create_plan(made, "Ship it", "k", layout=layout, actor="human") as plan:
            for number in range(OLD):
                plan.add(f"Task {number}", description="x " * 10_000)
            plan.complete(1, "done")
        with open_plan(made, "k", actor="human") as plan:
            plan.add("The newest")
            plan.notes.add_finding("insight", "The door is red", "Very red")
        directory = Path(made).joinpath(*LAYOUTS[layout], "k")
        return {path.name: path.read_bytes() for path in directory.iterdir()}


def put(workspace: Path, case: Case, key: str = "k") -> Path:
    """Leave the files of a case in the directory of a plan."""
    layout, journal, snapshot, manifest, view = case
    files = dict(whole_files(layout))
    lines = files[JOURNAL].splitlines(keepends=True)
    files[JOURNAL] = {
        "whole": files[JOURNAL],
        "empty": b"",
        "header": lines[0],
        "middle": b"".join((*lines[:4], b"?\n", *lines[5:])),
        "missing": b"",
    }[journal]
    if snapshot == "bad":
        files[SNAPSHOT] = files[SNAPSHOT][:99]
    if view == "foreign":
        name = VIEWS[layout]
        files[name] = files[name].rpartition(b"<!-- outlast")[0] or files[name] + b"\n"
    gone = {JOURNAL: journal == "missing", SNAPSHOT: snapshot == "none"}
    gone |= {MANIFEST: manifest == "none", VIEWS[layout]: view == "none"}
    directory = workspace.joinpath(*LAYOUTS[layout], key)
    directory.mkdir(parents=True)
    for name, data in files.items():
        if not gone.get(name):
            (directory / name).write_bytes(data)
    return directory


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def has_traces(case: Case) -> bool:
    layout, _, snapshot, manifest, view = case
    return snapshot != "none" or manifest == "there" or (layout == "outlast" and view == "new")


def is_lost(case: Case) -> bool:
    """Return whether the journal has no commit, although there was one."""
    return case[1] in {"empty", "header"} or (case[1] == "missing" and has_traces(case))


def is_listed(case: Case) -> bool:
    """Return whether anything is there that can be a plan; the manifest alone cannot."""
    return case[1] != "missing" or case[2] != "none" or case[4] != "none"


def best_source(case: Case) -> str:
    """Return the file that knows most: a view is preferred to an older snapshot, if it says so."""
    layout, _, snapshot, manifest, view = case
    name = VIEWS[layout]
    if snapshot == "old":
        is_dated = layout == "outlast" or (layout == "sessions" and manifest == "there")
        return name if view == "new" and is_dated else SNAPSHOT
    return name if view != "none" else ""


def look(workspace: Path) -> list[OutlastError | None]:
    """Look at the plan in every way; return what was wrong each time."""
    problems = [plan.problem for plan in list_plans(workspace)]
    problems += [plan.problem for plan in list_plans(workspace, thorough=True)]
    problems.append(inspect_plan(str(workspace), "k").problem)
    try:
        open_plan(workspace, "k", actor="human").close()
    except OutlastError as error:
        problems.append(error)
    return problems


@pytest.mark.parametrize("layout", VIEWS)
def test_f21_a_lost_journal_is_never_rebuilt_by_looking(workspace: Path, layout: Layout) -> None:
    lost = [case for case in CASES if case[0] == layout and is_lost(case) and is_listed(case)]
    for number, case in enumerate(lost):
        place = workspace / str(number)
        directory = put(place, case)
        before = contents(directory)
        problems = look(place)
        text = "journal_missing" if case[1] == "missing" else "journal_empty"
        assert [problem and problem.text for problem in problems] == [text] * 4, case
        assert {type(problem) for problem in problems} == {DamagedJournal}
        assert contents(directory) == before, case
    assert len(lost) > 40


@pytest.mark.slow
@pytest.mark.parametrize("layout", VIEWS)
def test_f21_a_repair_takes_the_best_source_and_loses_nothing(
    workspace: Path, layout: Layout
) -> None:
    seen = set[str]()
    cases = [case for case in CASES if case[0] == layout and is_listed(case)]
    places = {workspace / str(number): case for number, case in enumerate(cases)}
    directories = {place: put(place, case) for place, case in places.items()}
    time.sleep(QUIET)
    for place, case in places.items():
        directory = directories[place]
        before = contents(directory)
        if is_lost(case) and not best_source(case):
            with pytest.raises(DamagedJournal) as caught:
                repair_plan(place, "k")
            assert caught.value.text == "journal_unreadable"
            assert contents(directory) == before, case
            seen.add("hopeless")
            continue
        notices = repair_plan(place, "k")
        check_copies(before, directory, notices, case)
        assert repair_plan(place, "k") == [], case
        source = str(notices[0][1].get("source", JOURNAL)) if notices else "sound"
        seen.add(source)
        if is_lost(case):
            assert source == best_source(case), case
        with open_plan(place, "k", actor="human") as plan:
            names = [task.name for task in plan.tasks()]
            assert plan.task(1).status == "completed"
            is_bare = layout == "code-agent" and source not in {JOURNAL, SNAPSHOT}
            is_bare = is_bare and case[1] != "whole"
            assert plan.task(1).result == (None if is_bare else "done"), case
            plan.add("Work goes on")
        expected = {f"Task {number}" for number in range(OLD)}
        if case[1] == "middle" and case[2] != "old":
            expected.remove("Task 2")  # unless the view is an edit, which adds it again
        assert expected <= set(names), case
        is_merged = layout != "sessions" and case[4] != "none"
        assert ("The newest" in names) is (source != SNAPSHOT or is_merged), case
        assert [plan.problem for plan in list_plans(place, thorough=True)] == [None]
    assert seen == {"sound", JOURNAL, SNAPSHOT, VIEWS[layout], "hopeless"}


def check_copies(
    before: dict[str, bytes], directory: Path, notices: list[Notice], case: Case
) -> None:
    """Check that every content is still there, in its place or as a copy."""
    after = contents(directory).values()
    kept = {name: data for name, data in before.items() if data and name != MANIFEST}
    if case[1] == "whole" or (case[1] == "missing" and not has_traces(case)):
        assert notices == []
    for name, data in kept.items():
        assert data in after, (case, name)


@pytest.mark.parametrize("layout", VIEWS)
def test_f21_a_file_of_another_program_is_adopted_where_nothing_tells_of_a_journal(
    workspace: Path, layout: Layout
) -> None:
    directory = put(workspace, (layout, "missing", "none", "none", "foreign"))
    for name in ("findings.md", "deliverable.md"):
        (directory / name).unlink(missing_ok=True)
    before = contents(directory)
    assert [plan.problem for plan in list_plans(workspace, thorough=True)] == [None]
    assert inspect_plan(str(workspace), "k").problem is None
    assert contents(directory) == before, "doctor only looks"
    with open_plan(workspace, "k", actor="human") as plan:
        assert len(plan.tasks()) == NEW
    assert (directory / JOURNAL).exists()


def test_f21_an_adoption_that_was_cut_short_is_no_lost_journal(workspace: Path) -> None:
    case: Case = ("sessions", "missing", "none", "none", "foreign")
    first, second = put(workspace / "first", case), put(workspace / "second", case)
    for directory in (first, second):
        (directory / "deliverable.md").unlink(missing_ok=True)
    open_plan(workspace / "first", "k").close()
    shutil.copy(first / MANIFEST, second / MANIFEST)  # it is saved before the journal
    with open_plan(workspace / "second", "k") as plan:
        assert len(plan.tasks()) == NEW


def test_f21_a_manifest_alone_is_no_plan(workspace: Path) -> None:
    directory = put(workspace, ("outlast", "missing", "none", "there", "none"))
    (directory / "findings.md").unlink()
    assert list_plans(workspace) == []
    with pytest.raises(PlanNotFound):
        open_plan(workspace, "k")
    create_plan(workspace, "Another", "k").close()


def test_f21_findings_newer_than_the_snapshot_come_back_once(workspace: Path) -> None:
    put(workspace, ("outlast", "missing", "old", "there", "none"))
    [(_, details)] = repair_plan(workspace, "k")
    assert details["source"] == SNAPSHOT
    for _ in range(2):
        with open_plan(workspace, "k", actor="human") as plan:
            assert [found.title for found in plan.notes.findings()] == ["The door is red"]


def test_f21_what_a_person_wrote_into_the_view_is_kept(workspace: Path) -> None:
    directory = put(workspace, ("outlast", "empty", "none", "there", "new"))
    view = directory / "task_plan.md"
    text = view.read_text()
    edited = text.replace("The newest", "The newest of all\n\nMy own words")
    view.write_text(edited)
    [(key, details), (_, kept)] = repair_plan(workspace, "k")
    assert (key, details["source"], details["tasks"]) == ("plan_rebuilt", "task_plan.md", NEW)
    assert Path(str(kept["kept"])).read_text() == edited
    with open_plan(workspace, "k", actor="human") as plan:
        assert plan.tasks()[-1].name == "The newest of all"
        told = [key for key, _ in plan.notices]
        assert told == ["edit_applied", "view_set_aside"], "the findings beside it"
    assert "My own words" in view.read_text()


def test_f21_a_merge_conflict_is_resolved_first(workspace: Path) -> None:
    directory = put(workspace, ("outlast", "empty", "none", "there", "new"))
    view = directory / "task_plan.md"
    view.write_text(f"<<<<<<< HEAD\n{view.read_text()}=======\n>>>>>>> theirs\n")
    with pytest.raises(OutlastError, match="resolve the conflict first"):
        repair_plan(workspace, "k")
    directory = put(workspace / "other", ("outlast", "empty", "old", "there", "new"))
    (directory / "task_plan.md").write_text(view.read_text())
    [(_, details), *_] = repair_plan(workspace / "other", "k")
    assert details["source"] == SNAPSHOT


def test_f21_a_journal_that_ends_before_its_snapshot_is_named_and_completed(
    workspace: Path,
) -> None:
    directory = put(workspace, ("outlast", "whole", "old", "there", "none"))
    journal = directory / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]))
    with open_plan(workspace, "k", actor="human") as plan:
        assert len(plan.tasks()) == 2
        details = dict(plan.notices)["journal_behind"]
        assert (details["revision"], details["saved"]) == (3, 8)
    [(key, _), *_] = repair_plan(workspace, "k")
    assert key == "journal_repaired"
    with open_plan(workspace, "k", actor="human") as plan:
        assert len(plan.tasks()) == OLD
        assert plan.task(1).result == "done"
        assert "journal_behind" not in [key for key, _ in plan.notices]
    assert repair_plan(workspace, "k") == []


def test_f21_a_snapshot_that_knows_more_is_not_overwritten(workspace: Path) -> None:
    directory = put(workspace, ("outlast", "whole", "old", "there", "none"))
    journal, saved = directory / JOURNAL, (directory / SNAPSHOT).read_bytes()
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]))
    with open_plan(workspace, "k", actor="human") as plan:
        plan.add("Large", description="x " * 32_000)
        plan.add("Large too", description="x " * 32_000)
    [kept] = directory.glob("snapshot.json.old-*")
    assert kept.read_bytes() == saved
    assert (directory / SNAPSHOT).read_bytes() != saved


def test_f21_a_shared_plan_stays_shared(workspace: Path) -> None:
    directory = put(workspace, ("outlast", "missing", "old", "there", "none"))
    (directory / SNAPSHOT).chmod(0o664)
    repair_plan(workspace, "k")
    assert b'"shared":true' in (directory / JOURNAL).read_bytes().splitlines()[0]


def damage_commit(directory: Path, revision: int) -> bytes:
    """Flip a byte of one commit; return the damaged journal."""
    journal = directory / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[revision] = lines[revision].replace(b"Task", b"Tosk")
    journal.write_bytes(b"".join(lines))
    return journal.read_bytes()


@pytest.mark.parametrize("layout", VIEWS)
def test_f6_tasks_whose_commit_is_damaged_come_back_from_the_view(
    workspace: Path, layout: Layout
) -> None:
    with create_plan(workspace, "Ship it", "k", layout=layout, actor="human") as plan:
        plan.add_all([NewTask(f"Task {number}") for number in range(3)])
        plan.complete(1, "done")
        plan.add("Last", needs=(3,))
    directory = workspace.joinpath(*LAYOUTS[layout], "k")
    view = (directory / VIEWS[layout]).read_bytes()
    damaged = damage_commit(directory, 2)
    [(_, repaired), (key, details), (_, kept)] = repair_plan(workspace, "k")
    assert (key, details["source"], details["revision"]) == ("tasks_restored", VIEWS[layout], 4)
    assert Path(str(repaired["kept"])).read_bytes() == damaged
    assert Path(str(kept["kept"])).read_bytes() == view
    for _ in range(2):
        with open_plan(workspace, "k", actor="human") as plan:
            names = [task.name for task in plan.tasks()]
            assert names == ["Task 0", "Task 1", "Task 2", "Last"]
            assert [task.id for task in plan.tasks()] == [1, 2, 3, 4]
            assert (plan.task(1).status, plan.task(4).needs) == ("completed", (3,))
            assert plan.task(1).result == (None if layout == "code-agent" else "done")
    assert repair_plan(workspace, "k") == []


def restored_names(workspace: Path) -> tuple[list[str], list[str]]:
    """Repair the plan; return what was done, and the names of its tasks."""
    done = [key for key, _ in repair_plan(workspace, "k")]
    with open_plan(workspace, "k", actor="human") as plan:
        return done, [task.name for task in plan.tasks()]


def test_f6_only_a_later_view_of_the_same_history_restores_tasks(workspace: Path) -> None:
    with create_plan(workspace, "Ship it", "k", actor="human") as plan:
        plan.add("Task 0")
        plan.add("Gone")
    directory = workspace / ".outlast" / "plans" / "k"
    view = directory / "task_plan.md"
    early = view.read_text()
    with open_plan(workspace, "k", actor="human") as plan:
        plan.remove(2)
        plan.add("Task 1")
        plan.add("Last")
    late = view.read_text()
    head, _, _ = late.rpartition("<!-- outlast")
    damage_commit(directory, 5)
    files = contents(directory)
    for text, names in (
        (late, ["Task 0", "Task 1", "Last"]),
        (early, ["Task 0", "Last"]),
        (f"{head}<!-- outlast r6 00000000 -->\n", ["Task 0", "Last"]),
        (late.replace("Task 1", "Task 1\n- [ ] Mine"), ["Task 0", "Task 1", "Mine", "Last"]),
    ):
        shutil.rmtree(directory)
        directory.mkdir()
        for name, data in files.items():
            (directory / name).write_bytes(data)
        view.write_text(text)
        time.sleep(QUIET)
        done, found = restored_names(workspace)
        assert found == names
        assert ("tasks_restored" in done) is ("Task 1" in names)
        assert text in [path.read_text() for path in directory.glob("task_plan.md.*")]


def test_f6_a_repair_that_was_killed_after_its_copy_of_the_view_is_repeated(
    workspace: Path,
) -> None:
    with create_plan(workspace, "Ship it", "k", layout="sessions", actor="human") as plan:
        plan.add("Task 0")
        plan.add("Last")
    directory = workspace.joinpath(*LAYOUTS["sessions"], "k")
    damage_commit(directory, 2)
    files = contents(directory)
    repair_plan(workspace, "k")
    (directory / JOURNAL).write_bytes(files[JOURNAL])
    assert b'"mark":"lost"' in (directory / MANIFEST).read_bytes()
    assert restored_names(workspace)[1] == ["Task 0", "Last"]


def test_f6_a_plan_that_lost_its_first_commit_gets_goal_and_tasks_from_the_view(
    workspace: Path,
) -> None:
    build = Phase("build", "Build")
    tasks = (Task(1, "Task 0", "build", status="skipped"), Task(2, "Task 1", "build", (1,)))
    command = CreatePlan("plan_x", "Ship it", phases=(build,), tasks=tasks)
    import_plan(str(workspace), command, "k", layout="outlast", actor="human").close()
    with open_plan(workspace, "k", actor="human") as plan:
        plan.add("Last")
    damage_commit(workspace / ".outlast" / "plans" / "k", 1)
    assert restored_names(workspace)[1] == ["Task 0", "Task 1", "Last"]
    with open_plan(workspace, "k", actor="human") as plan:
        assert (plan.goal, plan.task(1).status, plan.task(2).needs) == ("Ship it", "skipped", (1,))
        assert [phase.title for phase in plan.phases] == ["Main Tasks", "Build"]


def test_f6_a_task_that_was_removed_after_the_view_stays_removed(workspace: Path) -> None:
    with create_plan(workspace, "Ship it", "k", actor="human") as plan:
        plan.add_all([NewTask("Task 0"), NewTask("Task 1")])
    directory = workspace / ".outlast" / "plans" / "k"
    view = (directory / "task_plan.md").read_text()
    with open_plan(workspace, "k", actor="human") as plan:
        plan.remove(1)
    damage_commit(directory, 2)
    (directory / "task_plan.md").write_text(view)
    assert restored_names(workspace)[1] == ["Task 1"]


def test_f6_a_view_later_than_the_snapshot_restores_what_the_journal_lost(workspace: Path) -> None:
    directory = put(workspace, ("outlast", "whole", "old", "there", "new"))
    journal = directory / JOURNAL
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:4]))
    done, names = restored_names(workspace)
    assert done == ["journal_repaired", "tasks_restored", "view_kept"]
    assert len(names) == NEW


@pytest.mark.parametrize("lines", [1, 2])
def test_f6_a_snapshot_whose_last_commit_was_cut_out_is_believed(
    workspace: Path, lines: int
) -> None:
    directory = put(workspace, ("outlast", "whole", "old", "there", "none"))
    journal = directory / JOURNAL
    kept = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join((*kept[: 9 - lines], *kept[9:])))
    _, names = restored_names(workspace)
    assert len(names) == NEW
    with open_plan(workspace, "k") as plan:
        assert plan.task(1).result == "done"
