"""F23: journals of any size, written without the cost of a store."""

from datetime import timedelta
from itertools import count
from pathlib import Path

from outlast.model import changes as c
from outlast.model.execute import execute
from outlast.model.model import Task
from outlast.model.state import PlanState
from outlast.store import journal
from tests.store.operations import CREATE, NOW

TASKS = 200
TEXT = "What was found out about this task, word by word. " * 40


def write_big_journal(directory: Path, megabytes: int, text: str = TEXT) -> int:
    """Write a journal in which the descriptions of 200 tasks change; return its last revision."""
    directory.mkdir(parents=True, exist_ok=True)
    state = PlanState(NOW)
    first = c.Commit(1, NOW, "ann", execute(state, (CREATE,), NOW))
    added = tuple(c.TaskAdded(Task(n, f"Task {n}"), n - 1) for n in range(1, TASKS + 1))
    with (directory / "journal.jsonl").open("wb") as file:
        written = file.write(journal.write_header(CREATE.key))
        written += file.write(journal.write_commit(first))
        written += file.write(journal.write_commit(c.Commit(2, NOW, "ann", added)))
        for revision in count(3):
            change = c.TaskEdited(revision % TASKS + 1, description=f"{revision}: {text}")
            at = NOW + timedelta(seconds=revision)
            line = journal.write_commit(c.Commit(revision, at, "ann", (change,)))
            if written + len(line) > megabytes << 20:
                return revision - 1
            written += file.write(line)
    raise AssertionError
