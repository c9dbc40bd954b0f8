"""Fakes for tests of code that uses Outlast; Outlast tests itself with them."""

from __future__ import annotations

from outlast.agent.models.scripted import ScriptedModel, Turn
from outlast.system.clock import FixedClock
from outlast.testing.model_http.faults import Fault
from outlast.testing.model_server import ModelServer

__all__ = ["Fault", "FixedClock", "ModelServer", "ScriptedModel", "Turn"]
