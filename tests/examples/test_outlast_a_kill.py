"""What `./dev run` shows: a real process dies of a real signal, and another one goes on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gate.snippets import FENCE, commands

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
CHANGING = re.compile(r"\S+/outlast-\w+|\d{4}-\d\d-\d\d[ T][\d:+]+|^r\d+| \d+#\d+", re.MULTILINE)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    scratch = str(tmp_path_factory.mktemp("scratch"))
    return subprocess.run(  # noqa: S603 - our own example
        [sys.executable, ROOT / "examples" / "outlast_a_kill.py"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "TMPDIR": scratch},
    ).stdout


def test_x3_a_killed_loop_goes_on_and_repeats_nothing(printed: str) -> None:
    assert "Killed by signal 9" in printed
    assert "  finished: Plan completed: 3/3 steps" in printed.splitlines()
    assert printed.count("  write_file update.md\n") == 1
    [began] = re.findall(r"began attempt (2#\d+) write_file", printed)
    assert f"ended attempt {began} done" in printed


@pytest.mark.parametrize("readme", READMES)
def test_the_readmes_show_what_it_prints(readme: str, printed: str) -> None:
    page = (ROOT / readme).read_text(encoding="utf-8")
    consoles = (fence["body"] for fence in FENCE.finditer(page) if fence["language"] == "console")
    shown = [output for body in consoles for line, output in commands(body) if line == "./dev run"]
    assert steady(shown[-1]) in steady(printed)


def steady(text: str) -> str:
    """Return a text without what differs from run to run; a slow machine need not wait."""
    lines = text.splitlines(keepends=True)
    return CHANGING.sub("…", "".join(x for x in lines if "Another runner" not in x))
