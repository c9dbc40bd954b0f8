"""What every store has to do: one suite of tests for all of them.

Whoever writes a store inherits from `StoreConformance` in a class that pytest collects, and says
how a store is made and opened again:

    class TestMyStore(StoreConformance):
        def make(self, command, *, author, now): ...
        def reopen(self, store): ...
"""

from __future__ import annotations

from outlast.testing.conformance.commits import CommitConformance
from outlast.testing.conformance.following import FollowingConformance
from outlast.testing.conformance.history import HistoryConformance
from outlast.testing.conformance.keys import KeyConformance
from outlast.testing.conformance.questions import QuestionConformance
from outlast.testing.conformance.sharing import SharingConformance

__all__ = ["StoreConformance"]


class StoreConformance(
    CommitConformance,
    KeyConformance,
    HistoryConformance,
    QuestionConformance,
    SharingConformance,
    FollowingConformance,
):
    """All that a store promises."""
