"""A1, A2 and A6: hooks pass nothing on that tools or agents have written, and escape the rest."""

from pathlib import Path

import pytest

from outlast import Check, NewTask, Plan
from outlast.hosts.wire.events import HOST_NAMES, HostName, Moment
from outlast.hosts.wire.reply import EVENT_NAMES
from outlast.model.model import QuestionKind
from tests.hosts.coding_agent import CodingAgent, Said, make_plan
from tests.payloads import CANARY, PAYLOADS, blocks

CLAIM = "The task is done."
KINDS: tuple[QuestionKind, ...] = ("ask", "settle", "permit", "goal")
OUTPUT = "printf '%s\\n' \"$(cat payload)\"; exit 1"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a state directory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def attached(home: Path, host: HostName) -> CodingAgent:
    agent = CodingAgent(home, host)
    agent.types(f"{'$' if host == 'codex' else '/'}outlast resume")
    return agent


def ask_about_everything(plan: Plan, payload: str) -> None:
    """Ask a question of every kind, which stays open, and two that are answered."""
    person = plan.acting_as("human").questions
    for kind in KINDS:
        about = payload[:200] if kind != "ask" else ""
        plan.questions.ask(payload, kind=kind, about=about, task=1)
    for kind, answer in (("ask", "as you like"), ("goal", "no")):
        asked = plan.questions.ask(f"{payload} {kind}", kind=kind, about=kind)
        person.answer(answer, asked.id)


def test_a1_an_answer_is_told_without_the_question(tmp_path: Path) -> None:
    make_plan(tmp_path, "one")
    agent = attached(tmp_path, "claude-code")
    with agent.plan("other-agent") as plan:
        plan.questions.ask(f"{CANARY}: delete the database?")
        asked = plan.questions.ask(f"{CANARY}: which port?")
        plan.acting_as("human").questions.answer("the port 8080", asked.id)
    said = agent.compacts().model
    assert CANARY not in said
    assert "(answer to a question) the port 8080" in said
    assert "The plan has 1 open question for the user." in said
    assert "outlast context messages" in said


@pytest.mark.parametrize(
    "host",
    [HOST_NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in HOST_NAMES[1:])],
)
def test_a1_no_text_of_a_tool_reaches_a_model_through_hooks(tmp_path: Path, host: HostName) -> None:
    red = NewTask("prove it", checks=(Check("command", OUTPUT),))
    make_plan(tmp_path, red, "another")
    agent = attached(tmp_path, host)
    failing: Moment = "tool-failure" if "tool-failure" in EVENT_NAMES[host] else "post-tool"
    spoken = quoted = 0
    for number, payload in enumerate(PAYLOADS):
        (tmp_path / "payload").write_text(payload)
        output = {"llmContent": f"{payload}\nExit Code: 1", "error": {"message": payload}}
        told: list[Said] = []
        if number % 20 == 0:
            with agent.plan("other-agent") as plan:
                plan.notes.add_finding("issue", " ".join(payload.split())[:80], payload)
                plan.notes.add_error(f"bash{number}", payload, {"command": payload})
                plan.questions.say(payload)
                ask_about_everything(plan, payload[:1_000])
        for _ in range(3 if number % 20 == 0 else 1):
            given = {"tool_name": "Bash", "tool_input": {"command": payload}}
            failure = {**given, "tool_response": output, "error": payload}
            told.append(
                agent.send("post-tool" if failing == "post-tool" else "tool-failure", **failure)
            )
        if number % 20 == 0:
            todos = [{"content": "prove it", "status": "completed", "activeForm": payload}]
            told += [
                agent.before(command=payload),
                agent.lists("TodoWrite", payload, todos=todos),
                agent.stops(f"{payload}\n\n{CLAIM}"),
                agent.compacts(),
            ]
        for said in told:
            reason = said.reason.splitlines()
            quoted += sum(CANARY in line for line in reason if line.startswith("> "))
            told_by_us = [said.model, said.user, *(line for line in reason if line[:2] != "> ")]
            assert CANARY not in "\n".join(told_by_us), (payload, said)
            spoken += bool(said)
    assert spoken > len(PAYLOADS) // 20, "the hooks did say something"
    assert quoted, "what a red check has printed is quoted where a stop is blocked"


def test_a1_results_of_agents_are_named_and_not_shown(tmp_path: Path) -> None:
    make_plan(tmp_path, *(f"step {number}" for number in range(30)), "last")
    agent = attached(tmp_path, "claude-code")
    with agent.plan("claude-code") as plan:
        for number, payload in enumerate(PAYLOADS[:30], start=1):
            plan.complete(number, payload)
    for said in (agent.before(), agent.types("go on"), agent.start("resume"), agent.compacts()):
        assert CANARY not in said.printed
    assert "outlast context tasks" in agent.start().model


@pytest.mark.parametrize("at", range(0, len(PAYLOADS), 25))
def test_a2_names_and_the_goal_open_and_close_nothing(tmp_path: Path, at: int) -> None:
    names = [
        NewTask(" ".join(payload.split()), description=payload)
        for payload in PAYLOADS[at : at + 25]
    ]
    make_plan(tmp_path, *names, goal=f"Goal {PAYLOADS[at]}")
    agent = attached(tmp_path, "claude-code")
    told = [agent.start(), agent.types("hello"), agent.compacts()]
    for _ in names:
        with agent.plan("claude-code") as plan:
            current = plan.current()
            assert current is not None
            plan.complete(current.id)
        told.append(agent.before())
    for said in told:
        tags = [tag.strip("/") for tag in blocks(said.model)]
        assert set(tags) <= {"plan", "brief", "current-task"}, (tags, said.model)
        for tag in set(tags):
            assert tags.count(tag) == 2, said.model


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\u202eb", "a\x07b"])
def test_a6_control_characters_of_names_are_shown_visibly(tmp_path: Path, name: str) -> None:
    make_plan(tmp_path, name, "x", goal=name, key="k")
    agent = attached(tmp_path, "claude-code")
    for said in (agent.start(), agent.types("/outlast status"), agent.stops(CLAIM)):
        shown = said.user + said.reason
        assert all(letter.isprintable() or letter == "\n" for letter in shown), shown


def test_a5_the_spool_holds_payloads_until_the_next_look_only(tmp_path: Path) -> None:
    make_plan(tmp_path, "one")
    agent = attached(tmp_path, "claude-code")
    spool = tmp_path / "state" / "outlast" / "hosts" / "claude-code" / "s1" / "spool"
    assert spool.stat().st_mode & 0o777 == 0o700
    secret = "sk-ant-" + "api03-" + "A1b2C3d4" * 11
    (spool / "17").write_text(
        '{"session_id":"s1","tool_name":"Bash","tool_input":{"command":"x"},'
        f'"error":"the key {secret} is wrong"}}'
    )
    agent.types("hello")
    assert not list(spool.iterdir())
    with agent.plan() as plan:
        assert len(plan.notes.errors()) == 1
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()
