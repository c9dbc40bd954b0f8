"""For the tests of people who build on Outlast: the fakes that it is tested with itself."""

from __future__ import annotations

from outlast.adapters.models.scripted import ScriptedModel, Turn
from outlast.adapters.stores.memory import MemoryStore
from outlast.ports.model import Call
from outlast.system.clock import FixedClock

__all__ = ["Call", "FixedClock", "MemoryStore", "ScriptedModel", "Turn"]
