"""Serve one client over the standard streams: a message is a line of JSON.

The standard output carries nothing but the protocol. Whatever else writes to it, such as a check or
a library, writes to the standard error.
"""

from __future__ import annotations

import gc
from threading import Thread
from typing import TYPE_CHECKING

from outlast.mcp.early import EarlyAnswers
from outlast.mcp.wire import Reader, Wire
from outlast.system.caller import may_be_run_by_model

if TYPE_CHECKING:
    from outlast.language import Language
    from outlast.mcp.catalog import Catalog
    from outlast.mcp.served_plans import ServedPlans


def serve_stdio(catalog: Catalog, plans: ServedPlans, language: Language) -> None:
    """Serve until the client closes its end, or until SIGTERM or Ctrl-C."""
    with Wire() as wire:
        reader = Reader(wire, EarlyAnswers(catalog, plans))
        Thread(target=reader.run, name="outlast-mcp-reader", daemon=True).start()
        from outlast.mcp.connection import serve  # imports the SDK
        from outlast.mcp.server import PlanServer, Service

        gc.enable()  # it may run for days
        service = Service(catalog, plans, language, is_persons_client=not may_be_run_by_model())
        serve(PlanServer(service), reader, wire)
