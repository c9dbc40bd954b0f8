"""`check`, `done` and `show` on tasks with checks, through real processes."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.model.model import Check
from tests.cli.processes import json_of, outlast, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    stdout_of(
        tmp_path, "add", "Build", "--check", "file: out.txt ~ ^ok$", "--check", "test -s out.txt"
    )
    return tmp_path


def test_x2_done_is_refused_with_what_the_checks_showed(workspace: Path) -> None:
    stdout_of(workspace, "edit", "1", "--check", "echo the last words; exit 3")
    done = outlast(workspace, "done", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "outlast: Task 1 is not done: echo the last words; exit 3: exited with code 3\n"
        "        the last words\n"
        "Fix it, then: outlast done 1 (to override: outlast help done)\n"
    )
    error = json_of(workspace, "done", "1", code=1)["error"]
    assert (error["code"], error["details"]["failed"][0]["tail"]) == (
        "CHECK_FAILED",
        "the last words\n",
    )


def test_x2_the_label_is_shown_beside_the_task(workspace: Path) -> None:
    stdout_of(workspace, "start")
    (workspace / "out.txt").write_text("ok\n")
    assert stdout_of(workspace, "done").startswith("Done: 1 Build, proved (1/1)\n")
    assert "  ● 1 Build  ✔ proved\n" in stdout_of(workspace, "show")
    assert "  ● 1 Build  ✔ 已证明\n" in stdout_of(workspace, "show", "--lang", "zh")
    shown = json_of(workspace, "show")["tasks"][0]
    assert (shown["how"], shown["proof"]) == ("proved", "proved")
    (workspace / "out.txt").write_text("ok and more\n")
    assert "  ● 1 Build  stale\n" in stdout_of(workspace, "show")
    checked = json_of(workspace, "check", code=1)["checks"]
    assert [one["proof"] for one in checked] == ["fails now"]
    assert [one["ok"] for one in checked[0]["evidence"]] == [False, True]


def test_x2_a_check_that_was_green_before_is_labelled(workspace: Path) -> None:
    (workspace / "out.txt").write_text("ok\n")
    stdout_of(workspace, "start")
    assert json_of(workspace, "done")["proof"] == "proved (was green)"
    assert "  ● 1 Build  proved (was green)\n" in stdout_of(workspace, "show")


def test_x2_the_exit_code_says_whether_all_checks_pass(workspace: Path) -> None:
    stdout_of(workspace, "add", "Read it", "--check", "person: Ada has read it")
    red = outlast(workspace, "check")
    assert (red.returncode, red.stderr) == (1, "")
    assert red.stdout == (
        "✖ 1 Build  fails now\n"
        "    ✖ file: out.txt ~ ^ok$  file not found\n"
        "    ✖ test -s out.txt  exited with code 1\n"
        "✖ 2 Read it  fails now\n"
        "    ✖ person: Ada has read it  needs a person to confirm it\n"
        "    A person confirms it with: outlast check 2 --confirm\n"
    )
    (workspace / "out.txt").write_text("ok\n")
    assert stdout_of(workspace, "check", "1").splitlines()[0] == "✔ 1 Build  passes now"
    assert "✔ person: Ada has read it  confirmed" in stdout_of(workspace, "check", "2", "--confirm")
    assert outlast(workspace, "check", "--all").returncode == 0


def test_a10_commands_of_an_agent_are_shown_in_full_and_run_after_approval(workspace: Path) -> None:
    long = "touch ran; " + "true; " * 100 + "true\x1b[2K"
    with open_plan(str(workspace), actor="bot") as plan:
        plan.add("Sly", checks=[Check("command", long)])
    whole = long.replace("\x1b", "\\x1b")
    refused = outlast(workspace, "check", "2")
    assert refused.returncode == 1
    assert whole in refused.stdout
    assert not (workspace / "ran").exists()
    assert json_of(workspace, "done", "2", code=1)["error"]["code"] == "CHECK_NOT_APPROVED"
    by_agent = outlast(workspace, "check", "2", "--approve", "--as", "bot")
    assert (by_agent.returncode, (workspace / "ran").exists()) == (1, False)
    allowed = json_of(workspace, "check", "2", "--approve", code=1)
    assert [one["task"] for one in allowed["approved"]] == [2]
    assert allowed["approved"][0]["checks"] == [{"kind": "command", "rule": long}]
    assert (workspace / "ran").exists()


def test_x2_a_person_completes_without_proof_and_it_is_reported(workspace: Path) -> None:
    refused = outlast(workspace, "done", "1", "--force", "--as", "bot")
    assert refused.returncode == 1
    forced = stdout_of(workspace, "done", "1", "--force", "-m", "trust me", "--lang", "zh")
    assert forced.startswith("已完成：1 Build，未证明（1/")
    assert "  ● 1 Build  unproved  → trust me\n" in stdout_of(workspace, "show")


def test_a11_force_is_in_no_usage_line(workspace: Path) -> None:
    assert "--force" not in stdout_of(workspace, "help")
    assert "--force" not in outlast(workspace, "done", "1", "2").stderr
    assert "--force" in stdout_of(workspace, "help", "done")


def test_a_wrong_check_command_is_refused(workspace: Path) -> None:
    for arguments, code, words in (
        (["check", "1", "--all"], 2, "N, --all: only one of these"),
        (["check", "--confirm"], 2, "N is missing"),
        (["check", "9"], 1, "Task with ID 9 not found"),
        (["check", "1", "--confirm"], 2, "Task 1 has no matching check that a person confirms"),
    ):
        done = outlast(workspace, *arguments)
        assert (done.returncode, done.stdout) == (code, ""), arguments
        assert words in done.stderr
    stdout_of(workspace, "add", "Free")
    assert stdout_of(workspace, "check", "2") == "None of these tasks has checks.\n"
    assert json_of(workspace, "check", "2")["checks"] == []


def test_x2_start_reports_checks_that_pass_already(workspace: Path) -> None:
    (workspace / "out.txt").write_text("ok\n")
    assert stdout_of(workspace, "start") == (
        "Started 1 Build; when it is done, run: outlast done\n"
        "Warning: its checks already pass, so they will prove little\n"
    )
    stdout_of(workspace, "add", "Read it", "--check", "file: read.txt")
    stdout_of(workspace, "add", "Fix it", "--check", "file: out.txt")
    assert not json_of(workspace, "start", "2", "--as", "ada")["green_before"]
    assert json_of(workspace, "start", "3", "--as", "bob")["green_before"]


def test_x2_a_moved_project_gets_advice_and_no_accusation(workspace: Path) -> None:
    (workspace / "out.txt").write_text("ok\n")
    stdout_of(workspace, "done", "1")
    moved = workspace.rename(workspace.parent / "moved")
    shown = outlast(moved, "show")
    assert "  ● 1 Build  not proved here\n" in shown.stdout
    assert "moved or copied?" in shown.stderr
    assert "`outlast check 1` runs the checks again" in shown.stderr
    assert json_of(moved, "show")["tasks"][0]["proof"] == "forged"
    assert outlast(moved, "check", "1").returncode == 1
    assert "✔ 1 Build  proved, not seen red\n" in stdout_of(moved, "check", "1", "--approve")
    assert outlast(moved, "show").stderr == ""


def test_x2_done_without_a_start_is_labelled_not_seen_red(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    stdout_of(tmp_path, "add", "Build", "--check", "true")
    stdout_of(tmp_path, "done", "1")
    assert "  ● 1 Build  proved, not seen red\n" in stdout_of(tmp_path, "show")
    assert "已证明，但未见检查失败过" in stdout_of(tmp_path, "show", "--lang", "zh")
    assert json_of(tmp_path, "show")["tasks"][0]["proof"] == "proved (not seen red)"


def test_x2_touched_files_are_reported_before_completion(workspace: Path) -> None:
    stdout_of(workspace, "add", "Guard it", "--check", "true", "--protect", "t/**")
    stdout_of(workspace, "start", "2")
    (workspace / "t").mkdir()
    (workspace / "t/new.sh").write_text("exit 0")
    shown = stdout_of(workspace, "show")
    assert "  ◐ 2 Guard it  tampered\n" in shown
    assert "outlast check 2 --approve" in shown
    assert "outlast check 2 --approve" in outlast(workspace, "doctor").stdout
    red = outlast(workspace, "check", "2")
    assert red.returncode == 1
    assert "✖ 2 Guard it  tampered\n" in red.stdout
    assert "outlast check 2 --approve" in red.stdout
    pardon = "Accepted as it is now, although protect changed: 2 Guard it; the log records this\n"
    assert stdout_of(workspace, "check", "2", "--approve").startswith(pardon)
    assert "pardoned" in stdout_of(workspace, "log")
    (workspace / "t/new.sh").write_text("exit 1")
    checked = json_of(workspace, "check", "2", "--approve")
    assert checked["pardoned"] == [{"task": 2, "what": "protect"}]
    assert json_of(workspace, "check", "2")["pardoned"] == []


def test_x2_a_changed_check_is_one_line_with_one_command(workspace: Path) -> None:
    stdout_of(workspace, "start", "1")
    view = workspace / ".outlast/plans/ship/task_plan.md"
    view.write_text(view.read_text().replace("test -s out.txt", "test -e out.txt"))
    shown = outlast(workspace, "show").stdout
    assert "task 1: tampered: " in shown
    assert shown.count("outlast check 1") == 1


def test_x2_a_forced_completion_is_reported_and_stays_visible(workspace: Path) -> None:
    assert outlast(workspace, "done", "1").returncode == 1
    forced = stdout_of(workspace, "done", "1", "--force")
    assert "Recorded as unproved" in forced.splitlines()[1]
    assert "  ● 1 Build  unproved\n" in stdout_of(workspace, "show")
    assert outlast(workspace, "check", "1").returncode == 1
    assert "  ● 1 Build  unproved, fails now\n" in stdout_of(workspace, "show")
