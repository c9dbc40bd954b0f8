"""An acknowledged change of the agenda survives a power cut: every name is synced, as in stores."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = "openat,mkdir,unlink,fsync,fdatasync"
CHANGE = """
import sys
from outlast.assistant.agenda.commands import AddTodo
from outlast.assistant.agenda.database import AgendaDatabase
AgendaDatabase(sys.argv[1]).change(AddTodo("Buy milk"))
"""
WEAKER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA synchronous = FULL")
connection.execute("CREATE TABLE more (a)")
"""


def calls_of(program: str, path: Path) -> list[str]:
    """Return the calls of a program that concern the directory of a path, in their order."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace")
    trace = (strace, "-y", "-e", f"trace={CALLS}", sys.executable, "-c", program, str(path))
    run = subprocess.run(trace, capture_output=True, check=False, text=True)  # noqa: S603 - our own
    if run.returncode:
        pytest.skip("processes cannot be traced here")
    return [line for line in run.stderr.splitlines() if str(path.parents[1]) in line]


def is_synced_at_last(calls: list[str], directory: Path) -> bool:
    """Whether a directory is synced after the journal was deleted from it."""
    deleted = max(number for number, call in enumerate(calls) if call.startswith("unlink"))
    return any(re.match(rf"f(data)?sync\(\d+<{directory}>\)", call) for call in calls[deleted:])


def test_f2_the_deletion_of_the_journal_of_an_agenda_is_synced(tmp_path: Path) -> None:
    agenda = tmp_path / "data" / "agenda.db"
    for _ in range(2):
        assert is_synced_at_last(calls_of(CHANGE, agenda), agenda.parent)
    assert not is_synced_at_last(calls_of(WEAKER, agenda), agenda.parent)


def test_f2_new_directories_of_an_agenda_are_synced(tmp_path: Path) -> None:
    agenda = tmp_path / "data" / "deep" / "agenda.db"
    calls = calls_of(CHANGE, agenda)
    begun = next(number for number, call in enumerate(calls) if "agenda.db-journal" in call)
    synced = [call for call in calls[:begun] if call.startswith("fsync")]
    for directory in (agenda.parent, agenda.parent.parent):
        assert any(f"<{directory}>" in call for call in synced)
