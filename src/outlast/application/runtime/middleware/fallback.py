"""Go on without a plan where it can no longer be read or written, and say so once."""

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
    from outlast.application.runtime.lease import Holder
    from outlast.application.runtime.run import Desk
    from outlast.texts import Language


class Degrading:
    """Moves the desk to a makeshift plan that the same budget holds for.

    What was going to be done for a task is done for the plan as a whole then; a change of the plan
    that is lost is not made. The plan that was left is not followed by another in this run.
    """

    def __init__(
        self,
        inner: e.Handler,
        desk: Desk,
        holder: Holder,
        makeshift: Callable[[], Plan],
        language: Language = "en",
    ) -> None:
        """Wrap all other handlers."""
        self._inner, self._desk, self._holder = inner, desk, holder
        self._makeshift, self._language = makeshift, language
        self._said = False

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Carry an effect out, with the plan or without."""
        if isinstance(effect, e.Found) and self._desk.trouble:
            return self._refused(self._desk.trouble)
        begun = self._desk.begun
        try:
            reply = await self._inner.handle(effect)
        except StoreError as error:
            await self._leave(error)
            return await self._without(effect, error, again=self._desk.begun == begun)
        if self._desk.trouble and not self._said:
            await self._leave(self._desk.trouble)
            return reply if isinstance(reply, e.Told) else replace(reply, plan=self._desk.look())
        return reply

    async def _without(self, effect: e.Effect, error: StoreError, *, again: bool) -> e.Reply:
        """Carry an effect out on the makeshift plan, unless it may have been carried out."""
        match effect:
            case e.Act() if not again:
                now, plan = self._desk.now(), self._desk.look()
                return e.Acted(now, plan, failed=self._desk.words(error), code=error.code)
            case e.Think() | e.Act():
                return await self._inner.handle(replace(effect, task=None))
            case e.Settle():
                return e.Settled(self._desk.now(), self._desk.look(), "unknown")
            case e.Record() | e.Found():
                return self._refused(error)
            case _:
                return await self._inner.handle(effect)

    def _refused(self, error: StoreError) -> e.Recorded:
        return e.Recorded(self._desk.now(), self._desk.look(), error.code, self._desk.words(error))

    async def _leave(self, error: StoreError) -> None:
        desk = self._desk
        desk.trouble = error
        if desk.kept:
            with desk.moving:
                carried, plan = desk.carried(), self._makeshift()
                desk.move(plan, self._holder.take(plan), kept=False)
                desk.commit(carried, desk.view_after)
        if not self._said:
            self._said = True
            problem = self._desk.words(error)
            LOG.error("going on without a plan: %s", problem, extra={"told": True})
            said = text("degraded", self._language, problem=problem)
            await self._inner.handle(e.Tell(Notified(said, "degraded")))
