"""F4, R3.04: a process that dies anywhere loses no step, and does nothing twice."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest

from outlast.agent import effects as e
from outlast.agent.agent_spec import Replan
from outlast.agent.effects import Acted, Settled, Thought
from outlast.agent.loops.endings import LoopEnd, pause_at_end
from outlast.agent.loops.replan_loop.contracts import KEY_FORMAT
from outlast.agent.loops.replan_loop.loop import replan_loop
from outlast.agent.runtime.driver import run
from outlast.context.chat_model import Message, Reply, Usage
from outlast.context.tool import Level, Settlement
from outlast.model.changes import AttemptBegan, AttemptEnded, ReplanMoved
from outlast.model.commands import AnswerQuestion, Release
from outlast.model.execute import return_commit
from outlast.model.model import PERSON
from outlast.plan.tools.tool_sets import tool_specs
from tests.agent.loops.replan_loop.by_hand import ByHand, Crashed
from tests.agent.loops.replan_loop.replies import FINAL, ask, done, planned, replanned, use
from tests.agent.runtime.lanes import Bomb, Mortal, open_lane
from tests.fake_model import FakeModel, ModelRequest
from tests.store.faults import FaultyDisk, Killed, QuickDisk

CANARY = "password=c4n4ry7Q9xZ2"
ENDS = ("answered", "finished")  # the last commit may have been made already
TWO = ["/todo a", "/todo b"]


def answer(messages: tuple[Message, ...]) -> object:
    """Answer a request as it needs, whatever happened before: two items with one action each."""
    system = messages[0].text
    user = next(each.text for each in reversed(messages) if each.text.startswith("## "))
    if '"planned"' in system:
        return planned("a", "b")
    if '"replanned"' in system:
        return replanned("b") if "\n- b" in user.partition("## Remaining")[2] else FINAL
    item = user.rpartition("\n")[2].removeprefix("- ")
    return done() if f": /todo {item}\n" in user else use(f"/todo {item}")


class Sensible(FakeModel):
    """A model that answers as the request needs."""

    async def reply(self, request: ModelRequest) -> Reply:
        return Reply(json.dumps(answer(request.messages)), (), Usage(10, 5))


class Notes:
    """A tool whose changes happen once for each key; they survive a killed process."""

    name, description = "todo", "Manage todos."
    level: ClassVar[Level] = "write"
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "input": {"type": "string"},
            "key": {"type": "string", "format": KEY_FORMAT},
        },
        "required": ["input"],
    }

    def __init__(self) -> None:
        self.added = dict[str, str]()

    def permission_request(self, params: dict[str, Any]) -> None:
        del params

    async def run(self, params: dict[str, Any]) -> str:
        assert params["key"].startswith("plan_test#")
        self.added.setdefault(params["key"], params["input"])
        return f"did {params['input']}"

    def settle(self, params: dict[str, Any]) -> Settlement:
        return "done" if params["key"] in self.added else "not_done"


class Scene(Mortal[LoopEnd]):
    """A plan on disk and notes in the world, for runs that are killed and started again."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.notes = Notes()

    async def live(self, disk: FaultyDisk, bomb: Bomb) -> LoopEnd:
        plan = self.open(disk)
        lane = open_lane(plan, Sensible(), self.notes)
        loop = pause_at_end(
            replan_loop(Replan(tools=tool_specs((self.notes,)), moment="now", in_chat=True)), "en"
        )
        end: LoopEnd = (await run(bomb.arm(loop), lane))[0]
        plan.core.commit((Release(0, lane.run.token),), return_commit)
        plan.close()
        return end

    def check(self) -> None:
        """Check that all is done, nothing twice, and that every step is an attempt."""
        plan = self.open(QuickDisk())
        assert Counter(self.notes.added.values()) == Counter(["/todo a", "/todo b"])
        assert [task.status for task in plan.tasks()] == ["completed"] * 2
        open_attempts, steps = set[str](), 0
        for commit in plan.core.store.commits_since(0):
            kinds = {type(change) for change in commit.changes}
            steps += {AttemptBegan, ReplanMoved} <= kinds
            for change in commit.changes:
                if isinstance(change, AttemptBegan):
                    open_attempts.add(change.id)
                elif isinstance(change, AttemptEnded):
                    open_attempts.remove(change.id)
        assert open_attempts == set(), "everything is settled"
        assert plan.core.read(lambda state: state.ledger.replan.steps) == steps
        plan.close()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_f4_a_loop_killed_at_any_yield_goes_on(tmp_path: Path, *, after: bool) -> None:
    for at in count(1):
        scene, disk = Scene(tmp_path / str(at)), FaultyDisk(QuickDisk())
        try:
            scene.go(disk, Bomb(disk, at, after=after))
        except Killed:
            assert scene.go().why in ENDS
        else:
            break
        scene.check()
    assert at > 40


@pytest.mark.slow
def test_f4_a_loop_killed_at_any_write_goes_on(tmp_path: Path) -> None:
    for spared in count():
        scene, disk = Scene(tmp_path / str(spared)), FaultyDisk(QuickDisk(), torn=9)
        disk.deadly, disk.spared = "write", spared
        try:
            scene.go(disk)
        except Killed:
            assert scene.go().why in ENDS
        else:
            break
        scene.check()
    assert spared > 20


@pytest.mark.parametrize("is_carried_out", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("settlement", ["done", "not_done", "unknown"])
def test_f4_a_tool_without_keys_is_settled_and_its_steps_count(
    settlement: Settlement, *, is_carried_out: bool
) -> None:
    for at in count(1):
        begun, ran = list[e.Effect](), list[str]()

        def think(effect: e.Think, begun: list[e.Effect] = begun) -> Thought:
            begun += [effect] * bool(effect.on_start)
            return Thought(json.dumps(answer(effect.messages)))

        def act(effect: e.Act, begun: list[e.Effect] = begun, ran: list[str] = ran) -> Acted:
            begun.append(effect)
            ran.append(effect.call.params["input"])
            return Acted("fine")

        hand = ByHand(think, act)
        hand.settle = lambda: Settled(settlement, "tool")
        hand.crash_at, hand.is_carried_out = at, is_carried_out
        try:
            hand.run()
        except Crashed:
            hand.crash_at = 0
            assert hand.run().why in ENDS
        assert hand.position.steps == len(begun)
        assert [*dict.fromkeys(ran)] == TWO
        assert len(ran) == 2 or (settlement == "not_done" and len(ran) == 3)
        if hand.crash_at:
            break
    assert at > 40


class Talk:
    """A task that a person is asked about; the process dies once, at an effect of any run.

    `happened` are the kinds of requests to the model, and the answers of the person.
    """

    def __init__(self, script: Callable[[str, str], object]) -> None:
        self.script, self.happened, self.begun = script, list[str](), 0
        self.effects = 0
        self.hand = ByHand(self._think, lambda _effect: Acted("fine"))
        self.hand.after = self._count

    def _think(self, effect: e.Think) -> Thought:
        system, user = effect.messages[0].text, effect.messages[-1].text
        kind = next((kind for kind in ("planned", "replanned") if f'"{kind}"' in system), "thought")
        self.happened.append(kind)
        self.begun += bool(effect.on_start)
        return Thought(json.dumps(self.script(kind, user)))

    def _count(self, _effect: e.Effect) -> None:
        self.effects += 1

    def hold(self, answer: str, at: int, *, after: bool, **options: Any) -> bool:
        """Run, answer, run on to the end; return whether it died."""
        hand, has_died = self.hand, False
        for _ in range(9):
            hand.crash_at = 0 if has_died else max(at - self.effects, 0)
            hand.is_carried_out = after
            try:
                end = hand.run(**options)
            except Crashed:
                has_died = True
                continue
            if end.why != "waiting":
                assert end.why in ENDS
                return has_died
            self.happened.append("answer")
            assert hand.commit(AnswerQuestion(answer, PERSON)) is None
        pytest.fail("it does not end")

    @property
    def questions(self) -> list[tuple[str, str | None]]:
        """The kind and the answer of each question."""
        asked = self.hand.state.ledger.conversation.questions.values()
        return [(each.kind, each.answer) for each in asked]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_f4_a_question_is_asked_once_and_its_answer_leads_to_a_replan(*, after: bool) -> None:
    def script(kind: str, user: str) -> object:
        if kind == "thought":
            return done() if "> this" in user else ask("Which?")
        if kind == "replanned" and "Remaining" not in user:
            return FINAL
        return planned("a") if kind == "planned" else replanned("a")

    for at in count(1):
        talk = Talk(script)
        has_died = talk.hold("this", at, after=after)
        assert talk.questions == [("ask", "this")]
        assert talk.happened[talk.happened.index("answer") + 1] == "replanned"
        assert [task.status for task in talk.hand.state.tasks.values()] == ["completed"]
        assert talk.hand.position.steps == talk.begun
        if not has_died:
            break
    assert at > 25


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_f4_what_a_person_approves_is_done_once(*, after: bool) -> None:
    def script(kind: str, user: str) -> object:
        if kind == "replanned":
            return replanned("c") if "\n- b" in user.partition("## Remaining")[2] else FINAL
        return done() if kind == "thought" else planned("a", "b")

    for at in count(1):
        talk = Talk(script)
        has_died = talk.hold("approve", at, after=after, review=True)
        assert talk.questions == [("replan", "approve")]
        tasks = talk.hand.state.tasks.values()
        assert [(task.id, task.name, task.status) for task in tasks] == [
            (1, "a", "completed"),
            (3, "c", "completed"),
        ]
        assert talk.hand.position.steps == talk.begun
        if not has_died:
            break
    assert at > 25


def test_f4_an_outcome_that_nobody_knows_is_an_observation() -> None:
    hand = ByHand(
        lambda effect: Thought(json.dumps(answer(effect.messages))), lambda _effect: Acted("fine")
    )
    hand.settle = lambda: Settled("unknown")
    acts = iter(range(100))

    def die(effect: e.Effect) -> None:
        if isinstance(effect, e.Act) and next(acts) == 0:
            raise Crashed

    hand.after, hand.is_carried_out = die, True
    with pytest.raises(Crashed):
        hand.run()
    assert hand.run().why == "answered"
    first = hand.state.ledger.observations[0]
    assert (first.tool, first.ok) == ("todo", False)
    assert "it is unknown whether it took effect" in first.result


def test_a5_an_action_with_a_secret_runs_but_not_after_a_restart() -> None:
    ran, replies = list[str](), [planned("a"), use(f"/todo {CANARY}"), done(), FINAL]

    def act(effect: e.Act) -> Acted:
        ran.append(effect.call.params["input"])
        return Acted()

    hand = ByHand(lambda _effect: Thought(json.dumps(replies.pop(0))), act)
    assert hand.run().why == "answered"
    assert ran == [f"/todo {CANARY}"], "what the model has just decided is run as it is"
    assert CANARY not in str(hand.state.ledger)

    def die(_effect: e.Effect) -> None:
        if hand.position.action is not None:
            raise Crashed

    ran, replies = [], [planned("a"), use(f"/todo {CANARY}"), done(), FINAL]
    hand = ByHand(lambda _effect: Thought(json.dumps(replies.pop(0))), act)
    hand.after = die
    with pytest.raises(Crashed):
        hand.run()
    hand.after = lambda _effect: None
    assert hand.run().why == "answered"
    assert ran == []
    assert "its input contained a secret" in hand.state.ledger.observations[0].result
