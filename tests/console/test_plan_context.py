"""Which plan a command is about, and that no key is outside the workspace."""

import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from outlast import Check, create_plan, open_plan
from tests.cli.processes import environment, json_of, outlast, stdout_of

PATIENCE = 60
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


def key_of(cwd: Path, *arguments: str, **variables: str) -> str:
    """Return the key of the plan that a command is about."""
    return str(json_of(cwd, *arguments, code=0, **variables)["plan"]["key"])


def test_u2_a_plan_is_named_by_option_then_by_variable_then_by_being_the_current_one(
    tmp_path: Path,
) -> None:
    create_plan(str(tmp_path), "One", "one").close()
    assert key_of(tmp_path, "show") == "one"
    create_plan(str(tmp_path), "Two", "two").close()
    assert key_of(tmp_path, "show") == "two", "it was changed last"
    assert key_of(tmp_path, "show", OUTLAST_PLAN="one") == "one"
    assert key_of(tmp_path, "show", "--plan=one", OUTLAST_PLAN="two") == "one"
    assert key_of(tmp_path, "--plan", "two", "show", "--plan", "one") == "one"
    assert key_of(tmp_path, "show", OUTLAST_PLAN="") == "two"
    assert not (tmp_path / ".outlast" / "current").exists(), "only looked at"
    json_of(tmp_path, "add", "a", "--plan", "one")
    assert key_of(tmp_path, "next") == "one", "it was used last"
    json_of(tmp_path, "done", "1")
    assert key_of(tmp_path, "show") == "one", "a finished plan can be shown"
    assert key_of(tmp_path, "next") == "two"
    assert key_of(tmp_path, "next", OUTLAST_PLAN="one") == "one"


def test_u2_use_chooses_the_current_plan_and_tells_how_far_it_is(tmp_path: Path) -> None:
    stdout_of(tmp_path, "new", "Ship it", "--key", "ship")
    stdout_of(tmp_path, "add", "a", "b")
    stdout_of(tmp_path, "done", "1")
    stdout_of(tmp_path, "new", "Write docs", "--key", "write")
    assert key_of(tmp_path, "show") == "write"
    chosen, next_line = stdout_of(tmp_path, "use", "sh").splitlines()
    assert "Now on plan ship: Ship it  1/2 running" in chosen
    assert next_line.startswith("Next: 2 b; start it with: outlast start --plan ship")
    assert key_of(tmp_path, "show") == "ship"
    assert (tmp_path / ".outlast" / "current").read_text() == "ship\n"
    used = json_of(tmp_path, "use", "write")
    assert (used["plan"]["key"], used["plan"]["total"]) == ("write", 0)
    chinese = stdout_of(tmp_path, "use", "ship", "--lang", "zh", OUTLAST_PLAN="write")
    assert "当前计划 ship：Ship it  1/2" in chinese
    assert "OUTLAST_PLAN=write" in chinese.splitlines()[-1]
    stdout_of(tmp_path, "done", "2", "--plan", "ship")
    assert "Ship it  2/2 completed" in stdout_of(tmp_path, "use", "ship")


def test_u2_an_agent_switches_the_current_plan_only_by_creating_one(tmp_path: Path) -> None:
    current = tmp_path / ".outlast" / "current"
    for key in ("alpha", "beta"):
        stdout_of(tmp_path, "new", key, "--key", key)
        stdout_of(tmp_path, "add", "one", "two", "--plan", key)
    stdout_of(tmp_path, "use", "alpha")
    agent = {"CLAUDECODE": "1"}
    stdout_of(tmp_path, "start", "--plan", "beta", **agent)
    stdout_of(tmp_path, "done", "--as", "bot", "2", "--plan", "beta")
    stdout_of(tmp_path, "note", "seen", OUTLAST_PLAN="beta", OUTLAST_ACTOR="bot")
    refused = outlast(tmp_path, "use", "be", **agent)
    line = "claude-code is an agent and cannot choose the current plan; name the plan in each "
    assert (refused.returncode, refused.stderr) == (
        1,
        f"outlast: [beta] {line}command: --plan beta\n",
    )
    assert "outlast use" not in stdout_of(tmp_path, **agent)
    assert "outlast use" in stdout_of(tmp_path)
    name = json_of(tmp_path, "drop", "beta")["name"]
    stdout_of(tmp_path, "restore", name, **agent)
    assert current.read_text() == "alpha\n"
    stdout_of(tmp_path, "new", "gamma", "--key", "gamma", **agent)
    assert current.read_text() == "gamma\n"
    assert "outlast use" not in outlast(tmp_path, "new", "g", "--key", "gamma", **agent).stderr


@pytest.mark.parametrize("command", ["use", "drop", "archive"])
def test_u2_a_key_and_an_option_that_name_two_plans_are_refused(
    tmp_path: Path, command: str
) -> None:
    for key in ("alpha", "beta"):
        with create_plan(tmp_path, key, key) as plan:
            plan.abort()
    refused = outlast(tmp_path, command, "al", "--plan", "beta")
    line = "outlast: KEY names plan alpha and --plan names beta; leave one of them out\n"
    assert (refused.returncode, refused.stderr) == (2, line)
    assert outlast(tmp_path, command, "al", "--plan", "alpha", OUTLAST_PLAN="beta").returncode == 0


def test_u2_commands_that_only_read_do_not_switch_the_current_plan(tmp_path: Path) -> None:
    for key in ("one", "two"):
        with create_plan(tmp_path, key, key) as plan:
            plan.add("a")
            plan.notes.add_finding("insight", "t", "x")
    stdout_of(tmp_path, "use", "one")
    for command in (
        (),
        ("permissions",),
        ("show",),
        ("next",),
        ("log",),
        ("context",),
        ("graph",),
        ("note",),
        ("export",),
        ("report",),
        ("watch", "--once"),
    ):
        assert outlast(tmp_path, *command, "--plan", "two").returncode == 0
        assert (tmp_path / ".outlast" / "current").read_text() == "one\n", command
    assert outlast(tmp_path, "done", "9", "--plan", "two").returncode == 1
    assert (tmp_path / ".outlast" / "current").read_text() == "one\n", "nothing was changed"
    stdout_of(tmp_path, "note", "y", "--plan", "two")
    assert (tmp_path / ".outlast" / "current").read_text() == "two\n"


def test_u2_a_key_that_is_wrong_is_answered_by_what_there_is_and_what_to_type(
    tmp_path: Path,
) -> None:
    for key in ("ship", "shop", "write", "gone"):
        create_plan(tmp_path, key, key).close()
    open_plan(tmp_path, "gone").abort()
    stdout_of(tmp_path, "archive", "gone")
    assert key_of(tmp_path, "show", "--plan", "w") == "write"
    [archived] = json_of(tmp_path, "list", "--archived")["archived"]
    restore = f"outlast restore {archived['name']}"
    for named, line in {
        "x": "There is no plan x; plans here: ship, shop, write",
        "sh": "2 plans begin with sh: ship, shop; type more of the key",
        "gone": f"Plan gone is in the archive; bring it back with: {restore}",
    }.items():
        whole = f"There is no plan {named}, which OUTLAST_PLAN names; name one with --plan KEY: "
        for arguments, variables, message in (
            (("next", "--plan", named), {}, line),
            (("use", named), {}, line),
            (
                ("add", "a"),
                {"OUTLAST_PLAN": named},
                line if named == "gone" else f"{whole}ship, shop, write",
            ),
        ):
            refused = outlast(tmp_path, *arguments, **variables)
            assert refused.returncode == 3
            assert refused.stderr.splitlines()[0] == f"outlast: {message}"
            told = json_of(tmp_path, *arguments, code=3, **variables)["error"]
            assert (told["code"], told["message"]) == ("PLAN_NOT_FOUND", message)
    create_plan(tmp_path, "w", "w").close()
    assert key_of(tmp_path, "show", "--plan", "w") == "w", "a whole key comes first"


def test_u2_a_plan_that_is_put_away_while_a_command_runs_is_named(tmp_path: Path) -> None:
    wait = "test ! -e go || { touch waits; while [ ! -e away ]; do sleep 0.02; done; }"
    with create_plan(tmp_path, "Ship it", "ship") as plan:
        plan.add("a", checks=[Check("command", wait)])
    stdout_of(tmp_path, "check", "--approve")

    def put_away_during_done(*arguments: str) -> str:
        (tmp_path / "go").touch()
        with subprocess.Popen(
            [sys.executable, "-m", "outlast", "done", "1"],
            cwd=tmp_path,
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            end = monotonic() + PATIENCE
            while not (tmp_path / "waits").exists():
                assert monotonic() < end
                sleep(0.02)
            subprocess.run(arguments, check=True, cwd=tmp_path, env=environment())  # noqa: S603 - below
            (tmp_path / "away").touch()
            _, told = process.communicate(timeout=PATIENCE)
        for name in ("go", "waits", "away"):
            (tmp_path / name).unlink()
        assert process.returncode == 3
        return told.splitlines()[0]

    told = put_away_during_done("outlast", "drop", "ship")
    [archived] = json_of(tmp_path, "list", "--archived")["archived"]
    restore = f"outlast restore {archived['name']}"
    assert told == f"outlast: Plan ship is in the archive; bring it back with: {restore}"
    stdout_of(tmp_path, "restore", "ship")
    told = put_away_during_done("mv", ".outlast/plans/ship", ".outlast/elsewhere")
    assert told == (
        "outlast: Plan ship was removed while this command ran; to see what is left: outlast list"
    )


def test_u2_what_a_check_starts_works_on_the_same_plan(tmp_path: Path) -> None:
    for key in ("ship", "other"):
        with create_plan(tmp_path, key, key) as plan:
            plan.add("a", checks=[Check("command", 'echo "$OUTLAST_PLAN" > named')])
    stdout_of(tmp_path, "check", "--approve", "--plan", "ship")
    stdout_of(tmp_path, "done", "1", "--plan", "ship")
    assert (tmp_path / "named").read_text() == "ship\n"


def test_u2_the_plan_of_a_shell_is_no_key_for_a_new_one(tmp_path: Path) -> None:
    stdout_of(tmp_path, "new", "Ship it", "--key", "ship")
    made = json_of(tmp_path, "new", "Write docs", OUTLAST_PLAN="ship")
    assert made["plan"]["key"] == "write-docs"


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
        assert outlast(tmp_path, *command).returncode == 0, "the current plan, though it has ended"


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
    ours = {".outlast", ".gitignore", "plans", "current"}
    assert {path.name for path in outside} == {"in", "side", *ours}


def test_a5_files_are_private_unless_they_are_to_be_shared(tmp_path: Path) -> None:
    for key, options, bits in (("mine", [], 0o077), ("ours", ["--shared"], 0o022)):
        stdout_of(tmp_path, "new", "Ship it", "--key", key, *options)
        directory = tmp_path / ".outlast" / "plans" / key
        for path in (directory, *directory.iterdir()):
            assert path.stat().st_mode & bits == 0, path
    assert (directory / "journal.jsonl").stat().st_mode & 0o044
