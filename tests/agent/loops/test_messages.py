"""M8, R0.12: messages to a working loop, beside an ended plan, and at its end."""

import asyncio
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from typing import Any

from outlast import AgentLoop
from outlast.agent import effects as e
from outlast.context.chat_model import Call, Reply
from outlast.model.commands import AddTasks, NewTask
from outlast.model.execute import return_commit
from tests.agent.loops.play import GOAL, Play, done, new_plan, poke
from tests.agent.runtime.middleware.test_plan_switches import Failing
from tests.agent.runtime.poke_tool import Poke
from tests.agent.runtime.test_odd_runs import STEPS, go
from tests.fake_model import FakeModel, ModelRequest

FINISHED = (Reply("[Step] One", STEPS.calls), Reply("[Done]"))


class Interrupted(FakeModel):
    """A model during whose thoughts people send messages to its agent."""

    agent: AgentLoop

    def __init__(self, replies: Any, said: dict[int, str]) -> None:
        super().__init__(replies)
        self._said = said

    async def reply(self, request: ModelRequest) -> Reply:
        answered = len(self.requests) - 1
        if answered in self._said:
            self.agent.say(self._said[answered])
        return await super().reply(request)

    def said(self) -> list[list[str]]:
        """Return the messages of people, by the requests that show them."""
        return [
            [one.text for one in request.messages if one.role == "user"]
            for request in self.requests
        ]


def beside(path: Path, model: Interrupted, *before: str) -> str:
    """Run an agent for a new goal beside the plan of the key."""
    model.agent = AgentLoop(model=model, tools=[Poke()], workdir=path, key="k")
    for words in before:
        model.agent.say(words)
    return asyncio.run(model.agent.run("New goal")).why


def test_m8_a_cancel_beside_an_ended_plan_is_handled_once(tmp_path: Path) -> None:
    go(tmp_path, GOAL, *FINISHED)
    assert beside(tmp_path, Interrupted([], {}), "cancel") == "cancelled"
    assert go(tmp_path, "New goal", Reply("Hello"))[0].why == "answered"


def test_m8_messages_beside_an_ended_plan_are_shown_once_and_in_order(tmp_path: Path) -> None:
    go(tmp_path, GOAL, *FINISHED)
    model = Interrupted([Reply("First"), Reply("Second")], {0: "make it red"})
    assert beside(tmp_path, model, "use blue") == "answered"
    assert model.said() == [["New goal", "use blue"], ["New goal", "use blue", "make it red"]]
    _, later, _ = go(tmp_path, "New goal", Reply("Hello"))
    assert [one.text for one in later.requests[0].messages[1:]] == ["New goal"]


def test_r0_12_messages_are_read_even_after_the_plan_was_lost(tmp_path: Path) -> None:
    failing = Failing(tmp_path, OSError(ENOSPC, "No space left on device"), at=3)
    pokes = [Reply("", (Call("poke", {}, f"p{number}"),)) for number in range(6)]
    model = Interrupted([*pokes, Reply("Well.")], {0: "one", 1: "two", 4: "three"})
    model.agent = AgentLoop(model=model, tools=[Poke(failing.run)], plan=failing.plan)
    assert asyncio.run(model.agent.run(GOAL)).why == "answered"
    assert [one for one in model.said()[-1] if len(one) < 6] == ["one", "two", "three"]


def closing(meanwhile: Callable[[Play], object], *replies: Any) -> Play:
    """Play a plan of one step; call `meanwhile` while the model sums up."""
    thoughts = iter([("", done(1)), "All done.", *replies])

    def think(_effect: e.Think) -> Any:
        if len(play.thinks) == 2:
            meanwhile(play)
        return next(thoughts)

    play = Play(think, new_plan("One"))
    play.stopped = play.say(GOAL)  # type: ignore[attr-defined]
    return play


def test_r0_12_not_done_yet_is_handled_while_the_model_sums_up() -> None:
    play = closing(
        lambda play: play.plan.questions.say("还没完成"), ("", poke()), "[Done] Now it is."
    )
    assert play.said() == ["All done.", "[Done] Now it is."]
    assert "step 1 is not done yet" in play.shown(2)
    assert (play.plan.status, play.view().new_messages) == ("completed", ())


def test_m8_what_is_asked_while_the_model_sums_up_is_answered() -> None:
    play = closing(lambda play: play.plan.questions.say("Was it hard?"), "Not at all.")
    assert (play.said(), play.view().new_messages) == (["All done.", "Not at all."], ())


def test_r0_06_a_task_that_is_added_while_the_model_sums_up_is_worked_on() -> None:
    more = AddTasks((NewTask("Two"),))
    play = closing(lambda play: play.plan.core.commit((more,), return_commit), "[Done]")
    assert (play.statuses(), play.plan.status) == (["completed"] * 2, "completed")
