"""X1: which plan is meant, from anywhere in a project, and what is said where it is not clear."""

from pathlib import Path

import pytest

from outlast import Plan, create_plan, open_plan
from outlast.errors import DamagedJournal, InvalidDocument, NewerFormat, PlanNotFound
from outlast.model.commands import CreatePlan
from outlast.plan.plan_list import list_plans
from outlast.plan.plans import Plans
from outlast.store.journal import add_checksum
from outlast.system.clock import new_plan_id
from tests.plan.places import SEED, drop, find_plan, names
from tests.system.test_workspace_root import git, make_repository


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = make_repository(tmp_path / "project")
    (root / "src" / "deep").mkdir(parents=True)
    return root


def make_plan(start: str, goal: str, key: str | None = None, actor: str = "agent") -> Plan:
    return Plans.of_project(start, actor).create(CreatePlan(new_plan_id(), goal), key)


def journal(workspace: Path, key: str) -> Path:
    return workspace / ".outlast" / "plans" / key / "journal.jsonl"


def test_x1_a_plan_is_made_at_the_root_and_found_from_below(project: Path) -> None:
    deep = str(project / "src" / "deep")
    with pytest.raises(PlanNotFound, match="create one with"):
        find_plan(deep)
    assert list_plans(deep) == []
    plan = make_plan(deep, "Ship it", "ship", actor="ann")
    assert names(project) == [".git", ".outlast", "src"]
    assert (find_plan(deep).id, find_plan(str(project), "ship").id) == (plan.id, plan.id)
    assert find_plan(deep, actor="ben").actor == "ben"


def test_x1_git_status_stays_clean(project: Path) -> None:
    for layout in ("outlast", "sessions"):
        with create_plan(project, "Ship it", layout=layout) as plan:
            plan.add("a")
    git(project, "add", "--all")
    git(project, "diff", "--cached", "--quiet")


def test_x1_outside_git_only_the_start_itself_is_looked_at(tmp_path: Path) -> None:
    make_plan(str(tmp_path), "Ship it", "ship")
    (tmp_path / "below").mkdir()
    assert find_plan(str(tmp_path)).key == "ship"
    with pytest.raises(PlanNotFound):
        find_plan(str(tmp_path / "below"))
    assert make_plan(str(tmp_path / "below"), "Another").goal == "Another"
    assert names(tmp_path / "below") == [".outlast"]


def test_x6_a_worktree_has_the_plans_of_the_main_checkout(project: Path) -> None:
    tree = project.parent / "t"
    git(project, "worktree", "add", "-q", str(tree))
    made = make_plan(str(tree), "Ship it", "ship")
    assert names(tree) == [".git"]
    made.add("a")
    assert find_plan(str(tree)).id == find_plan(str(project)).id == made.id
    assert [plan.key for plan in list_plans(str(tree))] == ["ship"]


def test_x1_a_new_plan_is_made_where_it_will_be_found(project: Path) -> None:
    create_plan(project / "src", "The nearer", "near").abort()
    make_plan(str(project / "src" / "deep"), "Ship it", "ship")
    assert find_plan(str(project / "src" / "deep")).key == "ship"
    with pytest.raises(PlanNotFound):
        find_plan(str(project))


def test_r0_01_sessions_of_others_do_not_hide_the_plans_of_the_project(project: Path) -> None:
    drop(project / "src", SEED.read_bytes())
    assert find_plan(str(project / "src")).id == "plan_abc123"
    make_plan(str(project), "Ship it", "ship")
    assert find_plan(str(project / "src")).key == "ship"


def test_u2_without_a_current_plan_it_is_the_unfinished_one_that_was_changed_last(
    project: Path,
) -> None:
    for key in ("one", "two", "over"):
        create_plan(project, key, key).add("a")
    find_plan(str(project), "over").complete(1)
    assert find_plan(str(project)).key == "two"
    assert find_plan(str(project), ended=True).key == "two"
    find_plan(str(project), "one").add("b")
    assert find_plan(str(project)).key == "one"
    find_plan(str(project), "one").complete(2)
    for key in ("one", "two"):
        find_plan(str(project), key).complete(1)
    assert find_plan(str(project), ended=True).key == "two"
    with pytest.raises(PlanNotFound, match="No plan is open here; ended plans: one, over, two"):
        find_plan(str(project))


def test_x1_the_list_tells_how_far_each_plan_is(project: Path) -> None:
    with create_plan(project, "Ship it", "ship") as plan:
        plan.add("a")
        plan.add("b")
        plan.complete(1)
        updated = plan.updated_at
    [found] = list_plans(str(project))
    assert (found.key, found.title, found.status) == ("ship", "Ship it", "running")
    assert (found.done, found.total, found.updated_at, found.problem) == (1, 2, updated, None)


def test_r0_01_the_same_key_in_two_layouts_is_one_plan(project: Path) -> None:
    create_plan(project, "Ship it", "x", layout="sessions")
    drop_in = project / ".outlast" / "plans" / "x"
    drop_in.mkdir(parents=True)
    assert find_plan(str(project), "x").goal == "Ship it"
    assert [plan.key for plan in list_plans(str(project))] == ["x"]


def test_r0_01_looking_takes_nothing_over(project: Path) -> None:
    first, second = (drop(project, SEED.read_bytes(), key) for key in ("a", "b"))
    found = list_plans(str(project))
    assert [(plan.key, plan.done, plan.total, plan.problem) for plan in found] == [
        ("a", 1, 2, None),
        ("b", 1, 2, None),
    ]
    assert names(first.parent) == names(second.parent) == ["plan.json"]
    assert find_plan(str(project)).key == "a"
    assert "journal.jsonl" in names(first.parent)
    assert names(second.parent) == ["plan.json"]


def test_f6_a_damaged_plan_among_others(project: Path) -> None:
    for key in ("broken", "middle", "newer", "whole"):
        with create_plan(project, f"Goal {key}", key) as plan:
            plan.add("a")
            plan.add("b")
    journal(project, "broken").write_bytes(b"nothing\n")
    journal(project, "newer").write_bytes(
        add_checksum(b'{"outlast":"journal","format":9,"key":"newer"}')
    )
    lines = journal(project, "middle").read_bytes().splitlines(keepends=True)
    journal(project, "middle").write_bytes(b"".join([*lines[:2], b"bad\n", *lines[3:]]))
    found = {plan.key: plan for plan in list_plans(str(project))}
    assert "does not start like a journal" in str(found["broken"].problem)
    assert "update Outlast" in str(found["newer"].problem)
    assert (found["middle"].title, found["middle"].status) == ("Goal middle", "idle")
    assert "is damaged at byte" in str(found["middle"].problem)
    assert found["middle"].notices == ()
    assert (found["whole"].total, found["whole"].problem) == (2, None)
    assert find_plan(str(project)).key == "whole"
    assert find_plan(str(project), "middle").goal == "Goal middle"
    with pytest.raises(NewerFormat):
        find_plan(str(project), "newer")


def test_f6_the_only_plan_says_itself_what_is_wrong_with_it(project: Path) -> None:
    create_plan(project, "Ship it", "ship")
    journal(project, "ship").write_bytes(b"nothing\n")
    with pytest.raises(DamagedJournal):
        find_plan(str(project))
    drop(project, b"{")
    journal(project, "ship").unlink()
    journal(project, "ship").with_name("task_plan.md").unlink()
    with pytest.raises(InvalidDocument):
        find_plan(str(project))


def test_x1_what_had_to_be_mended_is_said_however_the_plan_is_found(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for key in ("ended", "ship"):
        create_plan(project, "Ship it", key).close()
    with find_plan(str(project), "ended") as ended:
        ended.abort()

    def tear() -> None:
        for key in ("ended", "ship"):
            with journal(project, key).open("ab") as file:
                file.write(b"{")

    tear()
    assert [key for key, _ in find_plan(str(project)).notices] == ["tail_cut", "tail_cut"]
    tear()
    assert [plan.notices[0][0] for plan in list_plans(str(project))] == ["tail_cut", "tail_cut"]
    assert not caplog.text
    tear()
    open_plan(project)
    assert caplog.text.count("An incomplete last line of 1 byte") == 2


def test_r0_01_a_copied_directory_is_found_by_its_own_name(project: Path) -> None:
    create_plan(project, "Ship it", "ship").close()
    copied = journal(project, "copy")
    copied.parent.mkdir()
    copied.write_bytes(journal(project, "ship").read_bytes())
    assert [plan.key for plan in list_plans(str(project))] == ["copy", "ship"]
    assert find_plan(str(project), "copy").goal == "Ship it"


def test_r0_01_a_long_key_is_read_from_the_journal(project: Path) -> None:
    key = "Very " * 60 + "long"
    create_plan(project, "Ship it", key).close()
    assert [plan.key for plan in list_plans(str(project))] == [key]
    assert find_plan(str(project)).key == key
    [directory] = (project / ".outlast" / "plans").iterdir()
    header = add_checksum(b'{"outlast":"journal","format":9,"key":"x"}')
    for content in (b"", header, add_checksum(b'{"outlast":"journal","format":1,"key":"x"}')):
        (directory / "journal.jsonl").write_bytes(content)
        assert list_plans(str(project)) == []
