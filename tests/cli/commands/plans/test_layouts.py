"""R0.01, R0.12: layouts and broken files of other programs, on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from outlast import create_plan
from tests.cli.agent_scripts import LETTERS, call, events, isolated_home, model, turn
from tests.cli.processes import json_of, outlast, stdout_of
from tests.plan.places import SEED, drop, names

FIELDS = ["id", "goal", "status", "created_at", "updated_at"]
LAST_FIELDS = ["steps", "current_step_index", "iteration_count"]
LOOK = call("list_directory", path=".")
STEPS = [
    turn("- Progress: 2/2", say="Both are read."),
    turn("- Current step: 2.", say="[Done] It says 42.", calls=(LOOK,)),
    turn("- Current step: 1.", say="[Done] There is one.", calls=(LOOK,)),
    turn(say="[Step] Find the report\n[Step] Read it", calls=(LOOK,)),
]
BROKEN = b'{"id": "plan_1", "goal": "Save me'


def run(here: Path, *arguments: str, **variables: str) -> Any:
    return outlast(here, "run", *arguments, **isolated_home(here), **variables)


@pytest.mark.parametrize("layout", ["outlast", "code-agent", "sessions"])
def test_r0_01_new_takes_a_layout_and_every_command_works_in_it(here: Path, layout: str) -> None:
    created = json_of(here, "new", "Ship it", "--key", "ship", "--layout", layout)
    assert all(layout in file for file in created["files"])
    stdout_of(here, "add", "a")
    assert stdout_of(here, "next").startswith("Next: 1 a")
    assert "1 a" in stdout_of(here, "watch", "--once")
    stdout_of(here, "done", "1")
    assert "plan ship: completed 1/1" in stdout_of(here, "doctor")
    assert stdout_of(here, "export").startswith("# Ship it")
    stdout_of(here, "archive")
    stdout_of(here, "new", "Again", "--key", "ship")
    [file] = [path for path in here.rglob("journal.jsonl") if "archive" not in path.parts]
    assert f".{layout}" in file.parts, "the key keeps its layout"
    stdout_of(here, "import", str(SEED), "--key", "other", "--layout", layout)
    assert json_of(here, "list")["plans"][0]["key"] == "other"


@pytest.mark.parametrize("origin", ["option", "variable", "file"])
def test_r0_01_run_writes_plan_json_in_the_layout_sessions(here: Path, origin: str) -> None:
    chosen = ("--layout", "sessions") if origin == "option" else ()
    variables = {"OUTLAST_LAYOUT": "sessions"} if origin == "variable" else {}
    if origin == "file":
        (here / "outlast.toml").write_text('layout = "sessions"\n')
    options = ("--model", model(here, STEPS))
    done = run(here, "Read the report", "--key", "k", *options, *chosen, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((here / ".sessions" / "k" / "plan.json").read_bytes())
    assert list(document) == [*FIELDS, *LAST_FIELDS], "without an extension"
    assert [step["description"] for step in document["steps"]] == ["Find the report", "Read it"]
    assert not any("outlast" in step for step in document["steps"])
    assert (document["status"], document["goal"]) == ("completed", "Read the report")
    stdout_of(here, "archive", "k")
    again = run(here, "Read it again", "--key", "k", *options)
    assert (again.returncode, again.stderr) == (0, "")
    assert json.loads((here / ".sessions" / "k" / "plan.json").read_bytes())["goal"] == (
        "Read it again"
    )
    assert names(here / ".outlast") == [".gitignore", "archive", "current"]
    [first] = json_of(here, "list", "--archived")["archived"]
    assert first["title"] == "Read the report"


def test_r0_01_tasks_added_by_a_tool_need_no_extension_and_the_answer_can_be_seen_again(
    here: Path,
) -> None:
    added = call("add_tasks", tasks=["Find the report", "Read it"])
    script = [*STEPS[:-1], turn(say="", calls=(added, LOOK))]
    goal = ("Read the report", "--key", "k", "--model", model(here, script))
    done = run(here, *goal, "--layout", "sessions")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((here / ".sessions" / "k" / "plan.json").read_bytes())
    assert list(document) == [*FIELDS, *LAST_FIELDS], "without an extension"
    assert [step["description"] for step in document["steps"]] == ["Find the report", "Read it"]
    assert "Both are read." in (here / ".sessions" / "k" / "deliverable.md").read_text()
    shown = stdout_of(here, "show", "--plan", "k").splitlines()
    assert shown[shown.index("Result (deliverable.md):") + 1] == "  Both are read."
    stdout_of(here, "archive", "k")
    assert "  Both are read." in stdout_of(here, "show", "--archived", "k").splitlines()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_r0_01_a_layout_that_the_key_does_not_get_is_reported(here: Path, lang: str) -> None:
    create_plan(str(here), "Read", "k", layout="sessions").close()
    options = ("--model", model(here, STEPS), "--lang", lang)
    same = run(here, "Read", "--plan", "k", *options, "--layout", "sessions")
    assert same.stderr == ""
    stdout_of(here, "drop", "k")
    other = run(here, "Read more", "--key", "k", *options, "--layout", "code-agent")
    words = "was ignored" if lang == "en" else "忽略了"
    assert words in other.stderr
    assert "sessions" in other.stderr
    assert not (here / ".code-agent").exists()


def test_r0_01_a_dry_run_keeps_to_the_layout(here: Path) -> None:
    options = ("--key", "k", "--layout", "sessions", "--dry-run")
    run(here, "Write two letters", *options, "--model", model(here, LETTERS))
    assert (here / ".sessions" / "k" / "plan.json").exists()


def test_r0_12_a_broken_plan_json_is_named_with_what_to_do(here: Path) -> None:
    view = drop(here, BROKEN, "chat-7")
    advice = {
        "en": f"{view} is not a plan that can be read; fix the file, or set it aside with: outlast "
        "doctor --repair --plan chat-7 --lang en",
        "zh": f"{view} 不是可以读取的计划；请修正该文件，或将其移开：outlast doctor --repair "
        "--plan chat-7 --lang zh",
    }
    for lang, words in advice.items():
        shown = outlast(here, "show", "--lang", lang)
        assert (shown.returncode, shown.stdout, shown.stderr) == (4, "", f"outlast: {words}\n")
        assert words in stdout_of(here, "list", "--lang", lang)
    [listed] = json_of(here, "list")["plans"]
    assert (listed["key"], f"{listed['problem']} --lang en") == ("chat-7", advice["en"])
    assert view.read_bytes() == BROKEN, "nothing that only reads moves it"
    command = advice["en"].partition("outlast ")[2].split()
    repaired = stdout_of(here, *command)
    [kept] = view.parent.iterdir()
    assert f"was set aside: {kept}" in repaired
    assert kept.read_bytes() == BROKEN
    assert stdout_of(here, "new", "Go on", "--key", "chat-7")
    assert view.exists(), "in the same layout"


def test_r0_12_doctor_tells_what_it_set_aside_elsewhere(here: Path, tmp_path: Path) -> None:
    drop(here, BROKEN, "k")
    told = stdout_of(tmp_path, "doctor", str(here), "--repair")
    assert "was set aside" in told


def test_r0_12_run_sets_the_broken_file_of_its_plan_aside(here: Path) -> None:
    view = drop(here, BROKEN, "k")
    options = ("--plan", "k", "--model", model(here, LETTERS), "--json")
    done = run(here, "Write two letters", *options)
    assert (done.returncode, done.stderr) == (0, "")
    [kept] = view.parent.glob("plan.json.bad-*")
    assert kept.read_bytes() == BROKEN
    told = [event["text"] for event in events(done.stdout) if event.get("type") == "notification"]
    assert sum(str(kept) in text for text in told) == 1
    assert json.loads(view.read_bytes())["status"] == "completed"


def test_r0_12_run_leaves_a_broken_file_of_another_plan_alone(here: Path) -> None:
    view = drop(here, BROKEN, "other")
    done = run(here, "Write two letters", "--model", model(here, LETTERS))
    assert done.returncode == 0
    assert f"outlast: {view} is not a plan that can be read" in done.stderr
    assert view.read_bytes() == BROKEN
    create_plan(here, "Good", "good").close()
    found = outlast(here, "next")
    assert (found.returncode, found.stdout.startswith("[good]")) == (0, True)
    assert str(view) in found.stderr
