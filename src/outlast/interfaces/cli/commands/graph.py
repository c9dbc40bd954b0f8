"""`graph`: the dependencies as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.interfaces.cli.render.output import Answer
from outlast.interfaces.cli.render.summary import next_shape, standing

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def graph(plan: Plan, call: Call, *, form: str = "ascii") -> Answer:
    """Draw what waits for what."""
    drawn = plan.graph(form)

    def shape() -> Json:
        return {
            "plan": next_shape(standing(plan))["plan"],
            "format": form,
            "graph": drawn,
            "groups": plan.parallel_groups(),
            "critical_path": plan.critical_path(),
        }

    return Answer(shape, lambda: drawn.rstrip("\n") or call.say("plan_empty"))
