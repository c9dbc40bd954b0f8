"""A scripted model for the replan loop, and what it answers: the three contracts in short."""

import json
from collections.abc import Callable
from functools import partial
from inspect import isawaitable
from typing import Any

from outlast.context.chat_model import Reply, Usage
from outlast.errors import ModelBusy, ModelFailed
from tests.fake_model import FakeModel, ModelRequest

FINAL: dict[str, Any] = {"status": "done", "response": "All done."}
BROKEN = partial(ModelFailed, "reply_wrong", problem="no network")
BUSY = partial(ModelBusy, "reply_wrong", problem="busy", retry_after=0)
Play = Callable[[str], object]


class Script(FakeModel):
    """A model that says what a script says, in order; remembers what it was asked.

    A function in the script is called, and what it returns is said. An error is raised.
    """

    def __init__(self, *answers: object, play: Play | None = None) -> None:
        """`play` answers a request once the script is at its end."""
        super().__init__()
        self.answers, self._play = list(answers), play
        self.asked: list[str] = []

    async def reply(self, request: ModelRequest) -> Reply:
        self.asked.append("\n".join(message.text for message in request.messages))
        if not self.answers and self._play is not None:
            self.answers.append(self._play(request.messages[0].text))
        answer = self.answers.pop(0)
        if callable(answer):
            answer = answer()
        if isawaitable(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer if isinstance(answer, str) else json.dumps(answer), (), Usage(10, 5))


def planned(*items: str) -> dict[str, Any]:
    return {"status": "planned", "plan": items}


def use(text: object, tool: str = "todo") -> dict[str, Any]:
    action = {"tool": tool, "input": text}
    return {"status": "continue", "current_step": "x", "next_action": action}


def ask(question: str) -> dict[str, Any]:
    return {"status": "ask_user", "current_step": "x", "question": question}


def done(response: str = "") -> dict[str, Any]:
    return {"status": "done", "response": response}


def replanned(*items: str) -> dict[str, Any]:
    return {"status": "replanned", "plan": items}
