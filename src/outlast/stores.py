"""Stores: where plans are kept, and the protocol of a store of your own."""

from outlast.adapters.stores.memory import MemoryStore
from outlast.domain.state import PlanState
from outlast.ports.store import Notice, Request, Store
from outlast.wiring.plan_list import ListedPlan, repair_plan

__all__ = [
    "ListedPlan",
    "MemoryStore",
    "Notice",
    "PlanState",
    "Request",
    "Store",
    "repair_plan",
]
