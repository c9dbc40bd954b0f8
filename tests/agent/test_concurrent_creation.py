"""R0.03, X6: agents that begin at once under one key found one plan, and one works on it."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outlast import AgentLoop, Budget, Plan, create_plan, open_plan
from outlast.agent import events as v
from outlast.agent.agent_run import AgentRun
from outlast.agent.agent_spec import AgentSpec, Replan
from outlast.agent.plan_locator import PlanLocator
from outlast.agent.resources import find_resources
from outlast.agent.runtime.lease_holder import LeaseHolder
from outlast.context.chat_model import Reply
from outlast.errors import HistoryDiverged, TaskClaimed
from outlast.models import Call
from outlast.plan.archive import archive_ended_plan
from outlast.plan.home.find import workspace_at
from outlast.plans import archive_plan
from outlast.testing import ScriptedModel, Turn
from tests.agent.loops.replan_loop.replies import Script, done, planned
from tests.agent.runtime.poke_tool import POKE, Poke
from tests.agent.runtime.scene import agent_run
from tests.fake_model import FakeModel, ModelRequest

PATIENCE = 60
DONE = Call("complete_task", {"task": 1, "result": "done"}, "d1")
ADD = Call("add_tasks", {"tasks": ["One"]}, "a1")
WORK = (
    Turn("- Progress: 1/1", "It is done."),
    Turn("- Current step: 1.", calls=(POKE, DONE)),
    Turn(calls=(ADD,)),
)


def places(root: Path) -> list[str]:
    return [str(root), f"sqlite:///{root / 'plans.db'}"]


def preceded_by(first: Callable[[], object], turns: tuple[Turn, ...] = WORK) -> FakeModel:
    """Return a model during whose first thought somebody else does something."""
    model, left = FakeModel(turns=turns), [first]
    model.on_request = lambda _: left and left.pop()()
    return model


def begun_by_ann(where: str, *, held: bool = True) -> Plan:
    """Begin a plan as another agent would; hold it."""
    plan = create_plan(where, "Ann's", "k", actor="ann")
    if held:
        plan.core.claim_plan().stop()
    return plan


@pytest.mark.parametrize("kind", [0, 1], ids=["files", "database"])
def test_x6_who_comes_second_is_refused_as_if_the_plan_had_been_there(
    tmp_path: Path, kind: int
) -> None:
    where, pokes = places(tmp_path)[kind], list[int]()
    model = preceded_by(lambda: begun_by_ann(where).close(), (Turn(calls=(POKE,)),))
    tools = [Poke(lambda: pokes.append(1))]
    agent = AgentLoop(model=model, tools=tools, workdir=where, key="k")
    for _again in range(2):
        with pytest.raises(TaskClaimed, match="ann"):
            asyncio.run(agent.run("Mine"))
    assert not pokes, "nothing was done without a plan"
    with open_plan(where, "k") as plan:
        assert (plan.goal, plan.budget.cost().model_calls) == ("Ann's", 0)


@pytest.mark.parametrize("kind", ["memory", "files", "database"])
def test_x6_who_follows_a_plan_that_another_has_followed_already_is_refused(
    tmp_path: Path, kind: str
) -> None:
    where = "memory:" if kind == "memory" else places(tmp_path)[kind == "database"]
    plan = create_plan(where, "Old", "k")
    plan.add("One")
    plan.complete(1)

    def follow() -> None:
        if kind == "memory":
            ann = plan.acting_as("ann")
            ann.core.claim_plan().stop()
            ann.initialize("Ann's", ())
        else:
            archive_plan(where, "k")
            begun_by_ann(where).close()

    model = preceded_by(follow)
    with plan:
        refusal = TaskClaimed if kind == "memory" else HistoryDiverged
        with pytest.raises(refusal, match=r"(?i)ann"):
            asyncio.run(AgentLoop(model=model, plan=plan).run("Mine"))
        if kind == "memory":
            assert (plan.goal, plan.tasks()) == ("Ann's", ())
        else:
            with open_plan(where, "k") as found:
                assert (found.goal, found.tasks()) == ("Ann's", ())
                assert {commit.author for commit in found.history.commits()} == {"ann"}


@pytest.mark.parametrize("kind", [0, 1], ids=["files", "database"])
def test_r0_03_a_plan_that_was_begun_meanwhile_and_left_is_gone_on_with(
    tmp_path: Path, kind: int
) -> None:
    where, events = places(tmp_path)[kind], list[Any]()
    turns = (Turn(("- Current step: 1.", "Use blue paint"), calls=(POKE, DONE)), WORK[0], WORK[2])
    model = preceded_by(lambda: begun_by_ann(where, held=False).close(), turns)
    agent = AgentLoop(
        model=model,
        tools=[Poke()],
        workdir=where,
        key="k",
        budget=Budget(model_calls=9),
        on_event=events.append,
    )
    agent.say("Use blue paint")
    assert asyncio.run(agent.run("Mine")).status == "completed"
    kinds = {one.kind for one in events if isinstance(one, v.Notified)}
    assert kinds == {"hook"}, "it does not go on without a plan"
    with open_plan(where, "k") as plan:
        assert (plan.goal, plan.budget.limits()) == ("Ann's", Budget(model_calls=9))
        assert plan.budget.cost().model_calls == 4, "what was thought before counts too"
        assert plan.core.read(lambda state: state.ledger.leases) == {}


def test_r0_03_a_plan_that_was_followed_meanwhile_is_not_put_away(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Old", "k") as old:
        old.add("One")
        old.complete(1)

    def follow() -> None:
        archive_ended_plan(workspace_at(tmp_path), "k")
        begun_by_ann(str(tmp_path)).close()

    model = preceded_by(follow)
    with pytest.raises(TaskClaimed, match="ann"):
        asyncio.run(AgentLoop(model=model, workdir=tmp_path, key="k").run("Mine"))
    with open_plan(tmp_path, "k") as plan:
        assert plan.goal == "Ann's"


def test_r0_03_a_plan_that_cannot_be_put_away_is_refused_and_not_tried_for_ever(
    tmp_path: Path,
) -> None:
    with create_plan(tmp_path, "Old", "k", actor="ann") as old:
        old.add("One")
        old.claim(1)
        old.abort()
    agent = AgentLoop(model=ScriptedModel(WORK), workdir=tmp_path, key="k")
    with pytest.raises(TaskClaimed, match="ann"):
        asyncio.run(agent.run("Mine"))
    with open_plan(tmp_path, "k") as plan:
        assert (plan.goal, plan.budget.cost().model_calls) == ("Old", 0)


class AtOnce(FakeModel):
    """A model that gives its first reply when the other one does too."""

    def __init__(self, barrier: threading.Barrier) -> None:
        super().__init__(turns=WORK)
        self._barrier, self._met = barrier, False

    async def reply(self, request: ModelRequest) -> Reply:
        if not self._met:
            self._met = True
            self._barrier.wait(PATIENCE)
        return await self.play(request)


@pytest.mark.parametrize("kind", [0, 1], ids=["files", "database"])
def test_x6_of_two_agents_that_begin_at_once_one_works_and_one_is_refused(
    tmp_path: Path, kind: int
) -> None:
    where, barrier, refused = places(tmp_path)[kind], threading.Barrier(2), threading.Event()
    ends: dict[str, object] = {}

    def wait() -> None:
        refused.wait(PATIENCE)

    def work(name: str) -> None:
        tools = [Poke(wait)]
        agent = AgentLoop(model=AtOnce(barrier), tools=tools, workdir=where, key="k", actor=name)
        try:
            ends[name] = asyncio.run(agent.run(f"{name}'s")).status
        except TaskClaimed as error:
            ends[name] = error.details["holder"]
            refused.set()

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    [winner] = [name for name, end in ends.items() if end == "completed"]
    assert sorted(map(str, ends.values())) == sorted(["completed", winner])
    with open_plan(where, "k") as plan:
        assert plan.status == "completed"
        assert [task.result for task in plan.tasks()] == ["done"]


class Interrupted(PlanLocator):
    """A place at which somebody speaks in another thread just when the agent comes to its plan."""

    def __init__(self, workdir: Path, during: str) -> None:
        super().__init__(None, workdir, "k", "agent")
        self._during = during
        self.run: AgentRun | None = None
        self.speaker = threading.Thread(target=self._speak)

    def find(self) -> Plan | None:
        plan = super().find()
        self._meet("find" if plan else "")
        return plan

    def create(self, *args: Any) -> Any:
        self._meet("create")
        return super().create(*args)

    def _meet(self, during: str) -> None:
        if during == self._during and self.run and self.speaker.ident is None:
            self.speaker.start()
            self.speaker.join(0.1)  # if it has not to wait for us, it is over now

    def _speak(self) -> None:
        assert self.run
        self.run.say("Use blue paint")


@pytest.mark.parametrize("during", ["create", "find"])
def test_r0_12_what_another_thread_says_while_the_plan_changes_is_heard_once(
    tmp_path: Path, during: str
) -> None:
    place = Interrupted(tmp_path, during)
    turns = (
        WORK[0],
        Turn(("- Current step: 1.", "Use blue paint"), calls=(DONE,)),
        Turn(calls=(ADD, POKE)),
    )
    model = FakeModel(turns=turns)
    if during == "find":
        model = preceded_by(lambda: begun_by_ann(str(tmp_path), held=False).close(), turns)
    tool = Poke(lambda: place.speaker.join(PATIENCE))
    with LeaseHolder(60) as holder:
        place.run = agent_run(holder, place, model, tool)
        assert asyncio.run(place.run.execute("Mine")).status == "completed"
    place.close()
    assert sum("Use blue paint" in one.text for one in model.last_messages) == 1


class Overtaken(PlanLocator):
    """A place where another agent creates the plan between our look and our creation."""

    def create(self, *args: Any) -> Any:
        if self.find() is None:
            begun_by_ann(str(self._root), held=False).close()
        return super().create(*args)

    def __init__(self, root: Path) -> None:
        super().__init__(None, root, "k", "agent")
        self._root = root


def test_x6_a_replan_loop_that_comes_second_goes_on_with_the_plan_that_is_there(
    tmp_path: Path,
) -> None:
    model = Script(planned("Look"), done("Seen."), done("All seen."))
    spec = AgentSpec(model=model, loop=Replan())
    locator = Overtaken(tmp_path)
    run = AgentRun(spec, find_resources(spec, locator, lambda _: None), locator)
    asyncio.run(run.execute("Mine"))
    with open_plan(tmp_path, "k") as plan:
        assert plan.goal == "Ann's"
        assert [task.name for task in plan.tasks()] == ["Look"]
