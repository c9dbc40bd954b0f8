"""An agent that meets a secret wherever one can occur, for tests that search for it."""

import logging
from pathlib import Path
from typing import Any

from msgspec import json, to_builtins

from outlast import AgentLoop, RunResult
from outlast.agent.events import CallStarted, Event
from outlast.config.settings import Notify, Settings
from outlast.context.chat_model import Reply
from outlast.context.plan_view import PlanView
from outlast.context.tool import Level, PermissionRequest, Settlement
from outlast.hooks.port import HookContext, HookResult
from outlast.model.model import Question
from outlast.models import Call
from outlast.testing import Turn
from tests.fake_model import FakeModel, ModelRequest

CANARY = "Zk7canaryQ9xv2"
KEY = f"sk-ant-api03-{CANARY}"
NAMED = f"password={CANARY}"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{CANARY * 9}\n{CANARY * 9}\n-----END RSA PRIVATE KEY-----"
LEAKS = f"export API_KEY={KEY}\n{NAMED}\npostgres://u:{CANARY}@db/x\n{PEM}\n"
LONG = f"{'a ' * 9_000}{PEM}{'b ' * 4_950}"  # which is cut within the key
GOAL = f"Log in with {NAMED}, that is {KEY}"


def make_call(name: str, **params: object) -> Call:
    return Call(name, params)


PARAMS: dict[str, Any] = {
    "command": f"curl -H 'Authorization: Bearer {KEY}' {KEY} --password {CANARY}",
    "headers": {"x-api-key": CANARY, "deep": [{"name": "token", "value": CANARY}]},
    "argv": ["login", "--token", CANARY],
}
NOTE = {"category": "code", "title": f"It is {KEY}", "content": LEAKS, "source": NAMED}
TODOS = [{"content": f"use {KEY}", "status": "pending", "activeForm": f"using {NAMED}"}]
TURNS = (
    Turn("- Progress: 4/4", f"Done with {KEY}, {NAMED}.\n{PEM}\nBye."),
    Turn(
        "- Current step: 1.",
        f"I use {KEY} now, {NAMED}.\n[Step] also with {KEY}\n{PEM}\n",
        (
            make_call("leak", **PARAMS),
            make_call("leak", fails=True, **PARAMS),
            make_call("leak", long=True),
            make_call("leak", long=True, fails=True),
            make_call("findings_write", **NOTE),
            make_call("todo_write", todos=TODOS),
            make_call("ask_user", question=f"Is {KEY} right? {NAMED}"),
            make_call("set_progress", task=1, current=1, total=2, **PARAMS),
            make_call("complete_task", task=1, result=LEAKS),
        ),
    ),
    Turn("- Current step: 2.", calls=(make_call("fail_task", task=2, error=LEAKS),), times=1),
    Turn("- Current step: 2.", calls=(make_call("complete_task", task=2, result=NAMED),)),
    Turn("- Current step: 3.", calls=(make_call("skip_task", task=3, reason=LEAKS),)),
    Turn("- Current step: 4.", calls=(make_call("complete_task", task=4, result=LEAKS),)),
    Turn(
        "- Progress: 0/0",
        calls=(make_call("add_tasks", tasks=[f"a {KEY}", f"b {NAMED}", "c"]), make_call("leak")),
    ),
    Turn(calls=(make_call("leak", **PARAMS),)),
)


class LeakTool:
    """A tool whose output, errors and every other answer hold a secret."""

    name, description = "leak", "Leak."
    parameters: dict[str, Any] = {"type": "object"}  # noqa: RUF012 - nobody changes it
    level: Level = "execute"

    def permission_request(self, params: dict[str, Any]) -> PermissionRequest | None:
        raise ValueError(str(params) + LEAKS)

    async def run(self, params: dict[str, Any]) -> str:
        if params.get("fails"):
            raise RuntimeError(LONG if params.get("long") else LEAKS)
        return LONG if params.get("long") else LEAKS

    def settle(self, params: dict[str, Any]) -> Settlement:
        raise ValueError(str(params) + LEAKS)


class DrippingModel(FakeModel):
    """Says what it says in small pieces, and fails once with the secret in its error."""

    failed = False

    async def reply(self, request: ModelRequest) -> Reply:
        reply = await self.play(request._replace(on_text=None))
        if request.on_text is not None:
            for at in range(0, len(reply.text), 3):
                request.on_text(reply.text[at : at + 3])
        if not self.failed and "- Current step: 2." in request.messages[-1].text:
            self.failed = True
            raise RuntimeError(LEAKS)
        return reply


class CarelessPerson:
    """A person who types the secret."""

    async def answer(self, question: Question) -> str:
        return "yes" if question.kind == "permit" else f"Use {KEY}, {NAMED}"


def careless_hook(context: HookContext, _plan: PlanView | None) -> HookResult:
    """Fail at one point with the secret, and say it at the others."""
    if context.point == "user_prompt":
        raise ValueError(LEAKS)
    return HookResult(inject_context=LEAKS, notification=LEAKS)


class LeakyRun:
    """One run of that agent after the other, and everything that came out of it anywhere."""

    def __init__(self, place: Path) -> None:
        self.place, self.work = place, place / "work"
        self.work.mkdir()
        self.stopped: list[RunResult] = []
        self.log = logging.FileHandler(place / "log.txt", encoding="utf-8")
        self.events = (place / "events.jsonl").open("wb")
        self.model = DrippingModel(turns=TURNS)

    async def run(self) -> None:
        """Run until the model fails, then again."""
        logger = logging.getLogger("outlast")
        logger.propagate = False
        logger.addHandler(self.log)
        try:
            for message in (GOAL, "continue"):
                agent = self._agent()
                agent.say(f"Do not show {KEY}, {NAMED}")
                self.stopped.append(await agent.run(message))
        finally:
            logger.propagate = True
            logger.removeHandler(self.log)
            self.log.close()
            self.events.close()

    def _agent(self) -> AgentLoop:
        told = self.place / "told.txt"
        return AgentLoop(
            model=self.model,
            tools=(LeakTool(),),
            workdir=self.work,
            settings=Settings(notify=Notify(f"cat >> {told}")),
            on_event=self._record,
            person=CarelessPerson(),
            hooks=(careless_hook,),
        )

    def _record(self, event: Event) -> None:
        self.events.write(json.encode(to_builtins(event)) + b"\n")
        if isinstance(event, CallStarted):
            raise TypeError(LEAKS)
