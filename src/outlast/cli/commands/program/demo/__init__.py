"""`demo`: a small real job that is killed half-way and resumed."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import convert, json

from outlast.agent.events import CallStarted, Event
from outlast.agent.models.choice import find_model
from outlast.agent.people.terminal import TerminalPerson
from outlast.cli.live.display import open_display
from outlast.cli.live.event_lines import describe_call
from outlast.console.call import OK, REFUSED, Answer, Call
from outlast.console.render.output import write
from outlast.errors import OutlastError, WrongUsage
from outlast.language import Language, text, visible
from outlast.model.model import PERSON, Question
from outlast.plan.home.find import load_settings
from outlast.plan.plans import open_plan
from outlast.system.caller import HOST_VARIABLES
from outlast.system.workspace_root import PLANS_HOME, current_directory

if TYPE_CHECKING:
    from collections.abc import Iterator


_HERE: Final = Path(__file__).parent
_STORED_AS: Final = ".txt"  # as .py they would be linted and packaged as our code
_RESULT: Final = "REPORT.md"
_KEY: Final = "demo"
_BUDGET: Final = "model_calls=40,tokens=60k"
_LEASE: Final = "3"  # seconds until the lease of the killed process expires
_MOMENT: Final = 0.5  # seconds until the command runs
_MAX_ASKS: Final = 3
_PROVED: Final = {
    "demo_task_fix": "python3 -m unittest",
    "demo_task_report": f"file: {_RESULT} ~ discount",
}
_PROTECTED: Final = "test_prices.py,review.py"


def demo(call: Call, *, where: str | None = None, model: str | None = None) -> Answer:
    """Play the job; print the plan, the result, and what to try next.

    It plays the person too, in a directory of its own, also where a coding agent starts it.
    """
    for name in HOST_VARIABLES:
        os.environ.pop(name, None)
    model_name = None if model is None else _check_model(model)
    job = _Demo(call, _make_directory(where), where, model_name)
    is_done = job.run()
    content = {"where": str(job.where), "done": is_done, "result": job.result()}
    return Answer(lambda: content, lambda: "", OK if is_done else REFUSED)


def _check_model(model: str) -> str:
    """Return the model's name as seen from any directory; raise if it cannot be used here."""
    start = current_directory()
    find_model(model, load_settings(start).settings)
    kind, _, file = model.partition(":")
    return f"{kind}:{Path(start, file)}" if kind == "script" else model


def _make_directory(given: str | None) -> Path:
    if given is None:
        return Path(tempfile.mkdtemp(prefix="outlast-demo-"))
    where = Path(current_directory(), given)
    try:
        where.mkdir(parents=True, exist_ok=True)
        if any(where.iterdir()):
            raise WrongUsage("demo_not_empty", where=visible(given))
    except OSError as error:
        raise WrongUsage(
            "demo_bad_directory", where=visible(given), problem=error.strerror
        ) from error
    return where


def _write_project(where: Path) -> None:
    """Write the files of the project; a `.outlast` of its own keeps its plan inside a checkout."""
    (where / PLANS_HOME).mkdir(mode=0o700)
    for source in sorted((_HERE / "project").iterdir()):
        name = source.name.removesuffix(_STORED_AS)
        (where / name).write_bytes(source.read_bytes())


class _Demo:
    """Plays the job in one directory with one model."""

    def __init__(self, call: Call, where: Path, named: str | None, model: str | None) -> None:
        self.where = where
        self._named = named or str(where)
        self._call = call
        self._language: Language = call.language
        self._given = model
        self._model = model or f"script:{_HERE / f'script.{self._language}.yaml'}"
        self._interrupted = self._problem = ""

    def run(self) -> bool:
        """Play all of it; return whether the plan was completed."""
        _write_project(self.where)
        model = visible(self._given) if self._given else self._text("demo_script")
        self._print(self._text("demo_begins", where=visible(self._named), model=model))
        self._create_plan()
        self._print_heading("demo_works")
        goal = self._text("demo_goal")
        code = self._run_agent("run", goal, "--budget", _BUDGET, kill=True)
        if code == -signal.SIGKILL:
            self._print(f"▸ {self._interrupted}\n")
            self._print(self._text("demo_killed", signal=signal.SIGKILL.value))
            self._run_command("show")
            self._print_heading("demo_resumes")
            self._resume()
        elif self._check_done():
            self._print_heading("demo_not_killed")
        is_done = self._check_done()
        if not is_done:
            self._print(f"\n{visible(self._problem) or self._text('run_empty_answer')}")
        self._show_end()
        return is_done

    def _check_done(self) -> bool:
        with open_plan(self.where, _KEY, actor=PERSON) as plan:
            return plan.status == "completed"

    def _resume(self) -> None:
        """Resume in another process; answer if it asks how the interrupted call ended."""
        self._run_agent("resume")
        question = self._open_question()
        if question is not None:
            self._print_heading("demo_asked")
            self._answer(question)
            self._print_heading("demo_resumes")
            self._run_agent("resume")

    def _open_question(self) -> Question | None:
        with open_plan(self.where, _KEY, actor=PERSON) as plan:
            questions = (each for each in plan.questions.open() if each.kind == "settle")
            return next(questions, None)

    def _answer(self, question: Question) -> None:
        """Pass on what the person at the terminal answers; without a clear answer, play one."""
        asks = _MAX_ASKS if self._call.is_interactive else 0
        for _ in range(asks):
            reply = asyncio.run(TerminalPerson(self._language).answer(question))
            if reply is None:
                break
            self._run_command("answer", *reply.split())
            if self._open_question() is None:
                return
        self._run_command("answer", *self._text("answer_not_done").split())

    def result(self) -> str | None:
        """Return the text of the result file, or None if there is none."""
        try:
            return (self.where / _RESULT).read_text(encoding="utf-8")
        except OSError:
            return None

    def _create_plan(self) -> None:
        self._print_heading("demo_plan")
        self._run_command("new", self._text("demo_goal"), "--key", _KEY, quiet=True)
        self._run_command("add", self._text("demo_task_find"), quiet=True)
        for number, (name, check) in enumerate(_PROVED.items(), 1):
            needs, proof = ("--needs", str(number)), ("--check", check, "--protect", _PROTECTED)
            self._run_command("add", self._text(name), *needs, *proof, quiet=True)
        with open_plan(self.where, _KEY, actor=PERSON) as plan:
            plan.checks.approve()  # raises if nothing can be approved here

    def _show_end(self) -> None:
        self._print_heading("demo_ends")
        self._run_command("show")
        result = self.result()
        if result is not None:
            self._print(f"\n{_RESULT}\n" + "\n".join(map(visible, result.splitlines())))
        self._print_heading("demo_next")
        self._print(f"  cd {visible(shlex.quote(self._named))}")
        for command in ("show 3", "show --cost", "log", self._text("demo_own_goal")):
            self._print(f"  outlast {command}")

    def _run_agent(self, *words: str, kill: bool = False) -> int:
        """Run an agent in a process of its own and show its events; return the exit code."""
        more = ("--plan", _KEY, "--model", self._model, "--lease", _LEASE, "--json")
        command = _outlast("--lang", self._language, *words, *more)
        with (
            open_plan(self.where, _KEY, actor=PERSON) as plan,
            open_display(self._call, self._text("demo_goal"), lambda: plan) as display,
            subprocess.Popen(  # noqa: S603 - our own command
                command, cwd=self.where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
            ) as process,
        ):
            for event in self._read_events(process):
                display.show_event(event)
                if kill and isinstance(event, CallStarted) and self._is_kill_moment(event):
                    self._interrupted = describe_call(event.call)
                    time.sleep(_MOMENT)
                    process.kill()
        return process.returncode

    def _read_events(self, process: subprocess.Popen[bytes]) -> Iterator[Event]:
        """Yield the events that a run prints; its last line is the answer, whose text is kept."""
        for line in process.stdout or ():
            try:
                data: dict[str, Any] = json.decode(line)
                if "type" in data:
                    yield convert(data, Event)
                else:
                    self._problem = data.get("text") or data.get("error", {}).get("message", "")
            except (ValueError, OutlastError):  # a line that the kill has truncated
                continue

    def _is_kill_moment(self, started: CallStarted) -> bool:
        """Return whether this is the call to kill; the script's own takes seconds."""
        asked_for = self._given is not None or self.result() is not None
        return asked_for and started.call.name == "bash"

    def _run_command(self, *words: str, quiet: bool = False) -> None:
        """Run a command as a person would; print it, and unless `quiet` its output too."""
        more = () if words[0] == "new" else ("--plan", _KEY)
        printed = subprocess.run(  # noqa: S603 - our own command
            _outlast(*words, *more),
            check=False,
            cwd=self.where,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1", "OUTLAST_LANG": self._language},
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        ).stdout
        output = "" if quiet else f"\n{printed.rstrip()}"
        self._print(f"  $ {shlex.join(('outlast', *words))}{output}")

    def _print_heading(self, key: str) -> None:
        self._print(f"\n{self._text(key)}")

    def _text(self, key: str, **values: object) -> str:
        return text(key, self._language, **values)

    def _print(self, lines: str) -> None:
        if not self._call.wants_json:
            write(lines, sys.stdout)


def _outlast(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "outlast", *words]
