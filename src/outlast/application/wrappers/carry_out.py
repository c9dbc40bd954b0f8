"""Carry effects out: ask the model, run the tool, change the plan, tell the listener."""

from __future__ import annotations

from logging import getLogger
from typing import TYPE_CHECKING, Any, Final

from msgspec import convert

from outlast.application.wrappers.call_record import read_kept
from outlast.application.wrappers.listening import inform
from outlast.domain.ledger import THINK
from outlast.errors import OutlastError, Refused
from outlast.formats.redact import redact
from outlast.ports import effects as e
from outlast.ports.tool import Settlement
from outlast.texts import explain, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outlast.application.wrappers.desk import Desk
    from outlast.ports.model import Model
    from outlast.ports.tool import Tool

_CHARACTERS: Final = 2_000


class CarryOut:
    """The innermost handler; all others wrap it."""

    def __init__(
        self,
        desk: Desk,
        model: Model,
        tools: Iterable[Tool],
        listener: Callable[[e.Event], object] | None = None,
    ) -> None:
        """Have a plan, a model, tools and somebody who listens at hand."""
        self._desk, self._model, self._listener = desk, model, listener
        self._tools = {tool.name: tool for tool in tools}

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Carry out any effect."""
        match effect:
            case e.Think():
                return await self._think(effect)
            case e.Act():
                return await self._act(effect)
            case e.Settle():
                return self._settle(effect)
            case e.Record():
                return self._record(effect)
            case e.Tell():
                return self._tell(effect)

    async def _think(self, effect: e.Think) -> e.Thought:
        try:
            reply = await self._model.think(effect.messages, effect.tools)
        except Exception as error:  # noqa: BLE001 - whatever a provider raises, the model failed
            return e.Thought(self._desk.now(), self._desk.look(), failed=words(error))
        return e.Thought(self._desk.now(), self._desk.look(), reply.text, reply.calls)

    async def _act(self, effect: e.Act) -> e.Acted:
        tool = self._tools.get(effect.call.name)
        if tool is None:
            missing = text("tool_missing", tool=effect.call.name)
            return e.Acted(self._desk.now(), self._desk.look(), failed=missing)
        try:
            output = await tool.run(effect.call.params)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises, it failed
            return e.Acted(self._desk.now(), self._desk.look(), failed=words(error))
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

    def _record(self, effect: e.Record) -> e.Recorded:
        desk = self._desk
        if not effect.commands:
            return e.Recorded(desk.now(), desk.look())
        try:
            reason = redact(effect.reason)
            plan = desk.commit(effect.commands, desk.view_after, reason=reason, key=effect.key)
        except Refused as error:
            return e.Recorded(desk.now(), desk.look(), error.code, words(error))
        return e.Recorded(desk.now(), plan)

    def _tell(self, effect: e.Tell) -> e.Told:
        inform(self._listener, effect.event)
        return e.Told(self._desk.now())


def _asked(tool: Tool, params: dict[str, Any]) -> Settlement:
    """Ask a tool what it did; one that fails to say leaves it to a person."""
    try:
        found: Settlement = convert(tool.settle(params), Settlement)
    except Exception:
        getLogger("outlast").exception("%s failed to settle an attempt", tool.name)
        return "unknown"
    return found


def words(error: Exception) -> str:
    """Say what went wrong, in words that a model can use."""
    if isinstance(error, OutlastError):
        return error.message or explain(error)
    return f"{type(error).__name__}: {error}"[:_CHARACTERS]
