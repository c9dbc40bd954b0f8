"""F25: a program that ends without closing its plan leaves files that show all of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ENDED = "812 passed"
HOLDS = {
    "a plan": """
plan = create_plan(where, "Publish version 1.2", key="k")
plan.add("Run the tests")
plan.add("Write the notes")
plan.complete(1, "812 passed")
plan.notes.add_finding("code", "Slow test", "812 passed, one slow")
plan.notes.add_error("bash", "exit 1")
""",
    "a plan that nothing holds": """
def work():
    plan = create_plan(where, "Publish version 1.2", key="k")
    plan.add("Run the tests")
    plan.add("Write the notes")
    plan.complete(1, "812 passed")
    plan.notes.add_finding("code", "Slow test", "812 passed, one slow")
    plan.notes.add_error("bash", "exit 1")
work()
""",
    "a plan opened again": """
create_plan(where, "Publish version 1.2", key="k").close()
plan = open_plan(where, "k")
plan.add("Run the tests")
plan.add("Write the notes")
plan.complete(1, "812 passed")
plan.notes.add_finding("code", "Slow test", "812 passed, one slow")
plan.notes.add_error("bash", "exit 1")
""",
    "an async plan": """
import asyncio
async def work():
    plan = AsyncPlan(create_plan(where, "Publish version 1.2", key="k"))
    await plan.add("Run the tests")
    await plan.add("Write the notes")
    await plan.complete(1, "812 passed")
    await plan.notes.add_finding("code", "Slow test", "812 passed, one slow")
    await plan.notes.add_error("bash", "exit 1")
asyncio.run(work())
""",
    "PlanManager": """
manager = PlanManager(create_plan(where, "Publish version 1.2", key="k"))
manager.addTask("Run the tests")
manager.add_task("Write the notes")
manager.startNextTask()
assert manager.completeTask(1, "812 passed")["success"]
manager.plan.notes.add_finding("code", "Slow test", "812 passed, one slow")
manager.plan.notes.add_error("bash", "exit 1")
""",
    "PlanningService": """
service = PlanningService(where, "k")
steps = (TaskStep("Run the tests"), TaskStep("Write the notes"))
plan = service.plan.create("Publish version 1.2", "812 passed", [TaskPhase("Do", steps)])
phase = plan.phases[0]
service.plan.update_step_status(phase.id, phase.steps[0].id, "completed")
service.findings.add("code", "Slow test", "812 passed, one slow")
service.errors.log("bash", "exit 1")
""",
}
WRITTEN_AT_ONCE = ("PlanManager", "PlanningService")
ENDINGS = {
    "the end of the program": "",
    "an exit": "sys.exit(3)",
    "an exception": "raise ValueError('a bug')",
    "work in an earlier exit handler": "",
}
IMPORTS = """
import os, signal, sys
where = sys.argv[1]
"""
HOUSE = """
from outlast import AsyncPlan, PlanManager, create_plan, open_plan
from outlast.sessions import PlanningService, TaskPhase, TaskStep
"""


def run(program: str, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", program, str(where)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def check_files(where: Path) -> None:
    directory = where / ".outlast" / "plans" / "k"
    plan = (directory / "task_plan.md").read_text()
    assert "1/2" in plan
    assert "Run the tests" in plan
    assert ENDED in plan
    assert "Slow test" in (directory / "findings.md").read_text()
    assert "exit 1" in (directory / "errors.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("hold", HOLDS)
def test_f25_the_files_show_what_a_program_left_open(
    hold: str, ending: str, tmp_path: Path
) -> None:
    program = f"{IMPORTS}{HOUSE}{HOLDS[hold]}\n{ENDINGS[ending]}"
    if ending == "work in an earlier exit handler":
        lines = HOLDS[hold].strip().replace("\n", "\n    ")
        handler = f"import atexit\ndef late():\n    {lines}\natexit.register(late)"
        program = f"{IMPORTS}{handler}{HOUSE}create_plan(where, 'Before', key='before').close()"
    ended = run(program, tmp_path)
    assert ended.returncode == {"an exit": 3, "an exception": 1}.get(ending, 0), ended.stderr
    assert ended.stderr.count("Error") == ENDINGS[ending].count("Error")
    check_files(tmp_path)


@pytest.mark.parametrize("hold", WRITTEN_AT_ONCE)
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP"])
def test_r4_01_the_documents_own_methods_have_written_the_files_when_they_return(
    hold: str, name: str, tmp_path: Path
) -> None:
    kill = f"os.kill(os.getpid(), signal.{name})"
    ended = run(f"{IMPORTS}{HOUSE}{HOLDS[hold]}\n{kill}", tmp_path)
    assert ended.returncode == -signal.Signals[name]
    check_files(tmp_path)


def test_f25_a_handle_that_a_signal_kills_is_rendered_by_the_next_opener(tmp_path: Path) -> None:
    """The library installs no handler: the files may be a second old, the journal is not."""
    kill = "os.kill(os.getpid(), signal.SIGTERM)"
    assert run(f"{IMPORTS}{HOUSE}{HOLDS['a plan']}\n{kill}", tmp_path).returncode == -signal.SIGTERM
    with pytest.raises((AssertionError, FileNotFoundError)):
        check_files(tmp_path)  # the killed program had no time for it
    assert run(f"{IMPORTS}{HOUSE}\nopen_plan(where, 'k')", tmp_path).returncode == 0
    check_files(tmp_path)


FORKED = """
child = os.fork()
if not child:
    sys.exit(0)  # whose exit handlers run
os.waitpid(child, 0)
shown = open(where + "/.outlast/plans/k/task_plan.md").read()
print("Run the tests" in shown)
"""
CHILD_WORKS = """
child = os.fork()
if not child:
    plan.add("Added by the child")
    sys.exit(0)
os.waitpid(child, 0)
print("Added by the child" in open(where + "/.outlast/plans/k/task_plan.md").read())
os._exit(0)
"""


def test_f25_a_forked_child_does_not_render_what_its_parent_left(tmp_path: Path) -> None:
    ended = run(f"{IMPORTS}{HOUSE}{HOLDS['a plan']}\n{FORKED}", tmp_path)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("False\n", "", 0)
    check_files(tmp_path)


def test_f25_a_forked_child_renders_what_it_has_done_itself(tmp_path: Path) -> None:
    ended = run(f"{IMPORTS}{HOUSE}{HOLDS['a plan']}\n{CHILD_WORKS}", tmp_path)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("True\n", "", 0)
