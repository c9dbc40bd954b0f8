"""`outlast chat` with the lines of a pipe, and who may use it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assistant.chat.party import ANSWER, GOAL, QUESTION, RESULT, party_script
from tests.cli.agent_scripts import events, isolated_environment


def chat(
    here: Path, typed: str | bytes, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Send lines to a chat."""
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", "chat", *arguments],
        capture_output=True,
        check=False,
        cwd=here,
        env=isolated_environment(here, **variables),
        input=typed.encode() if isinstance(typed, str) else typed,
        timeout=60,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_r3_10_slash_commands_of_a_pipe_are_carried_out_without_a_model(here: Path) -> None:
    done = chat(here, "/todo add 买牛奶 --priority 7\n\n/todo list\n/todo done 1")
    assert (done.returncode, done.stderr) == (0, "")
    added, _, listed, completed = done.stdout.splitlines()
    assert added.startswith("Added todo 1: 买牛奶")
    assert listed.endswith("买牛奶")
    assert "todo 1: 买牛奶" in completed
    assert not (here / ".outlast").exists()


def test_r3_13_without_a_model_another_line_says_how_to_have_one(here: Path) -> None:
    done = chat(here, f"{GOAL['en']}\n")
    assert (done.returncode, done.stderr) == (1, "")
    assert "outlast chat --model NAME" in done.stdout
    chinese = chat(here, f"{GOAL['zh']}\n", "--lang", "zh")
    assert "未配置模型" in chinese.stdout


def test_r3_12_a_program_gets_a_stream_of_events(here: Path) -> None:
    model = party_script(here.parent, "en")
    lines = f"/nonsense\n{GOAL['en']}\n{ANSWER['en']}\n"
    done = chat(here, lines, "--model", model, "--json")
    printed = events(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    replies = [each["reply"] for each in printed if each.get("type") == "reply"]
    assert [each["kind"] for each in replies] == ["error", "question", "answer"]
    assert replies[1]["text"] == f"Please confirm: {QUESTION['en']}"
    assert replies[2]["text"] == RESULT["en"]
    assert {"notification", "tool_call_start", "tool_call_end"} <= {
        each["type"] for each in printed[:-1]
    }
    assert not {"text_delta", "message"} & {each.get("type") for each in printed}
    assert printed[-1] == {"ok": False}


def test_r3_05_max_steps_limits_a_task(here: Path) -> None:
    model = party_script(here.parent, "zh")
    done = chat(here, f"{GOAL['zh']}\n", "--model", model, "--max-steps", "1", "--lang", "zh")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-3:][0].startswith("已完成部分：")


def test_a_line_that_is_no_text_is_still_a_line(here: Path) -> None:
    done = chat(here, b"/todo add \xff\xfe milk\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\ufffd\ufffd milk" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_an_empty_one(here: Path, closed: str) -> None:
    line = f"echo /todo list | {sys.executable} -m outlast chat {closed}"
    done = subprocess.run(  # noqa: S603 - our own command
        ["/bin/sh", "-c", line],
        capture_output=True,
        check=False,
        cwd=here,
        encoding="utf-8",
        env=isolated_environment(here),
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a13_an_agent_cannot_answer_for_the_person(here: Path) -> None:
    done = chat(here, "/todo list\n", OUTLAST_ACTOR="helper")
    assert done.returncode == 1
    assert "outlast chat" in done.stderr


def test_ctrl_c_ends_a_chat_that_waits_for_a_line(here: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "outlast", "chat"],
        cwd=here,
        encoding="utf-8",
        env=isolated_environment(here),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write("/todo add milk\n")
        running.stdin.flush()
        assert running.stdout.readline() == "Added todo 1: milk\n"
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
