"""U3: the next run of a plan goes on with what the last one worked with."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outlast import open_plan
from outlast.model.commands import RememberRun
from outlast.model.execute import return_commit
from outlast.plans import LastRun
from tests.cli.agent_scripts import (
    CHINESE,
    GOAL,
    LETTERS,
    call,
    isolated_environment,
    isolated_home,
    isolated_json,
    model,
    turn,
)
from tests.cli.processes import outlast
from tests.cli.terminals import Terminal

KEY = "write-two-letters"


def last_run(here: Path) -> LastRun | None:
    with open_plan(here, KEY) as plan:
        return plan.last_run


def remember(here: Path, run: LastRun) -> None:
    """Record a run as a stranger could have who ships the plan."""
    with open_plan(here, KEY) as plan:
        plan.core.commit((RememberRun(run),), return_commit)


@pytest.mark.slow
def test_u3_resume_and_run_go_on_without_any_option(here: Path) -> None:
    named, home = model(here, CHINESE), isolated_home(here)
    first = ("--model", named, "--max-iterations", "1", "--as", "bot", "--lang", "zh")
    assert outlast(here, "run", GOAL, *first, **home).returncode == 1
    assert last_run(here) == LastRun(named, "bot", "zh", 1)
    for command in (("resume",), ("run",), ("run", GOAL)):
        done = outlast(here, *command, **home)
        assert (done.stderr, last_run(here)) == ("", LastRun(named, "bot", "zh", 1))
    assert "2/2 completed" in done.stdout
    shown = isolated_json(here, "show")
    assert {task["actor"] for task in shown["tasks"]} <= {"bot", ""}
    assert shown["plan"]["last_run"] == {
        "model": named,
        "actor": "bot",
        "language": "zh",
        "max_iterations": 1,
    }
    assert "bot" in outlast(here, "log", **home).stdout


@pytest.mark.slow
def test_u3_the_command_line_wins_then_the_environment_then_the_plan_then_settings(
    here: Path,
) -> None:
    home, one = isolated_home(here), model(here, LETTERS, "one.yaml")
    two, three = model(here, LETTERS, "two.yaml"), model(here, LETTERS, "three.yaml")
    settings = Path(home["XDG_CONFIG_HOME"], "outlast", "config.toml")
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[loop]\nmodel = "{three}"\nmax_iterations = 9', encoding="utf-8")
    outlast(here, "run", GOAL, "--model", one, "--max-iterations", "1", **home)
    outlast(here, "resume", **home)
    assert last_run(here) == LastRun(one, "agent", "en", 1)
    outlast(here, "resume", "--as", "bot", **home, OUTLAST_MODEL=two, OUTLAST_LANG="zh")
    assert last_run(here) == LastRun(two, "bot", "zh", 1)
    variables = {"OUTLAST_MODEL": two, "OUTLAST_LOOP__MAX_ITERATIONS": "2", "OUTLAST_ACTOR": "fox"}
    outlast(here, "resume", "--model", one, "--lang", "en", **home, **variables)
    assert last_run(here) == LastRun(one, "fox", "en", 2)


@pytest.mark.slow
def test_u3_a_remembered_model_that_is_gone_gives_one_line_with_what_to_type(here: Path) -> None:
    named, home = model(here, LETTERS), isolated_home(here)
    outlast(here, "run", GOAL, "--model", named, "--max-iterations", "2", **home)
    script = Path(named.removeprefix("script:"))
    script.rename(script.with_suffix(".moved"))
    done = outlast(here, "resume", **home)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"the model of the last run, {named}, cannot be used: " in done.stderr
    assert "with another one: outlast resume --model NAME" in done.stderr
    assert "上次运行的模型" in outlast(here, "resume", "--lang", "zh", **home).stderr
    script.with_suffix(".moved").rename(script)
    assert outlast(here, "resume", "--max-iterations", "9", **home).returncode == 0


@pytest.mark.slow
def test_a10_a_plan_from_a_stranger_chooses_no_model_and_raises_no_limit(here: Path) -> None:
    named, home = model(here, LETTERS), isolated_home(here)
    outlast(here, "run", GOAL, "--model", named, "--max-iterations", "1", **home)
    for evil in ("script:/evil.yaml", "openai-compatible:http://evil.example#m"):
        remember(here, LastRun(evil, "human", "fr", 2**40))
        done = outlast(here, "resume", **home)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"the plan remembers the model {evil}, which you have not used" in done.stderr
        _, _, advice = done.stderr.partition("; choose one yourself: outlast resume --model NAME")
        assert advice, done.stderr
        assert evil not in advice
    settings = Path(home["XDG_CONFIG_HOME"], "outlast", "config.toml")
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[loop]\nmodel = "{named}"\nmax_iterations = 9', encoding="utf-8")
    done = outlast(here, "resume", **home)
    assert done.stderr.count("which you have not used for it in this directory") == 2
    for flag in ("--model NAME", "--max-iterations NUMBER"):
        assert f"so it is ignored; to choose yourself: outlast resume {flag}" in done.stderr
    assert last_run(here) == LastRun(named, "agent", "en", 9)


@pytest.mark.slow
def test_a10_a_copy_of_a_project_remembers_with_the_power_of_a_project(here: Path) -> None:
    named, home = model(here, LETTERS), isolated_home(here)
    outlast(here, "run", GOAL, "--model", named, "--max-iterations", "1", **home)
    shutil.copytree(here, here.parent / "copy")
    done = outlast(here.parent / "copy", "resume", **home)
    assert (done.returncode, "which you have not used" in done.stderr) == (2, True)


CLEAN = turn(
    "- Current step:",
    say="I clean up.",
    calls=(call("bash", command="rm -rf build"), call("complete_task", task=1, result="clean")),
)
ONE = turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": "clean"}]),))
CLEANING = [turn("- Progress: 1/1", say="Clean."), CLEAN, ONE, turn(calls=(call("plan_read"),))]


def clean(here: Path, *options: str) -> str:
    """Let an agent remove `build`, and return what it printed."""
    (here / "build").mkdir(exist_ok=True)
    done = outlast(here, "resume", *options, **isolated_home(here))
    return done.stdout + done.stderr


def permission_files(here: Path) -> list[Path]:
    directory = Path(isolated_home(here)["XDG_STATE_HOME"], "outlast", "permissions")
    return [*directory.iterdir()] if directory.exists() else []


@pytest.mark.slow
def test_u3_what_allow_permits_holds_for_later_runs_until_it_is_taken_back(here: Path) -> None:
    home = isolated_home(here)
    options = ("--model", model(here, CLEANING), "--max-iterations", "2")
    outlast(here, "run", "Clean up", *options, "--allow", "bash:rm -rf build", **home)
    [file] = permission_files(here)
    assert file.stat().st_mode & 0o777 == 0o600
    assert not [
        path for path in here.rglob("*") if path.is_file() and b"rm -rf" in path.read_bytes()
    ]
    shown = outlast(here, "permissions", **home).stdout
    assert shown == (
        "Allowed for this plan by --allow:\n  bash:rm -rf build\n"
        "Take this back: outlast permissions --forget\n"
    )
    assert "✔ bash rm -rf build" in clean(here)
    assert not (here / "build").exists()
    answer = isolated_json(here, "permissions", "--forget")
    assert (answer["forgotten"], answer["patterns"], answer["file"]) == (True, [], str(file))
    outlast(here, "edit", "1", "--reopen", **home)
    assert "rm -rf build" in clean(here)
    assert (here / "build").exists(), "nobody was there to ask"


@pytest.mark.slow
def test_u3_an_answer_always_holds_for_later_runs_also_after_drop_and_restore(here: Path) -> None:
    home = isolated_home(here)
    (here / "build").mkdir()
    options = ("--model", model(here, CLEANING), "--max-iterations", "9")
    terminal = Terminal(here, "run", "Clean up", *options)
    terminal.until("rm -rf build")
    terminal.until("always")
    terminal.type("always\n")
    assert terminal.end() == 0
    assert isolated_json(here, "permissions")["calls"] == ["bash:rm -rf build"]
    for command in (("drop",), ("restore", "clean-up")):
        assert outlast(here, *command, **home).returncode == 0
    outlast(here, "edit", "1", "--reopen", **home)
    assert "✔ bash rm -rf build" in clean(here)
    assert not (here / "build").exists()
    [file] = permission_files(here)
    file.write_text("no json", encoding="utf-8")
    outlast(here, "edit", "1", "--reopen", **home)
    shown = clean(here, "--model", model(here, CLEANING))
    assert shown.count("is damaged, so nothing that you allowed before counts") == 1
    assert (here / "build").exists()
    assert json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a13_an_agent_inside_a_tool_or_a_host_gives_itself_no_permission(here: Path) -> None:
    home = isolated_home(here)
    inside = {"OUTLAST_MARK_1": "1"}
    script = model(here, CLEANING)
    for variables in (inside, {"CLAUDECODE": "1"}, {"OUTLAST_ACTOR": "codex"}):
        for options in (("--allow", "bash"), ("--yes",)):
            given = ("--model", script, *options)
            done = outlast(here, "run", "Clean up", *given, **home, **variables)
            assert (done.returncode, "Only a person may use" in done.stderr) == (1, True)
        limited = ("--model", script, "--max-iterations", "1")
        outlast(here, "run", "Clean up", *limited, **home, **variables)
    assert permission_files(here) == []
    done = outlast(here, "resume", **home)
    assert "which you have not used for it in this directory" in done.stderr


def wait_for(file: Path) -> None:
    latest = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < latest
        time.sleep(0.02)


WAIT = "touch begun; until [ -e go ]; do sleep 0.02; done; rm -rf one"
REMOVALS = [
    turn("- Progress: 1/1", say="Clean."),
    turn("- Current step:", "Not allowed", calls=(call("complete_task", task=1, result="x"),)),
    turn("- Current step:", calls=(call("bash", command=WAIT), call("bash", command="rm -rf two"))),
    ONE,
    turn(calls=(call("plan_read"),)),
]


@pytest.mark.slow
def test_u3_a_permission_that_is_taken_back_ends_in_a_run_at_work(here: Path) -> None:
    for name in ("one", "two"):
        (here / name).mkdir()
    options = ("--model", model(here, REMOVALS), "--allow", "bash", "--allow", f"path:/{'x' * 999}")
    command = [sys.executable, "-m", "outlast", "run", "Clean up", *options]
    with subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=here,
        env=isolated_environment(here),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        wait_for(here / "begun")
        assert isolated_json(here, "permissions")["patterns"] == ["bash"]
        assert isolated_json(here, "permissions", "--forget")["forgotten"]
        (here / "go").touch()
        printed, _ = process.communicate(timeout=60)
    assert "Allowed in this run only" in printed
    assert ((here / "one").exists(), (here / "two").exists()) == (False, True), printed
    assert isolated_json(here, "permissions")["patterns"] == []


@pytest.mark.slow
def test_a10_an_imported_plan_inherits_nothing_that_a_person_chose_for_another(here: Path) -> None:
    home = isolated_home(here)
    options = ("--model", model(here, CLEANING), "--max-iterations", "2", "--allow", "bash")
    outlast(here, "run", "Clean up", *options, **home)
    outlast(here, "export", "p.json", **home)
    dropped = outlast(here, "drop", **home)
    assert dropped.returncode == 0, dropped.stderr
    assert outlast(here, "import", "p.json", "--key", "other", **home).returncode == 0
    assert isolated_json(here, "permissions", "--plan", "other")["patterns"] == []
    assert outlast(here, "restore", "clean-up", **home).returncode == 0
    with open_plan(here, "clean-up") as restored, open_plan(here, "other") as imported:
        assert restored.id != imported.id
    assert isolated_json(here, "permissions", "--plan", "clean-up")["patterns"] == ["bash"]
    done = outlast(here, "run", "Clean up", "--plan", "other", **home)
    assert (done.returncode, "no model given" in done.stderr) == (2, True)
