"""`reset`, `accept` and `archive`."""

import json
from pathlib import Path

import pytest

from outlast import create_plan
from tests.interfaces.cli.processes import json_of, outlast, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.add("b")
    return tmp_path


def test_a11_reset_needs_a_person_who_confirms_and_keeps_a_copy(workspace: Path) -> None:
    stdout_of(workspace, "done", "1")
    for arguments in (["reset"], ["reset", "--yes", "--as", "bot"]):
        refused = outlast(workspace, *arguments)
        assert (refused.returncode, refused.stdout) == (1, "")
    assert "● 1 a" in stdout_of(workspace)
    kept = Path(json_of(workspace, "reset", "--yes")["kept"])
    assert kept.parent == workspace / ".outlast/plans/ship"
    assert [step["status"] for step in json.loads(kept.read_text())["steps"]] == [
        "completed",
        "pending",
    ]
    assert "○ 1 a" in stdout_of(workspace)
    stdout_of(workspace, "undo")
    assert "● 1 a" in stdout_of(workspace)
    stdout_of(workspace, "import", str(kept), "--key", "before")


def test_r4_01_an_ended_plan_is_archived(workspace: Path) -> None:
    refused = outlast(workspace, "archive")
    assert (refused.returncode, refused.stdout) == (1, "")
    stdout_of(workspace, "done", "1")
    stdout_of(workspace, "done", "2")
    where = json_of(workspace, "archive")["path"]
    assert Path(where).is_dir()
    assert json_of(workspace, "list") == {"ok": True, "plans": [], "archived": []}
    [away] = json_of(workspace, "list", "--archived")["archived"]
    assert (away["key"], away["path"], away["done"]) == ("ship", where, 2)
    assert where in stdout_of(workspace, "list", "--archived")
    assert outlast(workspace, "archive", "ship").returncode == 3


def test_a11_a_held_back_edit_is_applied_when_a_person_confirms(
    tmp_path: Path,
) -> None:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        for name in "abcd":
            plan.add(name)
    file = tmp_path / ".outlast/plans/ship/task_plan.md"
    file.write_text("# Ship it\n\n- [ ] ○ d\n\n<!-- outlast r5 -->\n")
    asked = outlast(tmp_path, "doctor")
    assert asked.returncode == 4
    assert "task_plan.md was not applied" in asked.stdout
    refused = outlast(tmp_path, "accept")
    assert (refused.returncode, refused.stdout) == (1, "")
    taken = json_of(tmp_path, "accept", "--yes")
    assert (taken["plan"]["total"], Path(taken["kept"]).exists()) == (1, True)
    assert stdout_of(tmp_path, "show") == "Ship it  0/1 idle  [ship]\n  ○ 4 d\n"


def test_a11_no_copy_is_written_when_no_edit_was_held_back(workspace: Path) -> None:
    before = {path.name for path in (workspace / ".outlast/plans/ship").iterdir()}
    answer = stdout_of(workspace, "accept", "--yes")
    assert answer.startswith("No edit was held back; nothing was changed or copied\n")
    accepted = json_of(workspace, "accept", "--yes")
    assert (accepted["kept"], accepted["changes"]) == (None, 0)
    assert {path.name for path in (workspace / ".outlast/plans/ship").iterdir()} == before
