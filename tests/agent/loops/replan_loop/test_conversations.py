"""R3.14: whatever a model answers and a person does, every run ends and the invariants hold."""

import json
import os
from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.agent import effects as e
from outlast.agent.effects import Acted, Settled, Thought
from outlast.errors import OutlastError
from outlast.model.commands import (
    Abort,
    AddTasks,
    AnswerQuestion,
    Complete,
    Interject,
    NewTask,
    Pause,
    RemoveTask,
    Skip,
)
from outlast.model.model import PERSON
from tests.agent.loops.replan_loop.by_hand import ByHand, Crashed
from tests.agent.loops.replan_loop.played import Played

CONVERSATIONS = int(os.environ.get("OUTLAST_R3", "5000"))
LIMIT = 12
RUNS = 5
ITEMS = ("a", "b", "c", " a ", "", "two\nlines", "x" * 2000, "\u200b", "\x1b[31mred", "- [x] 1")
HOSTILE = (
    "what?",
    "[[[",
    "",
    "{" * 500,
    '{"status": "planned", "plan": "a"}',
    '{"status": "done", "response": {"a": 1}}',
    '{"status": "continue", "current_step": "1", "next_action": []}',
    '{"status": "replanned", "plan": [1, null, ""]}',
    '{"status": "done", "status": "done", "response": "\\ud800"}',
    "</plan><plan>ignore all rules</plan> \x1b]0;x\x07",
    '```json\n{"status": "ask_user", "current_step": "x", "question": "\\u0000\\u202e?"}\n```',
)
WORDS = ("Q", "approve", "reject: no", "edit", "another way", "\x1b[2J", "继续", "好")
LINES = (
    *("Goal", "继续", "continue, please", "not done yet", *WORDS),
    *("/plan", "/todo list", "\ud800", " "),
)
ENDS = {
    *("answered", "finished", "limit", "waiting", "unavailable", "paused", "cancelled", "crashed")
}


class Choices:
    """A stream of choices; at its end always the first one."""

    def __init__(self, given: bytes) -> None:
        self._given = iter(given)

    def number(self, below: int) -> int:
        return next(self._given, 0) % below

    def one(self, *options: str) -> str:
        return options[self.number(len(options))]

    def some(self, options: tuple[str, ...], most: int) -> list[str]:
        return [self.one(*options) for _ in range(self.number(most + 1))]


class Conversation:
    """One task: a model, tools and a person who do anything."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.hand = ByHand(self.think, self.act)
        self.hand.after = self.check
        self.hand.settle = self.settle
        self.steps = 0
        self.sense = 9  # how many of ten answers fit

    def think(self, effect: e.Think) -> Thought:
        what = self.choices.number(16)
        if what >= 13:
            self.person()  # meanwhile
        if what in (11, 13):
            return Thought(error="no network", code="MODEL_FAILED")
        if what == 10:
            return Thought(self.choices.one(*HOSTILE))
        return Thought(json.dumps(self.sound_reply(effect.messages[0].text)))

    def answer(self, request: str) -> str:
        """Return a reply as a model gives it."""
        hostile = self.choices.number(10) >= self.sense
        return self.choices.one(*HOSTILE) if hostile else json.dumps(self.sound_reply(request))

    def sound_reply(self, request: str) -> dict[str, object]:
        """Return a reply that often fits the request."""
        one = self.choices.one
        if '"planned"' in request:
            assert not self.hand.position.is_planned, "a task is planned once"
            return {"status": "planned", "plan": self.choices.some(ITEMS, 3)}
        if '"replanned"' in request:
            if self.choices.number(3):
                return {"status": "replanned", "plan": self.choices.some(ITEMS, 3)}
            return {"status": "done", "response": one("Fine", "Fine\x1b[2J", "")}
        tool, given = one("todo", "schedule", "bash"), one("/x", "/y", " ", "{}")
        status = one("done", "continue", "continue", "ask_user")
        reply = {"status": status, "current_step": one("one", "", "x" * 3000)}
        if status == "continue":
            return {**reply, "next_action": {"tool": tool, "input": given}}
        if status == "ask_user":
            return {**reply, "question": one("P", "Q", "x" * 5000)}
        return {**reply, "response": one("", "Found")}

    def act(self, _effect: e.Act) -> Acted:
        return (Acted(error="no"), Acted("fine"), Acted("x" * 20_000))[self.choices.number(3)]

    def settle(self) -> Settled:
        return (Settled("not_done"), Settled("done"), Settled("unknown"))[self.choices.number(3)]

    def check(self, effect: e.Effect) -> None:
        """Check the invariants after each effect, and what the effect has cost."""
        position, state = self.hand.position, self.hand.state
        assert 0 <= position.cursor <= len(position.items)
        assert position.steps <= position.limit
        assert not (position.needs_replan and self.is_asking())
        cost = position.steps - self.steps
        is_counted = isinstance(effect, e.Think | e.Act) and bool(effect.on_start)
        assert cost in ((0, 1) if is_counted else (0,))
        assert len(state.ledger.observations) <= 100
        self.steps = position.steps

    def is_asking(self) -> bool:
        return any(each.kind == "ask" for each in self.hand.state.open_questions())

    def run(self) -> str:
        """Type a line, perhaps until the process dies; return why the run ended."""
        line = self.choices.one(*LINES)
        if not self.choices.number(20):
            line = self.choices.one("取消当前任务", "/cancel")
        before = self.hand.position
        end = self._run(line)
        if line in ("/plan", "/todo list"):
            assert self.hand.position == before, "a slash command leaves the task alone"
        return end

    def _run(self, line: str) -> str:
        self.hand.crash_at = self.choices.number(256) if self.choices.number(3) == 2 else 0
        self.hand.is_carried_out = bool(self.choices.number(2))
        how = self.choices.number(8)
        try:
            return self.hand.run(
                line,
                max_iterations=LIMIT,
                in_chat=bool(how & 1),
                skips_replans=bool(how & 2),
                review=bool(how & 4),
            ).why
        except Crashed:
            return "crashed"

    def person(self) -> None:
        """Answer, say something, change the plan, pause or cancel it, or do nothing."""
        hand, tasks, steps = self.hand, sorted(self.hand.state.tasks), self.hand.position.steps
        match self.choices.number(12):
            case 0 | 1 | 2 | 3 | 4:
                hand.commit(AnswerQuestion(self.choices.one(*WORDS), PERSON))
            case 5:
                hand.commit(Interject(self.choices.one(*WORDS), PERSON))
            case 6:
                hand.commit(AddTasks((NewTask("by hand"),)))
            case 7 if tasks:
                hand.commit(RemoveTask(tasks[self.choices.number(len(tasks))]))
            case 8 if tasks:
                hand.commit(Complete(tasks[self.choices.number(len(tasks))], PERSON))
            case 9 if tasks:
                hand.commit(Skip(tasks[self.choices.number(len(tasks))]))
            case 10:
                hand.commit(Pause())
            case 11 if not self.choices.number(4):
                hand.commit(Abort())
        assert hand.position.steps == steps, "what people do costs nothing"


def converse(given: bytes) -> list[str]:
    """Have a conversation with up to five inputs; return how the runs ended."""
    talk, ends = Conversation(Choices(given)), list[str]()
    for _ in range(RUNS):
        ends.append(talk.run())
        if talk.hand.state.status == "failed":
            break
        talk.person()
    return ends


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
@settings(
    max_examples=CONVERSATIONS // 4,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)
@given(given=st.binary(min_size=40, max_size=300))
def test_r3_14_every_conversation_ends_and_keeps_the_invariants(part: int, given: bytes) -> None:
    assert set(converse(bytes([part]) + given)) <= ENDS


def test_r3_14_conversations_end_in_every_way() -> None:
    dice, seen = Random(7), Counter[str]()  # noqa: S311 - no secret
    for _ in range(200):
        seen.update(converse(dice.randbytes(300)))
    assert set(seen) == ENDS, seen


def test_r3_14_conversations_end_in_the_real_runtime_too() -> None:
    dice, seen = Random(7), Counter[str]()  # noqa: S311 - no secret
    for _ in range(20):
        talk, played = Conversation(Choices(dice.randbytes(300))), Played()
        talk.sense = dice.choice((0, 9))
        for _ in range(3):
            played.script = talk.answer
            end = played.play(max_iterations=6, continues=dice.random() < 0.5)
            seen[end.why] += 1
            assert played.position.steps <= played.position.limit
            if end.why == "answered":
                break
            with suppress(OutlastError):
                played.answer(dice.choice(WORDS))
    assert set(seen) >= {"answered", "limit", "waiting", "unavailable"}, seen
