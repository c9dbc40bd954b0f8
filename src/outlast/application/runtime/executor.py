"""Carry effects out: ask the model, run the tool, change the plan, ask and tell people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import convert

from outlast.application.runtime.call_record import read_kept
from outlast.application.runtime.costs import priced
from outlast.application.runtime.error_text import sayable
from outlast.application.runtime.listener import inform
from outlast.application.runtime.reply_validation import sound
from outlast.application.runtime.shield import unbroken
from outlast.application.runtime.worker_thread import has_checks, meanwhile
from outlast.domain.commands import Complete, Start
from outlast.domain.ledger import THINK
from outlast.errors import ModelFailed, OutlastError, Refused
from outlast.ports import effects as e
from outlast.ports.events import Streamed
from outlast.ports.model import Usage
from outlast.ports.tool import Settlement
from outlast.system.logs import LOG
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.runtime.run import Desk
    from outlast.ports.events import Event
    from outlast.ports.model import Model
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool


class CarryOut:
    """The innermost handler; all others wrap it."""

    def __init__(
        self,
        desk: Desk,
        model: Model,
        tools: Iterable[Tool],
        listener: Callable[[Event], object] | None = None,
        person: Person | None = None,
    ) -> None:
        """Have a plan, a model, tools and people who listen and answer at hand."""
        self._desk, self._model, self._listener, self._person = desk, model, listener, person
        self._tools = {tool.name: tool for tool in tools}

    async def handle(self, effect: e.Effect) -> e.Reply:  # noqa: PLR0911 - one for each effect
        """Carry out any effect."""
        match effect:
            case e.Think():
                return await self._think(effect)
            case e.Act():
                return await self._act(effect)
            case e.Settle():
                return self._settle(effect)
            case e.Record():
                return await self._record(effect)
            case e.Ask():
                return await self._ask(effect)
            case e.Consult():
                return e.Advised(self._desk.now(), self._desk.look())
            case e.Tell():
                inform(self._listener, effect.event)
                return e.Told(self._desk.now())
            case e.Found():
                raise TypeError(effect)  # who can found a plan stands further out

    async def _think(self, effect: e.Think) -> e.Thought:
        desk, model = self._desk, self._model
        heard = self._heard if self._listener else None
        try:
            thinking = model.think(
                effect.messages, effect.tools, max_tokens=effect.max_tokens, on_text=heard
            )
            reply = sound(await unbroken(thinking))
        except Exception as error:  # noqa: BLE001 - whatever a provider raises, the model failed
            return e.Thought(
                desk.now(),
                desk.look(),
                failed=desk.words(error),
                code=_code(error),
                usage=priced(_paid(error), model.price),
                retry_after=_retry_after(error),
            )
        usage = priced(reply.usage, model.price)
        seen = desk.look()
        return e.Thought(
            desk.now(), seen, reply.text, reply.calls, usage=usage, unread=reply.unread
        )

    def _heard(self, piece: str) -> None:
        inform(self._listener, Streamed(piece))

    async def _act(self, effect: e.Act) -> e.Acted:
        tool = self._tools.get(effect.call.name)
        if tool is None:
            missing = text("tool_missing", self._desk.language, tool=effect.call.name)
            return e.Acted(self._desk.now(), self._desk.look(), failed=missing)
        try:
            output = sayable(await unbroken(tool.run(effect.call.params)))
        except Exception as error:  # noqa: BLE001 - whatever a tool raises, it failed
            now, plan = self._desk.now(), self._desk.look()
            said = self._desk.words(error)
            return e.Acted(now, plan, failed=said, code=_code(error))
        return e.Acted(self._desk.now(), self._desk.look(), output)

    def _settle(self, effect: e.Settle) -> e.Settled:
        now, plan = self._desk.now(), self._desk.look()
        if effect.attempt.kind == THINK:
            return e.Settled(now, plan, "not_done")  # nobody has seen the reply
        name, params = read_kept(effect.attempt.what)
        tool = self._tools.get(name)
        if tool is None or params is None:
            return e.Settled(now, plan, "unknown")
        return e.Settled(now, plan, _asked(tool, params), "tool")

    async def _record(self, effect: e.Record) -> e.Recorded:
        desk = self._desk
        if not effect.commands:
            return e.Recorded(desk.now(), desk.look())
        try:
            plan = await self._changed(effect)
        except Refused as error:
            return e.Recorded(desk.now(), desk.look(), error.code, desk.words(error))
        return e.Recorded(desk.now(), plan)

    async def _changed(self, effect: e.Record) -> e.PlanView:
        """Change the plan; the checks of a task that is begun or completed are run on the way."""
        desk, commands, reason = self._desk, effect.commands, effect.reason
        if isinstance(commands[-1], Start | Complete) and desk.read(has_checks):
            return await meanwhile(desk.plan, desk.prove, commands, reason)
        return desk.commit(commands, desk.view_after, reason=reason, key=effect.key)

    async def _ask(self, effect: e.Ask) -> e.Answered:
        answer = None
        if self._person is not None:
            try:
                answer = await unbroken(self._person.answer(effect.question))
            except Exception:
                LOG.exception("nobody could be asked")
        said = None if answer is None else sayable(answer)
        return e.Answered(self._desk.now(), self._desk.look(), said)


def _asked(tool: Tool, params: dict[str, Any]) -> Settlement:
    """Ask a tool what it did; one that fails to say leaves it to a person."""
    try:
        found: Settlement = convert(tool.settle(params), Settlement)
    except Exception:
        LOG.exception("%s failed to settle an attempt", tool.name)
        return "unknown"
    return found


def _code(error: Exception) -> str:
    return error.code if isinstance(error, OutlastError) else ""


def _paid(error: Exception) -> Usage | None:
    """Return what a failed thought has cost: nothing, unless it is said; None if nobody counted."""
    told = error.details.get("usage", Usage()) if isinstance(error, ModelFailed) else None
    return told if isinstance(told, Usage) else None


def _retry_after(error: Exception) -> float | None:
    told = error.details.get("retry_after") if isinstance(error, OutlastError) else None
    return float(told) if isinstance(told, int | float) else None
