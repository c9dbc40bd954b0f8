"""`reset`, `accept`, `archive` and `restore`."""

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
    name = json_of(workspace, "archive")["name"]
    put = workspace / ".outlast" / "archive" / name
    assert put.is_dir()
    assert json_of(workspace, "list") == {"ok": True, "plans": [], "archived": []}
    [away] = json_of(workspace, "list", "--archived")["archived"]
    assert (away["key"], away["name"], away["path"]) == ("ship", name, str(put))
    assert away["done"] == 2
    assert f"{name}  completed, archived" in stdout_of(workspace, "list", "--archived")
    assert f"{name}  已完成，已归档" in stdout_of(workspace, "list", "--archived", "--lang", "zh")
    assert outlast(workspace, "archive", "ship").returncode == 3


@pytest.fixture
def archived(workspace: Path) -> str:
    """Archive a plan of the workspace; return its name there."""
    stdout_of(workspace, "done", "1", "-m", "sold")
    stdout_of(workspace, "done", "2")
    return str(json_of(workspace, "archive")["name"])


def test_u4_an_archived_plan_is_shown_like_any_other(workspace: Path, archived: str) -> None:
    named = ("--archived", "ship")
    shown = "Ship it  2/2 completed  [ship]\n  ● 1 a  → sold\n  ● 2 b\n"
    assert stdout_of(workspace, "show", *named) == shown
    assert stdout_of(workspace, "show", "--archived", archived[:10]) == shown
    assert json_of(workspace, "show", *named)["plan"]["goal"] == "Ship it"
    assert "○ 1 a" in stdout_of(workspace, "show", "--at", "3", *named)
    assert "completed 2 b" in stdout_of(workspace, "log", "-n", "1", *named)
    assert stdout_of(workspace, "export", *named).startswith("# Ship it\n")
    assert "1 a" in stdout_of(workspace, "graph", *named)
    assert "Ship it" in stdout_of(workspace, "context", *named)
    plain = outlast(workspace, "show")
    assert (plain.returncode, plain.stdout) == (3, "")


def test_u4_an_archived_plan_is_shown_without_advice_on_the_plan_in_its_place(
    tmp_path: Path,
) -> None:
    stdout_of(tmp_path, "new", "Ship it", "--key", "ship")
    stdout_of(tmp_path, "add", "a", "--check", "test -e done.txt", "--files", "done.txt")
    (tmp_path / "done.txt").write_text("yes")
    stdout_of(tmp_path, "done", "1")
    (tmp_path / "done.txt").write_text("changed")
    assert "check again: outlast check 1" in stdout_of(tmp_path, "show")
    stdout_of(tmp_path, "archive")
    shown = stdout_of(tmp_path, "show", "--archived", "ship")
    assert ("● 1 a" in shown, "outlast check" in shown) == (True, False)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_u4_the_command_that_archive_prints_restores_the_plan(workspace: Path, lang: str) -> None:
    stdout_of(workspace, "done", "1")
    stdout_of(workspace, "done", "2")
    printed = stdout_of(workspace, "archive", "--lang", lang)
    command = printed.strip().partition("outlast ")[2].split()
    assert command[0] == "restore"
    printed = stdout_of(workspace, *command)
    command = printed.strip().partition("outlast ")[2].split()
    assert command[:3] == ["show", "--plan", "ship"]
    assert "2/2" in stdout_of(workspace, *command)
    assert json_of(workspace, "list", "--archived")["archived"] == []


def test_u4_a_plan_in_use_keeps_its_key_and_an_ended_one_makes_room(
    workspace: Path, archived: str
) -> None:
    create_plan(str(workspace), "Another", "ship").close()
    for lang, reason in (
        ("en", "outlast: Another plan has the key ship and is idle; finish its tasks first, or "),
        ("zh", "outlast: 另一个计划正在使用标识 ship，状态为未开始；请先完成其任务，或"),
    ):
        refused = outlast(workspace, "restore", archived, "--lang", lang)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith(reason)
        assert refused.stderr.endswith("outlast skip\n")
    stdout_of(workspace, "add", "c")
    stdout_of(workspace, "done", "1")
    restored = json_of(workspace, "restore", "ship", "--plan", "x")
    assert stdout_of(workspace, "show").startswith("Ship it  2/2 completed")
    [other] = json_of(workspace, "list", "--archived")["archived"]
    assert other["title"] == "Another"
    assert restored == {"ok": True, "key": "ship", "archived": other["name"]}
    first, second = stdout_of(workspace, "restore", "shi").splitlines()
    [ship] = json_of(workspace, "list", "--archived")["archived"]
    assert first.startswith(f"The plan that had the key is archived as {ship['name']}")
    assert first.endswith(f"outlast restore {ship['name']}")
    assert second.startswith("Plan ship is restored")


def test_u4_an_archived_plan_is_found_by_a_beginning_of_its_key_as_shown(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), "Report", "报告-2020") as plan:
        plan.add("a")
        plan.complete(1)
    stdout_of(tmp_path, "archive", "报告-2020")
    assert json_of(tmp_path, "restore", "报告") == {
        "ok": True,
        "key": "报告-2020",
        "archived": None,
    }


@pytest.mark.parametrize("others", [False, True], ids=["alone", "beside others"])
def test_u4_the_key_of_an_archived_plan_is_answered_with_what_to_type(
    workspace: Path, archived: str, *, others: bool
) -> None:
    if others:
        create_plan(str(workspace), "Another", "other").close()
    for lang, words in (
        ("en", "A plan with that key is archived: "),
        ("zh", "该标识有已归档的计划："),
    ):
        refused = outlast(workspace, "show", "--plan", "ship", "--lang", lang)
        assert (refused.returncode, refused.stdout) == (3, "")
        [hint] = [line for line in refused.stderr.splitlines() if words in line]
        assert hint.startswith(f"{words}outlast show --archived {archived}")
    first, second = hint.removeprefix(words).split("，")
    for command in (first, second):
        stdout_of(workspace, *command.split()[1:])
    refused = outlast(workspace, "show", "--plan", "nothing")
    assert "is archived" not in refused.stderr


def test_u4_a_name_that_is_wrong_or_not_unique_is_answered_with_the_names(
    workspace: Path, archived: str
) -> None:
    for lang, start, hint in (
        ("en", "outlast: No archived plan is called nope; archived plans: ", "shows them all."),
        ("zh", "outlast: 没有名为 nope 的已归档计划；已归档：", "可列出全部。"),
    ):
        refused = outlast(workspace, "restore", "nope", "--lang", lang)
        assert (refused.returncode, refused.stdout) == (3, "")
        assert refused.stderr.startswith(f"{start}{archived}\n")
        assert refused.stderr.endswith(f"outlast list --archived {hint}\n")
    with create_plan(str(workspace), "Again", "ship") as plan:
        plan.abort()
    stdout_of(workspace, "archive", "ship")
    refused = outlast(workspace, "show", "--archived", "ship")
    assert refused.stderr.startswith(
        f"outlast: 2 archived plans are called ship; choose one of: {archived}, ship-"
    )


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
