"""Plans in memory: nothing of them is on a disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.model.execute import return_commit
from outlast.plan.checker import LazyChecker
from outlast.plan.core import PlanCore
from outlast.plan.plan import Plan
from outlast.system.clock import new_plan_id, now

if TYPE_CHECKING:
    from outlast.model.commands import CreatePlan


def create_memory_plan(command: CreatePlan, actor: str = "agent", *, past: bool = True) -> Plan:
    """Create a plan in memory; without a `past` nothing can be undone."""
    from outlast.store.store import MemoryStore

    store = MemoryStore(now(), keep_history=past)
    core = PlanCore(store, now, new_plan_id, actor, checker=LazyChecker())
    core.commit((command,), return_commit)
    return Plan(core)
