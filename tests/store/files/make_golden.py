"""Write the newest golden journal: `python -m tests.store.files.make_golden`.

Run it by hand, and only while the format is unreleased. A released journal is read for ever, so new
kinds of changes and new formats get files of their own.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import json
from msgspec.structs import replace

from outlast.model import commands as c
from outlast.model.model import Check, Evidence, Proof
from outlast.system.disk import Disk
from tests.store.opening import new_files
from tests.store.operations import CREATE, JOURNAL, NOW, change

if TYPE_CHECKING:
    from outlast.model.state import PlanState
    from outlast.store.store import Store

NEWEST: Final = "format-1-durations"
GOLDEN: Final = Path(__file__).parent / "golden"
_FIELDS: Final = (
    *("id", "key", "goal", "title", "order", "begun", "hold", "iteration_count", "extra"),
    *("created_at", "updated_at", "revision", "next_id", "status", "ledger", "notes"),
)
_LATER_FIELDS: Final = ("last_run", "needs_approval")  # older plans are listed without them


def plain(state: PlanState) -> dict[str, Any]:
    """Return the part of a plan that must never change: all but its indexes."""
    later = {field: value for field in _LATER_FIELDS if (value := getattr(state, field))}
    return {field: getattr(state, field) for field in _FIELDS} | {
        **later,
        "phases": list(state.phases.values()),
        "tasks": list(state.tasks_in_order()),
    }


def plans(store: Store) -> list[dict[str, Any]]:
    """Return the plan as it was after each commit."""
    return [plain(store.state_before(commit.revision + 1)) for commit in store.commits_since(0)]


def main() -> None:
    """Create a plan with the newest kinds of changes; store its journal and its states."""
    directory = tempfile.mkdtemp()
    store = new_files(directory, Disk(), CREATE, author="ann", now=NOW)
    check = Check("command", "make test")
    change(store, (c.AddTasks((c.NewTask("one", checks=(check,)),)),), now=NOW)
    seen = Evidence(check, ok=False, says="exit 2", tail="no rule", code=2, took_ms=41)
    before = Proof(
        1, "before", NOW, (seen,), content="tree:4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    )
    fixed = replace(seen, ok=True, says="passed", tail="", code=0, baseline="red", took_ms=3_207)
    later = Proof(
        1, "later", NOW, (fixed,), content="tree:2bf3c1e2e1c5f4b0d4a9d1d0f8c9f3c0a5b6c7d8+9f86"
    )
    commands: tuple[c.Command, ...] = (c.NoteProof(before), c.NoteProof(later), c.CountIteration(1))
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
