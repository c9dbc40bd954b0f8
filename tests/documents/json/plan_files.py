"""`plan.json` in tests: the document's example, and plans read from and written to that form."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from outlast.documents.json import plan_render
from outlast.documents.json.plan_parse import parse
from outlast.model.execute import execute
from outlast.model.state import PlanState
from tests.model.indexes import encode_all

if TYPE_CHECKING:
    from outlast.model.commands import CreatePlan

EXAMPLE: Final = (Path(__file__).parent / "session.json").read_bytes()
NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)


def example() -> Any:
    """Return the example decoded, to be changed."""
    return json.loads(EXAMPLE)


def step(**fields: Any) -> Any:
    """Return a document with one step."""
    return {"steps": [{"id": "step_1", "description": "a", **fields}]}


def create_state(command: CreatePlan) -> PlanState:
    """Return the plan that a command creates."""
    state = PlanState(NOW)
    execute(state, (command,), NOW)
    return state


def load_state(data: object) -> PlanState:
    """Return the plan of a document."""
    return create_state(parse(data, "plan_new", NOW))


def save_state(state: PlanState) -> Any:
    """Return the document of a plan, decoded."""
    return json.loads(plan_render.render(state))


def rounded(state: PlanState) -> PlanState:
    """Return a plan as far as the file tells.

    That is without fractions of seconds, empty results, the agent of past work, and the order of no
    tasks.
    """
    state.order = state.order if state.tasks else "sequential"
    state.created_at = state.created_at.replace(microsecond=0)
    state.updated_at = state.updated_at.replace(microsecond=0)
    for task in [*state.tasks.values()]:
        is_agent = task.actor == "agent" and task.status != "in_progress"
        state.replace_task(
            task,
            replace(
                task,
                actor="" if is_agent else task.actor,
                result=task.result or None,
                started_at=task.started_at and task.started_at.replace(microsecond=0),
                ended_at=task.ended_at and task.ended_at.replace(microsecond=0),
            ),
        )
    return state


def value(state: PlanState) -> dict[str, Any]:
    """Return all of a plan except what belongs to one journal: revision, ledger, notes."""
    return {**encode_all(state), "revision": 0, "ledger": None, "notes": None}
