"""Which plan a command is about, and that no key is outside the workspace."""

import subprocess
from pathlib import Path

import pytest

from outlast import create_plan
from tests.interfaces.cli.processes import environment, json_of, outlast, stdout_of

HOSTILE = [
    "../../escaped",
    "/tmp/escaped",  # noqa: S108 - where it must not go
    "..",
    ".",
    "a/../../b",
    "telegram:123/..",
    "~root",
    "%2e%2e",
    "-rf",
    "--plan",
    "x" * 1000,
    "键 \u202e",
    "a\\b",
]
REFUSED = ["", " ", "a\nb", "x" * 1001]


def git(cwd: Path, *arguments: str) -> None:
    subprocess.run(  # noqa: S603 - arguments written out below
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],  # noqa: S607 - from the path
        capture_output=True,
        check=True,
        cwd=cwd,
        env=environment(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1"),
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "deep" / "er").mkdir(parents=True)
    git(root, "init", "--quiet")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "first")
    return root


def test_a_plan_is_named_by_option_then_by_variable_then_by_being_the_only_one(
    tmp_path: Path,
) -> None:
    create_plan(str(tmp_path), "One", "one")
    assert stdout_of(tmp_path).startswith("One ")
    create_plan(str(tmp_path), "Two", "two")
    assert outlast(tmp_path, "show").returncode == 3
    assert stdout_of(tmp_path, OUTLAST_PLAN="two").startswith("Two ")
    assert stdout_of(tmp_path, "show", "--plan=one", OUTLAST_PLAN="two").startswith("One ")
    assert stdout_of(tmp_path, "--plan", "two", "show", "--plan", "one").startswith("One ")
    assert outlast(tmp_path, "show", OUTLAST_PLAN="").returncode == 3
    create_plan(str(tmp_path), "Done", "done").add("a")
    stdout_of(tmp_path, "done", "1", "--plan", "done")
    assert stdout_of(tmp_path, "next", OUTLAST_PLAN="done").startswith(
        "Plan done is complete: 1 task finished"
    )


def test_x7_an_ended_plan_can_be_shown_and_its_last_done_undone(tmp_path: Path) -> None:
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.complete(1)
    assert stdout_of(tmp_path, "status").startswith("Ship it  1/1 completed")
    assert " completed 1 a\n" in stdout_of(tmp_path, "log", "-n", "1")
    assert stdout_of(tmp_path).startswith("No plan is open here; ended: ship")
    for command in (["next"], ["add", "b"]):
        assert outlast(tmp_path, *command).stderr.startswith("outlast: No plan is open here")
    assert stdout_of(tmp_path, "undo").endswith("Next: 1 a; start it with: outlast start\n")
    stdout_of(tmp_path, "done", "1")
    create_plan(str(tmp_path), "Other", "other").abort("")
    for command in (["show"], ["log"], ["undo"]):
        assert json_of(tmp_path, *command, code=3)["error"]["details"] == {
            "candidates": ["other", "ship"]
        }


def test_no_plan_is_listed_when_none_is_left(tmp_path: Path) -> None:
    (tmp_path / ".outlast" / "plans").mkdir(parents=True)
    for arguments in (["next"], ["show"], ["show", "--plan", "ship"], ["doctor", "--repair"]):
        done = outlast(tmp_path, *arguments)
        assert "known plans:" not in done.stdout + done.stderr
    assert stdout_of(tmp_path).startswith("There is no plan here yet.")
    assert json_of(tmp_path, "next", code=3)["error"]["message"].startswith("No plan found for ")


def test_in_git_plans_are_kept_at_the_root_and_found_from_below(checkout: Path) -> None:
    stdout_of(checkout / "deep", "new", "Ship it", "--key", "ship")
    assert (checkout / ".outlast" / ".gitignore").read_text() == "*\n"
    assert stdout_of(checkout / "deep" / "er").startswith("Ship it ")
    create_plan(str(checkout / "deep"), "Nearer", "near")
    assert stdout_of(checkout / "deep" / "er").startswith("Nearer ")
    assert stdout_of(checkout).startswith("Ship it ")


def test_outside_git_nothing_looks_higher(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    stdout_of(tmp_path, "new", "Ship it")
    assert stdout_of(tmp_path / "below").startswith("There is no plan here yet.")
    assert outlast(tmp_path / "below", "next").returncode == 3


def test_a_worktree_uses_the_plans_of_the_main_checkout(checkout: Path) -> None:
    tree = checkout.parent / "tree"
    git(checkout, "worktree", "add", "--quiet", str(tree))
    stdout_of(tree, "new", "Ship it", "--key", "ship")
    assert not (tree / ".outlast").exists()
    stdout_of(tree, "add", "a")
    assert stdout_of(checkout, "next") == "Next: 1 a; start it with: outlast start\n"


@pytest.mark.slow
def test_a4_no_key_leads_out_of_the_workspace(tmp_path: Path) -> None:
    inside = tmp_path / "in" / "side"
    inside.mkdir(parents=True)
    for number, key in enumerate(HOSTILE):
        goal = f"Goal {number}"
        made = json_of(inside, "new", goal, f"--key={key}")["plan"]
        assert (made["key"], made["goal"]) == (key, goal)
        assert json_of(inside, "show", f"--plan={key}")["plan"]["goal"] == goal
        assert json_of(inside, "show", OUTLAST_PLAN=key)["plan"]["goal"] == goal
    for key in REFUSED:
        assert json_of(inside, "new", "x", f"--key={key}", code=2)["error"]["code"] == (
            "INVALID_ARGUMENT"
        )
        assert outlast(inside, "show", f"--plan={key}").returncode == 2
    plans = inside / ".outlast" / "plans"
    assert len(list(plans.iterdir())) == len(HOSTILE)
    outside = [path for path in tmp_path.rglob("*") if plans not in path.parents]
    assert {path.name for path in outside} == {"in", "side", ".outlast", ".gitignore", "plans"}


def test_a5_files_are_private_unless_they_are_to_be_shared(tmp_path: Path) -> None:
    for key, options, bits in (("mine", [], 0o077), ("ours", ["--shared"], 0o022)):
        stdout_of(tmp_path, "new", "Ship it", "--key", key, *options)
        directory = tmp_path / ".outlast" / "plans" / key
        for path in (directory, *directory.iterdir()):
            assert path.stat().st_mode & bits == 0, path
    assert (directory / "journal.jsonl").stat().st_mode & 0o044
