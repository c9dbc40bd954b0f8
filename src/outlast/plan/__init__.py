"""`Plan`, the public handle on a plan, and its facets, each loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outlast.plan.budget import PlanBudget
    from outlast.plan.checks import PlanChecks
    from outlast.plan.files import PlanFiles
    from outlast.plan.history import PlanHistory
    from outlast.plan.notes import PlanNotes
    from outlast.plan.questions import PlanQuestions

__all__ = ["PlanBudget", "PlanChecks", "PlanFiles", "PlanHistory", "PlanNotes", "PlanQuestions"]

_PREFIX: Final = "Plan"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    home = f"{__name__}.{name.removeprefix(_PREFIX).lower()}"
    facet: object = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = facet
    return facet
