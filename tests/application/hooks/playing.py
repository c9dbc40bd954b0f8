"""A hooks engine on a plan in memory, for tests."""

from outlast import Plan
from outlast.application.hooks.engine import HooksEngine
from outlast.config.settings import Rules, Settings
from outlast.ports.hook import ToolResult
from tests.making import make_plan

GOOD = ToolResult(success=True, output="ok")


class At:
    """A place with a plan, or with none."""

    def __init__(self, plan: Plan | None, *, shown: bool = True) -> None:
        self.plan, self.shown = plan, shown

    def find(self) -> Plan | None:
        return self.plan

    def need(self) -> Plan:
        if self.plan is None:
            self.plan = make_plan(goal="")
        return self.plan


def engine(plan: Plan | None, **rules: object) -> HooksEngine:
    """Return an engine on a plan whose rules are tuned."""
    return HooksEngine(At(plan), Settings(rules=Rules(**rules)))  # type: ignore[arg-type]


def bad(error: str) -> ToolResult:
    """Return the result of a tool that failed."""
    return ToolResult(success=False, error=error)
