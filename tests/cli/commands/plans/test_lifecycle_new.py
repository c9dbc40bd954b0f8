"""U9: what `new` calls a plan, and command lines that must not create or add by mistake."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.processes import json_of, outlast, stdout_of

DOWNTIME = "Move the billing of all customers from the old payment provider to the new one"


def directories(root: Path) -> list[str]:
    return sorted(path.name for path in (root / ".outlast" / "plans").iterdir())


def test_u9_keys_are_readable_and_typed_as_they_are(tmp_path: Path) -> None:
    assert stdout_of(tmp_path, "new", "Ship the thing").startswith("Created plan ship-the-thing:")
    assert json_of(tmp_path, "new", "Ship the thing")["plan"]["key"] == "ship-the-thing-2"
    assert json_of(tmp_path, "new", "发布新版本")["plan"]["key"] == "发布新版本"
    assert json_of(tmp_path, "new", "!!!")["plan"]["key"] == "plan"
    stdout_of(tmp_path, "new", "Users", "--key", "UserService")
    assert directories(tmp_path) == [
        "UserService~c11",
        "plan",
        "ship-the-thing",
        "ship-the-thing-2",
        "发布新版本",
    ]
    assert json_of(tmp_path, "show", "--plan", "发布新版本")["plan"]["goal"] == "发布新版本"
    assert json_of(tmp_path, "show", "--plan", "UserService")["plan"]["goal"] == "Users"


def test_u9_processes_that_create_at_once_get_different_keys(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = [*threads.map(lambda _: json_of(tmp_path, "new", "Ship it"), range(4))]
    keys = sorted(answer["plan"]["key"] for answer in answers)
    assert keys == directories(tmp_path) == ["ship-it", "ship-it-2", "ship-it-3", "ship-it-4"]


def test_u9_a_long_title_has_a_mark_and_stays_as_it_is(tmp_path: Path) -> None:
    goal, title = f"{DOWNTIME} without downtime", f"{DOWNTIME}…"
    created = json_of(tmp_path, "new", goal, "--key", "bill")["plan"]
    assert (created["goal"], created["title"]) == (goal, title)
    file = tmp_path / ".outlast" / "plans" / "bill" / "task_plan.md"
    assert file.read_text().startswith(f"# {title}\n")
    file.write_text(file.read_text().replace("\n---\n", "\n- [ ] a\n\n---\n", 1))
    shown = json_of(tmp_path, "show")["plan"]
    assert (shown["goal"], shown["title"], shown["total"]) == (goal, title, 1)
    assert title in stdout_of(tmp_path, "list")
    stdout_of(tmp_path, "export", "copy.json")
    assert "title" not in json.loads((tmp_path / "copy.json").read_text()).get("outlast", {})
    assert json_of(tmp_path, "import", "copy.json", "--key", "copy")["plan"]["title"] == title


@pytest.mark.parametrize("arguments", [["init"], ["init", "claude-code"], ["help", "init"]])
def test_u9_init_creates_no_plan(arguments: list[str], tmp_path: Path) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    home.mkdir()
    outlast(here, *arguments, HOME=str(home), CLAUDE_CONFIG_DIR=str(home / "claude"))
    assert [*here.iterdir(), *home.iterdir()] == []


def test_u9_needs_may_be_written_with_spaces(tmp_path: Path) -> None:
    stdout_of(tmp_path, "new", "Ship it")
    stdout_of(tmp_path, "add", "a", "b", "c")
    [task] = json_of(tmp_path, "add", "D", "--needs", "1,", "2")["tasks"]
    assert (task["name"], task["needs"]) == ("D", [1, 2])
    [task] = json_of(tmp_path, "add", "--needs=1", ",", "2,", "3", "E")["tasks"]
    assert (task["name"], task["needs"]) == ("E", [1, 2, 3])
    edited = json_of(tmp_path, "edit", "4", "--needs", "1", ",3")["task"]
    assert edited["needs"] == [1, 3]
    refused = outlast(tmp_path, "add", "F", "--needs", "1", "#2")
    assert (refused.returncode, refused.stderr) == (
        2,
        "outlast: 2 is a number, not a task name; to need several tasks: --needs 1,2\n",
    )
    assert json_of(tmp_path, "show")["plan"]["total"] == 5
