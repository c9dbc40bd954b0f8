"""Other programs that keep plans on disk: how each is given one, and how it is driven."""

from __future__ import annotations

import json
import shutil
import subprocess
import uuid
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.plans import layered, name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME: Final = Path(__file__).parent.parent / ".venv-peers"
_MOMENT: Final = "2026-01-01T00:00:00Z"
_SECONDS: Final = "1767225600"  # the same moment

Tool = tuple[str, dict[str, object]]


class Program(ABC):
    """A program and a place that holds its plan: layered, the first half done."""

    name: str
    writes: str

    def __init__(self, place: Path) -> None:
        self.place = place

    @classmethod
    @abstractmethod
    def command(cls) -> tuple[str, ...] | None:
        """Return how it is called, or None if it is not here."""

    @abstractmethod
    def lay(self, n: int) -> None:
        """Write a plan of so many tasks in the program's own form."""

    @abstractmethod
    def done(self, task: int) -> tuple[str, ...]:
        """Return the arguments that mark a task as done."""

    @abstractmethod
    def next(self) -> tuple[str, ...]:
        """Return the arguments that ask for the next task."""

    def environ(self) -> Mapping[str, str]:
        """Return the variables that it needs."""
        return {}

    @classmethod
    def missing(cls) -> str:
        """Say why it is not measured; empty if it is."""
        if cls.command():
            return ""
        log = HOME / ("taskwarrior.log" if cls is Taskwarrior else "npm.log")
        lines = log.read_text(encoding="utf-8").split("\n") if log.exists() else []
        said = [line for line in lines if line.strip()]
        return said[-1].strip() if said else "not installed"


class Server(Program):
    """A program that can also stay and be called as an MCP server."""

    @classmethod
    @abstractmethod
    def serve(cls) -> tuple[str, ...]:
        """Return how the server is started."""

    @abstractmethod
    def done_tool(self, task: int) -> Tool:
        """Return the call that marks a task as done."""

    @abstractmethod
    def next_tool(self) -> Tool:
        """Return the call that asks for the next task."""


class Taskwarrior(Program):
    name = "Taskwarrior, without its start-up"
    writes = "its files again, fdatasync"

    @classmethod
    def command(cls) -> tuple[str, ...] | None:
        unpacked = HOME / "taskwarrior/usr/bin/task"
        found = shutil.which("task") or (str(unpacked) if unpacked.exists() else None)
        return (found,) if found else None

    def lay(self, n: int) -> None:
        settings = ("confirmation=no", "news.version=9", "verbose=nothing", "recurrence=no")
        lines = "\n".join((f"data.location={self.place}", *settings))
        (self.place / "rc").write_text(f"{lines}\n", encoding="utf-8")
        pending: list[str] = []
        completed: list[str] = []
        for task, waits_for in layered(n).items():
            line = _taskwarrior_line(task, waits_for, done=task <= n // 2)
            (completed if task <= n // 2 else pending).append(line)
        for name, found in (("pending", pending), ("completed", completed)):
            text = "\n".join(found)
            (self.place / f"{name}.data").write_text(f"{text}\n", encoding="utf-8")

    def done(self, task: int) -> tuple[str, ...]:
        return (_uuid(task), "done")

    def next(self) -> tuple[str, ...]:
        return ("next", "limit:1")

    def environ(self) -> Mapping[str, str]:
        return {"TASKRC": str(self.place / "rc"), "TASKDATA": str(self.place)}


def _uuid(task: int) -> str:
    return str(uuid.UUID(int=task + (1 << 100)))


def _taskwarrior_line(task: int, waits_for: tuple[int, ...], *, done: bool) -> str:
    depends = ",".join(map(_uuid, waits_for))
    fields = {
        "description": name_of(task),
        **({"depends": depends} if depends else {}),
        **({"end": _SECONDS} if done else {}),
        "entry": _SECONDS,
        "modified": _SECONDS,
        "status": "completed" if done else "pending",
        "uuid": _uuid(task),
    }
    return f"[{' '.join(f'{key}:{json.dumps(value)}' for key, value in fields.items())}]"


class TaskMaster(Server):
    name = "task-master, as MCP server"
    writes = "the whole JSON file, no sync"
    _DIST: Final = HOME / "npm/node_modules/task-master-ai/dist"

    @classmethod
    def command(cls) -> tuple[str, ...] | None:
        program = cls._DIST / "task-master.js"
        return ("node", str(program)) if program.exists() else None

    @classmethod
    def serve(cls) -> tuple[str, ...]:
        return ("node", str(cls._DIST / "mcp-server.js"))

    def lay(self, n: int) -> None:
        folder = self.place / ".taskmaster"
        (folder / "tasks").mkdir(parents=True)
        tasks = [
            {
                "id": task,
                "title": name_of(task),
                "description": name_of(task),
                "status": "done" if task <= n // 2 else "pending",
                "dependencies": list(waits_for),
                "priority": "medium",
                "details": "",
                "testStrategy": "",
                "subtasks": [],
            }
            for task, waits_for in layered(n).items()
        ]
        about = {"created": _MOMENT, "updated": _MOMENT, "description": "bench"}
        document = {"master": {"tasks": tasks, "metadata": about}}
        _write_json(folder / "tasks/tasks.json", document)
        _write_json(folder / "state.json", {"currentTag": "master", "migrationNoticeShown": True})

    def done(self, task: int) -> tuple[str, ...]:
        return ("set-status", f"--id={task}", "--status=done")

    def next(self) -> tuple[str, ...]:
        return ("next",)

    def done_tool(self, task: int) -> Tool:
        where = {"projectRoot": str(self.place)}
        return "set_task_status", {"id": str(task), "status": "done", **where}

    def next_tool(self) -> Tool:
        return "next_task", {"projectRoot": str(self.place)}

    def environ(self) -> Mapping[str, str]:
        return {"CI": "1"}


def _write_json(path: Path, document: object) -> None:
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")


class Backlog(Server):
    name = "Backlog.md, as MCP server"
    writes = "one Markdown file, no sync, no rename"

    @classmethod
    def command(cls) -> tuple[str, ...] | None:
        program = HOME / "npm/node_modules/.bin/backlog"
        return (str(program),) if program.exists() else None

    @classmethod
    def serve(cls) -> tuple[str, ...]:
        return (*(cls.command() or ()), "mcp", "start")

    def lay(self, n: int) -> None:
        init = (*(self.command() or ()), "init", "bench", "--defaults")
        about = (("user.email", "bench@example.org"), ("user.name", "bench"))
        settings = [("git", "config", *pair) for pair in about]
        for command in (("git", "init", "-q"), *settings, init):
            subprocess.run(  # noqa: S603 - our own arguments
                command, cwd=self.place, stdin=subprocess.DEVNULL, capture_output=True, check=True
            )
        tasks = self.place / "backlog/tasks"
        tasks.mkdir(parents=True, exist_ok=True)
        for task, waits_for in layered(n).items():
            name = f"task-{task} - {name_of(task).replace(' ', '-')}.md"
            text = _backlog_text(task, waits_for, done=task <= n // 2)
            (tasks / name).write_text(text, encoding="utf-8")

    def done(self, task: int) -> tuple[str, ...]:
        return ("task", "edit", str(task), "-s", "Done", "--plain")

    def next(self) -> tuple[str, ...]:
        return ("task", "list", "--ready", "--limit", "1", "--plain")

    def done_tool(self, task: int) -> Tool:
        return "task_edit", {"id": f"TASK-{task}", "status": "Done"}

    def next_tool(self) -> Tool:
        return "task_list", {"status": "To Do", "limit": 1}


def _backlog_text(task: int, waits_for: tuple[int, ...], *, done: bool) -> str:
    depends = "".join(f"\n  - TASK-{one}" for one in waits_for) or " []"
    head = (
        f"id: TASK-{task}\ntitle: {name_of(task)}\nstatus: {'Done' if done else 'To Do'}\n"
        f"assignee: []\ncreated_date: '2026-01-01'\nlabels: []\ndependencies:{depends}\n"
    )
    return f"---\n{head}---\n\n## Description\n\nWork\n"


PROGRAMS: Final[tuple[type[Program], ...]] = (Taskwarrior, TaskMaster, Backlog)
