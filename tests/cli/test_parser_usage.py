"""Usage lines."""

from pathlib import Path

import pytest

from tests.cli.processes import stdout_of


@pytest.mark.slow
def test_usage_is_one_short_line(tmp_path: Path) -> None:
    overview = stdout_of(tmp_path, "help", "--all")
    assert "  done [N] [-m TEXT] [...]  " in overview
    assert "  edit [N] [...]  " in overview
    for line in overview.splitlines():
        usage, _, says = line.strip().partition("  ")
        if says:
            head = stdout_of(tmp_path, "help", usage.split()[0]).splitlines()[0]
            assert head == f"Usage: outlast {usage}"
            assert len(head) < 80
        if line.startswith("  version"):
            break
