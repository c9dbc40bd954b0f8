"""Small goals for a small real model, through the tool loop with real tools.

Three goals are pursued with a plan and without one. A fourth is killed in the middle and resumed.
The same goal is then handed over: the model plans it, carries it out as the agent `tools`, and
judges its own reports.
Last come three conversations with the assistant, each to its end or to its limit of steps.
What happens is printed as it is. The exit code is 1 if the machinery failed; a model that is too
small for a goal is no failure of ours.
"""
# ruff: noqa: RUF001 - some of the words are Chinese

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from bench.small_goals import find_goal
from bench.small_model import LOADING, small_model
from outlast import AgentLoop, Assistant, Plan, create_plan, list_plans, open_plan
from outlast.agent.events import CallEnded, Decided, Notified, Said, WorkEnded, WorkStarted
from outlast.agent.tools.choice import built_in_tools
from outlast.agent.work import AgentSetup
from outlast.config.settings import Limits, Settings
from outlast.language import Language
from outlast.model.budget import Budget
from outlast.orchestrator.known_agents import find_agent
from outlast.orchestrator.orchestrator_loop import OrchestratorLoop
from outlast.plans import list_archived, open_archived

if TYPE_CHECKING:
    from bench.small_goals import Goal
    from outlast import RunResult
    from outlast.agent.events import Event
    from outlast.model.model import Question

PATIENCE = 240.0  # seconds for one answer, on a machine that has more to do
BUDGET = Budget(tokens=60_000, time=250.0)  # for each goal: three of them end in time
HANDED_OVER = Budget(tokens=120_000, time=600.0)
LEASE = 3  # seconds, after which a killed run is taken over
TOOLS = ("read_file", "write_file", "list_directory")  # each costs a small model its time
GOALS = [find_goal(name) for name in ("write a file", "write a file (zh)", "select lines")]
KILLED = find_goal("three files")
DANGER = re.compile(r"[;|&`$<>]|\b(?:rm|mv|dd|curl|wget|python|sh|bash|sudo)\b")
FIRST_FILE = "one.txt"  # when it exists, the run is killed


# --- the goals ---------------------------------------------------------------------------------


def pursue(goal: Goal, model: str, workspace: Path, *, planning: bool = True) -> bool:
    """Let the model work on a goal; return whether the machinery held."""
    goal.prepare(workspace)
    print(f"\n=== {goal.text}{'' if planning else ' (without a plan)'}")
    begun = time.monotonic()
    result = work(goal.text, goal.language, model, workspace, planning=planning)
    return _report(goal, result, workspace, time.monotonic() - begun)


def pursue_killed(goal: Goal, model: str, workspace: Path) -> bool:
    """Kill a run of a goal as soon as its first file exists, then resume it."""
    print(f"\n=== {goal.text} (killed, then resumed)")
    command = [
        sys.executable,
        "-m",
        "scripts.real_model",
        goal.text,
        goal.language,
        model,
        str(workspace),
    ]
    child = subprocess.Popen(command)  # noqa: S603 - our own
    end = time.monotonic() + (BUDGET.time or 0) + LOADING
    while child.poll() is None and not (workspace / FIRST_FILE).exists():
        if time.monotonic() > end:
            break
        time.sleep(0.05)
    was_running = child.poll() is None
    child.kill()
    child.wait()
    print(f"  {'killed' if was_running else 'ended before it could be killed'}", flush=True)
    time.sleep(LEASE)
    begun = time.monotonic()
    result = work("continue", goal.language, model, workspace)
    return _report(goal, result, workspace, time.monotonic() - begun)


class Careful:
    """A person who approves checks that only look, and has no answer to anything else."""

    async def answer(self, question: Question) -> str | None:
        """Answer a question about checks."""
        print(f"  asked: {question.text[:300]!r}", flush=True)
        return "yes" if question.kind == "checks" and not DANGER.search(question.text) else None


def hand_over(goal: Goal, model: str, workspace: Path) -> bool:
    """Let the model plan a goal, carry it out as an agent, and judge its reports."""
    print(f"\n=== {goal.text} (handed over to the agent tools)")
    create_plan(workspace, goal.text, "goal").close()
    begun = time.monotonic()
    loop = OrchestratorLoop(
        agent=find_agent("tools", AgentSetup(str(workspace))),
        model=model,
        tools=[tool for tool in built_in_tools(str(workspace)) if tool.name in TOOLS],
        workdir=workspace,
        key="goal",
        budget=HANDED_OVER,
        settings=Settings(limits=Limits(model_seconds=PATIENCE, tries=2, max_tokens=600)),
        on_event=_print_event,
        person=Careful(),
        language=goal.language,
    )
    result = asyncio.run(loop.run(goal.text, resume=True))
    return _report(goal, result, workspace, time.monotonic() - begun, HANDED_OVER)


def work(
    message: str, language: Language, model: str, workspace: Path, *, planning: bool = True
) -> RunResult:
    """Run the agent on a message in a workspace."""
    limits = Limits(model_seconds=PATIENCE, tries=2, max_tokens=400)
    agent = AgentLoop(
        model=model,
        tools=[tool for tool in built_in_tools(str(workspace)) if tool.name in TOOLS],
        workdir=workspace,
        key="goal",
        max_iterations=12,
        budget=BUDGET,
        settings=Settings(limits=limits),
        on_event=_print_event,
        enable_planning=planning,
        language=language,
        lease_seconds=LEASE,
    )
    return asyncio.run(agent.run(message))


def _print_event(event: Event) -> None:
    match event:
        case CallEnded():
            outcome = f"failed: {event.error}" if event.error else event.output
            print(f"  {event.call.name} {event.call.params} -> {outcome[:160]!r}", flush=True)
        case WorkStarted() | WorkEnded() | Decided():
            print(f"  {event}", flush=True)
        case Said() | Notified():
            print(f"  {type(event).__name__}: {event.text[:300]!r}", flush=True)


def _report(
    goal: Goal, result: RunResult, workspace: Path, seconds: float, budget: Budget = BUDGET
) -> bool:
    print(f"  stopped: {result.why}, plan {result.status}: {result.text[:300]!r}")
    for name in goal.wanted:
        file = workspace / name
        shown = repr(file.read_text("utf-8", "replace")[:200]) if file.is_file() else "missing"
        print(f"  {name}: {shown}")
    is_reached = goal.is_reached(workspace, result.answer)
    print(f"  what was asked for is {'there' if is_reached else 'NOT there'}")
    print(f"  {seconds:.0f} s")
    if result.why == "model_failed" and seconds >= PATIENCE:
        print("  the model was too slow here")
        return _has_held(workspace, budget)
    return _has_held(workspace, budget) and result.why != "model_failed"


def _has_held(workspace: Path, budget: Budget) -> bool:
    """Return whether the plan is there, whole, and within its budget."""
    if not (workspace / ".outlast").is_dir():
        print("  no plan was made")
        return True
    with open_plan(workspace, key="goal") as plan:
        for task in plan.tasks():
            print(f"  {task.id}. {task.name}: {task.status}")
        spent = plan.budget.cost()
        left_open = plan.core.read(lambda state: len(state.ledger.attempts))
        print(
            f"  {spent.model_calls} model calls, {spent.tool_calls} tool calls,"
            f" {spent.tokens} tokens"
        )
    return spent.tokens <= (budget.tokens or 0) and not left_open


# --- the assistant -----------------------------------------------------------------------------


class Conversation(Struct, frozen=True):
    """What a person says to the assistant, line by line, and how each question is answered."""

    language: Language
    lines: tuple[str, ...]
    answer: str


CONVERSATIONS = (
    Conversation("en", ("Add a todo: buy milk", "/todo list"), "Just add it as it is"),
    Conversation("zh", ("帮我添加一条待办：明天交报告", "/todo list"), "就按我说的添加"),
    Conversation(
        "en",
        ("/todo add water the plants", "What do I have to do? Then mark it as done.", "/todo list"),
        "Todo 1",
    ),
)
MAX_STEPS = 12
QUESTIONS = 3  # that are answered; the model may have more
ENDS = ("answer", "question", "limit", "unavailable", "command")


def hold(conversation: Conversation, model: str, home: Path) -> bool:
    """Hold a conversation; return whether each task ended as it may, never past its limit."""
    print("\n=== a conversation with the assistant")
    limits = Limits(model_seconds=PATIENCE, tries=2, max_tokens=400)
    held = True
    with Assistant(
        model,
        home,
        language=conversation.language,
        settings=Settings(limits=limits),
        max_steps=MAX_STEPS,
        listener=_print_event,
    ) as assistant:
        for line in conversation.lines:
            said, begun = line, time.monotonic()
            for _ in range(QUESTIONS + 1):
                reply = assistant.handle(said)
                print(f"> {said}\n  {reply.kind}: {reply.text[:300]!r}", flush=True)
                held = held and reply.kind in ENDS
                said = conversation.answer
                if reply.kind != "question":
                    break
            print(f"  {time.monotonic() - begun:.0f} s", flush=True)
    return _has_kept_to_limit(home) and held


def _has_kept_to_limit(home: Path) -> bool:
    """Return whether there is a task, none took too many steps, and none has an attempt open."""
    unfinished = [open_plan(home, key=listed.key) for listed in list_plans(home)]
    finished = [open_archived(home, listed.name) for listed in list_archived(home)]
    held = [_has_kept_steps(task) for task in (*unfinished, *finished)]
    return bool(held) and all(held)


def _has_kept_steps(task: Plan) -> bool:
    with task:
        where = task.core.read(lambda state: state.ledger.replan)
        left_open = task.core.read(lambda state: len(state.ledger.attempts))
        print(f"  {task.key}: {where.steps} of {where.limit} steps")
    is_limited = where.limit == MAX_STEPS or not where.is_planned
    return is_limited and where.steps <= MAX_STEPS and not left_open


def main() -> int:
    """Run all goals."""
    begun, held = time.monotonic(), []
    with small_model() as model, tempfile.TemporaryDirectory() as home:
        for number, goal in enumerate(GOALS):
            for planning in (True, False):
                workspace = Path(home) / f"{number}{'p' if planning else ''}"
                workspace.mkdir()
                held.append(pursue(goal, model, workspace, planning=planning))
        workspace = Path(home) / "killed"
        workspace.mkdir()
        held.append(pursue_killed(KILLED, model, workspace))
        workspace = Path(home) / "handed-over"
        workspace.mkdir()
        held.append(hand_over(KILLED, model, workspace))
        for number, conversation in enumerate(CONVERSATIONS):
            held.append(hold(conversation, model, Path(home) / f"assistant-{number}"))
    print(f"\n{time.monotonic() - begun:.0f} s; machinery: {'held' if all(held) else 'FAILED'}")
    return 0 if all(held) else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:  # the run that is killed
        text, language, model, workspace = sys.argv[1:]
        work(text, "zh" if language == "zh" else "en", model, Path(workspace))
    else:
        sys.exit(main())
