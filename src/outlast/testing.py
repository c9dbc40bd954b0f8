"""For the tests of people who build on Outlast: the fakes that it is tested with itself."""

from __future__ import annotations

from outlast.adapters.stores.memory import MemoryStore
from outlast.system.clock import FixedClock

__all__ = ["FixedClock", "MemoryStore"]
