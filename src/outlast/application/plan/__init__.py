"""`Plan`, the public handle on a plan, and its facets, each loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outlast.application.plan.budget import PlanBudget
    from outlast.application.plan.checks import PlanChecks
    from outlast.application.plan.files import PlanFiles
    from outlast.application.plan.history import PlanHistory
    from outlast.application.plan.notes import PlanNotes
    from outlast.application.plan.questions import PlanQuestions

__all__ = ["PlanBudget", "PlanChecks", "PlanFiles", "PlanHistory", "PlanNotes", "PlanQuestions"]

_PREFIX: Final = "Plan"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    home = f"{__name__}.{name.removeprefix(_PREFIX).lower()}"
    facet: object = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = facet
    return facet
