"""An agent whose tools are guarded: the whole way from the model's call to the log."""

import asyncio
from pathlib import Path

import pytest

from outlast import AgentLoop, open_plan
from outlast.agent.events import CallEnded, Event, Notified
from outlast.agent.tools.choice import built_in_tools
from outlast.model.changes import QuestionAnswered
from outlast.model.model import Question
from outlast.models import Call, Reply
from tests.fake_model import FakeModel

CALL = Call("bash", {"command": "rm -rf build"})
SLOW_CALL = Call("bash", {"command": "rm -rf build", "timeout": 60})  # no repetition of the other


class Agreeing:
    async def answer(self, _question: Question) -> str | None:
        return "yes"


def went(
    work: Path, person: Agreeing | None, allow: tuple[str, ...] = (), call: Call = CALL
) -> CallEnded:
    (work / "build").mkdir(exist_ok=True)
    events: list[Event] = []
    model = FakeModel([Reply("", (call,)), Reply("That is all.")])
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
    assert went(tmp_path, None, ("bash:rm -rf build",), SLOW_CALL).error == ""
    with open_plan(tmp_path, "k") as plan:
        commits = plan.history.commits(1_000)
    answers = [c for commit in commits for c in commit.changes if isinstance(c, QuestionAnswered)]
    assert [(one.by, one.answer) for one in reversed(answers)] == [
        ("agent", "(no answer)"),
        ("human", "yes"),
    ]


class Always:
    async def answer(self, _question: Question) -> str | None:
        return "always"


def clean(work: Path, person: Always | None, *texts: str, call: Call = CALL) -> list[Event]:
    """Let an agent remove `build`, and keep what is permitted; the first reply may say more."""
    (work / "build").mkdir(exist_ok=True)
    events: list[Event] = []
    agent = AgentLoop(
        model=FakeModel([*map(Reply, texts), Reply("", (call,)), Reply("That is all.")]),
        tools=built_in_tools(str(work), allow_outside=True),
        workdir=work,
        key="k",
        on_event=events.append,
        person=person,
        remember_permissions=True,
    )
    asyncio.run(agent.run("Clean up"))
    return events


def notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notified)]


def test_u3_a_permission_is_kept_from_the_run_that_creates_the_plan_on(tmp_path: Path) -> None:
    clean(tmp_path, Always())
    assert not (tmp_path / "build").exists()
    clean(tmp_path, None, call=SLOW_CALL)
    assert not (tmp_path / "build").exists(), "nobody had to be asked"


def test_u3_a_permission_that_cannot_be_kept_counts_for_this_run_and_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "outlast").write_text("no directory")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    work = tmp_path / "work"
    work.mkdir()
    reported = [words for words in notices(clean(work, Always())) if "permissions" in words]
    assert not (work / "build").exists()
    assert len(reported) == 2, "what cannot be read, and what cannot be written"
    assert all("approvals, permissions and check results are stored" in text for text in reported)
    clean(work, None)
    assert (work / "build").exists()


def test_u3_a_run_without_a_stored_plan_or_in_a_database_keeps_no_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for where in (None, f"sqlite:///{tmp_path}/plans.db"):
        agent = AgentLoop(
            model=FakeModel([Reply("", (CALL,)), Reply("That is all.")]),
            tools=built_in_tools(str(tmp_path), allow_outside=True),
            allow=("bash:rm -rf build",),
            remember_permissions=True,
            workdir=where,
        )
        asyncio.run(agent.run("Clean up"))
    assert not (tmp_path / "state").exists()


def test_u3_the_next_plan_under_a_key_has_none_of_the_permissions(tmp_path: Path) -> None:
    clean(tmp_path, Always())
    with open_plan(tmp_path, "k", actor="human") as plan:
        plan.abort()
        first = plan.id
    clean(tmp_path, None)
    with open_plan(tmp_path, "k") as plan:
        assert plan.id != first
    assert (tmp_path / "build").exists()
