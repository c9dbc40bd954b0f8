"""R0.14: an agent goes on with its conversation, in the same process and after a restart."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from typing import Any, TypeVar

import pytest

from outlast import AgentLoop, Plan, create_plan, open_plan
from outlast.agent.agent_loop import RunResult
from outlast.changes import Interjected, QuestionAnswered, QuestionAsked
from outlast.config.settings import LoopSettings, Settings
from outlast.context.chat_model import Call, Message, Reply
from outlast.errors import InvalidArgument
from outlast.language import Language
from outlast.model.commands import CreatePlan, Return
from outlast.model.execute import return_commit
from outlast.model.state import PlanState
from outlast.plan.core import PlanCore
from outlast.store.port import Request
from outlast.stores import MemoryStore
from outlast.system.caller import MARK
from outlast.testing import FixedClock
from tests.agent.runtime.poke_tool import Poke
from tests.fake_model import FakeModel, ModelRequest

T = TypeVar("T")
PLACES = {"files": "{}", "database": "sqlite:///{}/plans.db", "memory": ""}
GOAL = "Sort the reports"
STEPS = Reply("[Step] One\n[Step] Two", (Call("poke", {"where": "there"}, "p1"),))
DONE = Reply("[Done]")


def agent(model: FakeModel, where: Any = None, **options: Any) -> AgentLoop:
    place = {} if where is None else {"workdir": where, "key": "k"}
    return AgentLoop(model=model, tools=[Poke()], **place, **options)


def go(loop: AgentLoop, *messages: str) -> list[RunResult]:
    return [asyncio.run(loop.run(message)) for message in messages]


def shown(model: FakeModel, request: int = -1) -> list[tuple[str, str]]:
    """Return what follows the system prompt in a request."""
    return [(one.role, one.text) for one in model.requests[request].messages[1:]]


def test_two_runs_of_an_agent_are_one_conversation(tmp_path: Path) -> None:
    model = FakeModel([Reply("Hello Ada."), Reply("Ada.")])
    results = go(agent(model, tmp_path), "My name is Ada", "What is my name?")
    assert [result.answer for result in results] == ["Hello Ada.", "Ada."]
    assert shown(model) == [
        ("user", "My name is Ada"),
        ("assistant", "Hello Ada."),
        ("user", "What is my name?"),
    ]


@pytest.mark.parametrize("kind", PLACES)
def test_r0_03_a_second_plan_begins_in_the_same_conversation(tmp_path: Path, kind: str) -> None:
    where = PLACES[kind].format(tmp_path) or None
    model = FakeModel([STEPS, DONE, Reply("[Done] My name for it is Ada."), STEPS, Reply("Hm")])
    loop = agent(model, where, max_iterations=4)
    first, second = go(loop, GOAL, "And the letters")
    assert (first.status, second.status) == ("completed", "paused")
    assert loop.plan is not None
    assert loop.plan.goal == "And the letters"
    texts = [text for _, text in shown(model, 3)]
    assert texts[-1] == "And the letters"
    assert "[Done] My name for it is Ada." in texts
    loop.plan.close()


def test_x3_another_agent_starts_a_conversation_of_its_own(tmp_path: Path) -> None:
    go(agent(FakeModel([STEPS]), tmp_path, max_iterations=1), GOAL)
    model = FakeModel([Reply("I see")])
    with open_plan(tmp_path) as plan:
        plan.core.commit((Return(1),), return_commit)
    go(agent(model, tmp_path, actor="other", max_iterations=1), "continue")
    messages = model.requests[0].messages
    assert [one.role for one in messages] == [
        *("system", "user", "assistant", "tool", "user", "user")
    ]
    assert messages[2] == Message("assistant", STEPS.text, STEPS.calls)
    assert messages[3] == Message("tool", "poked {'where': 'there'}", call_id="p1")
    assert messages[4].text.startswith("[Resuming task] Current task: Sort the reports\n")
    assert not any("<existing-plan>" in one.text for one in messages)


@pytest.mark.parametrize("kind", ["database", "memory"])
def test_r0_14_without_a_transcript_there_is_the_brief_alone(tmp_path: Path, kind: str) -> None:
    where = PLACES[kind].format(tmp_path) or None
    first = agent(FakeModel([STEPS]), where, max_iterations=1)
    go(first, GOAL)
    model = FakeModel([Reply("I see")])
    options: dict[str, Any] = {"max_iterations": 1}
    if where is None:
        options["plan"] = first.plan
    go(agent(model, where, **options), "continue")
    assert [role for role, _ in shown(model)] == ["user", "user"]
    assert shown(model)[0][1].startswith("[Resuming task] ")


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"no JSON\n",
        b'{"kind": "thought", "lane": "main", "calls": [{"id": 3}]}\n',
        b"\xff\n[1]\n",
    ],
)
def test_f2_a_damaged_transcript_leaves_the_brief_alone(tmp_path: Path, damage: bytes) -> None:
    go(agent(FakeModel([STEPS]), tmp_path, max_iterations=1), GOAL)
    transcript = tmp_path / ".outlast" / "plans" / "k" / "transcript.jsonl"
    transcript.write_bytes(damage)
    model = FakeModel([Reply("I see")])
    go(agent(model, tmp_path, max_iterations=1), "continue")
    assert [role for role, _ in shown(model)] == ["user", "user"]


def test_f2_a_transcript_that_cannot_be_read_leaves_the_brief_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    go(agent(FakeModel([STEPS]), tmp_path, max_iterations=1), GOAL)
    transcript = tmp_path / ".outlast" / "plans" / "k" / "transcript.jsonl"
    transcript.unlink()
    transcript.symlink_to(tmp_path / "elsewhere")
    model = FakeModel([Reply("I see")])
    go(agent(model, tmp_path, max_iterations=1), "continue")
    assert [role for role, _ in shown(model)] == ["user", "user"]
    assert "the transcript cannot be read" in caplog.text


def test_a5_the_exchange_of_an_earlier_process_has_no_secret(tmp_path: Path) -> None:
    secret = "sk-proj-abcdefghijklmnop1234567890"  # noqa: S105 - made up
    call = Call("poke", {"where": secret}, "p1")
    go(agent(FakeModel([Reply(f"I use {secret}", (call,))]), tmp_path, max_iterations=1), GOAL)
    model = FakeModel([Reply("I see")])
    go(agent(model, tmp_path, max_iterations=1), "continue")
    assert secret not in str(model.requests[0].messages)
    assert model.requests[0].messages[2].calls[0].name == "poke"


@pytest.mark.parametrize(("language", "said"), [("en", "Use euros"), ("zh", "用欧元")])
def test_r0_14_what_was_said_before_the_plan_was_created_is_in_its_brief(
    tmp_path: Path, language: Language, said: str
) -> None:
    def interject(_request: ModelRequest) -> None:
        if len(model.requests) == 1:
            loop.say("And round them")

    model = FakeModel([Reply("Hm?"), STEPS], on_request=interject)
    loop = agent(model, tmp_path, max_iterations=2, language=language)
    loop.say(said)
    go(loop, GOAL)
    with open_plan(tmp_path, "k") as plan:
        heard = plan.core.read(lambda state: state.ledger.conversation.messages)
        assert [(one.by, one.text) for one in heard] == [
            ("human", said),
            ("human", "And round them"),
        ]
    again = FakeModel([Reply("I see")])
    go(agent(again, tmp_path, max_iterations=1, language=language), "继续")
    brief = next(text for _, text in shown(again) if "用户指令" in text or "instruction" in text)
    assert said in brief
    assert "And round them" in brief


def test_r0_06_the_answer_is_in_the_result_and_in_the_deliverable(tmp_path: Path) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    model = FakeModel([STEPS, DONE, Reply(f"[Done] Sorted:\n\n{table}")])
    (result,) = go(agent(model, tmp_path), GOAL)
    assert result.answer == result.text == f"Sorted:\n\n{table}"
    kept = (tmp_path / ".outlast" / "plans" / "k" / "deliverable.md").read_text("utf-8")
    assert kept.startswith(f"Sorted:\n\n{table}\n\n# {GOAL}\n")
    assert "- One (reported)" in kept


def test_r0_06_a_deliverable_of_a_person_is_not_replaced(tmp_path: Path) -> None:
    with create_plan(tmp_path, GOAL, "k") as plan:
        plan.add("One")
        plan.notes.deliver("# My report")
    go(agent(FakeModel([Reply("[Done] Sorted.")]), tmp_path), GOAL)
    kept = (tmp_path / ".outlast" / "plans" / "k" / "deliverable.md").read_text("utf-8")
    assert kept == "# My report\n"


def asked(path: Path, **options: Any) -> list[str]:
    """Return the names of the tools that a model is offered."""
    model = FakeModel([Reply("Hello")])
    go(agent(model, path, **options), "Hi")
    return [tool.name for tool in model.requests[0].tools]


class Present:
    async def answer(self, _question: Any) -> str | None:
        return None


def test_a_question_tool_is_offered_with_a_person_or_on_request(tmp_path: Path) -> None:
    assert "ask_user" not in asked(tmp_path)
    assert "propose_goal" in asked(tmp_path)
    assert "ask_user" in asked(tmp_path, person=Present())
    assert "ask_user" in asked(tmp_path, ask=True)
    settings = Settings(loop=LoopSettings(ask_unattended=True))
    assert "ask_user" in asked(tmp_path, settings=settings)


class Answering:
    async def answer(self, _question: Any) -> str | None:
        return "Blue"


def test_r0_14_an_answer_is_journalled_as_the_persons(tmp_path: Path) -> None:
    ask = Call("ask_user", {"question": "Which colour?"}, "a1")
    model = FakeModel([Reply("[Step] One", (ask,)), Reply("[Done] Blue.")])
    go(agent(model, tmp_path, person=Answering()), GOAL)
    with open_plan(tmp_path, "k") as plan:
        commits = plan.history.commits(100)
    authors = {type(change): one.author for one in commits for change in one.changes}
    assert (authors[QuestionAsked], authors[QuestionAnswered]) == ("agent", "human")


def test_r0_09_a_run_can_be_told_to_resume(tmp_path: Path) -> None:
    go(agent(FakeModel([STEPS]), tmp_path, max_iterations=1), GOAL)
    model = FakeModel([Reply("", (Call("poke", {}, "p2"),))])
    result = asyncio.run(agent(model, tmp_path, max_iterations=1).run("Use euros", resume=True))
    assert result.why == "limit"
    with open_plan(tmp_path, "k") as plan:
        heard = plan.core.read(lambda state: state.ledger.conversation.heard)
        commits = plan.history.commits(100)
    assert [one.text for one in heard] == ["Use euros"]
    kinds = {one.author: {type(change) for change in one.changes} for one in commits}
    assert kinds["human"] == {Interjected}, "it is journalled as theirs"


def test_u7_what_a_person_says_is_recorded_with_their_name(tmp_path: Path) -> None:
    model = FakeModel([STEPS, DONE])
    loop = agent(model, tmp_path, max_iterations=1, person_name="Ada 五")
    go(loop, GOAL)
    loop.say("And round them")
    asyncio.run(loop.run("Use euros", resume=True))
    with open_plan(tmp_path, "k") as plan:
        commits = plan.history.commits(100)
    assert {commit.person for commit in commits if commit.author == "human"} == {"Ada 五"}
    assert {commit.person for commit in commits if commit.author != "human"} == {""}
    for name in (1, "a\nb"):
        with pytest.raises(InvalidArgument, match="person_name"):
            agent(model, tmp_path, person_name=name)


@pytest.mark.parametrize("variable", [f"{MARK}1", "CLAUDECODE"])
def test_a13_an_agent_inside_a_tool_is_told_what_the_agent_outside_says(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    call = Reply("", (Call("poke", {"where": "there"}, "p2"),))
    model = FakeModel([STEPS, call, call])
    go(agent(model, tmp_path, max_iterations=1), GOAL)
    loop = agent(model, tmp_path, max_iterations=1, actor="nested")
    asyncio.run(loop.run("Use euros", resume=True))
    loop.say("And round them")
    assert go(loop, "continue")[0].why == "limit"
    assert ("user", "And round them") in shown(model)
    with open_plan(tmp_path, "k") as plan:
        messages = plan.core.read(lambda state: state.ledger.conversation.messages)
    assert [(one.by, one.text) for one in messages] == [
        ("nested", "Use euros"),
        ("nested", "And round them"),
    ]


def test_x3_the_brief_of_a_plan_in_memory_is_rendered_off_the_event_loop() -> None:
    threads = set()

    class WatchedStore(MemoryStore):
        def read(self, question: Callable[[PlanState], T]) -> T:
            threads.add(get_ident())
            return super().read(question)

    clock = FixedClock()
    store = WatchedStore(clock())
    store.commit(Request((CreatePlan("plan_1", GOAL),), "ann", clock()), return_commit)
    plan = Plan(PlanCore(store, clock, lambda: "plan_2", "agent"))
    plan.add("One")
    threads.clear()
    model = FakeModel([Reply("[Done]")])
    loop = AgentLoop(model=model, tools=[Poke()], plan=plan, max_iterations=1)
    asyncio.run(loop.run("continue"))
    assert shown(model)[0][1].startswith("[Resuming task] ")
    assert threads
    assert get_ident() not in threads
