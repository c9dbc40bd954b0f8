"""The example with three processes on one plan, run as a reader would."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import environment

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "two_terminals.py"
PAGE = ROOT / "docs" / "how-to" / "edit-the-plan-while-an-agent-works.md"


@pytest.mark.slow
def test_f7_two_terminals_and_an_editor_lose_nothing(tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own example
        [sys.executable, EXAMPLE],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environment(TMPDIR=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state")),
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.endswith("\nNothing lost\n")
    assert questions(done.stdout) == questions(PAGE.read_text(encoding="utf-8"))


def questions(text: str) -> list[str]:
    """Return what was looked for at the end, without figures that differ from run to run."""
    verdicts = (line.split("  yes  ")[1] for line in text.splitlines() if "  yes  " in line)
    return ["".join(c for c in verdict if not c.isdigit()) for verdict in verdicts]
