"""The tools with which a model plans: the plan's own functions, each call known by a key.

The change that a call makes is committed under the id of its attempt as its key, which a store
remembers at least as long as the attempt is open. After a crash the key
answers what became of the call: taken, the change was made; free, it was not, and taking the key
sees to it that it never will be. A tool that makes several changes has no key: what it has done is
not done again when it is called again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.runtime.call_record import read_kept
from outlast.application.runtime.worker_thread import has_checks, meanwhile
from outlast.application.tools.dispatch import carry_out
from outlast.application.tools.sets import find_tool
from outlast.domain.enact import receipt
from outlast.errors import InvalidArgument
from outlast.ports import effects as e
from outlast.ports.events import Todo, TodoUpdated

if TYPE_CHECKING:
    from outlast.application.runtime.run import Desk
    from outlast.application.tools.table import Tool
    from outlast.domain.model import Attempt


def owns(name: str) -> bool:
    """Tell whether a tool is one of the plan's, of either set."""
    return find_tool(name) is not None


class PlanTools:
    """Carries the calls out that belong to the plan; lets the rest through.

    `todos` is the list that the model keeps for itself.
    """

    def __init__(self, inner: e.Handler, desk: Desk) -> None:
        """Wrap a handler."""
        self._inner, self._desk = inner, desk
        self.todos: tuple[Todo, ...] = ()

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Run or settle a call of the plan's."""
        if isinstance(effect, e.Act):
            tool = find_tool(effect.call.name)
            if tool is not None:
                return await self._act(effect, tool)
        if isinstance(effect, e.Settle) and effect.attempt.kind == "act":
            name, _ = read_kept(effect.attempt.what)
            if owns(name):
                return self._settle(effect.attempt)
        return await self._inner.handle(effect)

    async def _act(self, effect: e.Act, tool: Tool) -> e.Acted:
        desk, params = self._desk, effect.call.params
        plan = desk.under(effect.attempt) if tool.keyed else desk.plan
        if plan.read(has_checks):
            outcome = await meanwhile(plan, carry_out, plan, tool, params, desk.language)
        else:
            outcome = carry_out(plan, tool, params, desk.language)
        if outcome.todos is not None:
            await self._keep(outcome.todos)
        now, seen = desk.now(), desk.look()
        if outcome.failed:
            return e.Acted(now, seen, failed=outcome.text, code=outcome.code)
        return e.Acted(now, seen, outcome.text)

    async def _keep(self, todos: tuple[Todo, ...]) -> None:
        self.todos = todos
        await self._inner.handle(e.Tell(TodoUpdated(todos)))

    def _settle(self, attempt: Attempt) -> e.Settled:
        desk = self._desk
        try:
            desk.commit((), receipt, key=attempt.id)
        except InvalidArgument as error:
            if error.text != "key_reused":  # for the change that the call has made
                raise
            return e.Settled(desk.now(), desk.look(), "done", "key")
        return e.Settled(desk.now(), desk.look(), "not_done", "key")
