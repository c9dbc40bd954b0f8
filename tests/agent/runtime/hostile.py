"""Hostile models, a clock on which time passes at once, and a store that dies."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any, ClassVar

from msgspec import to_builtins

from outlast.context.chat_model import Call, Price, Reply, Usage
from outlast.context.tool import Level
from outlast.errors import ModelBusy, ModelFailed, ToolFailed
from outlast.model.budget import Spend, add_spend
from outlast.model.plan_costs import has_work_started
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.testing import FixedClock
from tests.fake_model import FakeModel, ModelRequest
from tests.store.faults import Killed

KINDS = (
    "talks",
    "calls",
    "plans",
    "asks",
    "declares",
    "huge",
    "fails",
    "slow",
    "alternates",
    "anything",
)
PRICE = Price(3.0, 15.0)


class FakeTime(FixedClock):
    """A clock that moves only while a task sleeps, and applies timeouts at once."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: list[float] = []

    def parts(self) -> dict[str, Any]:
        """Return what a run waits by."""
        return {"sleep": self.sleep, "timeout": self.timeout, "monotonic": self.monotonic}

    def monotonic(self) -> float:
        return self.moment.timestamp()

    async def sleep(self, seconds: float) -> None:
        now = self.moment.timestamp()
        end = min([now + seconds, *self._ends])
        self.advance(end - now)
        if end < now + seconds:
            _task().cancel()  # as `asyncio.timeout` does it
            await asyncio.sleep(0)

    @asynccontextmanager
    async def timeout(self, seconds: float) -> AsyncIterator[None]:
        end = self.moment.timestamp() + seconds
        self._ends.append(end)
        try:
            yield
        except asyncio.CancelledError as error:
            _task().uncancel()
            raise TimeoutError from error
        finally:
            self._ends.pop()


def _task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


class HostileModel(FakeModel):
    """A model that never comes to an end; it counts what it really cost."""

    def __init__(self, kind: str, dice: Random, time: FakeTime) -> None:
        super().__init__(price=PRICE)
        self._kind, self._dice, self._time = kind, dice, time
        self._bytes = dice.choice((1, 1, 4))  # a token
        self.cost = Spend()

    async def reply(self, request: ModelRequest) -> Reply:
        max_tokens = request.max_tokens
        assert max_tokens is not None
        before = self._time()
        kind = self._dice.choice(KINDS[:-1]) if self._kind == "anything" else self._kind
        shown = (*request.messages, *request.tools)
        asked = sum(self._tokens(to_builtins(one)) for one in shown)
        used = Spend(model_calls=1)
        try:
            await self._time.sleep(self._dice.randrange(1, 400 if kind == "slow" else 20))
            if kind == "fails":
                raise self._dice.choice(FAILURES)
            content = self._content(kind, max_tokens)
            said = self._dice.choice((max_tokens, self._dice.randrange(max_tokens + 1)))
            money = (asked * PRICE.input + said * PRICE.output) / 1_000_000
            used = Spend(1, asked + said, money)
            known = self._dice.random() < 0.8
            return Reply(*content, Usage(asked, said, money=money) if known else None)
        except asyncio.CancelledError:
            used = Spend(1, asked, asked * PRICE.input / 1_000_000)
            raise
        finally:
            self.cost = add_spend(self.cost, used)
            took = (self._time() - before).total_seconds()
            self.cost = add_spend(self.cost, Spend(time=took))

    def _tokens(self, value: object) -> int:
        size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
        return -(-size // self._bytes)

    def _content(self, kind: str, max_tokens: int) -> tuple[str, tuple[Call, ...]]:  # noqa: PLR0911 - one a kind
        dice = self._dice
        match kind:
            case "talks" | "slow":
                return "Still thinking about it. Next I continue.", ()
            case "calls":
                return "", tuple(Call("poke", {"n": n}, f"p{n}") for n in range(dice.randrange(9)))
            case "plans":
                names = [f"Step {dice.randrange(5)}" for _ in range(3)]
                add = Call("add_tasks", {"tasks": names})
                rid = Call("skip_task", {"task": dice.randrange(1, 9), "reason": "changed"})
                fail = Call("fail_task", {"task": dice.randrange(1, 9), "error": "no"})
                return "", tuple(dice.sample([add, rid, fail], 2))
            case "alternates":
                return self._alternating()
            case "asks":
                return "", (Call("ask_user", {"question": f"What is {dice.randrange(99)}?"}),)
            case "declares":
                lines = (f"[Step] number {dice.randrange(5000)}" for _ in range(dice.randrange(40)))
                return "\n".join(lines), (Call("poke", {"n": 0}),) if dice.random() < 0.5 else ()
            case _:
                return "x" * dice.choice((max_tokens, 500_000)), (Call("poke", {"n": 1}),)

    def _alternating(self) -> tuple[str, tuple[Call, ...]]:
        """Replan by lines, by a tool or by a list, then work a little."""
        names = self._dice.sample("abcdefghijklmnopqrstuvwxyz", 3)
        if self._dice.random() < 0.5:
            return "\n".join(f"[Step] {name}" for name in names), (Call("poke", {}),)
        todos = [{"content": name, "status": "pending", "activeForm": "…"} for name in names[:1]]
        listed = Call("todo_write", {"todos": todos, "persist": True})
        added = Call("add_tasks", {"tasks": names})
        done = Call("complete_task", {"task": self._dice.randrange(1, 9), "result": "so"})
        return "", (self._dice.choice((listed, added)), done)


FAILURES = (
    ModelFailed("script_exhausted", turns=0),
    ModelBusy("script_exhausted", turns=0, retry_after=5),
    ModelBusy("script_exhausted", turns=0),
)


class Poke:
    """A tool that takes its time, fails now and then, and counts how often it was run."""

    name, description, parameters = "poke", "Poke it.", {"type": "object"}
    level: ClassVar[Level] = "read"

    def __init__(self, dice: Random, time: FakeTime) -> None:
        self._dice, self._time = dice, time
        self.cost = Spend()

    def permission_request(self, params: dict[str, Any]) -> None:
        del params

    async def run(self, params: dict[str, Any]) -> str:
        del params
        before = self._time()
        try:
            await self._time.sleep(self._dice.randrange(30))
            if self._dice.random() < 0.2:
                raise ToolFailed("not_a_file", path="here")
            return "y" * self._dice.choice((1, 100, 50_000))
        finally:
            took = (self._time() - before).total_seconds()
            self.cost = add_spend(self.cost, Spend(tool_calls=1, time=took))

    def settle(self, params: dict[str, Any]) -> Any:
        del params
        return self._dice.choice(("done", "not_done"))


class MortalStore(MemoryStore):
    """A store in a process that dies at a commit: before it is made, or after."""

    left = 0
    after = False
    dead = False
    replans = 0  # how often the list of tasks was changed in the midst of work

    def commit(self, request: Request, then: Any) -> Any:
        if self.dead:
            raise Killed
        self.left -= 1
        if self.left == 0 and not self.after:
            self._die()
        before = self.read(lambda state: has_work_started(state) and frozenset(state.tasks))
        found = super().commit(request, then)
        self.replans += bool(before) and before != self.read(lambda state: frozenset(state.tasks))
        if self.left == 0:
            self._die()
        return found

    def _die(self) -> None:
        self.dead = True
        raise Killed
