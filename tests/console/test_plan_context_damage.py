"""F6: a plan with a damaged journal never looks intact."""

from pathlib import Path

import pytest

from outlast import create_plan
from tests.cli.processes import json_of, outlast, stdout_of


def damage(cwd: Path, key: str, line: int) -> None:
    """Spoil one line of a journal, counted from the header on."""
    journal = cwd / ".outlast" / "plans" / key / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[line] = b"x" + lines[line][1:]
    journal.write_bytes(b"".join(lines))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a place with a plan of which only the first task can be read."""
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        for name in ("a", "b", "c"):
            plan.add(name)
    damage(tmp_path, "ship", 3)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ([], "○ 1 a\n"),
        (["show"], "○ 1 a\n"),
        (["next"], "Next: 1 a; start it with: outlast start\n"),
        (["log"], "added 1 a\n"),
    ],
)
def test_f6_the_readable_part_is_shown_with_a_notice_and_exit_code_4(
    workspace: Path, arguments: list[str], printed: str
) -> None:
    done = outlast(workspace, *arguments)
    assert done.returncode == 4
    assert printed in done.stdout
    assert done.stderr.startswith("outlast: ")
    assert done.stderr.count("is damaged at byte") == done.stderr.count("\n") == 1
    answer = json_of(workspace, *arguments, "--lang=zh", code=4)
    assert "error" not in answer
    (notice,) = answer["notices"]
    assert notice["code"] == "journal_damaged"
    assert "is damaged at byte" in notice["message"]


def test_f6_a_plan_that_seems_empty_says_why(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), "Other", "other") as plan:
        plan.add("a")
        plan.add("b")
        plan.complete(1)
    damage(tmp_path, "other", 2)
    answer = json_of(tmp_path, "next", "--plan", "other", code=4)
    assert (answer["reason"], answer["ready"]) == ("empty", [])
    assert [notice["code"] for notice in answer["notices"]] == ["journal_damaged"]
    for arguments in (["next"], ["next", "--all"]):
        shown = outlast(tmp_path, *arguments)
        assert shown.returncode == 4
        assert shown.stdout == (
            "No task can start in the readable part of the plan; "
            "repair it first: outlast doctor --repair\n"
        )


@pytest.mark.parametrize(
    "arguments",
    [["done", "1"], ["done", "3"], ["done"], ["add", "d"], ["rm", "2"], ["resume"], ["undo"]],
)
def test_f6_changes_are_refused_because_of_the_damage(
    workspace: Path, arguments: list[str]
) -> None:
    done = outlast(workspace, *arguments)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.count("is damaged at byte") == done.stderr.count("\n") == 1
    answer = json_of(workspace, *arguments, code=4)
    assert answer["error"]["code"] == "DAMAGED_JOURNAL"
    assert set(answer["error"]["details"]) == {"path", "offset"}
    assert [notice["code"] for notice in answer["notices"]] == ["journal_damaged"]


def test_f6_list_shows_the_problem_and_what_can_be_read(workspace: Path) -> None:
    (plan,) = json_of(workspace, "list")["plans"]
    assert (plan["title"], plan["status"], plan["total"]) == ("Ship it", "idle", 1)
    assert "is damaged at byte" in plan["problem"]
    listed = stdout_of(workspace, "list")
    assert listed.startswith("▸ ship  Ship it\n  ! ")
    assert listed.count("is damaged at byte") == 1


def test_f6_a_damaged_plan_may_be_the_open_one(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.complete(1)
        plan.add("b")
        plan.add("c")
    damage(tmp_path, "ship", 4)
    assert json_of(tmp_path, "next", code=4)["plan"]["status"] == "completed"
    create_plan(str(tmp_path), "Other", "other")
    assert json_of(tmp_path, "next")["plan"]["key"] == "other", "it was changed last"
    assert json_of(tmp_path, "next", "--plan", "ship", code=4)["plan"]["key"] == "ship"


def test_f6_a_repaired_plan_is_in_order(workspace: Path) -> None:
    assert outlast(workspace, "doctor").returncode == 4
    assert outlast(workspace, "doctor", "--repair").stderr == ""
    assert "notices" not in json_of(workspace, "next")
    assert json_of(workspace, "list")["plans"][0]["problem"] == ""


def test_x8_doctor_json_is_english(workspace: Path) -> None:
    found = json_of(workspace, "doctor", "--repair", "--lang", "zh")["findings"]
    assert all(one["says"].isascii() for one in found)
    assert any("the new journal has" in one["says"] for one in found)


def test_f6_repairs_are_reported_in_json(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    journal = tmp_path / ".outlast" / "plans" / "ship" / "journal.jsonl"
    for arguments, code in ((["next"], 0), (["done", "9"], 1), (["list"], 0)):
        with journal.open("ab") as file:
            file.write(b'{"revision":4')
        (notice,) = json_of(tmp_path, *arguments, "--lang=zh", code=code)["notices"]
        assert notice["code"] == "tail_cut"
        assert notice["message"].startswith("An incomplete last line of 13 bytes")
    assert "notices" not in json_of(tmp_path, "next")
