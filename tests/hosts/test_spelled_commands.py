"""U8: every command that a session spells for a model or a user is one that the parser takes."""

import json
import re
import shlex
from pathlib import Path

import pytest

from outlast import create_plan
from outlast.cli.parser import parse
from outlast.hosts.wire.events import HOST_NAMES, HostName
from tests.hosts.coding_agent import CodingAgent, Said, checked, make_plan

PLAN = "# Migrate\n\n1. Export\n2. Import\n\n## Verification\n\n- `pytest -q`\n"
PROGRAM = r"(?:/[^`\s]+/)?outlast"  # by its path where the agent's shell would not find it
SPELLED = re.compile(rf"`{PROGRAM} ([^`\n]+)`|: {PROGRAM} ([^`\n]+)$", re.MULTILINE)


def commands(*texts: str) -> set[str]:
    """Return the command lines in texts, without the program."""
    found = (words for text in texts for words in SPELLED.findall(text))
    return {(quoted or last).rstrip() for quoted, last in found}


def texts_of(answers: list[Said]) -> list[str]:
    return [text for said in answers for text in (said.model, said.user, said.reason)]


def session(home: Path, state: Path, host: HostName) -> set[str]:
    """Let a session meet everything that names a command; return the commands."""
    agent, sign = CodingAgent(home, host), "$" if host == "codex" else "/"
    make_plan(home, checked("one"), "two")
    answers = [agent.types(f"{sign}outlast resume")]
    with agent.plan(actor="codex") as plan:
        plan.notes.add_finding("architecture", "Layers", "three of them")
        plan.questions.ask("Which colour?")
    answers += [agent.types("go on"), agent.start("compact")]
    answers += [agent.views(), agent.views(), agent.send("batch"), agent.after(), agent.before()]
    agent.edits()
    answers += [agent.stops("Task 1 is done."), agent.types(f"{sign}outlast guard")]
    answers += [agent.stops("I stop here."), agent.types(f"{sign}outlast Write a poem")]
    with create_plan(str(home), "Later", "later", actor="claude-code") as plan:
        plan.add_all([checked("one")])
    answers += [agent.types(f"{sign}outlast resume later")]
    agent.edits("edited again")
    answers += [agent.stops("Task 1 is done.")]
    reminders = [path.read_text() for path in state.rglob("remind")]
    shown = [json.loads(text.splitlines()[-1])["hookSpecificOutput"] for text in reminders]
    answers += [agent.accepts(PLAN), agent.start("resume")]
    return commands(*texts_of(answers), *(text["additionalContext"] for text in shown))


@pytest.mark.parametrize("host", HOST_NAMES)
def test_u8_every_command_that_a_session_spells_is_parsed(
    home: Path, state: Path, host: HostName
) -> None:
    spelled = session(home, state, host)
    verbs = {words.split()[0] for words in spelled}
    assert {"done", "context", "note", "check", "skip", "add", "show"} <= verbs, spelled
    for words in spelled:
        assert parse(shlex.split(words.replace("N", "1"))).command == words.split()[0]
