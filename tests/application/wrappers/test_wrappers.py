"""The handlers around effects, one behaviour each."""

import asyncio
import json
import stat
from math import nan
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from outlast import Budget, create_plan
from outlast.adapters.models.scripted.model import ScriptedModel, Turn
from outlast.adapters.stores.transcript import TranscriptFile
from outlast.application.runtime.costs import cost_of
from outlast.application.runtime.lease import Holder
from outlast.application.runtime.middleware.deadline import Deadline
from outlast.application.runtime.middleware.retry import Retry
from outlast.application.runtime.middleware.size_limit import SizeCap
from outlast.application.runtime.notifications import notifying
from outlast.application.runtime.run import Desk
from outlast.config.settings import Limits, Notify, Settings
from outlast.domain.budget import Spend
from outlast.domain.model import Question
from outlast.errors import ModelBusy
from outlast.ports import effects as e
from outlast.ports import events as v
from outlast.ports.model import Call, Message
from outlast.system.disk import Disk
from outlast.testing import FixedClock
from outlast.wiring.agent_run import AgentRun, Choices
from outlast.wiring.plan_locator import PlanPlace
from tests.adapters.faults import FaultyDisk
from tests.application.loops.hostile import FakeTime
from tests.application.loops.poking import POKE, Poke, ends, poke_once
from tests.application.loops.scene import GOAL, memory_plan, play
from tests.system.test_processes import wait_for
from tests.wiring.test_privacy import CANARY

NOW = FixedClock()()
VIEW = e.PlanView(GOAL, "idle", 1, 0, 0, 0)
THINK = e.Think((Message("user", "Hi"),), ())


class Inner:
    """What answers with the replies that a test wants."""

    def __init__(self, *replies: e.Reply) -> None:
        self._replies = list(replies)
        self.seen: list[e.Effect] = []

    async def handle(self, effect: e.Effect) -> e.Reply:
        self.seen.append(effect)
        return e.Told(NOW) if isinstance(effect, e.Tell) else self._replies.pop(0)


def busy(after: float | None = None) -> e.Thought:
    return e.Thought(NOW, VIEW, failed="busy", code="MODEL_BUSY", retry_after=after)


GOOD = e.Thought(NOW, VIEW, "Hello")


def desk(clock: FixedClock | None = None) -> Desk:
    plan = memory_plan(clock)
    return Desk(plan, Holder(60).take(plan))


def retried(*replies: e.Reply, limits: Limits = Limits()) -> tuple[e.Reply, list[float]]:  # noqa: B008
    slept, clock = list[float](), FixedClock()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(seconds)

    handler = Retry(Inner(*replies), desk(clock), limits, sleep)
    return asyncio.run(handler.handle(THINK)), slept


def test_f13_a_busy_model_is_asked_again_after_the_time_it_wants() -> None:
    assert retried(busy(7), busy(0.5), GOOD) == (GOOD, [7.0, 0.5])


def test_f13_without_a_time_the_waiting_doubles_and_the_tries_are_counted() -> None:
    assert retried(busy(), busy(), busy(), busy()) == (busy(), [1.0, 2.0, 4.0])


def test_f13_who_wants_more_time_than_there_is_is_not_asked_again() -> None:
    limits = Limits(model_seconds=10)
    assert retried(busy(11), limits=limits) == (busy(11), [])
    assert retried(busy(6), busy(6), limits=limits) == (busy(6), [6.0])
    assert retried(busy(nan), limits=limits)[1] == []


def test_f13_all_tries_together_take_no_longer_than_one_thought_may() -> None:
    clock, inner = FixedClock(), Inner(busy(6), busy(3), GOOD)

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    handler = Retry(inner, desk(clock), Limits(model_seconds=10), sleep)
    assert asyncio.run(handler.handle(THINK)) == GOOD
    asked = [effect for effect in inner.seen if isinstance(effect, e.Think)]
    assert [effect.seconds for effect in asked] == [0, 4, 1]
    time = FakeTime()
    ended = Deadline(Slow(time, 5), desk(), Limits(model_seconds=10), time.timeout)
    reply = asyncio.run(ended.handle(asked[1]))
    assert getattr(reply, "code", "") == "TIMED_OUT"


def test_f13_a_clock_that_is_set_back_gives_nobody_more_time() -> None:
    clock, inner = FixedClock(), Inner(busy(6), busy(3), GOOD)

    async def sleep(_seconds: float) -> None:
        clock.advance(-3_600)

    handler = Retry(inner, desk(clock), Limits(model_seconds=10), sleep)
    assert asyncio.run(handler.handle(THINK)) == GOOD
    asked = [effect for effect in inner.seen if isinstance(effect, e.Think)]
    assert [effect.seconds for effect in asked] == [0, 4, 7]


@pytest.mark.parametrize(("aside", "took", "cost"), [(5, -60, 5), (5, 7, 5), (5, 2, 2), (0, -1, 0)])
def test_x4_a_clock_that_is_set_back_saves_no_time(aside: float, took: float, cost: float) -> None:
    act = e.Act(POKE, reserve=Spend(tool_calls=1, time=aside))
    assert cost_of(act, e.Acted(NOW, VIEW), took) == Spend(tool_calls=1, time=cost)


def test_f13_only_thoughts_that_found_the_model_busy_are_repeated() -> None:
    failed = e.Thought(NOW, VIEW, failed="no such model", code="MODEL_FAILED")
    assert retried(failed) == (failed, [])
    acted = e.Acted(NOW, VIEW, failed="busy", code="MODEL_BUSY")
    handler = Retry(Inner(acted), desk(), Limits(), asyncio.sleep)
    assert asyncio.run(handler.handle(e.Act(POKE))) == acted


def test_f13_each_try_is_an_attempt_of_its_own() -> None:
    plan, tries = memory_plan(), iter([ModelBusy("script_exhausted", turns=0, retry_after=0)])

    class Busy(ScriptedModel):
        async def think(self, *args: Any, **options: Any) -> Any:
            for error in tries:
                raise error
            return await super().think(*args, **options)

    told: list[Any] = []
    stopped = asyncio.run(play(plan, Busy([Turn(say="At last")]), (), told.append))
    assert stopped.text == "At last"
    assert [one.outcome for one in ends(plan)] == ["failed", "done"]
    assert plan.spent().model_calls == 2
    assert "The model is busy or out of reach; asking again in 0 s" in [
        getattr(one, "text", "") for one in told
    ]


class Slow:
    """What takes its time."""

    def __init__(self, time: FakeTime, seconds: float) -> None:
        self._time, self._seconds = time, seconds

    async def handle(self, effect: e.Effect) -> e.Reply:
        await self._time.sleep(self._seconds)
        return GOOD if isinstance(effect, e.Think) else e.Acted(NOW, VIEW, "done")


@pytest.mark.parametrize(
    ("effect", "seconds", "failed"),
    [
        (THINK, 9, ""),
        (THINK, 11, "The model took longer than 10 s"),
        (replace(THINK, reserve=Spend(time=10)), 11, "The model took longer than 10 s"),
        (e.Act(POKE), 21, "The tool took longer than 20 s"),
        (e.Tell(v.Said("Hi")), 999, ""),
    ],
)
def test_f13_what_takes_too_long_is_ended(effect: e.Effect, seconds: float, failed: str) -> None:
    time, limits = FakeTime(), Limits(model_seconds=10, tool_seconds=20)
    handler = Deadline(Slow(time, seconds), desk(), limits, time.timeout)
    reply = asyncio.run(handler.handle(effect))
    assert getattr(reply, "failed", "").startswith(failed)
    assert getattr(reply, "code", "") == ("TIMED_OUT" if failed else "")


@pytest.mark.parametrize("effect", [THINK, e.Act(POKE)])
def test_x4_what_the_budget_has_no_time_for_is_ended(effect: e.Think | e.Act) -> None:
    time, limits = FakeTime(), Limits(model_seconds=10, tool_seconds=20)
    handler = Deadline(Slow(time, 4), desk(), limits, time.timeout)
    reply = asyncio.run(handler.handle(replace(effect, reserve=Spend(time=3))))
    assert isinstance(reply, e.Thought | e.Acted)
    assert reply.code == "OUT_OF_BUDGET"
    assert reply.failed.startswith("The 3 s that were left of the budget are over")


def test_f13_what_is_too_large_is_cut_or_refused() -> None:
    limits = Limits(output_characters=100, reply_characters=100)
    inner = Inner(
        e.Acted(NOW, VIEW, "a" * 99 + "b" * 99, "c" * 200),
        e.Thought(NOW, VIEW, "x" * 101),
        e.Thought(NOW, VIEW, calls=(Call("poke", {"x": "y" * 100}),)),
        GOOD,
        e.Told(NOW),
    )
    cap = SizeCap(inner, limits)
    acted: Any = asyncio.run(cap.handle(e.Act(POKE)))
    assert acted.output == "a" * 50 + "\n(98 more characters were cut)\n" + "b" * 50
    assert len(acted.failed) < 150
    for _ in range(2):
        thought: Any = asyncio.run(cap.handle(THINK))
        assert (thought.text, thought.calls, thought.code) == ("", (), "TOO_LARGE")
        assert thought.failed == "The reply of the model has more than 100 characters"
    assert asyncio.run(cap.handle(THINK)) == GOOD
    asyncio.run(cap.handle(e.Tell(v.Said("Hi"))))


def test_x4_seconds_end_a_call_at_what_is_left_of_the_budget() -> None:
    time = FakeTime()
    plan = memory_plan(time)

    class Dawdling(ScriptedModel):
        async def think(self, *args: Any, **options: Any) -> Any:
            await time.sleep(40)
            return await super().think(*args, **options)

    choices = Choices(
        model=Dawdling([Turn(calls=(POKE,))]),
        place=PlanPlace(plan, None, None, "agent"),
        tools=(Poke(),),
        budget=Budget(time=100),
        sleep=time.sleep,
        timeout=time.timeout,
    )
    with Holder(60) as holder:
        stopped = asyncio.run(AgentRun(choices, holder).go(GOAL))
    assert (stopped.why, plan.spent().time) == ("budget", 100)
    assert stopped.text.startswith("The 20 s that were left of the budget are over")


# The transcript


def test_r4_11_the_transcript_is_beside_the_journal_and_for_its_owner_only(tmp_path: Path) -> None:
    with create_plan(tmp_path, GOAL, "k") as plan:
        asyncio.run(play(plan, poke_once(f"API_KEY={CANARY}"), (Poke(),)))
    path = tmp_path / ".outlast" / "plans" / "k" / "transcript.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    kinds = ["think", "thought", "act", "acted", "think", "thought"]
    assert [one["kind"] for one in entries] == kinds
    assert [one["attempt"] for one in entries] == [f"0#{n}" for n in (1, 1, 2, 2, 3, 3)]
    assert entries[0]["messages"][1]["text"] == GOAL
    assert entries[2]["call"]["params"] == {"where": "here"}
    assert entries[3]["output"] == "poked {'where': 'here'}"
    assert [one["role"] for one in entries[4]["messages"]] == ["assistant", "tool"], "what is new"
    assert entries[5]["text"] == "API_KEY=[redacted]"


def test_r4_11_a_transcript_that_cannot_be_kept_breaks_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FaultyDisk(Disk(), 1, error=OSError(28, "No space left on device"))
    kept = TranscriptFile(str(tmp_path / "transcript.jsonl"), disk)
    kept.add({"kind": "think"})
    kept.add({"kind": "thought"})
    assert caplog.text.count("no transcript is kept") == 1
    assert not (tmp_path / "transcript.jsonl").exists()


def test_f1_what_is_left_of_a_torn_entry_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    kept = TranscriptFile(str(path), Disk())
    kept.add({"kind": "think"})
    with path.open("ab") as file:
        file.write(b'{"kind": "tho')
    kept.add({"kind": "thought"})
    kept.add({"kind": "act"})
    first, torn, *others = path.read_text().splitlines()
    assert torn == '{"kind": "tho'
    assert [json.loads(one)["kind"] for one in (first, *others)] == ["think", "thought", "act"]


def test_f13_entries_of_a_transcript_are_cut(tmp_path: Path) -> None:
    kept = TranscriptFile.beside(str(tmp_path / "journal.jsonl"), Disk())
    kept.add({"kind": "thought", "text": "x" * 50_000, "calls": [{"a": "y" * 50_000}]})
    kept.add({"kind": "thought", "calls": ["z" * 10_000] * 200})
    long, many = map(json.loads, (tmp_path / "transcript.jsonl").read_text().splitlines())
    assert (len(long["text"]), len(long["calls"][0]["a"])) == (20_001, 20_001)
    assert many == {"kind": "thought", "cut": many["cut"]}
    assert many["cut"] > 1_000_000


# Who is reached when


def test_r4_11_a_person_is_told_what_they_should_know() -> None:
    told: list[tuple[str, str]] = []

    class Telling:
        def notify(self, occasion: str, text: str) -> None:
            told.append((occasion, text))

    listen = notifying(Telling())
    for event in (
        v.Asked(Question(1, "Which one?", NOW)),
        v.Notified("80 %", "budget"),
        v.Notified("something else", "hook"),
        v.Stopped("completed", "finished", "Done"),
        v.Stopped("paused", "budget", "Out of tokens"),
        v.Stopped("paused", "waiting", "Which one?"),
        v.Said("Hi"),
    ):
        listen(event)
    assert told == [
        ("question", "Which one?"),
        ("budget", "80 %"),
        ("finished", "Done"),
        ("blocked", "Out of tokens"),
    ]


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
