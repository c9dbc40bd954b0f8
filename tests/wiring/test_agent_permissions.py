"""An agent whose tools are guarded: the whole way from the model's call to the log."""

import asyncio
from pathlib import Path

from outlast import AgentLoop, open_plan
from outlast.domain.changes import QuestionAnswered
from outlast.domain.model import Question
from outlast.models import Call, Reply
from outlast.ports.events import CallEnded, Event
from outlast.wiring.tools import built_in_tools
from tests.fake_model import FakeModel

CALL = Call("bash", {"command": "rm -rf build"})


class Agreeing:
    async def answer(self, _question: Question) -> str | None:
        return "yes"


def went(work: Path, person: Agreeing | None, allow: tuple[str, ...] = ()) -> CallEnded:
    (work / "build").mkdir(exist_ok=True)
    events: list[Event] = []
    model = FakeModel([Reply("", (CALL,)), Reply("That is all.")])
    agent = AgentLoop(
        model=model,
        tools=built_in_tools(str(work), allow_outside=True),
        workdir=work,
        key="k",
        on_event=events.append,
        person=person,
        allow=allow,
        max_iterations=3,
    )
    asyncio.run(agent.run("Clean up"))
    return next(event for event in events if isinstance(event, CallEnded))


def test_a_guarded_call_is_refused_allowed_by_a_person_or_by_a_pattern(tmp_path: Path) -> None:
    assert went(tmp_path, None).error.startswith("Not allowed")
    assert (tmp_path / "build").exists()
    assert went(tmp_path, Agreeing()).error == ""
    assert not (tmp_path / "build").exists()
    assert went(tmp_path, None, ("bash:rm -rf build",)).error == ""
    with open_plan(tmp_path, "k") as plan:
        commits = plan.history.commits(1_000)
    answers = [c for commit in commits for c in commit.changes if isinstance(c, QuestionAnswered)]
    assert [(one.by, one.answer) for one in reversed(answers)] == [
        ("agent", "(no answer)"),
        ("human", "yes"),
    ]
