"""`plan.json` in tests: the document's example, and plans read from and written to that form."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from outlast.domain.enact import enact
from outlast.domain.state import PlanState
from outlast.formats.json import plan
from outlast.formats.json.plan_parse import parse
from tests.domain.recompute import whole

if TYPE_CHECKING:
    from outlast.domain.commands import CreatePlan

EXAMPLE: Final = (Path(__file__).parent / "session.json").read_bytes()
NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)


def example() -> Any:
    """Return the example decoded, to be changed."""
    return json.loads(EXAMPLE)


def step(**fields: Any) -> Any:
    """Return a document with one step."""
    return {"steps": [{"id": "step_1", "description": "a", **fields}]}


def created(command: CreatePlan) -> PlanState:
    """Return the plan that a command begins."""
    state = PlanState(NOW)
    enact(state, (command,), NOW)
    return state


def loaded(data: object) -> PlanState:
    """Return the plan of a document."""
    return created(parse(data, "plan_new", NOW))


def saved(state: PlanState) -> Any:
    """Return the document of a plan, decoded."""
    return json.loads(plan.write(state))


def value(state: PlanState) -> dict[str, Any]:
    """Return all that a plan is but what belongs to one journal: revision, ledger, notes."""
    return {**whole(state), "revision": 0, "ledger": None, "notes": None}
