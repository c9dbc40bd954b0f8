"""A loop on a plan, with its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from outlast.application.planning import Plan
    from outlast.domain.model import Lease
    from outlast.ports.effects import Event, Stopped
    from outlast.ports.model import Model
    from outlast.ports.tool import Tool
    from outlast.texts import Language


async def run_loop(  # noqa: PLR0913 - one keyword for each thing that can be chosen
    goal: str,
    plan: Plan,
    model: Model,
    tools: Iterable[Tool] = (),
    *,
    max_iterations: int = 20,
    on_event: Callable[[Event], object] | None = None,
    actor: str = "agent",
    language: Language = "en",
    lease_seconds: int = 60,
) -> Stopped:
    """Let a model work on a plan; go on from where an earlier loop was interrupted.

    The plan is held meanwhile, so that no other loop runs on it. What has died holds it for
    `lease_seconds` at most.
    """
    from outlast.adapters.drivers.local import run
    from outlast.application.loops.holding import holding
    from outlast.application.loops.tool_loop import tool_loop
    from outlast.application.wrappers.stack import offered, stacked

    given, own = tuple(tools), plan.acting_as(actor)

    def work(lease: Lease) -> Awaitable[Stopped]:
        loop = tool_loop(goal, offered(given), max_iterations=max_iterations, language=language)
        return run(loop, stacked(own, lease, model, given, on_event))

    return await holding(own, lease_seconds, work, on_event, language)


def file_tools(workspace: str) -> tuple[Tool, ...]:
    """Return `read_file` and `write_file` for the files below a directory."""
    from outlast.adapters.tools.read_file import ReadFile
    from outlast.adapters.tools.write_file import WriteFile

    return ReadFile(workspace), WriteFile(workspace)
