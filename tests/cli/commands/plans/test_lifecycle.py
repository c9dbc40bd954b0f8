"""`reset` and `accept`."""

import json
from pathlib import Path

from outlast import create_plan
from tests.cli.processes import json_of, outlast, stdout_of


def test_x8_a_new_plan_has_its_phase_in_the_language_of_its_person(tmp_path: Path) -> None:
    stdout_of(tmp_path, "new", "做饭", "--key", "c", "--lang", "zh")
    assert "## ○ Phase: 主要任务\n" in (tmp_path / ".outlast/plans/c/task_plan.md").read_text()


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


def test_a11_a_held_back_edit_is_applied_when_a_person_confirms(tmp_path: Path) -> None:
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


def test_f20_a_file_that_broke_off_is_applied_when_a_person_confirms(workspace: Path) -> None:
    file = workspace / ".outlast/plans/ship/task_plan.md"
    file.write_text(file.read_text().split("- [ ] ○ **2**")[0].replace("**1** a", "**1** A"))
    asked = outlast(workspace, "show")
    assert "outlast accept --yes" in asked.stderr
    assert asked.stdout == "Ship it  0/2 idle  [ship]\n  ○ 1 a\n  ○ 2 b\n"
    accepted = json_of(workspace, "accept", "--yes")
    assert (accepted["plan"]["total"], accepted["changes"]) == (1, 2)
    assert stdout_of(workspace, "show") == "Ship it  0/1 idle  [ship]\n  ○ 1 A\n"


def test_f20_notes_that_broke_off_are_named_and_applied_when_a_person_confirms(
    workspace: Path,
) -> None:
    stdout_of(workspace, "note", "The door is red", "--title", "The door")
    stdout_of(workspace, "note", "The roof leaks", "--title", "The roof")
    file = workspace / ".outlast/plans/ship/findings.md"
    file.write_text(file.read_text().split("### The roof")[0])
    asked = outlast(workspace, "doctor")
    assert "findings.md was not applied: it ends early, after: The door is red" in asked.stdout
    assert "outlast accept --yes" in asked.stdout
    assert "The roof" in outlast(workspace, "note").stdout
    json_of(workspace, "accept", "--yes")
    assert "The roof" not in stdout_of(workspace, "note")
    assert "The door" in stdout_of(workspace, "note")


def test_f33_a_view_with_a_merge_conflict_is_named_and_no_yes_applies_it(workspace: Path) -> None:
    file = workspace / ".outlast/plans/ship/task_plan.md"
    ours = "- [ ] ○ **1** a"
    theirs = "- [x] ● **1** a"
    torn = file.read_text().replace(ours, f"<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> other")
    file.write_text(torn)
    for command in (("show",), ("doctor",), ("accept", "--yes")):
        told = outlast(workspace, *command)
        assert "task_plan.md, line 11: merge conflict markers" in told.stdout + told.stderr
    assert "○ 1 a" in outlast(workspace).stdout
    assert file.read_text() == torn


def test_a11_no_copy_is_written_when_no_edit_was_held_back(workspace: Path) -> None:
    before = {path.name for path in (workspace / ".outlast/plans/ship").iterdir()}
    answer = stdout_of(workspace, "accept", "--yes")
    assert answer.startswith("No edit was held back; nothing was changed or copied\n")
    accepted = json_of(workspace, "accept", "--yes")
    assert (accepted["kept"], accepted["changes"]) == (None, 0)
    assert {path.name for path in (workspace / ".outlast/plans/ship").iterdir()} == before


def test_u7_pause_says_that_a_run_stops_after_its_current_call(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), "Ship", "ship", actor="agent") as plan:
        plan.add("a")
        with plan.core.claim_plan():
            shown = stdout_of(tmp_path, "pause")
            assert shown == (
                "Plan ship is paused (0/1); agent stops after its current call, then continue "
                "with: outlast resume\n"
            )
            plan.resume()
            assert json_of(tmp_path, "pause")["worker"] == "agent"
        plan.resume()
    assert json_of(tmp_path, "pause")["worker"] is None


def test_u9_a_key_that_begins_like_an_option_is_given_after_two_dashes(tmp_path: Path) -> None:
    stdout_of(tmp_path, "new", "Chat", "--key", "-100")
    stdout_of(tmp_path, "new", "Other")
    for command in ("use", "drop"):
        refused = outlast(tmp_path, command, "-100")
        assert (refused.returncode, refused.stderr) == (
            2,
            f"outlast: unknown option -1; for a key that begins with -: outlast {command} -- KEY\n",
        )
        assert "plan -100" in stdout_of(tmp_path, command, "--", "-100").replace("Plan", "plan")
    assert "usage: outlast use KEY" in outlast(tmp_path, "use", "--nothing").stderr
