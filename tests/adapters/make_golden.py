"""Write the newest golden journal: `python -m tests.adapters.make_golden`.

By hand, and only while what is in it has not been released: a journal that was read once is read
for ever, so new kinds of changes, and a new format, get files of their own.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from outlast.adapters.stores.files.store import FilesStore
from outlast.domain import commands as c
from outlast.domain.history.rebuild import retell
from outlast.formats import journal
from outlast.system.disk import Disk
from outlast.testing.conformance.looping import looping
from tests.adapters.operations import CREATE, JOURNAL, LATER, NOW, change

if TYPE_CHECKING:
    from outlast.domain.state import PlanState

NEWEST: Final = "format-1-loops"
GOLDEN: Final = Path(__file__).parent / "golden"
_FIELDS: Final = (
    *("id", "key", "goal", "title", "order", "begun", "hold", "iteration_count", "extra"),
    *("created_at", "updated_at", "revision", "next_id", "status", "ledger", "notes"),
)


def plain(state: PlanState) -> dict[str, Any]:
    """Return what of a plan must never change: not its indexes, which may."""
    return {field: getattr(state, field) for field in _FIELDS} | {
        "phases": list(state.phases.values()),
        "tasks": list(state.in_order()),
    }


def plans(store: FilesStore) -> list[dict[str, Any]]:
    """Return the plan as it was after each commit."""
    return [plain(store.before(commit.revision + 1)) for commit in store.since(0)]


def main() -> None:
    """Make a plan in which all happens that loops do, and keep its journal and what it means."""
    directory = tempfile.mkdtemp()
    store = FilesStore.create(directory, Disk(), CREATE, author="ann", now=NOW)
    change(store, (c.AddTasks((c.NewTask("one"),)),), now=NOW)
    for number, commands in enumerate(looping(1, 0)):
        change(store, commands, key=f"step {number}", now=NOW)
    twin, again = (store.before(store.read(lambda state: state.revision) + 1) for _ in range(2))
    store.close()
    with (Path(directory) / JOURNAL).open("ab") as file:
        for commit in retell(twin, again):  # only mending makes these
            file.write(journal.write_commit(commit))
    shutil.copyfile(Path(directory) / JOURNAL, GOLDEN / f"{NEWEST}.jsonl")
    store = FilesStore(directory, Disk(), LATER)
    (GOLDEN / f"{NEWEST}.json").write_bytes(
        json.format(json.encode(plans(store)), indent=1) + b"\n"
    )
    store.close()
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
