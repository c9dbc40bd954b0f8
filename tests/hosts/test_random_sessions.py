"""Two sessions on two plans, with events in any order: what always holds."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outlast.hosts.wire.events import HOST_NAMES, HostName
from tests.hosts.coding_agent import CodingAgent, Said, checked, files_below, make_plan

EVENTS = (
    *("start", "prompt", "continue", "not done", "before", "after", "view", "fail", "batch"),
    *("todo", "claim", "idle", "question", "marker", "compact", "guard", "off", "resume", "other"),
    *("person", "say", "pause", "end", "garbage"),
)
STEPS = st.lists(
    st.tuples(st.sampled_from((0, 1)), st.sampled_from(EVENTS), st.integers(0, 3)), max_size=25
)


def do(agent: CodingAgent, event: str, number: int, key: str) -> list[Said]:  # noqa: C901, PLR0911, PLR0912 - one case for each event
    sign = "$" if agent.host == "codex" else "/"
    match event:
        case "start":
            return [agent.start(("startup", "resume", "compact", "clear")[number])]
        case "prompt":
            return [agent.types(f"please look at file {number}")]
        case "continue" | "not done":
            return [agent.types({"continue": "continue", "not done": "not done yet"}[event])]
        case "before":
            return [agent.before(command=f"x{number}")]
        case "after":
            return [agent.after(command=f"x{number}")]
        case "view":
            return [agent.views()]
        case "fail":
            return [agent.fails(f"CANARY-7 {'abc'[number % 3]}", command="x")]
        case "batch":
            return [agent.send("batch")]
        case "todo":
            status = ("pending", "in_progress", "completed")[number % 3]
            return [
                agent.lists("TodoWrite", todos=[{"content": f"step {number}", "status": status}])
            ]
        case "claim" | "idle" | "question" | "marker":
            message = {
                "claim": "The task is done.",
                "idle": "I have looked at it.",
                "question": "All is done. Shall I go on?",
                "marker": "[Done]",
            }[event]
            return [agent.stops(message, blocked=number == 3)]
        case "compact":
            return [agent.send("pre-compact", trigger="auto"), agent.start("compact")]
        case "guard" | "off":
            return [agent.types(f"{sign}outlast {event}")]
        case "resume":
            return [agent.types(f"{sign}outlast resume {key}")]
        case "other":
            return [agent.types("/compact"), agent.send("subagent-stop"), agent.send("session-end")]
        case "garbage":
            return [agent.send("prompt", prompt=7, tool_input="x"), agent.send("post-tool", "work")]
    if agent.record is None:
        return []
    with agent.plan() as plan:
        match event:
            case "person" if plan.next() is not None:
                plan.add(f"added {number}")
            case "say" if plan.status not in ("completed", "failed"):
                plan.questions.say(f"said {number}")
            case "pause" if plan.status == "running":
                plan.pause()
            case _:
                pass
    return []


@pytest.mark.slow
@settings(max_examples=60)
@given(STEPS, st.sampled_from(HOST_NAMES))
@example(
    [(0, "resume", 0), (0, "fail", 0), (0, "fail", 0), (0, "fail", 0), (1, "before", 0)], "codex"
)
def test_r4_04_any_order_of_events_keeps_the_promises(
    steps: list[tuple[int, str, int]], host: HostName
) -> None:
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        home, state = Path(place) / "project", Path(place) / "state"
        home.mkdir()
        state.mkdir(mode=0o700)
        patch.setenv("XDG_STATE_HOME", str(state))
        make_plan(home, checked("step 0"), "step 1", "step 2", key="one")
        make_plan(home, "step 0", checked("step 1", "true"), key="two")
        agents = [CodingAgent(home, host, session=name) for name in ("a", "b")]
        for at, event, number in steps:
            agent = agents[at]
            was_attached, before = agent.record is not None, files_below(home, state)
            for said in do(agent, event, number, ("one", "two")[number % 2]):
                assert "CANARY-7" not in said.printed
                if not was_attached and event != "resume":
                    assert not said.model
            if not was_attached and event != "resume":
                assert files_below(home, state) == before, event
            if agent.record is not None and event == "before":
                assert not agent.before(command="once more").model  # told already
