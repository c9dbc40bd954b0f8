"""`check`, `done` and `show` on tasks that have to be proved, through real processes."""

from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.domain.model import Check
from tests.interfaces.processes import data, outlast, said


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    said(tmp_path, "add", "Build", "--check", "file: out.txt ~ ^ok$", "--check", "test -s out.txt")
    return tmp_path


def test_x2_done_is_refused_with_what_the_checks_showed(workspace: Path) -> None:
    said(workspace, "edit", "1", "--check", "echo the last words; exit 3")
    done = outlast(workspace, "done", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "outlast: Task 1 is not done: echo the last words; exit 3: ended with code 3\n"
        "        the last words\n"
        "Put it right, then: outlast done 1; what else a person can do: outlast help done\n"
    )
    error = data(workspace, "done", "1", code=1)["error"]
    assert (error["code"], error["details"]["failed"][0]["tail"]) == (
        "CHECK_FAILED",
        "the last words\n",
    )


def test_x2_what_is_proved_is_shown_beside_the_task(workspace: Path) -> None:
    said(workspace, "start")
    (workspace / "out.txt").write_text("ok\n")
    assert said(workspace, "done").startswith("Done: 1 Build, proved (1/1)\n")
    assert "  ● 1 Build  ✔ proved\n" in said(workspace, "show")
    assert "  ● 1 Build  ✔ 已证明\n" in said(workspace, "show", "--lang", "zh")
    shown = data(workspace, "show")["tasks"][0]
    assert (shown["how"], shown["proof"]) == ("proved", "proved")
    (workspace / "out.txt").write_text("ok and more\n")
    assert "  ● 1 Build  stale\n" in said(workspace, "show")
    checked = data(workspace, "check", code=1)["checks"]
    assert [one["proof"] for one in checked] == ["fails now"]
    assert [one["ok"] for one in checked[0]["evidence"]] == [False, True]


def test_x2_a_check_that_was_green_before_is_told(workspace: Path) -> None:
    (workspace / "out.txt").write_text("ok\n")
    said(workspace, "start")
    assert data(workspace, "done")["proof"] == "proved (was green)"
    assert "  ● 1 Build  proved (was green)\n" in said(workspace, "show")


def test_x2_the_exit_code_says_whether_all_checks_pass(workspace: Path) -> None:
    said(workspace, "add", "Read it", "--check", "person: Ada has read it")
    red = outlast(workspace, "check")
    assert (red.returncode, red.stderr) == (1, "")
    assert red.stdout == (
        "✖ 1 Build  fails now\n"
        "    ✖ file: out.txt ~ ^ok$  there is no such file\n"
        "    ✖ test -s out.txt  ended with code 1\n"
        "✖ 2 Read it  fails now\n"
        "    ✖ person: Ada has read it  a person has to confirm it\n"
        "    A person gives their word with: outlast check 2 --confirm\n"
    )
    (workspace / "out.txt").write_text("ok\n")
    assert said(workspace, "check", "1").splitlines()[0] == "✔ 1 Build  passes now"
    assert "✔ person: Ada has read it  confirmed" in said(workspace, "check", "2", "--confirm")
    assert outlast(workspace, "check", "--all").returncode == 0


def test_a10_commands_of_an_agent_are_shown_whole_and_run_once_a_person_allows(
    workspace: Path,
) -> None:
    long = "touch ran; " + "true; " * 100 + "true\x1b[2K"
    with open_plan(str(workspace), actor="bot") as plan:
        plan.add("Sly", checks=[Check("command", long)])
    whole = long.replace("\x1b", "\\x1b")
    refused = outlast(workspace, "check", "2")
    assert refused.returncode == 1
    assert whole in refused.stdout
    assert not (workspace / "ran").exists()
    assert data(workspace, "done", "2", code=1)["error"]["code"] == "CHECK_NOT_APPROVED"
    by_agent = outlast(workspace, "check", "2", "--approve", "--as", "bot")
    assert (by_agent.returncode, (workspace / "ran").exists()) == (2, False)
    allowed = data(workspace, "check", "2", "--approve", code=1)
    assert [one["task"] for one in allowed["approved"]] == [2]
    assert allowed["approved"][0]["checks"] == [{"kind": "command", "rule": long}]
    assert (workspace / "ran").exists()


def test_x2_a_person_takes_a_task_for_done_and_it_is_said(workspace: Path) -> None:
    refused = outlast(workspace, "done", "1", "--force", "--as", "bot")
    assert refused.returncode == 2
    forced = said(workspace, "done", "1", "--force", "-m", "trust me", "--lang", "zh")
    assert forced.startswith("已完成：1 Build，未证明（1/")
    assert "  ● 1 Build  unproved  → trust me\n" in said(workspace, "show")


def test_a11_what_takes_a_task_for_done_stands_in_no_usage_line(workspace: Path) -> None:
    assert "--force" not in said(workspace, "help")
    assert "--force" not in outlast(workspace, "done", "1", "2").stderr
    assert "--force" in said(workspace, "help", "done")


def test_what_is_no_check_to_run_is_said(workspace: Path) -> None:
    for arguments, code, words in (
        (["check", "1", "--all"], 2, "N, --all: only one of these"),
        (["check", "--confirm"], 2, "N is missing"),
        (["check", "9"], 1, "Task with ID 9 not found"),
        (["check", "1", "--confirm"], 2, "task 1 has no check for a person"),
    ):
        done = outlast(workspace, *arguments)
        assert (done.returncode, done.stdout) == (code, ""), arguments
        assert words in done.stderr
    said(workspace, "add", "Free")
    assert said(workspace, "check", "2") == "No task that is meant has checks.\n"
    assert data(workspace, "check", "2")["checks"] == []


def test_x2_start_tells_what_passes_already(workspace: Path) -> None:
    (workspace / "out.txt").write_text("ok\n")
    assert said(workspace, "start") == (
        "Started 1 Build; when it is done: outlast done\n"
        "Its checks pass already: that they pass at the end will show little\n"
    )
    said(workspace, "add", "Read it", "--check", "file: read.txt")
    said(workspace, "add", "Mend it", "--check", "file: out.txt")
    assert not data(workspace, "start", "2", "--as", "ada")["green_before"]
    assert data(workspace, "start", "3", "--as", "bob")["green_before"]


def test_x2_a_moved_project_is_told_what_to_do_and_not_accused(workspace: Path) -> None:
    (workspace / "out.txt").write_text("ok\n")
    said(workspace, "done", "1")
    moved = workspace.rename(workspace.parent / "moved")
    shown = outlast(moved, "show")
    assert "  ● 1 Build  not proved here\n" in shown.stdout
    assert "moved or copied?" in shown.stderr
    assert "outlast check N" in shown.stderr
    assert data(moved, "show")["tasks"][0]["proof"] == "forged"
    assert outlast(moved, "check", "1").returncode == 1
    assert "✔ 1 Build  proved, not seen red\n" in said(moved, "check", "1", "--approve")
    assert outlast(moved, "show").stderr == ""


def test_x2_done_without_a_start_is_told_from_what_was_seen_red(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").close()
    said(tmp_path, "add", "Build", "--check", "true")
    said(tmp_path, "done", "1")
    assert "  ● 1 Build  proved, not seen red\n" in said(tmp_path, "show")
    assert "已证明，但未见其失败过" in said(tmp_path, "show", "--lang", "zh")
    assert data(tmp_path, "show")["tasks"][0]["proof"] == "proved (not seen red)"


def test_x2_what_was_touched_is_told_before_it_is_done(workspace: Path) -> None:
    said(workspace, "add", "Guard it", "--check", "true", "--protect", "t/**")
    said(workspace, "start", "2")
    (workspace / "t").mkdir()
    (workspace / "t/new.sh").write_text("exit 0")
    shown = said(workspace, "show")
    assert "  ◐ 2 Guard it  tampered\n" in shown
    assert "outlast check 2 --approve" in shown
    assert "outlast check 2 --approve" in outlast(workspace, "doctor").stdout
    red = outlast(workspace, "check", "2")
    assert red.returncode == 1
    assert "✖ 2 Guard it  tampered\n" in red.stdout
    assert "outlast check 2 --approve" in red.stdout
    pardon = "Taken as it is now, though changed (protect): 2 Guard it; the log keeps that\n"
    assert said(workspace, "check", "2", "--approve").startswith(pardon)
    assert "pardoned" in said(workspace, "log")
    (workspace / "t/new.sh").write_text("exit 1")
    checked = data(workspace, "check", "2", "--approve")
    assert checked["pardoned"] == [{"task": 2, "what": "protect"}]
    assert data(workspace, "check", "2")["pardoned"] == []


def test_x2_a_forced_completion_is_told_and_stays_visible(workspace: Path) -> None:
    assert outlast(workspace, "done", "1").returncode == 1
    forced = said(workspace, "done", "1", "--force")
    assert "recorded as unproved" in forced.splitlines()[1]
    assert "  ● 1 Build  unproved\n" in said(workspace, "show")
    assert outlast(workspace, "check", "1").returncode == 1
    assert "  ● 1 Build  unproved, fails now\n" in said(workspace, "show")
