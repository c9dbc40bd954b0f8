"""Plan tools: execute a model's calls on the plan itself, each with an idempotency key.

The commit of a call has the id of its attempt as key, which the store remembers at least as long as
the attempt is open. After a crash the key tells how the call ended: a used key means that the
commit was made. A free key means that it was not, and using the key up ensures that it never will
be. A tool that makes several commits has no key; repeating it does not repeat what is already done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.application.runtime.call_record import parse_call_line
from outlast.application.runtime.guards import has_checks, run_in_thread
from outlast.application.tools.dispatch import run_tool
from outlast.application.tools.tool_sets import find_tool
from outlast.domain.execute import return_commit
from outlast.errors import InvalidArgument
from outlast.ports import effects as e
from outlast.ports.events import Todo, TodoUpdated

if TYPE_CHECKING:
    from outlast.application.runtime.run import Run
    from outlast.application.tools.table import PlanTool
    from outlast.domain.model import Attempt


def is_plan_tool(name: str) -> bool:
    """Return whether a tool is a plan tool, of either set."""
    return find_tool(name) is not None


class PlanTools:
    """Executes calls of plan tools. `todos` is the model's own to-do list."""

    def __init__(self, inner: e.Handler, run: Run) -> None:
        self._inner, self._run = inner, run
        self.todos: tuple[Todo, ...] = ()

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Run or settle a call of a plan tool."""
        if isinstance(effect, e.Act):
            tool = find_tool(effect.call.name)
            if tool is not None:
                return await self._act(effect, tool)
        if isinstance(effect, e.Settle) and effect.attempt.kind == "act":
            name, _ = parse_call_line(effect.attempt.what)
            if is_plan_tool(name):
                return self._settle(effect.attempt)
        return await self._inner.handle(effect)

    async def _act(self, effect: e.Act, tool: PlanTool) -> e.Acted:
        run, params = self._run, effect.call.params
        plan = run.with_key(effect.attempt) if tool.keyed else run.plan
        if plan.read(has_checks):
            outcome = await run_in_thread(plan, run_tool, plan, tool, params, run.language)
        else:
            outcome = run_tool(plan, tool, params, run.language)
        if outcome.todos is not None:
            await self._store_todos(outcome.todos)
        now, view = run.now(), run.view()
        if outcome.is_refused:
            return e.Acted(now, view, error=outcome.text, code=outcome.code)
        return e.Acted(now, view, outcome.text)

    async def _store_todos(self, todos: tuple[Todo, ...]) -> None:
        self.todos = todos
        await self._inner.handle(e.Emit(TodoUpdated(todos)))

    def _settle(self, attempt: Attempt) -> e.Settled:
        run = self._run
        try:
            run.commit((), return_commit, key=attempt.id)
        except InvalidArgument as error:
            if error.text != "key_reused":  # by the commit of the call
                raise
            return e.Settled(run.now(), run.view(), "done", "key")
        return e.Settled(run.now(), run.view(), "not_done", "key")
