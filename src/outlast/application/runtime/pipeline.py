"""The pipeline: which middleware wraps which, around the executor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outlast.application.runtime.executor import EffectExecutor
from outlast.application.runtime.listeners import redacting_listener
from outlast.application.runtime.middleware.attempts import Attempts
from outlast.application.runtime.middleware.budget import BudgetMiddleware
from outlast.application.runtime.middleware.deadline import Deadline
from outlast.application.runtime.middleware.fallback import Fallback
from outlast.application.runtime.middleware.plan_creation import PlanCreation
from outlast.application.runtime.middleware.plan_events import PlanEvents
from outlast.application.runtime.middleware.plan_tools import PlanTools, is_plan_tool
from outlast.application.runtime.middleware.redaction import Redaction
from outlast.application.runtime.middleware.retry import Retry
from outlast.application.runtime.middleware.size_limit import SizeLimit
from outlast.application.runtime.middleware.spans import Spans
from outlast.application.runtime.middleware.tool_events import ToolEvents
from outlast.application.runtime.middleware.transcript import TranscriptMiddleware
from outlast.config.settings import Settings
from outlast.domain.budget import NO_LIMIT
from outlast.ports.model import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable
    from contextlib import AbstractAsyncContextManager

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.lease_holder import LeaseHolder
    from outlast.application.runtime.middleware.plan_creation import Create
    from outlast.application.runtime.run import Run
    from outlast.domain.budget import Budget
    from outlast.ports.effects import Handler
    from outlast.ports.events import Event
    from outlast.ports.model import Model
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool
    from outlast.ports.transcript import Transcript
    from outlast.texts import Language

Wrapper = Callable[["Handler"], "Handler"]


def _no_wrapper(handler: Handler) -> Handler:
    return handler


def _no_transcript(_plan: Plan) -> None:
    return None


@dataclass(frozen=True)
class Dependencies:
    """What the handlers need beside the plan.

    `create_plan` creates a stored plan and acquires its lease, `create_scratch` a scratch plan.
    `permission` and `hooks` wrap the handlers that they guard; `around` wraps the execution within
    an attempt.
    """

    model: Model
    tools: tuple[Tool, ...]
    holder: LeaseHolder
    create_plan: Create
    create_scratch: Callable[[], Plan]
    sleep: Callable[[float], Awaitable[object]]
    timeout: Callable[[float], AbstractAsyncContextManager[object]]
    settings: Settings = field(default_factory=Settings)
    budget: Budget = NO_LIMIT
    listener: Callable[[Event], object] | None = None
    person: Person | None = None
    transcript_of: Callable[[Plan], Transcript | None] = _no_transcript
    permission: Wrapper = _no_wrapper
    hooks: Wrapper = _no_wrapper
    around: Wrapper = _no_wrapper
    language: Language = "en"


def build_pipeline(run: Run, dependencies: Dependencies) -> Handler:
    """Return the handler for all effects of a run."""
    attempts = Attempts(_build_execution(run, dependencies), run, dependencies.tools, is_plan_tool)
    limits, language = dependencies.settings.limits, dependencies.language
    budgeted = BudgetMiddleware(attempts, run, dependencies.model, limits, language)
    created = PlanCreation(
        budgeted,
        run,
        dependencies.holder,
        create_plan=dependencies.create_plan,
        create_scratch=dependencies.create_scratch,
        budget=dependencies.budget,
    )
    permitted = dependencies.permission(Retry(created, run, limits, dependencies.sleep, language))
    hooked = dependencies.hooks(ToolEvents(permitted, run))
    reported = PlanEvents(hooked, run, todos=dependencies.settings.sync_to_todo_write)
    return Fallback(reported, run, dependencies.holder, dependencies.create_scratch, language)


def _build_execution(run: Run, dependencies: Dependencies) -> Handler:
    """Return the part of the pipeline within an attempt."""
    limits, language = dependencies.settings.limits, dependencies.language
    listener = redacting_listener(dependencies.listener) if dependencies.listener else None
    executor: Handler = EffectExecutor(
        run, dependencies.model, dependencies.tools, listener, dependencies.person
    )
    inner = dependencies.around(PlanTools(Redaction(executor), run))
    timed = Deadline(
        SizeLimit(inner, limits, language), run, limits, dependencies.timeout, language
    )
    return Spans(
        TranscriptMiddleware(timed, run, dependencies.transcript_of), dependencies.model.name
    )


def tool_specs(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """Return the descriptions of tools for a model."""
    return tuple(ToolSpec(tool.name, tool.description, tool.parameters) for tool in tools)
