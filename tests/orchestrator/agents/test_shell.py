"""R1.13: the agent `shell` runs the command of a task; nothing of it is left behind."""

import asyncio
from pathlib import Path

from outlast.agent.work import WorkOrder, WorkProgress, WorkResult
from outlast.orchestrator.agents.shell import ShellAgent


def work(tmp_path: Path, run: str, timeout: float = 30) -> tuple[WorkResult, str]:
    said: list[str] = []
    order = WorkOrder("task-1", 1, "a", run=run, timeout=timeout, may_run=True)
    result = asyncio.run(ShellAgent(str(tmp_path)).work(order, WorkProgress(said.append)))
    return result, "".join(said)


def test_r1_13_a_command_that_ends_with_0_is_a_success(tmp_path: Path) -> None:
    result, said = work(tmp_path, "echo made > out && echo built")
    assert result.report is not None
    assert (result.report.status, result.exit_code) == ("SUCCESS", 0)
    assert "built" in result.report.results
    assert said == "built\n", "streamed as it came"
    assert (tmp_path / "out").read_text() == "made\n"


def test_r1_13_output_that_comes_in_pieces_is_streamed_as_it_was_written(tmp_path: Path) -> None:
    _, said = work(tmp_path, r"printf '\345\256'; sleep 0.3; printf '\211 done'")
    assert said == "安 done"


def test_r1_13_any_other_code_is_a_failure_with_the_output(tmp_path: Path) -> None:
    result, _ = work(tmp_path, "echo no luck >&2; exit 3")
    assert result.report is not None
    assert (result.report.status, result.exit_code) == ("FAILED", 3)
    assert "no luck" in result.report.results


def test_f12_a_command_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    result, _ = work(tmp_path, "(sleep 60; touch late) & sleep 60", 0.3)
    assert (result.report, result.code) == (None, "TIMED_OUT")
    assert not (tmp_path / "late").exists()


def test_a5_secrets_in_the_output_are_redacted(tmp_path: Path) -> None:
    result, _ = work(tmp_path, "echo password=c4n4ry7Q9xZ2; exit 1")
    assert result.report is not None
    assert "c4n4ry" not in result.report.results + result.tail


def test_r1_13_a_task_without_a_command_says_what_to_write(tmp_path: Path) -> None:
    result, _ = work(tmp_path, "")
    assert "- run: COMMAND" in result.error


def test_r1_13_a_command_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    result, _ = work(tmp_path, "echo \0")
    assert result.error
    assert asyncio.run(ShellAgent(str(tmp_path)).settle("task-1", "")) is None


def test_a10_a_command_that_nobody_approved_is_denied(tmp_path: Path) -> None:
    order = WorkOrder("task-1", 1, "a", run="touch done")
    result = asyncio.run(ShellAgent(str(tmp_path)).work(order, WorkProgress()))
    assert (result.denied, result.report) == (("touch done",), None)
    assert not (tmp_path / "done").exists()
