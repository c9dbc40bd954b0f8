"""What a rule is told: the point, the plan, the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.plan.plan import Plan
    from outlast.config.settings import Settings
    from outlast.ports.hook import HookContext, HookResult
    from outlast.texts import Language

    Rule = Callable[["Scene"], HookResult | None]


class Place(Protocol):
    """Where the plan is."""

    @property
    def shown(self) -> bool:
        """Whether models and people are told of the plan."""

    def find(self) -> Plan | None:
        """Return the plan, if there is one."""

    def need(self) -> Plan:
        """Return the plan; begin an empty one if there is none."""


class Counts:
    """What an engine counts in a session."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.views = 0


class Scene:
    """One point of the work, for the rules that are asked there."""

    def __init__(  # noqa: PLR0913 - what a rule can look at
        self,
        context: HookContext,
        place: Place,
        *,
        settings: Settings,
        counts: Counts,
        language: Language,
        is_own: Callable[[str], bool],
    ) -> None:
        """Put together what there is; `is_own` tells the plan's own tools."""
        self.context, self.place, self.language = context, place, language
        self.rules, self.counts, self.is_own = settings.rules, counts, is_own
        self.hooks = settings.hooks

    @property
    def succeeded(self) -> bool:
        """Whether a tool has done what it was asked."""
        result = self.context.tool_result
        return result is not None and result.success

    def plan(self) -> Plan | None:
        """Return the plan that models are told of; one that only keeps notes is none."""
        plan = self.place.find() if self.place.shown else None
        if plan is None or plan.read(lambda state: not state.tasks and not state.goal):
            return None
        return plan
