"""The tools with which a model plans: the plan's own functions, each call known by a key.

The change that a call makes is committed under the id of its attempt as its key, which a store
remembers at least as long as the attempt is open. After a crash the key
answers what became of the call: taken, the change was made; free, it was not, and taking the key
sees to it that it never will be.
"""

from __future__ import annotations

import json
from asyncio import CancelledError, create_task, shield, to_thread, wait
from typing import TYPE_CHECKING, Any, Final

from outlast.application.plan_manager import PlanManager
from outlast.application.toolset.schemas import parameters
from outlast.application.toolset.table import TOOLS
from outlast.application.wrappers.call_record import read_kept
from outlast.domain.enact import receipt
from outlast.errors import InvalidArgument
from outlast.formats.redact import redact_value
from outlast.ports import effects as e
from outlast.ports.model import ToolSpec

if TYPE_CHECKING:
    from outlast.application.wrappers.desk import Desk
    from outlast.domain.model import Attempt
    from outlast.domain.state import PlanState

_NAMES: Final = ("initializePlan", "addTask", "startNextTask", "completeTask", "failTask")
_AGAIN: Final = 0.1  # seconds: a check may have been between two programs
_CHECKING: Final = ("startNextTask", "completeTask")  # these may run checks, which takes time

PLAN_TOOLS: Final = tuple(
    ToolSpec(tool.name, tool.description, parameters(tool)) for tool in TOOLS if tool.name in _NAMES
)


def owns(name: str) -> bool:
    """Tell whether a tool is one of the plan's."""
    return name in _NAMES


def _has_checks(state: PlanState) -> bool:
    return any(task.checks or task.protect for task in state.tasks.values())


class PlanTools:
    """Carries the calls out that belong to the plan; lets the rest through."""

    def __init__(self, inner: e.Handler, desk: Desk) -> None:
        """Wrap a handler."""
        self._inner, self._desk = inner, desk

    async def handle(self, effect: e.Effect) -> e.Reply:
        """Run or settle a call of the plan's."""
        if isinstance(effect, e.Act) and owns(effect.call.name):
            return await self._act(effect)
        if isinstance(effect, e.Settle) and effect.attempt.kind == "act":
            name, _ = read_kept(effect.attempt.what)
            if owns(name):
                return self._settle(effect.attempt)
        return await self._inner.handle(effect)

    async def _act(self, effect: e.Act) -> e.Acted:
        desk = self._desk
        manager = PlanManager(desk.under(effect.attempt), actor=desk.plan.actor)
        name, params = effect.call.name, redact_value(effect.call.params)
        if name in _CHECKING and desk.plan.read(_has_checks):
            answer = await self._meanwhile(manager, name, params)
        else:
            answer = manager.call(name, params)
        said = json.dumps(answer, ensure_ascii=False)
        now, plan = desk.now(), desk.look()
        return e.Acted(now, plan, said) if answer["success"] else e.Acted(now, plan, failed=said)

    async def _meanwhile(self, manager: PlanManager, name: str, params: object) -> dict[str, Any]:
        """Call a tool in a thread; if this is cancelled, break its checks off and see it end."""
        calling = create_task(to_thread(manager.call, name, params))
        try:
            return await shield(calling)
        except CancelledError:
            while not calling.done():
                manager.plan.stop_checks()
                await wait((calling,), timeout=_AGAIN)
            raise

    def _settle(self, attempt: Attempt) -> e.Settled:
        desk = self._desk
        try:
            desk.commit((), receipt, key=attempt.id)
        except InvalidArgument as error:
            if error.text != "key_reused":  # for the change that the call has made
                raise
            return e.Settled(desk.now(), desk.look(), "done", "key")
        return e.Settled(desk.now(), desk.look(), "not_done", "key")
