"""`outlast worker`: which agents can serve a mailbox."""

from pathlib import Path

import pytest

from tests.cli.processes import outlast


@pytest.mark.parametrize("agent", ["tools", "human"])
def test_r1_11_an_agent_that_works_only_inside_a_run_serves_no_mailbox(
    tmp_path: Path, agent: str
) -> None:
    said = outlast(tmp_path, "worker", "--agent", agent, "--mailbox", "box", "--once")
    assert said.returncode == 4
    assert f"The agent {agent} works only inside a run" in said.stderr


@pytest.mark.parametrize("arguments", [(), ("--agent", "mailbox"), ("--agent", "shell")])
def test_r1_11_a_worker_needs_an_agent_that_can_serve(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    said = outlast(tmp_path, "worker", *arguments, "--mailbox", "box", "--once")
    assert (said.returncode, said.stdout) == (2, "")
