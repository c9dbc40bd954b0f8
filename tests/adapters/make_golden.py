"""Write the golden journal of the current format: `python -m tests.adapters.make_golden`.

By hand, and only while the format has not been released: a journal that was read once is read for
ever, so a new format gets files of its own.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import json
from msgspec.structs import replace

from outlast.adapters.stores.files import FilesStore
from outlast.application.planning import Plan
from outlast.domain import commands as c
from outlast.domain.retelling import pass_over
from outlast.formats import journal
from outlast.system.disk import Disk
from outlast.testing.conformance.everything import everything
from tests.adapters.operations import CREATE, JOURNAL, LATER, NOW, change

if TYPE_CHECKING:
    from outlast.domain.state import PlanState

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
    """Make a plan in which everything happens, and keep its journal and what it means."""
    directory = tempfile.mkdtemp()
    begin = replace(CREATE, title="Title")
    store = FilesStore.create(directory, Disk(), begin, author="ann", now=NOW)
    for number, commands in enumerate(everything()):
        change(store, commands, key=f"step {number}", now=NOW)
    change(store, (c.Complete(1, "ann", "done"),))
    plan = Plan(store, lambda: LATER, str, "ann")
    plan.undo()
    plan.pause("for a while")
    plan.undo()
    change(store, (), key="nothing")
    passed = pass_over(store.before(store.read(lambda state: state.revision) + 1), LATER)
    with (Path(directory) / JOURNAL).open("ab") as file:
        file.write(journal.write_commit(passed))  # only mending makes this
    store.close()
    shutil.copyfile(Path(directory) / JOURNAL, GOLDEN / "format-1.jsonl")
    (GOLDEN / "format-1.json").write_bytes(json.format(json.encode(plans(store)), indent=1) + b"\n")
    store.close()
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
