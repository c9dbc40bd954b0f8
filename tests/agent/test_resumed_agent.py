"""R0.14: what the model of a new process is told about the work of an earlier one."""

import asyncio
from pathlib import Path

import pytest

from outlast import AgentLoop, open_plan
from outlast.config.settings import LoopSettings, Settings
from outlast.context.chat_model import Message, Reply
from outlast.language import Language
from outlast.models import Call
from tests.agent.runtime.poke_tool import Poke
from tests.fake_model import FakeModel, ModelRequest

GOAL = f"Compare the yearly reports of five companies. {'Use official figures. ' * 10}In German."
KEY = "reports"


def calls(*named: tuple[str, dict[str, object]]) -> Reply:
    return Reply("", tuple(Call(name, params, f"c{at}") for at, (name, params) in enumerate(named)))


FIRST = (
    calls(("add_tasks", {"tasks": [{"name": "Find", "description": "Official ones"}, "Read"]})),
    calls(
        ("findings_write", {"category": "code", "title": "Order", "content": "Corvus swaps them"}),
        ("complete_task", {"task": 1, "result": "five files in in/"}),
    ),
    calls(("poke", {})),
)


def work(
    place: Path, replies: tuple[Reply, ...], message: str, language: Language = "en"
) -> FakeModel:
    """Run an agent of its own, with nothing of an earlier one but the files."""
    agents = list[AgentLoop]()

    def say(_request: ModelRequest) -> None:
        if message == GOAL and len(model.requests) == 2:
            agents[0].say("Use euros, not dollars")

    model = FakeModel(replies, on_request=say)
    agent = AgentLoop(
        model=model,
        tools=[Poke()],
        workdir=place,
        key=KEY,
        max_iterations=len(replies),
        language=language,
    )
    agents.append(agent)
    asyncio.run(agent.run(message))
    return model


def first_request(model: FakeModel) -> tuple[Message, ...]:
    return model.requests[0].messages


@pytest.mark.parametrize(("language", "words"), [("en", "continue"), ("zh", "继续")])
def test_r0_14_the_first_request_has_once_what_the_model_must_know(
    tmp_path: Path, language: Language, words: str
) -> None:
    work(tmp_path, FIRST, GOAL, language)
    messages = first_request(work(tmp_path, (Reply("Going on."),), words, language))
    told = "\n".join(message.text for message in messages)
    once = (
        "In German.",
        "Use euros, not dollars",
        "Official ones",
        "five files in in/",
        "Corvus swaps them",
    )
    block = messages[-1].text
    assert "<plan>" in block
    assert [told.replace(block, "").count(fact) for fact in once] == [1] * 5
    assert "<existing-plan>" not in told
    assert "<findings-summary>" not in told
    assert told.count("<brief>") == 1
    resumed = next(message for message in messages if "<brief>" in message.text)
    assert resumed.role == "user"
    head, instruction = {
        "en": ("[Resuming task] Current task: ", "User instruction: continue"),
        "zh": ("[恢复任务] 当前任务: ", "用户指令: 继续"),
    }[language]
    assert resumed.text.startswith(head + GOAL)
    assert resumed.text.endswith(f"\n\n{instruction}")


def test_r0_14_what_people_said_is_told_in_every_run_until_the_plan_ends(tmp_path: Path) -> None:
    work(tmp_path, FIRST, GOAL)
    for _ in range(3):
        model = work(tmp_path, (calls(("poke", {})),), "continue")
        told = "\n".join(message.text for message in first_request(model))
        assert "1. Use euros, not dollars" in told


def test_r0_14_the_brief_is_bounded_by_a_setting_and_names_a_tool_that_is_offered(
    tmp_path: Path,
) -> None:
    work(tmp_path, FIRST, GOAL)
    with open_plan(tmp_path, KEY, actor="agent") as plan:
        plan.notes.add_finding("code", "Long", "word " * 2_000)
    model = FakeModel([Reply("Going on.")])
    settings = Settings(loop=LoopSettings(brief_tokens=800))
    agent = AgentLoop(model=model, workdir=tmp_path, key=KEY, settings=settings, max_iterations=1)
    asyncio.run(agent.run("continue"))
    told = "\n".join(message.text for message in first_request(model))
    assert told.count("word") < 800
    assert "Shortened or left out: findings 2." in told
    assert '- plan_details(about="findings", page=P), pages P begin with 1, ' in told
    assert "plan_details" in [tool.name for tool in model.requests[0].tools]


def test_r0_14_a_compacted_conversation_starts_from_the_brief(tmp_path: Path) -> None:
    poke = calls(("poke", {}))
    model = FakeModel([*FIRST, *([Reply("x" * 900, poke.calls)] * 12)])
    settings = Settings(loop=LoopSettings(context_characters=4_000))
    agent = AgentLoop(
        model=model,
        tools=[Poke()],
        plan=None,
        workdir=tmp_path,
        settings=settings,
        max_iterations=14,
    )
    asyncio.run(agent.run(GOAL))
    briefs = [
        sum("<brief>" in message.text for message in request.messages) for request in model.requests
    ]
    assert set(briefs) == {0, 1}
    told = "\n".join(message.text for message in model.last_messages)
    assert told.count("Corvus swaps them") == 1
    assert told.count("five files in in/") == 1
