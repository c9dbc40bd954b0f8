"""Write the newest golden journal: `python -m tests.adapters.stores.files.make_golden`.

Run it by hand, and only while the format is unreleased. A released journal is read for ever, so new
kinds of changes and new formats get files of their own.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from outlast.adapters.stores.files.store import FilesStore
from outlast.domain import commands as c
from outlast.domain.model import PERSON
from outlast.system.disk import Disk
from tests.adapters.stores.operations import CREATE, JOURNAL, NOW, change

if TYPE_CHECKING:
    from outlast.domain.state import PlanState

NEWEST: Final = "format-1-assumptions"
GOLDEN: Final = Path(__file__).parent / "golden"
_FIELDS: Final = (
    *("id", "key", "goal", "title", "order", "begun", "hold", "iteration_count", "extra"),
    *("created_at", "updated_at", "revision", "next_id", "status", "ledger", "notes"),
)


def plain(state: PlanState) -> dict[str, Any]:
    """Return the part of a plan that must never change: all but its indexes."""
    return {field: getattr(state, field) for field in _FIELDS} | {
        "phases": list(state.phases.values()),
        "tasks": list(state.tasks_in_order()),
    }


def plans(store: FilesStore) -> list[dict[str, Any]]:
    """Return the plan as it was after each commit."""
    return [plain(store.state_before(commit.revision + 1)) for commit in store.commits_since(0)]


def main() -> None:
    """Create a plan with the newest kinds of changes; store its journal and its states."""
    directory = tempfile.mkdtemp()
    store = FilesStore.create(directory, Disk(), CREATE, author="ann", now=NOW)
    change(store, (c.AddTasks((c.NewTask("one", description="in\ntwo lines"),)),), now=NOW)
    commands: tuple[c.Command, ...] = (
        c.EditTask(1, description="in one line"),
        c.Complete(1, "ann", "it seems", "assumed"),
        c.Complete(1, "ann", "it is"),
        c.Interject("go on", PERSON, heard=True),
        c.AskQuestion("Another goal?", "goal", "Another goal"),
        c.AnswerQuestion("yes", PERSON),
        c.CountIteration(1),
    )
    for number, command in enumerate(commands):
        change(store, (command,), key=f"step {number}", now=NOW)
    (GOLDEN / f"{NEWEST}.json").write_bytes(
        json.format(json.encode(plans(store)), indent=1) + b"\n"
    )
    store.close()
    shutil.copyfile(Path(directory) / JOURNAL, GOLDEN / f"{NEWEST}.jsonl")
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
