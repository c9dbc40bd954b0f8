"""The snapshot: the whole plan at one revision, so that opening it replays only what follows."""

# No `from __future__ import annotations`: msgspec would need several times as long for a decoder.

from datetime import datetime
from typing import Final

from msgspec import DecodeError, Struct, field
from msgspec.json import Decoder, Encoder

from outlast.model.ledger import Ledger, Notes
from outlast.model.model import Hold, LastRun, Order, Phase, Task
from outlast.model.state import PlanState, restore_tasks
from outlast.store.journal import add_checksum, verify_checksum

FORMAT: Final = 1


class Snapshot(Struct, frozen=True, omit_defaults=True, tag="snapshot", tag_field="outlast"):
    """A plan, the end of its journal, and the revision of each remembered key.

    The journal up to `offset` ends in `mark`; otherwise the snapshot belongs to another journal.
    """

    format: int
    offset: int
    mark: str
    revision: int
    id: str
    goal: str
    created_at: datetime
    updated_at: datetime
    phases: tuple[Phase, ...]
    tasks: tuple[Task, ...]
    next_id: int
    ledger: Ledger
    key: str = ""
    title: str = ""
    order: Order = "graph"
    begun: bool = False
    hold: Hold = ""
    iteration_count: int = 0
    extra: str = ""
    positions_by_key: dict[str, int] = field(default_factory=dict, name="answered")
    notes: Notes = field(default_factory=Notes)
    last_run: LastRun | None = None
    needs_approval: bool = False


_PLAIN: Final = ("id", "key", "goal", "title", "order", "begun", "hold", "iteration_count")
_TIMES: Final = ("created_at", "updated_at")
_RUN: Final = ("last_run", "needs_approval")
_COPIED: Final = (*_PLAIN, *_TIMES, "extra", "revision", "next_id", "ledger", "notes", *_RUN)
_ENCODER: Final = Encoder()
_DECODER: Final = Decoder(Snapshot)


def write(state: PlanState, offset: int, mark: str, positions_by_key: dict[str, int]) -> bytes:
    """Write the snapshot of a plan."""
    values = {name: getattr(state, name) for name in _COPIED}
    snapshot = Snapshot(
        format=FORMAT,
        offset=offset,
        mark=mark,
        phases=tuple(state.phases.values()),
        tasks=tuple(state.tasks_in_order()),
        positions_by_key=positions_by_key,
        **values,
    )
    return add_checksum(_ENCODER.encode(snapshot))


def read(data: bytes) -> Snapshot | None:
    """Return a snapshot, or None if it is damaged or of another format."""
    body = verify_checksum(data.rstrip(b"\n"))
    try:
        snapshot = None if body is None else _DECODER.decode(body)
    except (DecodeError, RecursionError):
        return None
    return snapshot if snapshot and snapshot.format == FORMAT else None


def is_ahead(snapshot: Snapshot, state: PlanState) -> bool:
    """Return whether a snapshot has commits of a plan that its journal has lost."""
    return snapshot.id == state.id and snapshot.revision > state.revision


def restore(snapshot: Snapshot) -> PlanState:
    """Return the plan of a snapshot; raise if its ids, phases or needs contradict each other."""
    ids = {0, *(task.id for task in snapshot.tasks), snapshot.next_id}
    if len(ids) < len(snapshot.tasks) + 2 or min(ids) < 0 or max(ids) > snapshot.next_id:
        raise LookupError
    state = PlanState(snapshot.created_at)
    for name in _COPIED:
        setattr(state, name, getattr(snapshot, name))
    state.set_phases(snapshot.phases)
    used = {task.phase for task in snapshot.tasks}
    if not used | {state.default_phase()} <= state.phases.keys():
        raise LookupError
    restore_tasks(state, snapshot.tasks)
    return state
