"""The two commands that agents run most load nothing that they do not need."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import create_plan
from outlast.console.command_index import TABLES
from outlast.model.commands import NewTask
from tests.cli.processes import environment

_MODULE = re.compile(r"^import time:.*\| +(\S+)$", re.MULTILINE)
_TASKS = 501  # more than a short-lived process writes a view of
_UNNEEDED = (
    "asyncio",
    "click",
    "difflib",
    "hashlib",
    "json",
    "outlast.proof.checks",
    "outlast.store.sqlite",
    "outlast.plan.edit_sync",
    "outlast.proof.prover",
    "outlast.agent.planning.service",
    "outlast.proof.labels",
    "outlast.documents.markdown.notes",
    "outlast.documents.markdown",
    "outlast.console.render.overview",
    *(f"outlast.{table}" for table in {*TABLES.values()} - {TABLES["next"]}),
    "outlast.documents.edit_texts",
    "outlast.cli.texts",
    "outlast.documents.history_texts",
    "outlast.model.texts",
    "outlast.proof.texts",
    "outlast.store.texts",
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


def modules_loaded_by(cwd: Path, *arguments: str) -> set[str]:
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


@pytest.mark.parametrize(
    "command", [["next"], ["done", "1", "-m", "it works"], ["--json", "next"], ["start"]]
)
def test_the_most_frequent_commands_load_nothing_that_they_do_not_need(
    workspace: Path, command: list[str]
) -> None:
    modules = modules_loaded_by(workspace, *command)
    assert "outlast.cli.commands.tasks.work" in modules
    below = tuple(f"{name}." for name in _UNNEEDED)
    assert [name for name in sorted(modules) if name in _UNNEEDED or name.startswith(below)] == []


def test_the_probe_sees_what_is_loaded(workspace: Path) -> None:
    assert f"outlast.{TABLES['log']}" in modules_loaded_by(workspace, "log", "-n", "3")


def test_frequent_commands_load_no_module_that_they_do_not_need(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    for command in ("next", "done"):
        code = (
            "import sys; from outlast.__main__ import main; "
            f"main(['{command}', '1', '--json'][::{1 if command == 'done' else 2}]); "
            "print(*sys.modules)"
        )
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            cwd=tmp_path,
            encoding="utf-8",
            env=environment(),
        )
        answer, loaded = done.stdout.splitlines()
        assert answer.startswith('{"ok":true,')
        unwanted = {"argparse", "asyncio", "click", "json", "logging", "rich", "subprocess"}
        assert unwanted & set(loaded.split()) == set()
