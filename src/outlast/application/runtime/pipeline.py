"""The handlers that a loop runs on, one around the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outlast.application.runtime.executor import CarryOut
from outlast.application.runtime.middleware.attempts import Attempts
from outlast.application.runtime.middleware.budget import Budgeting
from outlast.application.runtime.middleware.deadline import Deadline
from outlast.application.runtime.middleware.fallback import Degrading
from outlast.application.runtime.middleware.plan_creation import Founding
from outlast.application.runtime.middleware.plan_events import MovesTold
from outlast.application.runtime.middleware.plan_tools import PlanTools, owns
from outlast.application.runtime.middleware.redaction import Redaction, redacting
from outlast.application.runtime.middleware.retry import Retry
from outlast.application.runtime.middleware.size_limit import SizeCap
from outlast.application.runtime.middleware.spans import Spans
from outlast.application.runtime.middleware.tool_events import CallsTold
from outlast.application.runtime.middleware.transcript import Transcribing
from outlast.config.settings import Settings
from outlast.domain.budget import NO_LIMIT
from outlast.ports.model import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable
    from contextlib import AbstractAsyncContextManager

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.lease import Holder
    from outlast.application.runtime.middleware.plan_creation import Found
    from outlast.application.runtime.run import Desk
    from outlast.domain.budget import Budget
    from outlast.ports.effects import Handler
    from outlast.ports.events import Event
    from outlast.ports.model import Model
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool
    from outlast.ports.transcript import Transcript
    from outlast.texts import Language

Wrap = Callable[["Handler"], "Handler"]


def _bare(handler: Handler) -> Handler:
    return handler


def _no_transcript(_plan: Plan) -> None:
    return None


@dataclass(frozen=True)
class Kit:
    """What the handlers of a loop need beside the plan.

    `found` begins a plan that is kept and has it held, `makeshift` one in memory. `permission` and
    `hooks` wrap what they guard; `around` wraps what carries the effects out, within an attempt.
    """

    model: Model
    tools: tuple[Tool, ...]
    holder: Holder
    found: Found
    makeshift: Callable[[], Plan]
    sleep: Callable[[float], Awaitable[object]]
    timeout: Callable[[float], AbstractAsyncContextManager[object]]
    settings: Settings = field(default_factory=Settings)
    budget: Budget = NO_LIMIT
    listener: Callable[[Event], object] | None = None
    person: Person | None = None
    transcript_of: Callable[[Plan], Transcript | None] = _no_transcript
    permission: Wrap = _bare
    hooks: Wrap = _bare
    around: Wrap = _bare
    language: Language = "en"


def stacked(desk: Desk, kit: Kit) -> Handler:
    """Return a handler for all effects of a loop that works at this desk."""
    tried = Attempts(_carried_out(desk, kit), desk, kit.tools, owns)
    limits, language = kit.settings.limits, kit.language
    paid = Budgeting(tried, desk, kit.model, limits, language)
    founded = Founding(
        paid, desk, kit.holder, found=kit.found, makeshift=kit.makeshift, budget=kit.budget
    )
    asked = kit.permission(Retry(founded, desk, limits, kit.sleep, language))
    hooked = kit.hooks(CallsTold(asked, desk))
    moved = MovesTold(hooked, desk, todos=kit.settings.sync_to_todo_write)
    return Degrading(moved, desk, kit.holder, kit.makeshift, language)


def _carried_out(desk: Desk, kit: Kit) -> Handler:
    """Return what happens within an attempt."""
    limits, language = kit.settings.limits, kit.language
    listener = redacting(kit.listener) if kit.listener else None
    carried: Handler = CarryOut(desk, kit.model, kit.tools, listener, kit.person)
    inner = kit.around(PlanTools(Redaction(carried), desk))
    ended = Deadline(SizeCap(inner, limits, language), desk, limits, kit.timeout, language)
    return Spans(Transcribing(ended, desk, kit.transcript_of), kit.model.name)


def specs(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """Return what a model is told of tools."""
    return tuple(ToolSpec(tool.name, tool.description, tool.parameters) for tool in tools)
