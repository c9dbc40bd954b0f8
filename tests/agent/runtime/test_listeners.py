"""R4.11 and R4.12: when a person is notified."""

import asyncio
from pathlib import Path

from outlast.agent import events as v
from outlast.agent.models.scripted import ScriptedModel, Turn
from outlast.agent.runtime.listeners import notification_listener
from outlast.config.settings import Notify, Settings
from outlast.context.chat_model import Call
from outlast.model.model import Question
from tests.agent.runtime.middleware.fakes import NOW
from tests.agent.runtime.scene import memory_plan, play
from tests.system.test_processes import wait_for


def test_r4_11_a_person_is_notified_of_important_events() -> None:
    told: list[tuple[str, str]] = []

    class Telling:
        def notify(self, occasion: str, text: str) -> None:
            told.append((occasion, text))

    listen = notification_listener(Telling())
    for event in (
        v.Asked(Question(1, "Which one?", NOW)),
        v.Notified("80 %", "budget"),
        v.Notified("something else", "hook"),
        v.Stopped("completed", "finished", "Done"),
        v.Stopped("paused", "budget", "Out of tokens"),
        v.Stopped("paused", "waiting", "Which one?"),
        v.Stopped("paused", "paused", "No task can start"),
        v.Said("Hi"),
    ):
        listen(event)
    assert told == [
        ("question", "Which one?"),
        ("budget", "80 %"),
        ("finished", "Done"),
        ("blocked", "Out of tokens"),
        ("blocked", "No task can start"),
    ]


def test_r4_11_a_run_that_stops_without_a_question_says_why() -> None:
    told: list[tuple[str, str]] = []

    class Telling:
        def notify(self, occasion: str, text: str) -> None:
            told.append((occasion, text))

    notification_listener(Telling())(v.Stopped("paused", "waiting", "claude cannot work here"))
    assert told == [("blocked", "claude cannot work here")]


def test_r4_12_the_users_command_is_run_when_a_plan_is_finished(tmp_path: Path) -> None:
    told = tmp_path / "told"
    command = f'echo "$OUTLAST_OCCASION $(cat)" >{told}.new; mv {told}.new {told}'
    plan = memory_plan()
    plan.add("One")
    call = Call("complete_task", {"task": 1, "result": "ok"})
    settings = Settings(notify=Notify(command))
    asyncio.run(play(plan, ScriptedModel([Turn(calls=(call,))]), settings=settings))
    assert wait_for(told.exists)
    assert told.read_text() == "finished Plan completed: 1/1 steps\n"
