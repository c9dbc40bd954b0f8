"""`abort`, `drop`, `archive` and `restore`."""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from outlast import create_plan
from tests.cli.agent_scripts import (
    GOAL,
    LETTERS,
    LOOK,
    TASKS,
    call,
    isolated_environment,
    isolated_home,
    model,
    turn,
)
from tests.cli.processes import json_of, outlast, stdout_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship", actor="human") as plan:
        plan.add("a")
        plan.add("b")
    return tmp_path


def test_r4_01_an_ended_plan_is_archived(workspace: Path) -> None:
    refused = outlast(workspace, "archive")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.endswith("To put it away as it is: outlast drop\n")
    stdout_of(workspace, "done", "1")
    stdout_of(workspace, "done", "2")
    name = json_of(workspace, "archive")["name"]
    put = workspace / ".outlast" / "archive" / name
    assert put.is_dir()
    assert json_of(workspace, "list") == {
        "ok": True,
        "plans": [],
        "archived": [],
        "archived_count": 1,
    }
    for arguments in ((), ("list",)):
        shown = stdout_of(workspace, *arguments)
        assert shown.endswith("\n1 archived plan: outlast list --archived\n")
    [away] = json_of(workspace, "list", "--archived")["archived"]
    assert (away["key"], away["name"], away["path"]) == ("ship", name, str(put))
    assert away["done"] == 2
    for lang, status in (("en", "completed, archived"), ("zh", "已完成，已归档")):
        head, row = stdout_of(workspace, "list", "--archived", "--lang", lang).splitlines()
        assert head == f"  {name}  Ship it"
        assert row.startswith(f"  ██████████ 2/2  {status} · ")
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
        ("en", "outlast: Another plan has the key ship and is idle; drop it first: "),
        ("zh", "outlast: 另一个计划正在使用标识 ship，状态为未开始；请先移走它："),
    ):
        refused = outlast(workspace, "restore", archived, "--lang", lang)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == f"{reason}outlast drop ship --lang {lang}\n"
    stdout_of(workspace, "add", "c")
    stdout_of(workspace, "done", "1")
    restored = json_of(workspace, "restore", "ship", "--plan", "x")
    assert stdout_of(workspace, "show").startswith("Ship it  2/2 completed")
    [other] = json_of(workspace, "list", "--archived")["archived"]
    assert other["title"] == "Another"
    assert (restored["key"], restored["archived"]) == ("ship", other["name"])
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
    restored = json_of(tmp_path, "restore", "报告")
    assert (restored["key"], restored["archived"]) == ("报告-2020", None)


@pytest.mark.parametrize("others", [False, True], ids=["alone", "beside others"])
def test_u4_the_key_of_an_archived_plan_is_answered_with_what_to_type(
    workspace: Path, archived: str, *, others: bool
) -> None:
    if others:
        create_plan(str(workspace), "Another", "other").close()
    refused = outlast(workspace, "show", "--plan", "nothing")
    assert "in the archive" not in refused.stderr
    for lang, words in (
        ("en", "outlast: Plan ship is in the archive; bring it back with: outlast "),
        ("zh", "outlast: 计划 ship 已归档；恢复：outlast "),
    ):
        for command in (("show", "--plan", "ship"), ("drop", "ship"), ("archive", "ship")):
            refused = outlast(workspace, *command, "--lang", lang)
            assert (refused.returncode, refused.stdout) == (3, "")
            assert refused.stderr == f"{words}restore {archived} --lang {lang}\n"
    stdout_of(workspace, *command_in(refused.stderr))
    assert stdout_of(workspace, "show").startswith("Ship it  2/2 completed")


def test_u4_names_to_choose_from_are_quoted_for_a_shell(workspace: Path) -> None:
    for _ in range(2):
        create_plan(str(workspace), "Again", "a b").close()
        stdout_of(workspace, "drop", "a b")
    names = json_of(workspace, "restore", "a b", code=3)["error"]["details"]["candidates"]
    listed = ", ".join(f"'{name}'" for name in names)
    for name in ("a b", "nope"):
        assert f": {listed}\n" in outlast(workspace, "restore", name).stderr


def test_u4_a_name_that_is_wrong_or_not_unique_is_answered_with_the_names(
    workspace: Path, archived: str
) -> None:
    for lang, start in (
        ("en", "outlast: No archived plan is called nope; archived plans: "),
        ("zh", "outlast: 没有名为 nope 的已归档计划；已归档："),
    ):
        refused = outlast(workspace, "restore", "nope", "--lang", lang)
        assert (refused.returncode, refused.stdout) == (3, "")
        assert refused.stderr == f"{start}{archived}\n"
    with create_plan(str(workspace), "Again", "ship") as plan:
        plan.abort()
    stdout_of(workspace, "archive", "ship")
    refused = outlast(workspace, "show", "--archived", "ship")
    assert refused.stderr.startswith(
        f"outlast: 2 archived plans are called ship; choose one of: {archived}, ship-"
    )
    assert stdout_of(workspace, *command_in(refused.stderr)).startswith("Again  0/0 aborted")
    refused = outlast(workspace, "restore", "ship", "--lang", "zh")
    assert refused.stderr.splitlines()[1].startswith("例如：outlast restore ship-20")
    assert json_of(workspace, *command_in(refused.stderr))["key"] == "ship"


def command_in(printed: str) -> list[str]:
    """Return the words after `outlast` of the command that ends a text."""
    return shlex.split(printed.strip().splitlines()[-1].rpartition("outlast ")[2])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_u4_a_plan_made_by_mistake_leaves_nothing_in_the_way(tmp_path: Path, lang: str) -> None:
    stdout_of(tmp_path, "new", "Ship it", "--key", "ship")
    key, name = json_of(tmp_path, "drop")["key"], "ship-20"
    assert (key, json_of(tmp_path, "list")["plans"]) == ("ship", [])
    start = stdout_of(tmp_path, "--lang", lang)
    assert 'outlast new "' in start
    stdout_of(tmp_path, "new", "Sell it", "--key", "sell")
    added = stdout_of(tmp_path, "add", "a")
    assert "--plan" not in added
    stdout_of(tmp_path, "new", "Ship it", "--key", "oops")
    dropped = stdout_of(tmp_path, "drop", "oo", "--lang", lang)
    command = command_in(dropped)
    assert command[:2] == ["restore", command[1]]
    assert command[1].startswith("oops-20")
    assert stdout_of(tmp_path).startswith("Sell it  0/1 idle  [sell]\n")
    stdout_of(tmp_path, *command)
    assert json_of(tmp_path, "restore", name)["key"] == "ship"
    assert {plan["key"] for plan in json_of(tmp_path, "list")["plans"]} == {"oops", "sell", "ship"}


def test_u4_a_dropped_plan_comes_back_as_it_was(workspace: Path) -> None:
    stdout_of(workspace, "start")
    before = stdout_of(workspace, "show")
    printed = stdout_of(workspace, "drop", "ship")
    assert re.fullmatch(
        r"Plan ship is dropped; bring it back with: outlast restore ship-\d{8}T[\d.]+Z\n", printed
    )
    refused = outlast(workspace, "done", "1", "--plan", "ship")
    assert (refused.returncode, "outlast restore ship-" in refused.stderr) == (3, True)
    assert "◐ 1 a" in stdout_of(workspace, "show", "--archived", "ship")
    restored = stdout_of(workspace, *command_in(printed))
    assert stdout_of(workspace, *command_in(restored)) == before
    assert stdout_of(workspace, "done").startswith("Done: 1 a (1/2)\n")
    for key in ("nope", ""):
        refused = outlast(workspace, "drop", key)
        assert (refused.returncode in (2, 3), refused.stderr.count("\n") <= 2) == (True, True)


def test_u4_an_aborted_plan_stays_visible_and_can_be_continued(workspace: Path) -> None:
    printed = stdout_of(workspace, "abort", "no", "time")
    assert printed == "Plan ship is aborted (0/2); to continue it after all: outlast undo\n"
    assert "because: no time" in stdout_of(workspace, "log")
    assert stdout_of(workspace, "show").startswith("Ship it  0/2 aborted  [ship]\n")
    [row] = json_of(workspace, "list")["plans"]
    assert (row["status"], row["is_aborted"], row["is_current"]) == ("failed", True, False)
    assert "0/2  aborted · 20" in stdout_of(workspace, "list")
    assert "0/2  已中止 · 20" in stdout_of(workspace, "list", "--lang", "zh")
    assert "ship" in stdout_of(workspace)
    refused = outlast(workspace, "abort", "--plan", "ship")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert stdout_of(workspace, *command_in(printed)).startswith("Undid r4: aborted the plan\n")
    assert stdout_of(workspace).startswith("Ship it  0/2 idle  [ship]\n")
    assert json_of(workspace, "abort")["plan"]["status"] == "failed"
    stdout_of(workspace, "undo")
    assert stdout_of(workspace, "abort", "--lang", "zh").startswith("计划 ship 已中止（0/2）；")


def test_u7_an_agent_may_not_give_up_a_persons_plan(workspace: Path) -> None:
    for command in ("drop", "abort"):
        for arguments, variables in (((), {"CLAUDECODE": "1"}), (("--as", "claude-code"), {})):
            refused = outlast(workspace, command, *arguments, **variables)
            assert (refused.returncode, refused.stdout) == (1, "")
            assert refused.stderr == (
                f"outlast: claude-code may {command} only a plan that nobody else has changed; "
                "human changed this one too: ask a person\n"
            )
        refused = outlast(workspace, command, "--stop", CLAUDECODE="1")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert f"outlast {command} --stop" in refused.stderr
    stdout_of(workspace, "new", "Its own", "--key", "own", CLAUDECODE="1")
    stdout_of(workspace, "abort", "--plan", "own", CLAUDECODE="1")
    stdout_of(workspace, "drop", "own", CLAUDECODE="1")
    assert [plan["key"] for plan in json_of(workspace, "list")["plans"]] == ["ship"]
    stdout_of(workspace, "new", "Of a run", "--key", "own", "--as", "agent")
    for variables in ({"CLAUDECODE": "1"}, {"OUTLAST_ACTOR": "claude-code"}):
        for command in ("drop", "abort"):
            refused = outlast(workspace, command, "--plan", "own", "--as", "agent", **variables)
            assert (refused.returncode, refused.stdout) == (1, "")
            assert "claude-code may " in refused.stderr
            assert "agent changed this one too" in refused.stderr


def test_u4_a_copied_or_renamed_plan_is_the_plan_of_its_directory(workspace: Path) -> None:
    plans = workspace / ".outlast" / "plans"
    copytree(plans / "ship", plans / "copy")
    assert stdout_of(workspace, "show", "--plan", "copy").startswith("Ship it  0/2 idle  [copy]\n")
    assert json_of(workspace, "show", "--plan", "copy")["plan"]["key"] == "copy"
    assert "[copy] Done: 1 a (1/2)\n" in stdout_of(workspace, "done", "1", "--plan", "copy")
    kept = json_of(workspace, "reset", "--yes", "--plan", "copy")["kept"]
    assert Path(kept).parent == plans / "copy"
    dropped = stdout_of(workspace, "drop", "--plan", "copy")
    assert dropped.startswith("Plan copy is dropped; bring it back with: outlast restore copy-2")
    assert [path.name for path in plans.iterdir()] == ["ship"]
    assert stdout_of(workspace, *command_in(dropped)).startswith("Plan copy is restored; ")
    rmtree(plans / "copy")
    (plans / "ship").rename(plans / "renamed")
    for number in ("1", "2"):
        stdout_of(workspace, "done", number)
    archived = stdout_of(workspace, "archive", "renamed")
    assert archived.startswith("Plan renamed is archived as renamed-2")
    assert stdout_of(workspace, *command_in(archived)).startswith("Plan renamed is restored; ")
    assert [path.name for path in plans.iterdir()] == ["renamed"]


def test_u4_a_run_on_a_copy_works_on_the_copy(tmp_path: Path) -> None:
    here = tmp_path / "project"
    here.mkdir()
    create_plan(str(here), "Something", "ship", actor="human").close()
    plans = here / ".outlast" / "plans"
    copytree(plans / "ship", plans / "copy")
    run = ("run", GOAL, "--plan", "copy", "--model", model(here, LETTERS), "--yes")
    printed = stdout_of(here, *run, **isolated_home(here))
    assert command_in(printed.splitlines()[-1])[-2:] == ["--plan", "copy"]
    [copy, ship] = sorted(json_of(here, "list")["plans"], key=lambda plan: str(plan["key"]))
    assert (copy["key"], copy["done"], ship["key"], ship["done"]) == ("copy", 2, "ship", 0)


def test_u2_dropping_a_plan_twice_drops_no_other(tmp_path: Path) -> None:
    for key in ("ship", "ship-2"):
        create_plan(str(tmp_path), "Ship", key, actor="human").close()
    dropped = stdout_of(tmp_path, "drop", "ship")
    name = command_in(dropped)[-1]
    for command in ("drop ship", "archive ship", "abort --plan ship", "add x --plan ship"):
        refused = outlast(tmp_path, *command.split())
        assert (refused.returncode, refused.stdout) == (3, "")
        assert refused.stderr == (
            f"outlast: Plan ship is in the archive; bring it back with: outlast restore {name}\n"
        )
    for variable, message in (
        ("ship", f"Plan ship is in the archive; bring it back with: outlast restore {name}"),
        ("shi", "There is no plan shi, which OUTLAST_PLAN names; name one with --plan KEY: ship-2"),
    ):
        for command in ("add x", "drop", "doctor --repair"):
            refused = outlast(tmp_path, *command.split(), OUTLAST_PLAN=variable)
            assert (refused.returncode, refused.stderr) == (3, f"outlast: {message}\n")
    assert stdout_of(tmp_path, "abort", "--plan", "shi").startswith("Plan ship-2 is aborted (0/0)")
    assert stdout_of(tmp_path, "drop", "shi").startswith("Plan ship-2 is dropped; ")
    assert outlast(tmp_path, "drop", "shi").returncode == 3


WAIT = "touch began; while ! test -e go; do sleep 0.02; done"


def begin(here: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *arguments],
        cwd=here,
        encoding="utf-8",
        env=isolated_environment(here),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture
def run_at_work(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a run whose tool has begun and goes on until the file `go` is there."""
    here = tmp_path / "project"
    here.mkdir()
    turns = [
        turn("- Current step: 1.", calls=(call("bash", command=WAIT),)),
        turn("- Progress: 0/0", say="Two steps.", calls=(TASKS,)),
        LOOK,
    ]
    process = begin(here, "run", GOAL, "--model", model(here, turns), "--yes")
    while not (here / "began").exists():
        assert process.poll() is None
        time.sleep(0.02)
    yield process
    (here / "go").touch()
    process.wait(timeout=60)


@pytest.mark.slow
def test_u4_a_plan_is_not_dropped_under_a_run_unless_a_person_insists(
    tmp_path: Path, run_at_work: subprocess.Popen[str]
) -> None:
    here = tmp_path / "project"
    [row] = json_of(here, "list")["plans"]
    assert (row["worker"], row["current"]["name"]) == ("agent", "first letter")
    for command in ("drop", "abort"):
        refused = outlast(here, command)
        assert (refused.returncode, refused.stdout) == (1, "")
        reason, hint = refused.stderr.splitlines()
        assert reason.startswith("outlast: Another run, agent (process ")
        assert hint == f"A person can stop it: outlast {command} --stop"
    error = json_of(here, "drop", code=1)["error"]
    assert (error["code"], error["details"]["holder"]) == ("TASK_CLAIMED", "agent")
    home = here / ".outlast"  # where an older plan of the same key is archived
    older = home / "archive" / "write-two-letters-20200101T000000.000000Z"
    copytree(home / "plans" / "write-two-letters", older)
    with begin(here, *command_in(outlast(here, "drop").stderr)) as drop:
        assert drop.stderr
        assert drop.stderr.readline() == (
            "Waiting until agent has stopped; it ends its current call first\n"
        )
        while json_of(here, "list")["plans"][0]["status"] != "paused":
            time.sleep(0.02)
        (here / "go").touch()
        printed, _ = run_at_work.communicate(timeout=60)
        dropped, _ = drop.communicate(timeout=60)
    assert (run_at_work.returncode, drop.returncode) == (1, 0)
    *_, reason, hint = printed.splitlines()
    assert reason == "A person asked to drop the plan; the run has stopped"
    assert hint.startswith("Bring it back with: outlast restore write-two-letters-2")
    assert dropped.startswith("Plan write-two-letters is dropped; ")
    assert command_in(hint) == command_in(dropped)
    stdout_of(here, *command_in(hint))
    assert "0/2 paused" in stdout_of(here)
    header, *lines = stdout_of(here, "log", "-n", "9").splitlines()
    assert header.startswith("Run by agent")
    assert sum("it is about to be dropped" in line for line in lines) == 1


def test_u4_a_run_whose_plan_a_person_aborts_ends_with_that(
    tmp_path: Path, run_at_work: subprocess.Popen[str]
) -> None:
    here = tmp_path / "project"
    stdout_of(here, "abort", "--stop", "wrong", "goal")
    stdout_of(here, "new", "Another goal", "--key", "other")
    (here / "go").touch()
    printed, _ = run_at_work.communicate(timeout=60)
    assert run_at_work.returncode == 1
    assert "\nThe plan was aborted (0/2 tasks done)\n" in printed
    assert "0/2 aborted" in printed
    assert "outlast show --cost --plan write-two-letters" in printed  # there are two plans now
