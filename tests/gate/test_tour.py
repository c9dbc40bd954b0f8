"""The pages that are walked through in a terminal: every block is tried, in a fresh directory."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.processes import environment
from tests.gate.snippets import Command, Edit, File, language_of, snippets, steady

ROOT = Path(__file__).parents[2]
ELSEWHERE = "docs/reference/cli.md"  # has a test beside those of the command line
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{3}Z)?)?|^\d\d:\d\d:\d\d", re.MULTILINE)


def pages() -> list[str]:
    found = [*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md")]
    shown = (page for page in found if "```console" in page.read_text(encoding="utf-8"))
    return sorted({str(page.relative_to(ROOT)) for page in shown} - {ELSEWHERE})


@pytest.mark.slow
@pytest.mark.parametrize("page", pages())
def test_every_command_of_the_page_prints_what_the_page_shows(page: str, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    variables = environment(
        XDG_DATA_HOME=str(tmp_path / "data"),
        XDG_STATE_HOME=str(tmp_path / "state"),
        PYTHONDONTWRITEBYTECODE="1",
        **language_of(page),
    )
    for step in snippets((ROOT / page).read_text(encoding="utf-8")):
        if isinstance(step, File | Edit):
            step.save(here)
        elif isinstance(step, Command):
            printed = answer(step.line, here, variables)
            assert timeless(printed) == timeless(step.output), step.line


def test_the_tour_is_among_them() -> None:
    assert {"docs/tutorial.md", "README.md", "README.zh-CN.md"} <= set(pages())


def answer(line: str, here: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        check=False,
        cwd=here,
        encoding="utf-8",
        env=variables,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=180,
    )
    return done.stdout


def timeless(text: str) -> str:
    return TIME.sub("then", steady(text))
