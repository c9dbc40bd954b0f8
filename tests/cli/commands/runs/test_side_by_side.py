"""Several agents at a time, as a person at the terminal meets them."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from outlast import open_plan
from tests.cli.agent_scripts import isolated_home
from tests.cli.processes import outlast, stdout_of
from tests.cli.terminals import Terminal

SHELL = ("--agent", "shell")
TWO_QUESTIONS = """# Ship it

- [ ] Build
  - run: echo building; while ! test -f go; do sleep 0.05; done
  - files: build
- [ ] Test
  - run: echo "test_login failed"; exit 3
  - files: tests
- [ ] Lint
  - run: exit 1
  - files: src
- [ ] Publish
  - needs: 1, 2, 3
  - run: echo published
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    (place / "plan.md").write_text(TWO_QUESTIONS, encoding="utf-8")
    return place


def run(here: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return outlast(here, *arguments, **isolated_home(here), **variables)


def plain(shown: str) -> str:
    """Return what a terminal was sent, without its codes."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


@pytest.mark.slow
def test_r1_06_questions_come_one_after_the_other_while_others_work(here: Path) -> None:
    terminal = Terminal(here, "run", "plan.md", *SHELL, "--parallel", "3", columns=120)
    terminal.until("Carry out this plan with shell, 3 tasks at a time? [y/N]")
    terminal.type("y\n")
    terminal.until("Answer (empty: later): ")
    terminal.until("waits for your answer")
    terminal.type("skop\x7f\x7fip\n")  # corrected while typing
    terminal.until("wants it skipped")
    terminal.until("? 2")
    stdout_of(here, "answer", "2", "skip", **isolated_home(here))
    terminal.until("Question 2 was answered elsewhere: skip")
    (here / "go").touch()
    assert terminal.end() == 0
    shown = plain(terminal.shown)
    assert "▸ 1 Build" in shown, "the others are seen while the person is asked"
    assert "  2│ test_login failed" in shown
    with open_plan(here, "ship-it") as plan:
        skipped, done = "skipped", "completed"
        assert [task.status for task in plan.tasks()] == [done, skipped, skipped, done]


@pytest.mark.slow
def test_r1_12_ctrl_c_stops_the_agents_and_resume_goes_on_without_a_question(here: Path) -> None:
    plan = (
        "# Slow\n- [ ] A\n  - run: echo $$ >> pids; test -f go || sleep 60; touch done\n"
        "  - check: test -e done\n- [ ] B\n  - run: :\n"
    )
    (here / "plan.md").write_text(plan)
    terminal = Terminal(here, "run", "plan.md", *SHELL, "--yes", columns=120)
    terminal.until("1 A (shell)")
    while not (here / "pids").exists():
        terminal.until("▸ 1 A")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert "Stopping the agents, in the middle of 1 A; press Ctrl-C again" in terminal.shown
    begun = (here / "pids").read_text().split()
    assert not any(Path("/proc", pid, "cwd").exists() for pid in begun), "killed"
    (here / "go").touch()
    resumed = run(here, "resume")
    assert resumed.returncode == 0
    assert resumed.stdout.splitlines()[:2] == [
        "Interrupted, to be settled first: 1 A",
        "Still to do: 2 B",
    ]
    assert len((here / "pids").read_text().split()) == 2


def test_a10_a_refused_run_shows_what_it_would_run(here: Path) -> None:
    refused = run(here, "run", "plan.md", *SHELL, "--parallel", "3", "--review")
    assert refused.returncode == 1
    assert '    - run: echo "test_login failed"; exit 3\n' in refused.stdout
    advice = "outlast resume --agent shell --parallel 3 --review --approve --plan ship-it"
    assert refused.stdout.strip().endswith(advice)


def test_u3_the_agent_of_the_settings_carries_out_a_plan_file(here: Path) -> None:
    home = isolated_home(here)
    settings = Path(home["XDG_CONFIG_HOME"], "outlast", "config.toml")
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[orchestrator]\nagent = "shell"\nparallel = 2\n')
    (here / "plan.md").write_text("# One\n- [ ] A\n  - run: echo a > a.txt\n")
    done = run(here, "run", "plan.md", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert (here / "a.txt").exists()


def test_u10_the_json_stream_names_the_task_of_every_event(here: Path) -> None:
    (here / "plan.md").write_text(
        "# One\n- [ ] A\n  - run: echo a > a.txt; echo hi\n  - check: test -f a.txt\n"
    )
    done = run(here, "run", "plan.md", *SHELL, "--yes", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    of_task = [event for event in events if "lane" in event]
    assert {event["task"] for event in of_task} == {1}
    kinds = [event["type"] for event in of_task if event["type"] != "text_delta"]
    assert kinds == ["agent_start", "agent_end", "checks_start", "checks_end", "decision"]
    assert (of_task[-1]["decision"], of_task[-1]["done"], of_task[-1]["total"]) == ("next", 1, 1)


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (("--agent", "human"), "Go through this plan with you, task by task? [y/N]"),
        (("--agent", "shell", "--lang", "zh"), "用 shell 执行这个计划吗？[y/N]"),
        (
            ("--agent", "claude-code"),
            "Carry out this plan with claude-code (may edit files)? [y/N]",
        ),
        (
            ("--agent", "claude-code", "--parallel", "2", "--permissions", "read"),
            "Carry out this plan with claude-code (may only read), 2 tasks at a time? [y/N]",
        ),
    ],
)
def test_r1_10_the_approval_names_who_would_work_and_what_they_may(
    here: Path, words: tuple[str, ...], question: str
) -> None:
    program = here.parent / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    terminal = Terminal(here, "run", "plan.md", *words, columns=120, PATH=path)
    terminal.until(question)
    terminal.type("n\n")
    assert terminal.end() == 1
    advice = " ".join(("outlast resume", *words[:2]))
    assert advice in terminal.shown
