"""The two commands that agents run most load nothing that they do not need."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import create_plan
from outlast.domain.commands import NewTask
from tests.interfaces.processes import environment

_MODULE = re.compile(r"^import time:.*\| +(\S+)$", re.MULTILINE)
_TASKS = 501  # more than a short-lived process writes a view of
_UNNEEDED = (
    "asyncio",
    "click",
    "difflib",
    "hashlib",
    "json",
    "outlast.adapters.checks",
    "outlast.adapters.stores.sqlite",
    "outlast.application.sync.intake",
    "outlast.application.proof.prover",
    "outlast.application.faces.planning_service",
    "outlast.application.proof.labels",
    "outlast.formats.markdown.notes",
    "outlast.formats.markdown",
    "outlast.interfaces.cli.render.advice",
    "outlast.interfaces.cli.parser.click_parser",
    "outlast.texts.edits",
    "outlast.texts.help",
    "outlast.texts.history",
    "outlast.texts.plan",
    "outlast.texts.proof",
    "outlast.texts.storage",
    "pathlib",
    "rich",
    "sqlite3",
    "subprocess",
    "tempfile",
    "unicodedata",
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("start")
    with create_plan(str(place), "Ship it", "ship") as plan:
        plan.add_all([NewTask(f"task {number}") for number in range(_TASKS)])
    return place


def loaded(cwd: Path, *arguments: str) -> set[str]:
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-X", "importtime", "-m", "outlast", *arguments],
        capture_output=True,
        check=True,
        cwd=cwd,
        encoding="utf-8",
        env=environment(),
        timeout=60,
    )
    return set(_MODULE.findall(done.stderr))


@pytest.mark.parametrize("command", [["next"], ["done", "1", "-m", "it works"], ["--json", "next"]])
def test_what_agents_run_most_loads_nothing_that_it_does_not_need(
    workspace: Path, command: list[str]
) -> None:
    found = loaded(workspace, *command)
    assert "outlast.interfaces.cli.commands.work" in found
    below = tuple(f"{name}." for name in _UNNEEDED)
    assert [name for name in sorted(found) if name in _UNNEEDED or name.startswith(below)] == []


def test_the_probe_sees_what_is_loaded(workspace: Path) -> None:
    assert "click" in loaded(workspace, "log")
