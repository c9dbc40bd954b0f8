"""F33: a plan that is kept in git, and went on in two clones, is repaired without a loss."""

from __future__ import annotations

import subprocess
from itertools import product
from typing import TYPE_CHECKING, Final

import pytest

from outlast import Plan, create_plan, open_plan
from outlast.errors import DamagedJournal
from outlast.language import explain
from outlast.model.model import PERSON, Check
from outlast.plan.plan_list import find_damaged_keys, repair_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

JOURNAL: Final = ".outlast/plans/k/journal.jsonl"
ENDS: Final = ("completed", "failed", "skipped")


def fail_often(plan: Plan, side: str) -> None:
    for _ in range(4):
        plan.start(3)
        plan.fail(3, f"failed {side}")


def end_a_new_one(plan: Plan, side: str) -> None:
    [task] = [plan.add(f"new {side}")]
    plan.complete(task.id, result=f"result {side}")


def needs_a_new_one(plan: Plan, side: str) -> None:
    first = plan.add(f"first {side}")
    plan.add(f"second {side}", needs=[first.id], checks=[Check("person", f"look {side}")])


def undo_an_end(plan: Plan, _side: str) -> None:
    plan.complete(1, result="withdrawn")
    plan.undo()


def delete_a_new_one(plan: Plan, side: str) -> None:
    plan.remove(plan.add(f"short {side}").id)


def phase_with_task(plan: Plan, side: str) -> None:
    phase = plan.add_phase(f"Phase {side}")
    plan.add(f"in phase {side}", phase=phase.id)


def same_phase(plan: Plan, side: str) -> None:
    phase = plan.add_phase("Same phase")
    plan.add(f"in same phase {side}", phase=phase.id)


STEPS: Final[dict[str, Callable[[Plan, str], object]]] = {
    "add": lambda plan, side: plan.add(f"task {side}"),
    "add and end": end_a_new_one,
    "add two": needs_a_new_one,
    "add and delete": delete_a_new_one,
    "start": lambda plan, _side: plan.start(1),
    "done": lambda plan, side: plan.complete(1, result=f"result {side}"),
    "done alike": lambda plan, _side: plan.complete(1, result="the same"),
    "fail": fail_often,
    "skip": lambda plan, side: plan.skip(1, f"skipped {side}"),
    "edit": lambda plan, side: plan.update(1, name=f"name {side}"),
    "delete": lambda plan, _side: plan.remove(1),
    "delete needed": lambda plan, _side: (plan.update(4, needs=[]), plan.remove(3)),
    "move": lambda plan, _side: plan.move(1, insert_after=3),
    "finding": lambda plan, side: plan.notes.add_finding("insight", f"title {side}", "content"),
    "error": lambda plan, side: plan.notes.add_error(f"tool {side}", "it broke"),
    "deliver": lambda plan, side: plan.notes.deliver(f"delivered {side}"),
    "undo": undo_an_end,
    "reset": lambda plan, _side: plan.reset(),
    "reopen": lambda plan, _side: plan.reopen(2),
    "pause": lambda plan, _side: plan.pause(),
    "abort": lambda plan, _side: plan.abort(),
    "phase": phase_with_task,
    "same phase": same_phase,
    "check": lambda plan, side: plan.update(1, checks=[Check("person", f"look {side}")]),
    "goal": lambda plan, side: plan.edit(goal=f"goal {side}"),
    "ask": lambda plan, side: plan.questions.ask(f"question {side}?"),
    "say": lambda plan, side: plan.questions.say(f"said {side}"),
    "claim": lambda plan, _side: plan.claim(1),
}


def git(path: Path, *words: str, ok: bool = True) -> str:
    words = ("git", "-c", "user.name=a", "-c", "user.email=a@b", *words)
    made = subprocess.run(words, cwd=path, capture_output=True, text=True, check=False)  # noqa: S603
    assert made.returncode == 0 or not ok, made.stderr
    return made.stdout


def create(path: Path) -> None:
    path.mkdir()
    with create_plan(path, "Goal", "k") as plan:
        for name in ("one", "two", "three"):
            plan.add(name)
        plan.add("four", needs=[3])
        plan.complete(2, result="result two")


def work(path: Path, step: str, side: str) -> None:
    with open_plan(path, "k", actor=PERSON) as plan:
        STEPS[step](plan, side)


class Facts:
    """What a plan says, by names: numbers may be others after a repair."""

    def __init__(self, path: Path) -> None:
        with open_plan(path, "k", actor=PERSON) as plan:
            self.tasks = {task.name: task for task in plan.tasks()}
            self.notes = {finding.title for finding in plan.notes.findings()}
            self.notes |= {error.tool for error in plan.notes.errors(limit=50)}
            self.questions = {question.text for question in plan.questions.all()}
            self.goal, self.revision = plan.goal, plan.revision
            commits = plan.history.commits(200)
            self.said = f"{self.questions} {[task.result for task in plan.tasks()]}"
            self.numbers = [commit.revision for commit in commits if commit.changes]


def assert_both_kept(merged: Path, base: Facts, sides: tuple[Facts, Facts]) -> None:
    found = Facts(merged)
    for side, other in (sides, sides[::-1]):
        assert side.notes <= found.notes
        assert side.questions <= found.questions
        for name, task in side.tasks.items():
            before = base.tasks.get(name)
            here = found.tasks.get(name)
            if here is None:  # removed or renamed in the other branch, or asked about
                assert name not in other.tasks or name in found.said
                assert before == task or name in found.said
                continue
            if task.status in ENDS and task != before:
                assert task.status == here.status or task.status in found.said
                assert (task.result or task.error or "") in f"{here.error} {found.said}"
    old = {task.id for task in base.tasks.values()}
    for task in found.tasks.values():
        if task.status in ENDS:
            there = [each for side in sides for each in side.tasks.values()]
            same = [each for each in there if task.id in old and each.id == task.id]
            same = same or [each for each in there if each.name == task.name]
            assert task.status in {each.status for each in same}
    numbers = [task.id for task in found.tasks.values()]
    assert len(set(numbers)) == len(numbers)


def assert_repaired(path: Path, base: Facts, sides: tuple[Facts, Facts]) -> None:
    """Repair a plan, which has both branches afterwards; a second repair changes nothing."""
    with open_plan(path, "k") as plan, pytest.raises(DamagedJournal) as caught:
        plan.add("refused")
    assert "outlast doctor --repair" in explain(caught.value)
    damaged = (path / JOURNAL).read_bytes()
    assert find_damaged_keys(path) == ["k"]
    done = dict(repair_plan(path, "k"))
    assert done["branches_merged"]["branches"] == 1
    repaired = (path / JOURNAL).read_bytes()
    assert not [line for line in repaired.split(b"\n") if line and not line.startswith(b"{")]
    kept = [p.read_bytes() for p in (path / JOURNAL).parent.glob("journal.jsonl.damaged-*")]
    assert damaged in kept
    assert_both_kept(path, base, sides)
    assert repair_plan(path, "k") == []
    assert find_damaged_keys(path) == []
    assert (path / JOURNAL).read_bytes() == repaired
    with open_plan(path, "k") as plan:
        plan.add("goes on")


Branches = dict[tuple[str, str], tuple["Path", Facts]]


@pytest.fixture(scope="module")
def branches(tmp_path_factory: pytest.TempPathFactory) -> Branches:
    """What each step makes of the same plan, on each side."""
    root = tmp_path_factory.mktemp("branches")
    create(root / "base")
    made = {("", ""): (root / "base", Facts(root / "base"))}
    journal = (root / "base" / JOURNAL).read_bytes()
    for number, (step, side) in enumerate(product(STEPS, ("ours", "theirs"))):
        path = root / str(number)
        (path / JOURNAL).parent.mkdir(parents=True)
        (path / JOURNAL).write_bytes(journal)
        work(path, step, side)
        made[step, side] = path, Facts(path)
    return made


def merge_files(path: Path, branches: Branches, steps: tuple[str, str], how: str) -> bool:
    """Merge two journals as git does; return whether both went on."""
    (base, _), (ours, _), (theirs, _) = (
        branches[key] for key in (("", ""), (steps[0], "ours"), (steps[1], "theirs"))
    )
    journals = [str(each / JOURNAL) for each in (ours, base, theirs)]
    words = ("git", "merge-file", "-p", *how.split(), *journals)
    merged = subprocess.run(words, capture_output=True, check=False)  # noqa: S603 - git
    (path / JOURNAL).parent.mkdir(parents=True)
    (path / JOURNAL).write_bytes(merged.stdout)
    return b"<<<<" in merged.stdout or "--union" in how


def check_pairs(tmp_path: Path, branches: Branches, pairs: list[tuple[str, str]], how: str) -> None:
    for number, steps in enumerate(pairs):
        path = tmp_path / str(number)
        assert merge_files(path, branches, steps, how), steps
        sides = branches[steps[0], "ours"][1], branches[steps[1], "theirs"][1]
        try:
            assert_repaired(path, branches["", ""][1], sides)
        except AssertionError as error:
            error.add_note(f"{steps}")
            raise


def check_some(tmp_path: Path, branches: Branches, how: str) -> None:
    names = [*STEPS]
    pairs = [(name, names[(3 * at + 1) % len(names)]) for at, name in enumerate(names)]
    check_pairs(tmp_path, branches, pairs, how)


def test_f33_both_branches_of_a_merge_are_kept(tmp_path: Path, branches: Branches) -> None:
    check_some(tmp_path, branches, "--marker-size=7")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["--diff3", "--zdiff3"])
def test_f33_both_branches_of_a_merge_are_kept_also_if_git_shows_the_base(
    tmp_path: Path, branches: Branches, how: str
) -> None:
    check_some(tmp_path, branches, how)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["--marker-size=7", "--union"])
def test_f33_both_branches_of_a_merge_are_kept_whatever_they_did(
    tmp_path: Path, branches: Branches, how: str
) -> None:
    check_pairs(tmp_path, branches, [*product(STEPS, STEPS)], how)


# Real clones


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path, Facts]:
    """Two clones of a repository that has a plan."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    create(ours)
    git(ours, "init", "-q", "-b", "main")
    git(ours, "add", "-f", JOURNAL)
    git(ours, "commit", "-qm", "base")
    git(tmp_path, "clone", "-q", str(ours), str(theirs))
    return ours, theirs, Facts(ours)


def commit_work(path: Path, step: str, side: str) -> None:
    work(path, step, side)
    git(path, "commit", "-qam", step)


def merge(ours: Path) -> None:
    git(ours, "merge", "theirs/main", ok=False)


def merge_union(ours: Path) -> None:
    (ours / ".git/info/attributes").write_text("*.jsonl merge=union\n")
    git(ours, "merge", "theirs/main")


def rebase(ours: Path) -> None:
    git(ours, "rebase", "theirs/main", ok=False)


def cherry_pick(ours: Path) -> None:
    git(ours, "cherry-pick", "theirs/main", ok=False)


def stash_pop(ours: Path) -> None:
    git(ours, "reset", "-q", "--soft", "HEAD~1")
    git(ours, "stash")
    git(ours, "merge", "-q", "theirs/main")
    git(ours, "stash", "pop", ok=False)


WAYS: Final = (merge, merge_union, rebase, cherry_pick, stash_pop)
PAIRS: Final = (("add and end", "add and end"), ("done", "fail"), ("add two", "finding"))


@pytest.mark.parametrize("steps", PAIRS)
@pytest.mark.parametrize("way", WAYS)
def test_f33_a_merge_in_git_is_repaired(
    clones: tuple[Path, Path, Facts], way: Callable[[Path], None], steps: tuple[str, str]
) -> None:
    ours, theirs, base = clones
    commit_work(ours, steps[0], "ours")
    commit_work(theirs, steps[1], "theirs")
    sides = Facts(ours), Facts(theirs)
    git(ours, "remote", "add", "theirs", str(theirs))
    git(ours, "fetch", "-q", "theirs")
    way(ours)
    assert_repaired(ours, base, sides)


def test_f33_a_rebase_that_stops_at_every_commit_doubles_nothing(
    clones: tuple[Path, Path, Facts],
) -> None:
    ours, theirs, base = clones
    commit_work(theirs, "add two", "theirs")
    commit_work(ours, "add and end", "ours")
    commit_work(ours, "finding", "ours")
    commit_work(ours, "phase", "ours")
    sides = Facts(ours), Facts(theirs)
    git(ours, "remote", "add", "theirs", str(theirs))
    git(ours, "fetch", "-q", "theirs")
    git(ours, "rebase", "theirs/main", ok=False)
    stops = 0
    while (ours / ".git/rebase-merge").exists():
        stops += 1
        repair_plan(ours, "k")
        git(ours, "add", "-f", JOURNAL)
        git(ours, "-c", "core.editor=true", "rebase", "--continue", ok=False)
    assert stops > 1
    assert_both_kept(ours, base, sides)
    with open_plan(ours, "k") as plan:
        names = [task.name for task in plan.tasks()]
    assert sorted(names) == sorted({*sides[0].tasks, *sides[1].tasks})


def test_f33_two_forks_one_after_another_are_repaired(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    create(ours)
    base, journal = Facts(ours), (ours / JOURNAL).read_bytes()
    sides, tails = [], []
    for side in ("a", "b", "c"):
        path = tmp_path / side
        (path / JOURNAL).parent.mkdir(parents=True)
        (path / JOURNAL).write_bytes(journal)
        for step in ("add and end", "finding"):
            work(path, step, side)
        sides.append(Facts(path))
        tails.append((path / JOURNAL).read_bytes().removeprefix(journal))
    (ours / JOURNAL).write_bytes(journal + b"".join(tails))
    done = dict(repair_plan(ours, "k"))
    assert done["branches_merged"]["branches"] == 2
    for pair in ((sides[0], sides[1]), (sides[0], sides[2])):
        assert {*pair[0].tasks, *pair[1].tasks} <= Facts(ours).tasks.keys()
    found = Facts(ours)
    assert found.tasks["new c"].result == "result c"
    assert found.notes == {*sides[0].notes, *sides[1].notes, *sides[2].notes}
    assert base.tasks.keys() <= found.tasks.keys()
    assert repair_plan(ours, "k") == []


def append(journal: bytes, path: Path, work: Callable[[Plan], object]) -> bytes:
    """Return what a change appends to a journal."""
    (path / JOURNAL).parent.mkdir(parents=True)
    (path / JOURNAL).write_bytes(journal)
    with open_plan(path, "k", actor=PERSON) as plan:
        work(plan)
    return (path / JOURNAL).read_bytes().removeprefix(journal)


@pytest.mark.parametrize("length", [1, 2])
def test_f33_a_branch_of_the_second_branch_never_changes_the_first_ones_tasks(
    tmp_path: Path, length: int
) -> None:
    """Only if the first branch is as long, nothing tells which task the third one is about."""
    create(tmp_path / "base")
    base, is_long = (tmp_path / "base" / JOURNAL).read_bytes(), length > 1
    more = (lambda plan: plan.add_phase("P")) if is_long else (lambda _plan: None)
    first = append(base, tmp_path / "1", lambda plan: (plan.add("of the first"), more(plan)))
    second = append(base, tmp_path / "2", lambda plan: plan.add("of the second"))
    third = append(base + second, tmp_path / "3", lambda plan: plan.complete(5, result="third"))
    fourth = append(base + second, tmp_path / "4", lambda plan: plan.add("of the fourth"))
    path = tmp_path / "merged"
    (path / JOURNAL).parent.mkdir(parents=True)
    (path / JOURNAL).write_bytes(base + first + second + third + fourth)
    done = dict(repair_plan(path, "k"))
    found = Facts(path).tasks
    assert found["of the first"].status == "pending"
    assert found["of the fourth"].status == "pending"
    lost = done["journal_repaired"]["lost_commits"]
    assert (found["of the second"].status, lost) == ("completed", 0) or is_long
    assert found["of the second"].status == "completed" or lost == 1


def test_f33_a_merge_of_a_repaired_merge_doubles_nothing(tmp_path: Path) -> None:
    """Both clones repair the same merge, each on its own, and are merged again."""
    ours = tmp_path / "ours"
    create(ours)
    journal, tails = (ours / JOURNAL).read_bytes(), []
    for side in ("a", "b"):
        path = tmp_path / side
        (path / JOURNAL).parent.mkdir(parents=True)
        (path / JOURNAL).write_bytes(journal)
        work(path, "add and end", side)
        tails.append((path / JOURNAL).read_bytes().removeprefix(journal))
    repaired = []
    for number, order in enumerate((tails, tails[::-1])):
        path = tmp_path / f"merged {number}"
        (path / JOURNAL).parent.mkdir(parents=True)
        (path / JOURNAL).write_bytes(journal + b"".join(order))
        repair_plan(path, "k")
        repaired.append((path / JOURNAL).read_bytes().removeprefix(journal))
    (ours / JOURNAL).write_bytes(journal + b"".join(repaired))
    repair_plan(ours, "k")
    with open_plan(ours, "k") as plan:
        names = [task.name for task in plan.tasks()]
    assert sorted(names) == ["four", "new a", "new b", "one", "three", "two"]
