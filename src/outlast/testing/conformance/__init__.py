"""The conformance suite for stores: one set of tests that every store passes.

To test a store, inherit from `StoreConformance` in a class that pytest collects, and implement how
a store is made and reopened:

    class TestMyStore(StoreConformance):
        def make(self, command, *, author, now): ...
        def reopen(self, store): ...
"""

from __future__ import annotations

from outlast.testing.conformance.commits import CommitConformance, KeyConformance
from outlast.testing.conformance.concurrency import ConcurrencyConformance
from outlast.testing.conformance.history import HistoryConformance
from outlast.testing.conformance.subscriptions import CallbackConformance, SubscriptionConformance

__all__ = ["StoreConformance"]


class StoreConformance(
    CommitConformance,
    KeyConformance,
    HistoryConformance,
    CallbackConformance,
    ConcurrencyConformance,
    SubscriptionConformance,
):
    """Everything that a store promises."""
