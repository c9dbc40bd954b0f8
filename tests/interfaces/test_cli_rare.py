"""What is rarely needed: claims, starting over, putting a plan away, and the help on it."""

import json
from pathlib import Path

import pytest

from outlast import create_plan
from tests.interfaces.processes import data, outlast, said


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.add("b")
    return tmp_path


def test_x6_a_claimed_task_is_ended_by_who_has_its_number(workspace: Path) -> None:
    claimed = data(workspace, "claim", "1", "--seconds", "60", "--as", "ada")
    lease = claimed["lease"]
    assert (lease["task"], lease["holder"], claimed["task"]["status"]) == (1, "ada", "in_progress")
    token = str(lease["token"])
    for arguments in (["done", "1"], ["fail", "1", "x"], ["edit", "1", "--progress", "1/2"]):
        assert data(workspace, *arguments, code=1)["error"]["code"] == "TASK_CLAIMED"
    said(workspace, "edit", "1", "--progress", "1/2", "--token", token)
    longer = data(workspace, "claim", "1", "--token", token, "--seconds", "600", "--as", "ada")
    assert longer["lease"]["until"] > lease["until"]
    assert data(workspace, "done", "1", "--token", "99", code=1)["error"]["code"] == "CLAIM_LOST"
    said(workspace, "done", "1", "--token", token, "--as", "ada")


def test_x6_a_claim_is_given_back(workspace: Path) -> None:
    told = said(workspace, "claim")
    assert told.startswith("Claimed 1 a until ")
    assert "  outlast release 1 --token 1   to give it back\n" in told
    assert data(workspace, "release", "1", "--token", "2", code=1)["error"]["code"] == "CLAIM_LOST"
    missing = outlast(workspace, "release", "1")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert said(workspace, "release", "1", "--token", "1").startswith("Gave back 1 a\n")
    said(workspace, "done", "1")


def test_x6_an_attempt_at_a_claimed_task_fails_with_its_number(workspace: Path) -> None:
    said(workspace, "claim", "2")
    said(workspace, "fail", "2", "no luck", "--token", "1")
    assert "○ 2 b  ! no luck" in said(workspace)


def test_a11_starting_over_needs_a_person_who_means_it_and_keeps_a_copy(workspace: Path) -> None:
    said(workspace, "done", "1")
    for arguments in (["reset"], ["reset", "--yes", "--as", "bot"]):
        refused = outlast(workspace, *arguments)
        assert (refused.returncode, refused.stdout) == (1, "")
    assert "● 1 a" in said(workspace)
    kept = Path(data(workspace, "reset", "--yes")["kept"])
    assert kept.parent == workspace / ".outlast/plans/ship"
    assert [step["status"] for step in json.loads(kept.read_text())["steps"]] == [
        "completed",
        "pending",
    ]
    assert "○ 1 a" in said(workspace)
    said(workspace, "undo")
    assert "● 1 a" in said(workspace)
    said(workspace, "import", str(kept), "--key", "before")


def test_r4_01_a_plan_that_has_ended_is_put_away(workspace: Path) -> None:
    refused = outlast(workspace, "archive")
    assert (refused.returncode, refused.stdout) == (1, "")
    said(workspace, "done", "1")
    said(workspace, "done", "2")
    where = data(workspace, "archive")["path"]
    assert Path(where).is_dir()
    assert data(workspace, "list") == {"ok": True, "plans": [], "archived": []}
    [away] = data(workspace, "list", "--archived")["archived"]
    assert (away["key"], away["path"], away["done"]) == ("ship", where, 2)
    assert where in said(workspace, "list", "--archived")
    assert outlast(workspace, "archive", "ship").returncode == 3


def test_help_tells_of_rare_commands_only_if_it_is_asked(workspace: Path) -> None:
    usual, every = said(workspace, "help"), said(workspace, "help", "--all")
    rare = ("claim", "release", "reset", "archive")
    assert [name for name in rare if f"\n  {name}" in usual] == []
    assert [name for name in rare if f"\n  {name}" not in every] == []
    names = [one["name"] for one in data(workspace, "help", "--all")["commands"]]
    assert set(rare) < set(names)
    assert "Usage: outlast claim [N]" in said(workspace, "help", "claim")


def test_a11_an_edit_that_was_held_back_is_taken_in_by_a_person_who_means_it(
    tmp_path: Path,
) -> None:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        for name in "abcd":
            plan.add(name)
    file = tmp_path / ".outlast/plans/ship/task_plan.md"
    file.write_text("# Ship it\n\n- [ ] ○ d\n\n<!-- outlast r5 -->\n")
    asked = outlast(tmp_path, "doctor")
    assert asked.returncode == 4
    assert "task_plan.md was not taken in" in asked.stdout
    refused = outlast(tmp_path, "accept")
    assert (refused.returncode, refused.stdout) == (1, "")
    taken = data(tmp_path, "accept", "--yes")
    assert (taken["plan"]["total"], Path(taken["kept"]).exists()) == (1, True)
    assert said(tmp_path, "show") == "Ship it  0/1 idle  [ship]\n  ○ 4 d\n"


def test_a11_where_nothing_was_held_back_no_copy_is_written(workspace: Path) -> None:
    before = {path.name for path in (workspace / ".outlast/plans/ship").iterdir()}
    told = said(workspace, "accept", "--yes")
    assert told.startswith("Nothing was held back: nothing was changed, and no copy was written\n")
    answer = data(workspace, "accept", "--yes")
    assert (answer["kept"], answer["changes"]) == (None, 0)
    assert {path.name for path in (workspace / ".outlast/plans/ship").iterdir()} == before
