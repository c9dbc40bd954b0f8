"""Fall back to a scratch plan when the plan can no longer be read or written; report it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from outlast.errors import StoreError
from outlast.ports import effects as e
from outlast.ports.events import Notified
from outlast.system.logs import LOG
from outlast.texts import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.application.plan.plan import Plan
    from outlast.application.runtime.lease_holder import LeaseHolder
    from outlast.application.runtime.run import Run
    from outlast.texts import Language


class Fallback:
    """Switches the run to a scratch plan with the same budget.

    An effect for a task is then executed for the plan as a whole. A commit to the lost plan is
    refused. The run creates no other stored plan.
    """

    def __init__(
        self,
        inner: e.Handler,
        run: Run,
        holder: LeaseHolder,
        create_scratch: Callable[[], Plan],
        language: Language = "en",
    ) -> None:
        self._inner, self._run, self._holder = inner, run, holder
        self._create_scratch, self._language = create_scratch, language
        self._is_reported = False

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Handle an effect; on a store error, handle it on a scratch plan."""
        if isinstance(effect, e.CreatePlan) and self._run.store_error:
            return self._refusal(self._run.store_error)
        started_before = self._run.attempts_started
        try:
            reply = await self._inner.handle(effect)
        except StoreError as error:
            await self._switch_to_scratch(error)
            return await self._handle_on_scratch(
                effect, error, is_untried=self._run.attempts_started == started_before
            )
        if self._run.store_error and not self._is_reported:
            await self._switch_to_scratch(self._run.store_error)
            return reply if isinstance(reply, e.Emitted) else replace(reply, plan=self._run.view())
        return reply

    async def _handle_on_scratch(
        self, effect: e.Effect, error: StoreError, *, is_untried: bool
    ) -> e.Reply:
        """Handle an effect on the scratch plan, unless it may have been executed already."""
        match effect:
            case e.Act() if not is_untried:
                now, plan = self._run.now(), self._run.view()
                return e.Acted(now, plan, error=self._run.error_text(error), code=error.code)
            case e.Think() | e.Act():
                return await self._inner.handle(replace(effect, task=None))
            case e.Settle():
                return e.Settled(self._run.now(), self._run.view(), "unknown")
            case e.Record() | e.CreatePlan():
                return self._refusal(error)
            case _:
                return await self._inner.handle(effect)

    def _refusal(self, error: StoreError) -> e.Recorded:
        return e.Recorded(
            self._run.now(), self._run.view(), error.code, self._run.error_text(error)
        )

    async def _switch_to_scratch(self, error: StoreError) -> None:
        run = self._run
        run.store_error = error
        if not run.is_scratch:
            with run.switch_lock:
                commands, plan = run.handover_commands(), self._create_scratch()
                run.switch_to(plan, self._holder.acquire(plan), is_scratch=True)
                run.commit(commands, run.view_after)
        if not self._is_reported:
            self._is_reported = True
            problem = self._run.error_text(error)
            LOG.error("going on without a plan: %s", problem, extra={"reported": True})
            notice = text("degraded", self._language, problem=problem)
            await self._inner.handle(e.Emit(Notified(notice, "degraded")))
