"""U2, U8: every command that an answer or an error prints works as printed.

A scene runs one command. Every command that it prints is then typed, in the workspace as the scene
left it, while another plan is the current one.
"""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from outlast import create_plan
from outlast.__main__ import main
from outlast.cli.parser import full_usage, parse, short_usage
from outlast.console.command_index import TABLES, load_command, load_commands
from tests.cli import forks
from tests.cli.agent_scripts import GOAL, LETTERS, LOOK, call, model, turn
from tests.cli.processes import environment

KEY = "发布-1"  # the plan of every scene
OTHERS = ("release-2", "other")

Run = Callable[[str], tuple[int, str]]
Step = str | Callable[[Path], object]

_WORD = r"""(?:'[^']*'|"[^"]*"|[^\s'"`;；：，、（）()]+)"""
_COMMAND = re.compile(rf"outlast((?: {_WORD})+)")
_USAGE = re.compile(r"(usage|用法)[:：].*", re.IGNORECASE)
_ABOUT_NO_PLAN = ("context", "doctor", "help", "list", "models", "new", "restore", "use")
_MAY_REFUSE = ("check", "done", "init", "resume")  # the work is not done, or nobody can agree
_BLANKS = {"…": "yes", r"\bCOMMAND\b": "add", r"\bTEXT\b": "'a text'", r"\b[NP]\b": "1"}


class Scene(NamedTuple):
    """What happened before, what a person types, and how many commands the answer must print.

    Without `about` the printed commands are about several plans, or none.
    """

    before: tuple[Step, ...]
    typed: str
    hints: int = 1
    about: str = KEY


def write_result(here: Path) -> None:
    file = here / "out.txt"
    file.write_text(f"{file.exists()}")


def delete_result(here: Path) -> None:
    (here / "out.txt").unlink()


def delete_tasks(here: Path) -> None:
    file = here / ".outlast" / "plans" / KEY / "task_plan.md"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(line for line in lines if "- [ ]" not in line), "utf-8")


def new_dash(_here: Path) -> None:
    assert main(["new", "X", "--key", "-x"]) == 0


def drop_two_words(_here: Path) -> None:
    assert main(["new", "Goal", "--key", "two words"]) == 0
    assert main(["drop", "two words"]) == 0


TWO = ("add a b",)
STARTED = ("add a b", "start")
FAILED = ("add a", "fail 1 no --no-retry")
CHECKED = "add a --check 'file: out.txt' --files out.txt"
PROVED = (CHECKED, "start", write_result, "done")
BY_PERSON = ("add a --check 'person: Is it good?'",)
BY_AGENT = "add a --check true --as bob"

SCENES = {
    "add": Scene((), "add a"),
    "add several": Scene((), "add a b c", 2),
    "add checks as an agent": Scene((), BY_AGENT, 3),
    "next": Scene(TWO, "next", 2),
    "next of an empty plan": Scene((), "next"),
    "next of a paused plan": Scene((*TWO, "pause"), "next --as bob"),
    "next while others work": Scene(("add a", "start --as bob"), "next"),
    "next after a failure": Scene(FAILED, "next", 2),
    "start": Scene(TWO, "start"),
    "start as an agent": Scene(TWO, "start 2 --as bob"),
    "start a second task": Scene(STARTED, "start 2"),
    "start beside a started task": Scene(STARTED, "start"),
    "start a failed task": Scene(FAILED, "start 1"),
    "start a started task": Scene(STARTED, "start 1"),
    "start in a paused plan": Scene((*TWO, "pause"), "start --as bob"),
    "start in a paused plan as a person": Scene((*TWO, "pause"), "start", 2),
    "start an unknown task": Scene(TWO, "start 9"),
    "done": Scene(STARTED, "done"),
    "done without a task": Scene(TWO, "done"),
    "done in a paused plan": Scene((*TWO, "pause"), "done", 2),
    "done in a paused plan as an agent": Scene((*TWO, "pause"), "done --as bob"),
    "done with a loose text": Scene(TWO, "done 1 'it works'"),
    "done with a failed check": Scene((CHECKED, "start"), "done", 2),
    "done with a person's check": Scene((*BY_PERSON, "start"), "done 1 --as bob", 3),
    "done with an unapproved check": Scene((BY_AGENT,), "done 1"),
    "done twice": Scene((*TWO, "done 1"), "done 1"),
    "fail": Scene(STARTED, "fail 'not yet'"),
    "fail without a reason": Scene(STARTED, "fail 1"),
    "skip": Scene(TWO, "skip 1"),
    "rm": Scene(("add a b c",), "rm 1", 3),
    "rm of a task in progress": Scene(STARTED, "rm 1"),
    "rm of a completed task": Scene((*TWO, "done 1"), "rm 1"),
    "rm of a needed task": Scene(("add a", "add b --needs 1"), "rm 1"),
    "edit": Scene(TWO, "edit 1 --name c", 2),
    "edit with a loose name": Scene(TWO, "edit 1 'New name'"),
    "edit of nothing": Scene(TWO, "edit 1"),
    "edit the checks of a task in progress": Scene(STARTED, "edit 1 --check true"),
    "edit a completed task as an agent": Scene((*TWO, "done 1"), "edit 1 --name c --as bob"),
    "edit the goal as an agent": Scene(TWO, "edit --goal New --as bob"),
    "claim": Scene(TWO, "claim 1 --as bob", 3),
    "a claim that is lost": Scene((*TWO, "claim 1"), "done 1 --token 9"),
    "release": Scene(STARTED, "release 1", 2),
    "pause": Scene(TWO, "pause"),
    "resume": Scene((*TWO, "pause"), "resume", 2),
    "resume an idle plan": Scene(TWO, "resume"),
    "undo": Scene(STARTED, "undo", 2),
    "undo again": Scene((*STARTED, "undo"), "undo 3"),
    "undo what was changed since": Scene((*TWO, "edit 1 --name c", "edit 1 --name d"), "undo 3"),
    "show a paused plan": Scene((*TWO, "pause"), "show"),
    "show a stale proof": Scene((*PROVED, write_result), "show"),
    "check a proof that fails": Scene((*PROVED, delete_result), "check", 2),
    "show unapproved checks": Scene((BY_AGENT,), "show", 2),
    "show a revision": Scene(TWO, "show --at x"),
    "check unapproved checks": Scene((BY_AGENT,), "check"),
    "check what a person confirms": Scene(BY_PERSON, "check"),
    "check protected files": Scene(
        (f"{CHECKED} --protect p.txt", "start", lambda here: (here / "p.txt").touch()), "check"
    ),
    "note": Scene((), "note"),
    "log": Scene(TWO, "log --diff x..y"),
    "reset": Scene(TWO, "reset"),
    "reset confirmed": Scene((*TWO, "done 1"), "reset --yes", 2),
    "context": Scene(TWO, "context"),
    "context of an empty plan": Scene((), "context"),
    "context in short": Scene(("add a", f"note '{'long ' * 2_000}'"), "context --brief"),
    "doctor": Scene((BY_AGENT,), "doctor", 2),
    "a file without its tasks": Scene(("add a b c d e f g h", delete_tasks), "next", 3),
    "drop": Scene(TWO, "drop"),
    "unknown command": Scene((), "nxt --all"),
    "unknown word": Scene((), "qqqq"),
    "command without its words": Scene((), "ad"),
}
BESIDE = {  # typed without --plan, or with that of another
    "new": Scene((), "new 'Another goal'", 1, "another-goal"),
    "use": Scene(TWO, f"use {KEY}"),
    "overview": Scene(TWO, "", 0, ""),
    "list": Scene(TWO, "list", 0, ""),
    "drop": Scene(TWO, f"drop {KEY}", 1, ""),
    "list the archive": Scene((*TWO, f"drop {KEY}"), "list --archived", 0, ""),
    "the key of an archived plan": Scene((*TWO, "drop"), f"next --plan {KEY}", 1, ""),
    "an unknown key": Scene((), "next --plan nowhere", 0, ""),
    "no open plan": Scene((*TWO, "drop"), "next", 0, ""),
    "an unknown archived plan": Scene((), "restore nowhere", 0, ""),
    "restore": Scene((*TWO, "drop"), f"restore {KEY}", 1, ""),
    "archive an unfinished plan": Scene(TWO, f"archive {KEY}"),
    "abort": Scene(TWO, f"abort --plan {KEY}"),
    "a key of two words": Scene((drop_two_words,), "next --plan 'two words'", 1, ""),
    "a key in use": Scene(TWO, f"new Again --key {KEY}", 1, ""),
    "a key in use that looks like an option": Scene((new_dash,), "new X --key -x", 1, ""),
    "run without a model": Scene((), "run 'Another goal'", 1, ""),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


def in_a_shell(command: str) -> tuple[int, str]:
    """Type a command as a person does: a shell takes it apart."""
    variables = {**environment(), "OUTLAST_LOOP__ASK_UNATTENDED": "true"}
    words = subprocess.run(  # noqa: S603 - what we print ourselves
        ["/bin/sh", "-c", f"outlast() {{ printf '%s\\0' \"$@\"; }}; {command}"],
        check=True,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=60,
    ).stdout.split(b"\0")[:-1]
    done = forks.run(Path.cwd(), words, variables)
    return done.returncode, (done.stdout + done.stderr).decode()


def in_this_process(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(command: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(shlex.split(command)[1:])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def set_up(here: Path, scene: Scene, plans: int) -> None:
    for key in (KEY, *OTHERS)[:plans]:
        assert main(["new", "Goal", "of", key, "--key", key]) == 0
    for step in scene.before:
        if isinstance(step, str):
            assert main([*shlex.split(step), "--plan", KEY]) in (0, 1)
        else:
            step(here)


def printed_commands(text: str) -> list[str]:
    """Return the commands in a text, without those in usage lines."""
    lines = (_USAGE.sub("", line) for line in text.splitlines())
    matches = (match for line in lines for match in _COMMAND.finditer(line))
    return [
        match[0].rstrip(".,:") for match in matches if match[1].split()[0] in (*TABLES, "--lang")
    ]


def fill_in(command: str) -> str:
    """Replace what people fill in."""
    for blank, value in _BLANKS.items():
        command = re.sub(blank, value, command)
    return command


def journals(here: Path) -> dict[str, bytes]:
    files = (here / ".outlast" / "plans").glob("*/journal.jsonl")
    return {file.parent.name: file.read_bytes() for file in files}


def try_scene(here: Path, run: Run, scene: Scene, plans: int, more: str = "") -> None:
    """Run the command of a scene, then every command that it prints."""
    set_up(here, scene, plans)
    _, printed = run(f"outlast {scene.typed}{more}")
    commands = [command for command in printed_commands(printed) if " demo" not in command]
    assert len(commands) >= scene.hints, printed
    if plans > 1:
        assert main(["use", OTHERS[0]]) == 0
    kept = here.with_name("kept")
    shutil.copytree(here, kept)
    for command in dict.fromkeys(commands):
        try_command(here, run, command, scene.about if plans > 1 else "", printed)
        for item in here.iterdir():
            shutil.rmtree(item) if item.is_dir() else item.unlink()
        shutil.copytree(kept, here, dirs_exist_ok=True)


def try_command(here: Path, run: Run, command: str, about: str, printed: str) -> None:
    """Run a printed command; assert that it does something, for the plan of the scene."""
    before = journals(here)
    code, answer = run(fill_in(command))
    told = f"{printed}\n$ {command}\n{answer}"
    name = next(word for word in shlex.split(command)[1:] if word in TABLES)
    assert code == 0 or (code == 1 and name in _MAY_REFUSE), told
    if about and name not in _ABOUT_NO_PLAN:
        assert about in answer, told
        changed = {key for key, journal in journals(here).items() if journal != before.get(key)}
        assert changed <= {about}, told


@pytest.mark.parametrize(
    ("name", "plans"), [(name, place % 3 + 1) for place, name in enumerate(SCENES)]
)
def test_u8_printed_commands_work_in_a_shell(here: Path, name: str, plans: int) -> None:
    try_scene(here, in_a_shell, SCENES[name], plans, f" --plan {KEY}" if plans > 1 else "")


def test_u2_with_several_plans_every_answer_says_which_it_is_about(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(here, Scene(TWO, ""), 2)
    run = in_this_process(capsys)
    for line in ("next", "log", "note", "start", "show 1", "done 9", "graph"):
        _, printed = run(f"outlast {line} --plan {KEY}")
        assert printed.removeprefix("outlast: ").startswith(f"[{KEY}]"), line
    for line in ("show", "watch --once", "show --cost"):
        assert run(f"outlast {line} --plan {KEY}")[1].partition("\n")[0].endswith(f"[{KEY}]"), line
    for line in ("export", "graph --format dot", "context"):  # documents
        assert f"[{KEY}]" not in run(f"outlast {line} --plan {KEY}")[1], line
    for line in ("log", "note", "say hello", "done 9", "context", "export"):
        answer = json.loads(run(f"outlast {line} --plan {KEY} --json")[1])
        assert answer["plan"]["key"] == KEY


@pytest.mark.parametrize("plans", [1, 2, 3])
@pytest.mark.parametrize("name", BESIDE)
def test_u8_printed_commands_work_beside_other_plans(
    here: Path, name: str, plans: int, capsys: pytest.CaptureFixture[str]
) -> None:
    try_scene(here, in_this_process(capsys), BESIDE[name], plans)


@pytest.mark.parametrize(
    ("plans", "more"),
    [(1, ""), (2, f" --plan {KEY}"), (3, f" --plan {KEY[0]} --lang zh"), (1, " --lang zh")],
)
@pytest.mark.parametrize("name", SCENES)
def test_u8_printed_commands_work_with_any_number_of_plans(
    here: Path, name: str, plans: int, more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try_scene(here, in_this_process(capsys), SCENES[name], plans, more)


ASKING = [
    turn("- Current step: 1.", calls=(call("ask_user", question="Which colour?"),)),
    turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": "paint"}]),)),
    LOOK,
]
RUNS = {
    "run to the limit": (LETTERS, "--max-iterations 2", 1),
    "run out of its budget": (LETTERS, "--budget model_calls=2", 1),
    "run to its end": (LETTERS, "", 2),
    "run to a question": (ASKING, "", 2),
    "run that only plans": (LETTERS, "--dry-run", 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_u3_u8_what_a_run_prints_works_beside_another_plan(here: Path, name: str) -> None:
    turns, options, hints = RUNS[name]
    scene = Scene((), f"run '{GOAL}' --model {model(here, turns)}", hints, "write-two-letters")
    try_scene(here, in_a_shell, scene, 2, f" {options}")


@pytest.mark.slow
def test_u2_what_a_run_has_printed_stays_about_its_plan_when_others_follow(here: Path) -> None:
    _, printed = in_a_shell(f"outlast run '{GOAL}' --model {model(here, ASKING)}")
    commands = printed_commands(printed)
    assert [command.split()[1] for command in commands] == ["answer", "resume"]
    with create_plan(str(here), "Another", "another", actor="agent") as plan:
        plan.questions.ask("Which day?")
    before = journals(here)["another"]
    for command in commands:
        assert "write-two-letters" in in_a_shell(fill_in(command))[1]
        assert journals(here)["another"] == before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_u8_the_first_commands_work_one_after_the_other(
    here: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = in_this_process(capsys)
    for _ in ("no plan yet", "an ended plan"):
        _, printed = run(f"outlast --lang {language}")
        commands = [command for command in printed_commands(printed) if " demo" not in command]
        assert len(commands) >= len(("new", "add", "help"))
        for command in commands:
            try_command(here, run, command, "", printed)
        for number in (1, 2):
            assert main(["done", f"{number}"]) == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_u8_the_commands_that_help_names_work(
    here: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = in_this_process(capsys)
    pages = ["outlast help --all", *(f"outlast help {name}" for name in load_commands())]
    printed = "\n".join(run(f"{page} --lang {language}")[1] for page in pages)
    commands = {*printed_commands(printed)}
    assert len(commands) > len(("help COMMAND", "help --all", "models"))
    for command in commands:
        try_command(here, run, command, "", printed)


SAMPLES = {
    "A..B": "1..2",
    "COUNT": "3",
    "DONE/ALL": "1/2",
    "N": "1",
    "N,N": "1,2",
    "SECONDS": "5",
    "TOKEN": "1",
}


@pytest.mark.parametrize("name", load_commands())
def test_u8_usage_lines_can_be_typed(name: str) -> None:
    for usage in (full_usage(load_command(name)), short_usage(load_command(name))):
        plain = usage.replace("[...]", "").replace("...", "")
        words = plain.replace("[", " ").replace("]", " ").split()
        typed = [SAMPLES.get(word.partition("|")[0], word.partition("|")[0]) for word in words]
        assert parse(typed).command == name
