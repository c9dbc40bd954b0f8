"""R0.14, R0.06: what people say to a plan, from any terminal and across kill -9; the answer."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from outlast import open_plan
from tests.cli.agent_scripts import (
    GOAL,
    LETTERS,
    TASKS,
    call,
    events,
    isolated_environment,
    isolated_home,
    letter,
    model,
    turn,
)
from tests.cli.processes import outlast, stdout_of

PATIENCE = 60.0
WAITING = "while [ ! -e go ]; do sleep 0.05; done; echo it went"
SLOW = [
    turn("- Progress: 2/2", say="Both are written, in blue."),
    letter(2),
    turn("- Current step: 1.", "it went", calls=(call("complete_task", task=1, result="blue"),)),
    turn("- Current step: 1.", say="I wait for it.", calls=(call("bash", command=WAITING),)),
    turn(calls=(TASKS,)),
]


@contextmanager
def running(here: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Start a run, and wait until its tool waits."""
    command = [sys.executable, "-m", "outlast", "run", GOAL, "--key", "k", *options]
    with subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=here,
        env=isolated_environment(here),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            wait_for(here, "act")
            yield process
        finally:
            (here / "go").touch()
            process.kill()


def wait_for(here: Path, kind: str) -> None:
    """Wait until the transcript has an entry about the tool that waits."""
    end = time.monotonic() + PATIENCE
    while not any(entry["kind"] == kind and "bash" in str(entry) for entry in transcript(here)):
        assert time.monotonic() < end
        time.sleep(0.02)


def transcript(here: Path) -> list[dict[str, Any]]:
    path = here / ".outlast" / "plans" / "k" / "transcript.jsonl"
    lines = path.read_text("utf-8").split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def heard(here: Path) -> list[tuple[str, str]]:
    with open_plan(here, "k") as plan:
        messages = plan.core.read(lambda state: state.ledger.conversation.messages)
    return [(message.by, message.text) for message in messages]


@pytest.mark.slow
def test_r0_14_a_plan_at_work_is_spoken_to_from_another_terminal(here: Path) -> None:
    options = ("--model", model(here, SLOW))
    with running(here, *options, "--lease", "3") as process:
        answer = "The agent will read it before its next step\n"
        for words, more in (("Use blue ink", ()), ("Write slowly", options)):
            spoken = outlast(here, "run", words, "--plan", "k", *more, **isolated_home(here))
            assert (spoken.returncode, spoken.stdout) == (0, answer)
        assert stdout_of(here, "say", "And sign it", "--plan", "k", **isolated_home(here))
        refused = outlast(here, "run", "continue", "--plan", "k", *options, **isolated_home(here))
        assert refused.returncode == 1, "there is nothing to say to a plan that goes on"
        (here / "go").touch()
        shown, _ = process.communicate(timeout=PATIENCE)
    assert "  Both are written, in blue." in shown.splitlines()
    said = ["Use blue ink", "Write slowly", "And sign it"]
    assert heard(here) == [("human", words) for words in said]
    later = [entry["messages"] for entry in transcript(here) if entry["kind"] == "think"][2]
    texts = [one["text"] for one in later if one["role"] == "user"]
    assert [text for text in texts if not text.startswith("<")] == said


@pytest.mark.slow
def test_r0_14_a_message_to_a_run_that_has_died_is_kept_and_its_plan_continued(here: Path) -> None:
    options = ("--model", model(here, SLOW))
    with running(here, *options, "--lease", "3") as process:
        process.kill()
        process.wait(PATIENCE)
    message = ("run", "Use blue ink", "--plan", "k")
    spoken = outlast(here, *message, *options, **isolated_home(here))
    assert spoken.returncode == 1, "the question what became of the command"
    assert "outlast answer" in spoken.stdout
    assert heard(here) == [("human", "Use blue ink")]


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "head"), [("en", "[Resuming task] "), ("zh", "[恢复任务] ")])
def test_r0_14_after_kill_9_the_model_gets_the_brief_and_its_last_exchange(
    here: Path, lang: str, head: str
) -> None:
    script = json.dumps(SLOW, ensure_ascii=False)
    for english, chinese in (("Current step", "当前步骤"), ("Progress", "进度")):
        script = script.replace(english, english if lang == "en" else chinese)
    options = ("--model", model(here, json.loads(script)), "--lang", lang)
    with running(here, *options, "--lease", "2") as process:
        stdout_of(here, "say", "Use blue ink", "--plan", "k", **isolated_home(here))
        process.kill()
        process.wait(PATIENCE)
    before = len(transcript(here))
    first = outlast(here, "resume", "--plan", "k", *options, **isolated_home(here))
    assert first.returncode == 1, "nobody knows whether the command has run"
    stdout_of(here, "answer", "not done", "--plan", "k", **isolated_home(here))
    said = outlast(here, "resume", "And sign it", "--plan", "k", *options, **isolated_home(here))
    assert said.returncode == 0, said.stdout
    request = next(one["messages"] for one in transcript(here)[before:] if one["kind"] == "think")
    roles = [message["role"] for message in request]
    assert roles == ["system", "user", "assistant", "tool", "user", "user", "user"]
    assert request[2]["text"] == "I wait for it."
    assert [one["name"] for one in request[2]["calls"]] == ["bash"]
    assert request[3]["call_id"] == request[2]["calls"][0]["id"]
    brief = request[4]["text"]
    assert brief.startswith(head)
    assert brief.endswith("And sign it")
    assert GOAL in brief
    assert request[5]["text"] == "Use blue ink", "it had not been read, and is read now"
    assert request[6]["text"].startswith("<plan>")
    assert heard(here) == [("human", "Use blue ink"), ("human", "And sign it")]


@pytest.mark.slow
def test_r0_06_a_finished_run_prints_and_keeps_its_answer(here: Path) -> None:
    quiet = [turn("- Progress: 2/2", say=""), *LETTERS[1:]]
    options = ("--key", "k", "--json", "--model", model(here, quiet))
    done = outlast(here, "run", GOAL, *options, **isolated_home(here))
    *stream, last = events(done.stdout)
    assert (last["why"], last["text"], last["answer"]) == ("finished", *["I write letter 2."] * 2)
    assert [one["text"] for one in stream if one["type"] == "message"] == ["I write letter 2."]
    kept = (here / ".outlast" / "plans" / "k" / "deliverable.md").read_text("utf-8")
    assert kept.startswith("I write letter 2.\n\n# Write two letters\n")
    shown = outlast(here, "run", "/plan", "--model", model(here, LETTERS), **isolated_home(here))
    assert "2. ✓ second letter" in shown.stdout


@pytest.mark.slow
def test_r0_14_a_message_to_a_paused_plan_is_answered_and_kept(here: Path) -> None:
    options = ("--model", model(here, LETTERS))
    first = ("run", GOAL, "--key", "k", "--max-iterations", "3")
    outlast(here, *first, *options, **isolated_home(here))
    aside = ("--plan", "k", "--model", model(here, [turn(say="As you like.")], "aside.yaml"))
    done = outlast(here, "run", "Use blue ink", *aside, **isolated_home(here))
    assert (done.returncode, "  As you like." in done.stdout.splitlines()) == (0, True)
    assert heard(here) == [("human", "Use blue ink")]
    done = outlast(here, "resume", "And sign it", "--plan", "k", *options, **isolated_home(here))
    assert done.returncode == 0
    assert heard(here) == [("human", "Use blue ink"), ("human", "And sign it")]
