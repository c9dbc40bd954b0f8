"""R1.02 to R1.04, R1.10 to R1.12: a run and its workers exchange files, each in its own process."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import CommandFile
from outlast.system.clock import new_uuid, now
from tests.cli.agent_scripts import isolated_environment, isolated_home
from tests.cli.commands.runs.test_run_agents import install_claude
from tests.cli.processes import outlast

LETTER = "# Letters\n- [ ] 写信\n  - check: test -s letter.txt\n  - files: letter.txt\n"
HEADINGS = ["## 任务描述", "## 约束条件", "## 预期输出"]
REPORT = """---
status: SUCCESS
session_id: 123e4567-e89b-12d3-a456-426614174abc
---

## 核心成果
信写好了

## 填坑记录
无

## 下一步建议
寄出去
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    (place / "plan.md").write_text(LETTER, encoding="utf-8")
    return place


@contextmanager
def started(here: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 - our own command
        (sys.executable, "-m", "outlast", *words),
        cwd=here,
        env=isolated_environment(here),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_command(pending: Path) -> Path:
    while not (found := list(pending.glob("task-*.md"))):
        time.sleep(0.01)
    return found[0]


def act_as_agent(here: Path, volumes: Path) -> str:
    """Do what the document's coding agent does: move the command, write the report in place."""
    command = wait_for_command(volumes / "commands" / "pending")
    text = command.read_text()
    command.rename(volumes / "commands" / "processed" / command.name)
    (here / "letter.txt").write_text("Dear Ada")
    (volumes / "reports" / "pending" / f"report-{command.stem}.md").write_text(REPORT)
    return text


def test_r1_02_the_documents_agent_gets_its_form_and_is_understood(here: Path) -> None:
    options = ("--mailbox", "volumes", "--layout", "volumes", "--yes")
    with started(here, "run", "plan.md", *options) as process:
        text = act_as_agent(here, here / "volumes")
        printed, _ = process.communicate(timeout=30)
    assert process.returncode == 0, printed
    assert "◂ 1 写信: SUCCESS: 信写好了" in printed
    front, body = text.removeprefix("---\n").split("---\n", 1)
    keys = [line.partition(":")[0] for line in front.splitlines()]
    assert keys == ["id", "created_at", "session_id", "command_type"]
    headings = [
        line for line in body.splitlines() if line in ("## 任务描述", "## 约束条件", "## 预期输出")
    ]
    assert headings == ["## 任务描述", "## 约束条件", "## 预期输出"]
    assert body.endswith("- check: test -s letter.txt\n")
    ended = wait_for_command(here / "volumes" / "commands" / "pending").read_text()
    assert "command_type: end" in ended
    assert "session_id: 123e4567-e89b-12d3-a456-426614174abc" in ended


def test_r1_12_a_killed_run_finds_its_mailbox_and_its_report_again(here: Path) -> None:
    options = ("--mailbox", "box", "--layout", "volumes", "--yes", "--lease", "1")
    with started(here, "run", "plan.md", *options) as process:
        wait_for_command(here / "box" / "commands" / "pending")
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
    act_as_agent(here, here / "box")
    resumed = outlast(here, "resume", **isolated_home(here))
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert "● [1/1] 1 写信" in resumed.stdout
    assert not (here / ".outlast" / "mailbox").exists()
    sent = [path.read_text() for path in (here / "box" / "commands").rglob("task-*.md")]
    assert sum("command_type: new" in text for text in sent) == 1, "nothing was sent twice"


def test_r1_10_the_settings_say_where_and_how(here: Path) -> None:
    config = Path(isolated_home(here)["XDG_CONFIG_HOME"]) / "outlast" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        '[orchestrator]\nagent = "mailbox"\nattempt_seconds = 1\nattempts = 1\n'
        '[mailbox]\ndirectory = "post"\nlayout = "volumes"\ncommands = "in/new"\nreports = "out"\n'
    )
    done = outlast(here, "run", "plan.md", "--yes", **isolated_home(here))
    assert done.returncode == 1
    assert "No agent claimed the command within 1 seconds" in done.stdout
    (withdrawn,) = (here / "post" / "in" / "processed").iterdir()
    assert "## 任务描述" in withdrawn.read_text()
    assert (here / "post" / "out").is_dir()


def test_r1_11_a_worker_works_in_the_workspace_of_its_mailbox(here: Path, tmp_path: Path) -> None:
    mailbox, path = Mailbox(str(here / ".outlast" / "mailbox")), install_claude(here)
    mailbox.send(CommandFile(f"task-{new_uuid()}", now(), "Write it"))
    words = ("worker", "--agent", "claude-code", "--mailbox", mailbox.root, "--once")
    done = outlast(tmp_path, *words, **isolated_home(here), **path)
    assert (done.returncode, done.stdout) == (0, "Carried out 1 command\n")
    assert done.stderr.startswith(f"claude-code serves {mailbox.root} and works in {here}; ")
    assert (here / "letter.txt").exists()


def test_r1_10_a_worker_is_told_another_workspace(here: Path, tmp_path: Path) -> None:
    path, box = install_claude(here), tmp_path / "box"
    Mailbox(str(box), "zh").send(CommandFile(f"task-{new_uuid()}", now(), "写信"))
    words = ("worker", "--agent", "claude-code", "--mailbox", "box", "--layout", "volumes")
    more = ("--workspace", "here", "--once", "--json")
    done = outlast(tmp_path, *words, *more, **isolated_home(here), **path)
    assert (done.returncode, '"commands":1' in done.stdout.replace(" ", "")) == (0, True)
    assert (here / "letter.txt").exists()
    (report,) = (box / "reports" / "pending").iterdir()
    assert "## 核心成果\nletter.txt" in report.read_text()


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("--agent", "tools"), 4, "tools"),
        (("--agent", "human"), 4, "human"),
        (("--agent", "mailbox"), 2, "outlast worker --agent NAME --mailbox DIR"),
        (("--agent", "codex", "--workspace", "none"), 4, "none"),
        (("--agent", "codex", "--mailbox", "plan.md"), 4, "plan.md/commands/pending: the mailbox"),
    ],
)
def test_r1_11_what_a_worker_cannot_do_is_one_clear_line(
    here: Path, words: tuple[str, ...], code: int, line: str
) -> None:
    done = outlast(here, "worker", *words, **isolated_home(here))
    assert (done.returncode, done.stdout) == (code, "")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1


def test_f10_a_link_in_the_project_is_no_mailbox(here: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (here / "volumes").symlink_to(elsewhere)
    done = outlast(here, "run", "plan.md", "--mailbox", "volumes", **isolated_home(here))
    assert (done.returncode, done.stdout) == (4, "")
    assert "volumes/commands/pending: the mailbox cannot be used" in done.stderr
    assert list(elsewhere.iterdir()) == []
