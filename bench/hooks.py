"""What a hook costs a coding agent from start to end: `./dev bench hooks [--quick] [--write]`.

Each is run as the agent runs it, in an environment that holds outlast and what it requires, in a
session that works on a plan with half of its tasks done. CPU time of the whole process tree.
Then the tokens of each text that a model is told.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import outlast
from bench.durable import KEY
from bench.measure import TIMES, Sample, count, in_turn, machine, milli, table, times, write
from bench.plans import GOAL, RESULT, layered, new_tasks
from bench.startup import clean_environment
from bench.tokenizer import NAME, tokens
from bench.verdicts import at_most, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bench.verdicts import Row

SIZES: Final = (10, 1_000, 10_000)
SIZE: Final = 1_000
_ROUNDS: Final = 25
_QUICK_ROUNDS: Final = 5
_HOST: Final = "claude-code"
_SESSION: Final = "bench"
_SCRIPT: Final = str(Path(outlast.__file__).parent / "hosts" / "hook" / "hook.sh")

PY: Final = "`python -I -S -c pass`, called py"
CAT: Final = "`sh -c 'cat F'`"
_PLAIN_CAT: Final = "`cat F`"
_SH: Final = "`sh -c :`"
_NODE: Final = "`node -e 0`"
_READ: Final = "read: before a tool, nothing new"
_SHOWN: Final = "read: before a tool, a new step is shown"
_OTHERS: Final = "before a tool, in a session without a plan"
_RECORD: Final = "record: a tool has failed"
_VIEW: Final = "record: a file was read"
_DECIDE: Final[dict[str, tuple[str, dict[str, object]]]] = {
    "decide: session start": ("session-start", {"source": "startup"}),
    "decide: prompt": ("prompt", {"prompt": "please go on with it"}),
    "decide: stop": ("stop", {"last_assistant_message": "I have looked at it."}),
}
_CHECKED_STOP: Final = "decide: stop, a check is open"
_JUDGED_STOP: Final = "decide: stop, the check of changed files runs"
_BRIEF_TOKENS: Final = 2_000
_BLOCK_TOKENS: Final = 300
_TEXT_LIMITS: Final = {
    "after a compaction: the brief": f"≤ {count(_BRIEF_TOKENS)} and the plan's {_BLOCK_TOKENS}",
    "with a prompt: the plan, changed": f"≤ {_BLOCK_TOKENS}",
}
_LIMITS: Final = {
    _READ: (CAT, 1.5, f"≤ 1.5 {TIMES} `sh -c 'cat F'`"),
    _RECORD: (PY, 1.2, f"≤ 1.2 {TIMES} py"),
    **dict.fromkeys((*_DECIDE, _CHECKED_STOP), (PY, 8.0, f"≤ 8 {TIMES} py")),
    _JUDGED_STOP: (PY, 12.0, f"≤ 12 {TIMES} py"),
}


@dataclass(frozen=True)
class Hooks:
    """CPU seconds by process, for plans of one size."""

    size: int
    samples: dict[str, Sample]

    def ratio(self, name: str, unit: str = PY) -> float:
        return self.samples[name].best / self.samples[unit].best

    def by_class(self) -> dict[str, float]:
        """Return how much each hook costs, in times of py."""
        return {name: self.ratio(name) for name in self.samples if ":" in name}

    def goals(self) -> list[Row]:
        shown = count(self.size)
        return [
            [f"hooks: {name}, {shown} tasks", limit, at_most(self.ratio(name, unit), most, times)]
            for name, (unit, most, limit) in _LIMITS.items()
        ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench hooks")
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--rounds", type=int, help="how often each is run")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    options = parser.parse_args()
    text = report(options.rounds or (_QUICK_ROUNDS if options.quick else _ROUNDS))
    print(text)
    if options.write:
        write("hooks", text)


def report(rounds: int, sizes: tuple[int, ...] = SIZES) -> str:
    before = machine()
    measured = [measure(rounds, size) for size in sizes]
    names = list(measured[0].samples)
    rows = [
        [
            name,
            milli(measured[-1].samples[name].best),
            *(times(found.ratio(name)) for found in measured),
        ]
        for name in names
    ]
    head = ["process", "CPU ms, best", *(f"{TIMES} py, {count(size)} tasks" for size in sizes)]
    goals = next((found for found in measured if found.size == SIZE), measured[-1]).goals()
    told = [count_tokens(size) for size in sizes]
    texts = table(
        ["what a model is told", *(f"tokens, {count(size)} tasks" for size in sizes), "limit"],
        [
            [text, *(count(counted[text]) for counted in told), _TEXT_LIMITS.get(text, "")]
            for text in told[0]
        ],
    )
    return (
        f"{before} Best of {rounds} rounds.\n\n{table(head, rows)}\n\n{judged(['CPU'], goals)}"
        f"\n\nTokens by the tokenizer {NAME}:\n\n{texts}"
    )


def count_tokens(size: int = SIZE) -> dict[str, int]:
    """Return the tokens of each text that hooks put before a model, for a plan of one size."""
    with clean_environment() as python, _session(size, python) as agent:
        told = {"after a compaction: the brief": agent.tell("session-start", source="compact")}
        agent.complete_next()
        told["with a prompt: the plan, changed"] = agent.tell("prompt", prompt="next")
        agent.complete_next()
        told["before a tool: a new task"] = agent.tell("pre-tool")
        agent.tell("post-tool", "view")
        agent.tell("post-tool", "view")
        told["after two looks: the reminder"] = agent.tell("batch")
        failures = [agent.tell("tool-failure", error="Exit code 1") for _ in range(3)]
        told["the third equal failure: the warning"] = failures[-1]
        agent.add_red_check()
        agent.edit()
        told["a stop that is blocked: the reason"] = agent.tell(
            "stop", last_assistant_message="The task is done."
        )
        told["a prompt or a tool, nothing new"] = agent.tell("pre-tool")
    return {what: tokens(text) for what, text in told.items()}


def measure(rounds: int, size: int = SIZE) -> Hooks:
    """Run each hook in every round, with its bytecode cached."""
    with clean_environment() as python, _session(size, python) as agent:
        runs: dict[str, Callable[[], float]] = {
            PY: agent.run(python, "-I", "-S", "-c", "pass"),
            _SH: agent.run("sh", "-c", ":"),
            _PLAIN_CAT: agent.run("cat", agent.file),
            CAT: agent.run("sh", "-c", f"cat '{agent.file}'"),
        }
        if shutil.which("node"):
            runs[_NODE] = agent.run("node", "-e", "0")
        runs |= {
            _OTHERS: agent.hook("pre-tool", session="other"),
            _READ: agent.hook("pre-tool"),
            _SHOWN: agent.hook("pre-tool", prepare=agent.offer_step),
            _VIEW: agent.hook("post-tool", "view"),
            _RECORD: agent.hook(
                "tool-failure", prepare=agent.forget_failures, fields={"error": "Exit code 1"}
            ),
        }
        runs |= {
            name: agent.hook(moment, prepare=agent.forget_failures, fields=more)
            for name, (moment, more) in _DECIDE.items()
        }
        in_turn(runs, 1)  # writes the bytecode
        samples = in_turn(runs, rounds)
        agent.add_red_check()
        moment, fields = _DECIDE["decide: stop"]
        checked = {
            _CHECKED_STOP: agent.hook(moment, fields=fields),
            _JUDGED_STOP: agent.hook(moment, prepare=agent.edit, fields=fields),
        }
        agent.tell("stop", last_assistant_message="The task is done.")  # now the check is known
        in_turn(checked, 1)
        return Hooks(size, samples | in_turn(checked, rounds))


class _Agent:
    """Runs hooks as a coding agent does."""

    def __init__(self, place: Path, python: str) -> None:
        self._place, self._python = place, python
        self.project, self.state = place / "project", place / "state"
        self.directory = self.state / "outlast" / "hosts" / _HOST / _SESSION
        self.file = str(place / "text")
        self._payloads = self._edits = 0
        self.project.mkdir()
        self.state.mkdir(mode=0o700)
        Path(self.file).write_text("x" * 1_000 + "\n")

    def environment(self, session: str = _SESSION) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        own = {"XDG_STATE_HOME": str(self.state), "CLAUDE_CODE_SESSION_ID": session}
        return kept | own | {"CLAUDECODE": "1"}

    def hook(
        self,
        moment: str,
        kind: str = "",
        /,
        *,
        session: str = _SESSION,
        prepare: Callable[[], None] | None = None,
        fields: Mapping[str, object] | None = None,
    ) -> Callable[[], float]:
        """Return what runs a hook once and says its CPU seconds."""
        words = [word for word in ("sh", _SCRIPT, moment, _HOST, self._python, kind) if word]
        return self.run(*words, session=session, prepare=prepare, fields=fields)

    def run(
        self,
        *command: str,
        session: str = _SESSION,
        prepare: Callable[[], None] | None = None,
        fields: Mapping[str, object] | None = None,
    ) -> Callable[[], float]:
        """Return what runs a command once, with a payload on its input."""
        self._payloads += 1
        payload = self._place / f"payload{self._payloads}"
        named = {
            "session_id": session,
            "cwd": str(self.project),
            "tool_name": "Bash",
            **(fields or {}),
        }
        payload.write_text(json.dumps(named, separators=(",", ":")))
        environment = self.environment(session)
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, str(payload), os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        ]

        def run() -> float:
            if prepare is not None:
                prepare()
            child = os.posix_spawnp(command[0], command, environment, file_actions=actions)
            _, status, usage = os.wait4(child, 0)
            if status:
                raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), command)
            return usage.ru_utime + usage.ru_stime

        return run

    def tell(self, moment: str, kind: str = "", **fields: str) -> str:
        """Answer an event; return what the model is told."""
        payload = {"session_id": _SESSION, "cwd": str(self.project), "tool_name": "Bash", **fields}
        words = [word for word in ("sh", _SCRIPT, moment, _HOST, self._python, kind) if word]
        done = subprocess.run(  # noqa: S603 - our own hook
            words,
            input=json.dumps(payload),
            capture_output=True,
            check=True,
            encoding="utf-8",
            env=self.environment(),
        )
        answer = json.loads(done.stdout or "{}")
        told: str = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        return told or answer.get("reason", "")

    def complete_next(self) -> None:
        """Complete a task in another process of the agent."""
        with outlast.open_plan(str(self.project), KEY, actor=_HOST) as plan:
            task = plan.current() or plan.next()
            if task is not None:
                plan.complete(task.id, RESULT)

    def add_red_check(self) -> None:
        """Give the task in progress a check that fails, as its person does in a terminal."""
        with outlast.open_plan(str(self.project), KEY, actor=_HOST) as plan:
            task = plan.current()
        number = str(task.id if task else 0)
        terminal = {**self.environment(), "CLAUDECODE": ""}
        words = (self._python, "-m", "outlast", "edit", number, "--check", "file: missing.txt")
        subprocess.run(  # noqa: S603 - our own command
            words, cwd=self.project, env=terminal, check=True, capture_output=True
        )

    def edit(self) -> None:
        """Change a file of the project."""
        self._edits += 1
        (self.project / "work.py").write_text(f"{self._edits}\n")

    def offer_step(self) -> None:
        """Leave a new step to be shown, as the full program does."""
        (self.directory / "next").write_text("x" * 300 + "\n")

    def forget_failures(self) -> None:
        """Let the next failure be the first."""
        for noted in (self.directory / "spool").iterdir():
            noted.unlink()
        (self.directory / "failing").unlink(missing_ok=True)


@contextmanager
def _session(size: int, python: str) -> Iterator[_Agent]:
    """Make a plan, and a session that works on it."""
    with TemporaryDirectory() as place:
        agent = _Agent(Path(place), python)
        with outlast.create_plan(str(agent.project), GOAL, KEY) as plan:
            plan.add_all(new_tasks(layered(size)))
            for task in range(1, size // 2 + 1):
                plan.complete(task, RESULT)
        agent.hook("prompt", fields={"prompt": f"/outlast resume {KEY}"})()
        if not agent.directory.exists():
            raise FileNotFoundError(agent.directory)
        yield agent


if __name__ == "__main__":
    main()
