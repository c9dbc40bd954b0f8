"""Speed that creeps away is seen as calls before it is seen as time.

A busy machine makes a time waver, and a limit wide enough for that hides a slow loss. How many of
our own functions an operation calls is the same on every machine, so one needless layer shows.
"""

import asyncio
import gc
import inspect
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import FrameType

import pytest

import outlast
from outlast import AgentLoop, NewTask, Plan, PlanManager, create_plan, open_plan
from outlast.__main__ import main
from outlast.context.chat_model import Reply, Usage
from outlast.models import Call
from outlast.testing import ScriptedModel, Turn
from outlast.tools import as_tool
from tests.fake_model import FakeModel

OURS = str(Path(outlast.__file__).parent)
TASKS = 100
ROUNDS = 6  # the first imports what is imported late; the clock may add calls to another
TURNS = 3
GROWTH = 1.03
CALLS_PER_MODEL_CALL = 1_228  # with one tool
SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
INLINED = ("<listcomp>", "<setcomp>", "<dictcomp>")  # calls up to Python 3.11 only

Work = Callable[[], object]


class CallCounter:
    """Counts calls of the functions below a path, in this thread; resuming a generator is none."""

    def __init__(self, path: str) -> None:
        self.calls: Counter[str] = Counter()
        self._path = path

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self._path):
            return
        if code.co_name in INLINED or (code.co_flags & SUSPENDS and is_resumed(frame)):
            return
        self.calls[code.co_qualname] += 1


def is_resumed(frame: FrameType) -> bool:
    """Read the argument of the instruction RESUME, at which we are: 0 where a function begins."""
    return bool(frame.f_code.co_code[frame.f_lasti + 1] & 3)


def calls_by_name(work: Work, path: str = OURS) -> Counter[str]:
    counter = CallCounter(path)
    sys.setprofile(counter)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counter.calls


def calls_of(work: Work, path: str = OURS) -> int:
    return calls_by_name(work, path).total()


def fill(plan: Plan) -> Plan:
    plan.add_all([NewTask(f"Task {number}") for number in range(1, TASKS + 1)])
    return plan


def files_plan(where: Path) -> None:
    (where / ".git").mkdir()  # the search for the workspace ends here, at any depth
    with create_plan(where, "Be quick", "quick") as plan:
        fill(plan)


def task_plan(where: Path) -> Path:
    return where / ".outlast" / "plans" / "quick" / "task_plan.md"


def command(stack: ExitStack, where: Path, *arguments: str) -> Work:
    stack.enter_context(chdir(where))
    stack.enter_context(redirect_stdout(TextIOWrapper(BytesIO())))

    def run() -> None:
        assert main(list(arguments)) == 0

    return run


def manager_pair(_stack: ExitStack, _where: Path) -> Work:
    manager = PlanManager(goal="Be quick")
    fill(manager.plan)
    first = manager.startNextTask()["data"]["task"]["id"]

    def pair() -> None:
        assert manager.completeTask(first, "done")["success"]
        assert manager.startNextTask()["success"]

    return pair


def complete_in_memory(_stack: ExitStack, _where: Path) -> Work:
    plan = fill(create_plan("memory:", "Be quick"))
    plan.complete(1, "done")
    return lambda: plan.complete(2, "done")


def complete_in_files(stack: ExitStack, where: Path) -> Work:
    """Complete the third task: the first writes the views, the second has them written later."""
    files_plan(where)
    plan = stack.enter_context(open_plan(where, "quick"))
    plan.complete(1, "done")
    plan.complete(2, "done")
    assert plan.status == "running"  # polls for edits now if a sync was slow, not while counted
    return lambda: plan.complete(3, "done")


def open_files(stack: ExitStack, where: Path) -> Work:
    files_plan(where)
    return lambda: stack.enter_context(open_plan(where, "quick"))


def done_command(stack: ExitStack, where: Path) -> Work:
    files_plan(where)
    return command(stack, where, "done", "3", "-m", "ok")


def render_task_plan(stack: ExitStack, where: Path) -> Work:
    files_plan(where)
    return command(stack, where, "export")


def merge_edited_line(stack: ExitStack, where: Path) -> Work:
    files_plan(where)
    text = task_plan(where).read_text()
    task_plan(where).write_text(text.replace("Task 50\n", "Task fifty\n"))

    def merge() -> None:
        plan = stack.enter_context(open_plan(where, "quick"))
        assert plan.task(50).name == "Task fifty"

    return merge


def agent_run(_stack: ExitStack, _where: Path) -> Work:
    async def poke() -> str:
        """Poke."""
        return "poked"

    plan = create_plan("memory:", "Be quick")
    plan.add("Poke it")
    complete = Call("complete_task", {"task": 1, "result": "poked"}, "c2")
    script = [
        Turn(after_tool="complete_task", say="It is poked."),
        Turn(after_tool="poke", calls=(complete,)),
        Turn(calls=(Call("poke", {}, "c1"),)),
    ]
    tool = as_tool(level="read")(poke)
    agent = AgentLoop(model=ScriptedModel(script), tools=[tool], plan=plan)

    def run() -> None:
        assert asyncio.run(agent.run("Poke it")).status == "completed"
        assert plan.iteration_count == TURNS

    return run


# How to prepare each operation, and its calls as they were measured.
# Opening a plan includes a look at the journal before the views are read: an edit that was made
# while a tool ran is nobody's. A command line also finds out whether a tool started it.
# A run of an agent, once: it stores what the person said, reads the brief of the plan and the last
# exchange of the run before, and stores its deliverable. That is two commits and a read.
OPERATIONS: dict[str, tuple[Callable[[ExitStack, Path], Work], int]] = {
    "PlanManager: complete a task and start the next": (manager_pair, 45),
    "Plan.complete in memory": (complete_in_memory, 22),
    "Plan.complete in files": (complete_in_files, 56),
    "open a plan of 100 tasks": (open_files, 962),
    "outlast done": (done_command, 2_166),
    "outlast export: render task_plan.md of 100 tasks": (render_task_plan, 1_849),
    "open a plan of 100 tasks, merge an edited line": (merge_edited_line, 7_330),
    "three turns of an agent, two of them with a tool call": (agent_run, 5_018),
}


def fewest_calls(prepare: Callable[[ExitStack, Path], Work], where: Path) -> int:
    counts = []
    gc.collect()
    gc.freeze()  # what other tests have left makes each collection of a round slow
    for number in range(ROUNDS):
        place = where / str(number)
        place.mkdir()
        gc.collect()  # takes longer than a poll for edits waits, so not right before the work
        with ExitStack() as stack, without_finalizers():
            counts.append(calls_of(prepare(stack, place)))
    return min(counts[1:])


@contextmanager
def without_finalizers() -> Iterator[None]:
    """Collect no garbage: a finalizer would be counted where it happens to run."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_call_counts_do_not_grow(operation: str, tmp_path: Path) -> None:
    prepare, before = OPERATIONS[operation]
    calls = fewest_calls(prepare, tmp_path)
    assert calls <= math.floor(before * GROWTH), f"{operation}: {calls} calls instead of {before}"


def agent_with_tool_calls(count: int) -> tuple[Counter[str], int]:
    """Let a model call a tool so often; return our calls, and the commits."""

    async def poke(number: int) -> str:
        """Poke."""
        return f"poked {number}"

    plan = create_plan("memory:", "Be quick")
    plan.add("Poke it")
    before = plan.revision
    pokes = [Call("poke", {"number": number}, f"c{number}") for number in range(count)]
    done = Call("complete_task", {"task": 1, "result": "poked"}, "done")
    replies = [Reply("", (call,), Usage(10, 5)) for call in (*pokes, done)]
    model = FakeModel([*replies, Reply("It is poked.", (), Usage(10, 5))])
    agent = AgentLoop(model=model, tools=[as_tool(level="read")(poke)], plan=plan)
    calls = calls_by_name(lambda: asyncio.run(agent.run("Poke it")))
    assert plan.status == "completed"
    return calls, plan.revision - before


def test_x6_a_model_call_with_one_tool_takes_two_commits_and_four_views() -> None:
    agent_with_tool_calls(1)  # imports what is imported late
    (few_calls, few), (many_calls, many) = agent_with_tool_calls(2), agent_with_tool_calls(7)
    further = {name: many_calls[name] - few_calls[name] for name in ("plan_view", "Lane._submit")}
    assert many - few == 2 * 5
    assert further == {"plan_view": 4 * 5, "Lane._submit": 4 * 5}, "two commits and two reads"
    total = (many_calls.total() - few_calls.total()) / 5
    assert total <= math.floor(CALLS_PER_MODEL_CALL * GROWTH), f"{total} calls"


def test_call_counts_leave_out_resumed_generators_and_comprehensions() -> None:
    def numbers() -> Iterator[int]:
        yield from range(3)

    async def add() -> int:
        await asyncio.sleep(0)
        return sum([number for number in numbers()])  # noqa: C416 - a comprehension is meant

    def work() -> None:
        assert asyncio.run(add()) == 3

    assert calls_of(work, __file__) == 3, "work, add and numbers, once each"
