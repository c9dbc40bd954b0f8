"""X3: what became of a call that was running when its agent was killed or stopped."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from outlast import open_plan
from outlast.language import Language
from tests.cli.agent_scripts import LOOK, call, isolated_environment, isolated_home, model, turn
from tests.cli.processes import outlast, stdout_of
from tests.cli.terminals import HANG, Terminal

COMMAND = "touch begun; sleep 60"
STEP: dict[Language, str] = {"en": "- Current step: 1.", "zh": "- 当前步骤: 1."}
KILLED: dict[Language, str] = {
    "en": (
        f"`{COMMAND}` (task 1) was running when the agent was killed. "
        "Did it finish? [d]one / [n]ot done"
    ),
    "zh": f"智能体被强制终止时，`{COMMAND}`（任务 1）正在运行。它执行完了吗？已完成 / 未完成",
}
UNCLEAR: dict[Language, str] = {
    "en": '"dunno" does not answer question 1: answer done (d) or not done (n)',
    "zh": "“dunno”没有回答问题 1：请回答“已完成”（d）或“未完成”（n）",
}
LATER: dict[Language, str] = {"en": "later): ", "zh": "答复）："}

pytestmark = pytest.mark.slow


def review(here: Path, language: Language = "en", *steps: str) -> str:
    """Return a model that runs a long command, and once its end was settled is content."""
    tasks = [{"name": name} for name in ("Review", *steps)]
    return model(
        here,
        [
            turn("sleep 60", "but it was done", say="[Done]"),
            turn("sleep 60", "曾被中断，但已经完成", say="[完成]"),
            turn("sleep 60", "it is unknown whether it was done", say="[Done]"),
            turn(STEP[language], calls=(call("bash", command=COMMAND),)),
            turn("0/0", calls=(call("add_tasks", tasks=tasks),)),
            LOOK,
        ],
    )


def wait_until_it_runs(here: Path) -> None:
    latest = time.monotonic() + HANG
    while not (here / "begun").exists():
        assert time.monotonic() < latest
        time.sleep(0.02)


def kill_while_it_runs(here: Path, *options: str) -> None:
    """Run an agent and kill it while its command runs; wait until its lease has expired."""
    command = [sys.executable, "-m", "outlast", "run", "Review it", *options, "--lease", "1"]
    environment = isolated_environment(here)
    with subprocess.Popen(  # noqa: S603 - our own command
        command, cwd=here, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        wait_until_it_runs(here)
        process.kill()


def reply(terminal: Terminal, prompt: str, word: str, language: Language = "en") -> None:
    """Wait for a question, whose own prompt follows, and answer it."""
    terminal.until(prompt)
    _, _, terminal.shown = terminal.shown.partition(prompt)
    terminal.until(LATER[language])
    terminal.type(f"{word}\n")


@pytest.mark.parametrize(("language", "answer"), [("en", "d"), ("zh", "已完成")])
def test_x3_the_person_at_the_terminal_is_asked_in_one_sentence_until_the_answer_is_clear(
    here: Path, language: Language, answer: str
) -> None:
    options = ("--model", review(here, language), "--lang", language)
    kill_while_it_runs(here, *options)
    terminal = Terminal(here, "resume", *options, NO_COLOR="1", columns=200)
    for prompt in (f"? 1  {KILLED[language]}\r\n", UNCLEAR[language], UNCLEAR[language]):
        reply(terminal, prompt, "dunno", language)
    assert terminal.end() == 1, "it waits"
    assert UNCLEAR[language] not in terminal.shown
    assert f"outlast answer 1 {'done' if language == 'en' else '已完成'}" in terminal.shown
    with open_plan(here) as plan:
        assert [question.text for question in plan.questions.open()] == [KILLED[language]]
    home = isolated_home(here)
    for look in (("show",), ("show", "1"), (), ("context", "--brief")):
        assert KILLED[language] in stdout_of(here, *look, "--lang", language, **home)
    terminal = Terminal(here, "resume", *options, NO_COLOR="1", columns=200)
    reply(terminal, KILLED[language], "dunno", language)
    reply(terminal, UNCLEAR[language], answer, language)
    assert terminal.end() == 0, terminal.shown


def test_x3_who_stopped_the_agent_is_asked_about_that(here: Path) -> None:
    options = ("--model", review(here))
    terminal = Terminal(here, "run", "Review it", *options)
    wait_until_it_runs(here)
    terminal.type("\x03")
    assert terminal.end() == 130
    asked = outlast(here, "resume", *options, **isolated_home(here))
    question = f"`{COMMAND}` (task 1) was running when you stopped it. Did it finish?"
    assert (asked.returncode, question in asked.stdout) == (1, True)
    terminal = Terminal(here, "resume", *options, columns=200)
    reply(terminal, question, "")
    assert terminal.end() == 1, "an empty answer means later"
    with open_plan(here) as plan:
        assert len(plan.questions.open()) == 1


def test_r4_11_a_maybe_to_a_permission_is_asked_again(here: Path) -> None:
    (here / "build").mkdir()
    delete = [
        turn("- Current step: 1.", say="[Done]", after_tool="bash"),
        turn("- Current step: 1.", calls=(call("bash", command="rm -rf build"),)),
        turn("0/0", calls=(call("add_tasks", tasks=[{"name": "Clean"}]),)),
        LOOK,
    ]
    terminal = Terminal(here, "run", "Clean", "--model", model(here, delete), NO_COLOR="1")
    reply(terminal, "Allow? (yes / no / always)", "maybe")
    hint = '"maybe" does not answer question 1: answer yes (y), no (n) or always (a)'
    reply(terminal, hint, "y")
    assert terminal.end() == 0, terminal.shown
    assert not (here / "build").exists()


def test_x3_nobody_is_asked_about_a_task_that_was_completed_by_hand(here: Path) -> None:
    kill_while_it_runs(here, "--model", review(here, "en", "Send"))
    home = isolated_home(here)
    assert "was running when the agent was killed" in outlast(here, "resume", **home).stdout
    stdout_of(here, "done", "1", **home)
    assert "was running" not in stdout_of(here, "show", **home)
    (here / "begun").unlink()
    assert "2/2 completed" in stdout_of(here, "resume", **home)
    assert not (here / "begun").exists(), "it was not repeated"
