"""`graph`: the needs of the tasks as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import next_json, summarize_plan

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.domain.model import GraphForm
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def graph(plan: Plan, call: Call, *, form: GraphForm = "ascii") -> Answer:
    """Draw which task needs which."""
    drawn = plan.graph(form, call.language)

    def as_json() -> Json:
        return {
            "plan": next_json(summarize_plan(plan))["plan"],
            "format": form,
            "graph": drawn,
            "groups": plan.parallel_groups(),
            "critical_path": plan.critical_path(),
        }

    return Answer(as_json, lambda: drawn.rstrip("\n") or call.text("plan_empty"))
