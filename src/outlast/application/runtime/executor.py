"""The effect executor: calls the model, tools and people, and commits to the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import convert

from outlast.application.runtime.call_record import parse_call_line
from outlast.application.runtime.costs import add_price
from outlast.application.runtime.guards import (
    has_checks,
    run_in_thread,
    shield,
    to_text,
    validate_reply,
)
from outlast.application.runtime.listeners import send_event
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

    from outlast.application.runtime.run import Run
    from outlast.ports.events import Event
    from outlast.ports.model import Model
    from outlast.ports.person import Person
    from outlast.ports.tool import Tool


class EffectExecutor:
    """The innermost handler; all middleware wraps it."""

    def __init__(
        self,
        run: Run,
        model: Model,
        tools: Iterable[Tool],
        listener: Callable[[Event], object] | None = None,
        person: Person | None = None,
    ) -> None:
        self._run, self._model, self._listener, self._person = run, model, listener, person
        self._tools = {tool.name: tool for tool in tools}

    async def handle(self, effect: e.Effect) -> e.Reply:  # noqa: PLR0911 - one per effect
        """Execute any effect but `CreatePlan`, which a middleware handles."""
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
                return e.Advised(self._run.now(), self._run.view())
            case e.Emit():
                send_event(self._listener, effect.event)
                return e.Emitted(self._run.now())
            case e.CreatePlan():
                raise TypeError(effect)  # handled by PlanCreation

    async def _think(self, effect: e.Think) -> e.Thought:
        run, model = self._run, self._model
        on_text = self._emit_text if self._listener else None
        try:
            pending = model.think(
                effect.messages, effect.tools, max_tokens=effect.max_tokens, on_text=on_text
            )
            reply = validate_reply(await shield(pending))
        except Exception as error:  # noqa: BLE001 - whatever a provider raises, the model failed
            return e.Thought(
                run.now(),
                run.view(),
                error=run.error_text(error),
                code=_code(error),
                usage=add_price(_failure_usage(error), model.price),
                retry_after=_retry_after(error),
            )
        usage = add_price(reply.usage, model.price)
        plan = run.view()
        return e.Thought(
            run.now(),
            plan,
            reply.text,
            reply.calls,
            usage=usage,
            invalid_calls=reply.invalid_calls,
        )

    def _emit_text(self, piece: str) -> None:
        send_event(self._listener, Streamed(piece))

    async def _act(self, effect: e.Act) -> e.Acted:
        tool = self._tools.get(effect.call.name)
        if tool is None:
            message = text("tool_missing", self._run.language, tool=effect.call.name)
            return e.Acted(self._run.now(), self._run.view(), error=message)
        try:
            output = to_text(await shield(tool.run(effect.call.params)))
        except Exception as error:  # noqa: BLE001 - whatever a tool raises, it failed
            now, plan = self._run.now(), self._run.view()
            message = self._run.error_text(error)
            return e.Acted(now, plan, error=message, code=_code(error))
        return e.Acted(self._run.now(), self._run.view(), output)

    def _settle(self, effect: e.Settle) -> e.Settled:
        now, plan = self._run.now(), self._run.view()
        if effect.attempt.kind == THINK:
            return e.Settled(now, plan, "not_done")  # the reply was never used
        tool_name, params = parse_call_line(effect.attempt.what)
        tool = self._tools.get(tool_name)
        if tool is None or params is None:
            return e.Settled(now, plan, "unknown")
        return e.Settled(now, plan, _ask_tool(tool, params), "tool")

    async def _record(self, effect: e.Record) -> e.Recorded:
        run = self._run
        if not effect.commands:
            return e.Recorded(run.now(), run.view())
        try:
            plan = await self._commit(effect)
        except Refused as error:
            return e.Recorded(run.now(), run.view(), error.code, run.error_text(error))
        return e.Recorded(run.now(), plan)

    async def _commit(self, effect: e.Record) -> e.PlanView:
        """Commit commands; run the checks of a task that is started or completed in a thread."""
        run, commands, reason = self._run, effect.commands, effect.reason
        if isinstance(commands[-1], Start | Complete) and run.read(has_checks):
            return await run_in_thread(run.plan, run.commit_with_checks, commands, reason)
        return run.commit(commands, run.view_after, reason=reason, key=effect.key)

    async def _ask(self, effect: e.Ask) -> e.Answered:
        answer = None
        if self._person is not None:
            try:
                answer = await shield(self._person.answer(effect.question))
            except Exception:
                LOG.exception("a person could not be asked")
        reply = None if answer is None else to_text(answer)
        return e.Answered(self._run.now(), self._run.view(), reply)


def _ask_tool(tool: Tool, params: dict[str, Any]) -> Settlement:
    """Ask a tool how a call ended; a tool that fails to tell leaves the question to a person."""
    try:
        settlement: Settlement = convert(tool.settle(params), Settlement)
    except Exception:
        LOG.exception("%s failed to settle an attempt", tool.name)
        return "unknown"
    return settlement


def _code(error: Exception) -> str:
    return error.code if isinstance(error, OutlastError) else ""


def _failure_usage(error: Exception) -> Usage | None:
    """Return the usage of a failed model call: nothing, unless reported; None if unknown."""
    usage = error.details.get("usage", Usage()) if isinstance(error, ModelFailed) else None
    return usage if isinstance(usage, Usage) else None


def _retry_after(error: Exception) -> float | None:
    seconds = error.details.get("retry_after") if isinstance(error, OutlastError) else None
    return float(seconds) if isinstance(seconds, int | float) else None
