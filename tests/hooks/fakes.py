"""A hooks engine on a plan in memory."""

from outlast import Plan
from outlast.config.settings import Rules, Settings
from outlast.hooks.engine import HooksEngine
from outlast.hooks.port import ToolResult
from tests.making import make_plan

GOOD = ToolResult(success=True, output="ok")


class FakePlanSource:
    """A plan source with a plan, or with none."""

    def __init__(self, plan: Plan | None, *, is_visible: bool = True) -> None:
        self.plan, self.is_visible = plan, is_visible

    def find(self) -> Plan | None:
        return self.plan

    def get_or_create(self) -> Plan:
        if self.plan is None:
            self.plan = make_plan(goal="")
        return self.plan


def engine(plan: Plan | None, **rules: object) -> HooksEngine:
    """Return an engine on a plan, with these rule settings."""
    return HooksEngine(FakePlanSource(plan), Settings(rules=Rules(**rules)))  # type: ignore[arg-type]


def failed_result(error: str) -> ToolResult:
    """Return the result of a tool that failed."""
    return ToolResult(success=False, error=error)
