"""`demo`: a small real job from beginning to end, with a kill in the middle."""

from __future__ import annotations

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

from outlast.errors import OutlastError, WrongUsage
from outlast.interfaces.cli.live.event_lines import called
from outlast.interfaces.cli.live.selection import view_for
from outlast.interfaces.cli.plan_context import here
from outlast.interfaces.cli.render.output import OK, REFUSED, Answer, write
from outlast.ports.events import CallStarted, Event
from outlast.texts import text, visible
from outlast.wiring.demo import RESULT, lay_out, script
from outlast.wiring.models import find_model
from outlast.wiring.plans import open_plan
from outlast.wiring.settings import settings_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.interfaces.cli.call import Call
    from outlast.texts import Language

_KEY: Final = "demo"
_BUDGET: Final = "model_calls=40,tokens=60k"
_LEASE: Final = "3"  # for so many seconds a process that was killed still holds the plan
_MOMENT: Final = 0.5  # seconds, after which the command has begun
_PROVED: Final = {
    "demo_task_mend": "python3 -m unittest",
    "demo_task_report": f"file: {RESULT} ~ discount",
}
_PROTECTED: Final = "test_prices.py,review.py"


def demo(call: Call, *, where: str | None = None, model: str | None = None) -> Answer:
    """Play the job; end with the plan, what came out, and what to try next."""
    usable = None if model is None else _usable(model)
    stage = _Stage(call, _directory(where), where, usable)
    done = stage.play()
    shape = {"where": str(stage.where), "done": done, "result": stage.result()}
    return Answer(lambda: shape, lambda: "", OK if done else REFUSED)


def _usable(model: str) -> str:
    """Return the name of a model for other directories; refuse one that cannot be used here."""
    start = here()
    find_model(model, settings_in(start).settings)
    kind, _, file = model.partition(":")
    return f"{kind}:{Path(start, file)}" if kind == "script" else model


def _directory(given: str | None) -> Path:
    if given is None:
        return Path(tempfile.mkdtemp(prefix="outlast-demo-"))
    where = Path(here(), given)
    try:
        where.mkdir(parents=True, exist_ok=True)
        if any(where.iterdir()):
            raise WrongUsage("demo_not_empty", where=visible(given))
    except OSError as error:
        raise WrongUsage("demo_no_place", where=visible(given), problem=error.strerror) from error
    return where


class _Stage:
    """Where the job is played: its directory, its model, and who watches."""

    def __init__(self, call: Call, where: Path, named: str | None, model: str | None) -> None:
        self.where = where
        self._named = named or str(where)
        self._call = call
        self._language: Language = call.language
        self._given = model
        self._model = model or script(self._language)
        self._interrupted = self._trouble = ""

    def play(self) -> bool:
        """Play all of it; tell whether the job was done."""
        lay_out(self.where)
        model = visible(self._given) if self._given else self._said("demo_script")
        self._tell(self._said("demo_begins", where=visible(self._named), model=model))
        self._plan()
        self._head("demo_works")
        goal = self._said("demo_goal")
        code = self._work("run", goal, "--budget", _BUDGET, kill=True)
        if code == -signal.SIGKILL:
            self._tell(f"▸ {self._interrupted}\n")
            self._tell(self._said("demo_killed", signal=signal.SIGKILL.value))
            self._show("show")
            self._head("demo_resumes")
            self._go_on()
        elif self._is_done():
            self._head("demo_not_killed")
        done = self._is_done()
        if not done:
            self._tell(f"\n{visible(self._trouble) or self._said('run_said_nothing')}")
        self._end()
        return done

    def _is_done(self) -> bool:
        with open_plan(self.where, _KEY) as plan:
            return plan.status == "completed"

    def _go_on(self) -> None:
        """Let another process go on; what was interrupted is not repeated before a person says."""
        self._work("resume")
        with open_plan(self.where, _KEY) as plan:
            asked = any(one.kind == "settle" for one in plan.questions())
        if asked:
            self._head("demo_asked")
            self._show("answer", self._said("demo_answer"))
            self._head("demo_resumes")
            self._work("resume")

    def result(self) -> str | None:
        """Return what came out, if anything did."""
        try:
            return (self.where / RESULT).read_text(encoding="utf-8")
        except OSError:
            return None

    def _plan(self) -> None:
        self._head("demo_plan")
        self._show("new", self._said("demo_goal"), "--key", _KEY, quiet=True)
        self._show("add", self._said("demo_task_find"), quiet=True)
        for number, (name, check) in enumerate(_PROVED.items(), 1):
            needs, proof = ("--needs", str(number)), ("--check", check, "--protect", _PROTECTED)
            self._show("add", self._said(name), *needs, *proof, quiet=True)
        with open_plan(self.where, _KEY) as plan:
            plan.approve()  # or say why nothing can be allowed here

    def _end(self) -> None:
        self._head("demo_ends")
        self._show("show")
        result = self.result()
        if result is not None:
            self._tell(f"\n{RESULT}\n" + "\n".join(map(visible, result.splitlines())))
        self._head("demo_next")
        self._tell(f"  cd {visible(shlex.quote(self._named))}")
        for command in ("show --cost", "log", self._said("demo_own_goal")):
            self._tell(f"  outlast {command}")

    def _work(self, *words: str, kill: bool = False) -> int:
        """Let an agent work in a process of its own; return how that ended."""
        more = ("--plan", _KEY, "--model", self._model, "--lease", _LEASE, "--json")
        command = _outlast("--lang", self._language, *words, *more)
        with (
            open_plan(self.where, _KEY) as plan,
            view_for(self._call, self._said("demo_goal"), lambda: plan) as view,
            subprocess.Popen(  # noqa: S603 - our own command
                command, cwd=self.where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
            ) as process,
        ):
            for event in self._events(process):
                view.tell(event)
                if kill and isinstance(event, CallStarted) and self._is_the_moment(event):
                    self._interrupted = called(event.call)
                    time.sleep(_MOMENT)
                    process.kill()
        return process.returncode

    def _events(self, process: subprocess.Popen[bytes]) -> Iterator[Event]:
        """Yield what a run prints; its last line is no event but its answer."""
        for line in process.stdout or ():
            try:
                data: dict[str, Any] = json.decode(line)
                if "type" in data:
                    yield convert(data, Event)
                else:
                    self._trouble = data.get("text") or data.get("error", {}).get("message", "")
            except (ValueError, OutlastError):  # the end of a line that a kill has cut off
                continue

    def _is_the_moment(self, started: CallStarted) -> bool:
        """Tell whether a command begins whose end nobody is to see; a script's takes seconds."""
        asked_for = self._given is not None or self.result() is not None
        return asked_for and started.call.name == "bash"

    def _show(self, *words: str, quiet: bool = False) -> None:
        """Run a command as a person would, and show it with what it prints, unless that is dull."""
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
        shown = "" if quiet else f"\n{printed.rstrip()}"
        self._tell(f"  $ {shlex.join(('outlast', *words))}{shown}")

    def _head(self, key: str) -> None:
        self._tell(f"\n{self._said(key)}")

    def _said(self, key: str, **values: object) -> str:
        return text(key, self._language, **values)

    def _tell(self, lines: str) -> None:
        if not self._call.as_json:
            write(lines, sys.stdout)


def _outlast(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "outlast", *words]
