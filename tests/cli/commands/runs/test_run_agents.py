"""`run --agent`, `resume`, `worker`: agents carry out a plan, in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outlast import open_plan
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import CommandFile
from outlast.system.clock import new_uuid, now
from tests.cli.agent_scripts import isolated_environment, isolated_home, model, turn
from tests.cli.processes import outlast, stdout_of
from tests.cli.terminals import Terminal

SITE = """# Build the site

- [ ] Make pages
  - run: echo making; echo page > page.txt
  - check: test -f page.txt
  - files: page.txt
- [ ] Make styles
  - run: echo css > style.css
  - check: file: style.css
  - files: style.css
- [ ] Pack
  - needs: 1, 2
  - run: cat page.txt style.css > site.txt
  - check: test -s site.txt
"""
SHELL = ("--agent", "shell")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    (place / "plan.md").write_text(SITE, encoding="utf-8")
    return place


def run(here: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return outlast(here, *arguments, **isolated_home(here), **variables)


def test_r1_13_a_plan_in_a_file_is_carried_out_without_a_model(here: Path) -> None:
    done = run(here, "run", "plan.md", *SHELL, "--parallel", "2", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    begun = [line for line in lines if line.startswith("▶")]
    assert sorted(begun[:2]) == ["▶ 1 Make pages (shell)", "▶ 2 Make styles (shell)"]
    assert begun[2:] == ["▶ 3 Pack (shell)"], "after both"
    assert {"  1│ making", "◂ 3 Pack: SUCCESS", "● [3/3] 3 Pack  ✔ 1/1"} <= set(lines)
    assert (here / "site.txt").read_text() == "page\ncss\n"
    with open_plan(here, "build-the-site") as plan:
        assert [(task.status, task.how) for task in plan.tasks()] == [("completed", "proved")] * 3
        assert plan.order == "graph"
        assert plan.last_run is not None
        assert (plan.last_run.agent, plan.last_run.parallel) == ("shell", 2)


def test_u3_a_review_of_changes_is_remembered(here: Path) -> None:
    (here / "plan.md").write_text("# Ship it\n\n- [ ] fail\n  - run: false\n", encoding="utf-8")
    run(here, "run", "plan.md", *SHELL, "--review", "--yes")
    run(here, "answer", "1", "retry")
    assert run(here, "resume").returncode == 1
    with open_plan(here, "ship-it") as plan:
        assert plan.last_run is not None
        assert plan.last_run.review


def test_a10_the_commands_of_a_file_run_only_after_a_person_has_seen_and_approved_them(
    here: Path,
) -> None:
    refused = run(here, "run", "plan.md", *SHELL)
    assert refused.returncode == 1
    advice = "outlast resume --agent shell --approve --plan build-the-site"
    assert refused.stdout.strip().endswith(advice)
    assert not (here / "page.txt").exists()
    done = run(here, *advice.split()[1:])
    assert done.returncode == 0
    shown = done.stdout.index("    - run: echo making; echo page > page.txt")
    assert shown < done.stdout.index("▶ 1 Make pages")


def test_a10_a_command_that_is_changed_after_the_approval_does_not_run(here: Path) -> None:
    (here / "plan.md").write_text("# Two\n- [ ] A\n  - run: test -f go\n- [ ] B\n  - run: echo b\n")
    assert run(here, "run", "plan.md", *SHELL, "--yes").returncode == 1
    with open_plan(here, "two", actor="agent") as plan:
        plan.update(2, run="touch stolen")
    (here / "go").touch()
    stdout_of(here, "answer", "1", "retry", **isolated_home(here))
    again = run(here, "resume")
    assert again.returncode == 1
    assert "This plan needs your approval" in again.stdout
    assert not (here / "stolen").exists()
    assert "    touch stolen\n" in run(here, "check", "--approve").stdout, "a person sees all of it"
    approved = run(here, "resume", "--approve")
    assert approved.returncode == 0
    assert (here / "stolen").exists(), "a person has approved it now"


def test_r1_10_a_person_at_the_terminal_is_shown_the_plan_once(here: Path) -> None:
    terminal = Terminal(here, "run", "plan.md", *SHELL)
    terminal.until("Carry out this plan with shell? [y/N]")
    assert not (here / "page.txt").exists()
    terminal.type("y\n")
    assert terminal.end() == 0
    assert (here / "site.txt").exists()


def test_a10_a_yes_approves_only_the_commands_that_were_shown(here: Path) -> None:
    terminal = Terminal(here, "run", "plan.md", *SHELL)
    terminal.until("Carry out this plan with shell? [y/N]")
    assert run(here, "add", "More", "--check", "touch stolen", CLAUDECODE="1").returncode == 0
    terminal.type("y\n")
    terminal.until("Nobody has approved these checks and commands")
    assert "touch stolen" not in terminal.shown.partition("[y/N]")[0]
    terminal.until("Answer (empty: later)")
    terminal.type("no\n")
    terminal.end()
    assert not (here / "stolen").exists()


def test_r1_06_a_person_answers_later_and_the_run_obeys(here: Path) -> None:
    two = "# Two\n- [ ] A\n  - run: echo a >> log; exit 3\n- [ ] B\n  - run: echo b\n"
    (here / "plan.md").write_text(two)
    stopped = run(here, "run", "plan.md", *SHELL, "--yes")
    assert stopped.returncode == 1
    assert (here / "log").read_text() == "a\n" * 3, "three attempts, then a person is asked"
    stdout_of(here, "answer", "1", "skip", **isolated_home(here))
    done = run(here, "resume")
    assert done.returncode == 0, "with the agent that the plan remembers"
    assert done.stdout.splitlines()[:2] == ["Goes on as you answered: 1 A", "Still to do: 2 B"]
    assert (here / "log").read_text() == "a\n" * 3
    with open_plan(here, "two") as plan:
        assert [task.status for task in plan.tasks()] == ["skipped", "completed"]


def test_u1_tasks_in_their_order_are_told_before_they_run(here: Path) -> None:
    (here / "two.md").write_text("# Two\n- [ ] A\n  - run: :\n- [ ] B\n  - run: :\n")
    done = run(here, "run", "two.md", *SHELL, "--parallel", "2", "--yes")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "they run one after the other; if they may run side by side: outlast edit" in done.stderr


def test_m2_a_plan_file_that_says_what_a_task_needs_is_a_graph_even_if_it_is_nothing(
    here: Path,
) -> None:
    (here / "told.md").write_text("# Told\n- [ ] A\n  - run: :\n  - needs:\n- [ ] B\n  - run: :\n")
    (here / "untold.md").write_text("# Untold\n- [ ] A\n  - run: :\n- [ ] B\n  - run: :\n")
    orders = []
    for name in ("told", "untold"):
        done = run(here, "run", f"{name}.md", *SHELL, "--yes")
        assert (done.returncode, done.stderr) == (0, "")
        with open_plan(here, name) as plan:
            orders.append(plan.order)
    assert orders == ["graph", "sequential"]


def test_u1_the_same_file_again_goes_on_with_its_plan(here: Path) -> None:
    run(here, "run", "plan.md", *SHELL)
    again = run(here, "run", "plan.md", *SHELL, "--yes")
    assert again.returncode == 0
    assert "Going on with the plan build-the-site" in again.stderr
    assert [path.name for path in (here / ".outlast" / "plans").iterdir()] == ["build-the-site"]


def test_r1_13_a_plan_of_the_workspace_is_named_by_its_key(here: Path) -> None:
    stdout_of(here, "import", "plan.md", **isolated_home(here))
    done = run(here, "run", "build-the-site", *SHELL, "--yes")
    assert (done.returncode, "● [3/3] 3 Pack" in done.stdout) == (0, True)
    assert [path.name for path in (here / ".outlast" / "plans").iterdir()] == ["build-the-site"]


def test_x3_a_killed_run_does_nothing_twice_without_a_word(here: Path) -> None:
    slow = "# Slow\n- [ ] A\n  - run: echo a >> log\n- [ ] B\n  - run: echo b >> log; sleep 60\n"
    (here / "plan.md").write_text(slow)
    words = (sys.executable, "-m", "outlast", "run", "plan.md", *SHELL, "--yes", "--lease", "1")
    with subprocess.Popen(  # noqa: S603 - our own command
        words, cwd=here, env=isolated_environment(here), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert any(line.startswith("▶ 2 B") for line in process.stdout)
        while not (here / "log").read_text().endswith("b\n"):
            time.sleep(0.01)
        process.kill()
    resumed = run(here, "resume")
    assert resumed.returncode == 1
    lines = resumed.stdout.splitlines()
    assert lines[:2] == ["Not run again: 1 A", "Interrupted, to be settled first: 2 B"]
    assert (here / "log").read_text() == "a\nb\n"


def test_u3_an_agent_that_the_user_has_not_chosen_is_not_used(here: Path) -> None:
    assert run(here, "run", "plan.md", *SHELL, "--yes").returncode == 0
    stdout_of(here, "edit", "3", "--reopen", "--plan", "build-the-site", **isolated_home(here))
    other = {**isolated_home(here), "XDG_STATE_HOME": str(here.parent / "another-user")}
    refused = outlast(here, "resume", "--plan", "build-the-site", **other)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "the plan remembers the agent shell" in refused.stderr


PLANNED = json.dumps(
    {
        "tasks": [
            {
                "name": "write the letter",
                "description": "a letter",
                "needs": [],
                "constraints": "",
                "expected": "letter.txt",
                "files": ["letter.txt"],
                "checks": ["test -f letter.txt"],
            }
        ]
    }
)
NEXT = json.dumps({"decision": "next", "reason": "the check passes", "advice": None})
PLANNER = [
    turn("You plan work", say=PLANNED),
    turn("You evaluate", say=NEXT),
    turn("closing summary", say="The letter is written."),
]
CLAUDE = f"""#!{sys.executable}
import json, re, sys
told = " ".join(sys.argv) + sys.stdin.read()
trial = re.search(r"Write the word (\\S+) into the file (\\S+),", told)
if trial:
    open(trial[2], "w").write(trial[1])
else:
    open("letter.txt", "w").write("Dear all")
said = {{"type": "text", "text": "I write the letter."}}
report = dict(status="SUCCESS", results="letter.txt", pitfalls="", next_steps="")
print(json.dumps(dict(type="assistant", session_id="s-1", message=dict(content=[said]))))
print(json.dumps(dict(type="result", session_id="s-1", structured_output=report)))
"""


def install_claude(here: Path) -> dict[str, str]:
    directory = here.parent / "bin"
    directory.mkdir()
    program = directory / "claude"
    program.write_text(CLAUDE)
    program.chmod(0o755)
    return {"PATH": f"{directory}{os.pathsep}{os.environ['PATH']}"}


def test_r1_01_a_goal_is_planned_handed_over_checked_judged_and_summed_up(here: Path) -> None:
    options = ("--agent", "claude-code", "--model", model(here, PLANNER), "--yes")
    done = run(here, "run", "Write a letter", *options, **install_claude(here))
    assert (done.returncode, done.stderr) == (0, "")
    assert "▶ 1 write the letter (claude-code)\n  1│ I write the letter.\n" in done.stdout
    assert "{" not in done.stdout, "what the model says to the orchestrator is not for people"
    assert "  ● 1 write the letter  ✔ proved  → letter.txt\n" in done.stdout
    written = here / ".outlast" / "plans" / "write-a-letter" / "deliverable.md"
    assert "The letter is written." in written.read_text()


def test_r1_11_a_worker_serves_the_mailbox_of_a_run(here: Path) -> None:
    home, path = isolated_home(here), install_claude(here)
    words = (sys.executable, "-m", "outlast", "worker", "--agent", "claude-code", "--mailbox", "mb")
    environment = isolated_environment(here, **path)
    with subprocess.Popen(  # noqa: S603 - our own command
        words, cwd=here, env=environment, stdout=subprocess.PIPE
    ) as worker:
        options = ("--mailbox", "mb", "--model", model(here, PLANNER), "--yes")
        done = outlast(here, "run", "Write a letter", *options, **home)
        worker.send_signal(signal.SIGINT)
        told, _ = worker.communicate(timeout=30)
    assert (done.returncode, worker.returncode) == (0, 0)
    assert told.decode().startswith("Carried out")
    assert "▶ 1 write the letter (mailbox)" in done.stdout
    assert len(list((here / "mb" / "reports" / "processed").iterdir())) == 1


def test_r1_11_a_worker_can_end_when_nothing_waits(here: Path) -> None:
    mailbox = Mailbox(str(here / ".outlast" / "mailbox"))
    mailbox.send(CommandFile(f"task-{new_uuid()}", now(), "Write it"))
    done = run(here, "worker", "--agent", "claude-code", "--once", **install_claude(here))
    assert (done.returncode, done.stdout) == (0, "Carried out 1 command\n")


BAD: list[tuple[tuple[str, ...], int, str]] = [
    (("run", "none.md", *SHELL), 4, "none.md: there is no such file"),
    (("run", "circle.md", *SHELL), 1, "Circular dependency: 1, 2, 1"),
    (("run", "empty.md", *SHELL), 2, "empty.md: not a plan"),
    (("run", "idle.md", *SHELL), 2, "no command to run for 1 task: 1 A; add a line - run: COMMAND"),
    (("run", "idle.md"), 2, "say who works: --agent shell"),
    (("run", "Do it", *SHELL), 2, "no model to plan this goal with: add --model NAME"),
    (("run", "Do it", "--agent", "claud-code"), 2, "did you mean claude-code?"),
    (("run", "Do it", "--agent", "nobody"), 2, "there are: claude-code"),
    (("run", "Do it", "--parallel", "2"), 2, "add --agent NAME"),
    (("run", "Do it", "--sessions", "shared"), 2, "--sessions: only for the tasks of an agent"),
    (("run", "Do it", "--review"), 2, "--review: only with --agent NAME or --loop replan"),
    (("run", "Do it", "--loop", "replan", *SHELL), 2, "here the agent shell does it"),
    (("run", "Do it", "--loop", "fast"), 2, "tools|replan"),
    (("run", "Do it", "--loop", "replan"), 2, "no model"),
    (("run", "Do it", "--layout", "volumes"), 2, "add --mailbox DIR"),
    (("run", "plan.md", *SHELL, "--layout", "volumes"), 2, "add --mailbox DIR"),
    (("run", "plan.md", *SHELL, "--parallel", "65"), 2, "--parallel"),
    (("run", "plan.md", *SHELL, "--permissions", "all"), 2, "read|edit|full"),
    (("run", "plan.md", *SHELL, "--permissions", "read"), 2, "shell does what the plan says"),
    (("run", "plan.md", *SHELL, "--mailbox", "m"), 2, "outlast worker --agent shell --mailbox m"),
    (("run", "plan.md", "--mailbox", "/proc/none"), 4, "/proc/none: the mailbox cannot be used"),
    (("worker",), 2, "outlast worker --agent NAME --mailbox DIR"),
    (("worker", "--agent", "nobody"), 2, "there is no agent"),
    (("worker", "--agent", "human", "--mailbox", "/proc/none"), 4, "the mailbox cannot be used"),
    (("worker", "--agent", "human", "--mailbox", " "), 2, "--mailbox"),
    (("worker", *SHELL), 2, "an order in a mailbox has none"),
]


@pytest.mark.parametrize(("words", "code", "line"), BAD)
def test_bad_input_is_one_clear_line_and_leaves_nothing(
    here: Path, words: tuple[str, ...], code: int, line: str
) -> None:
    (here / "circle.md").write_text(
        "# L\n- [ ] A\n  - needs: 2\n  - run: :\n- [ ] B\n  - needs: 1\n  - run: :\n"
    )
    (here / "idle.md").write_text("# L\n- [ ] A\n")
    (here / "empty.md").touch()
    done = run(here, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (here / ".outlast" / "plans").exists()


def test_an_agent_that_is_not_installed_is_named(here: Path) -> None:
    words = ("run", "Do it", "--agent", "claude-code", "--model", model(here, PLANNER))
    done = run(here, *words, PATH="/usr/bin:/bin")
    assert (done.returncode, done.stdout) == (4, "")
    install = "to install it: npm install -g @anthropic-ai/claude-code"
    assert done.stderr == f"outlast: claude is not installed, or not on the PATH; {install}\n"
