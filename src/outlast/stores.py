"""Stores: where plans are kept, and the protocol of a store of your own."""

from outlast.model.state import PlanState
from outlast.plan.plan_list import ListedPlan, repair_plan
from outlast.store.port import Notice, Request, Store
from outlast.store.store import MemoryStore

__all__ = ["ListedPlan", "MemoryStore", "Notice", "PlanState", "Request", "Store", "repair_plan"]
