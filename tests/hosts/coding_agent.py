"""A coding agent as its hooks see it: one session in one directory."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from outlast import Check, NewTask, Plan, create_plan, open_plan
from outlast.hosts.hook.answer import answer_hook
from outlast.hosts.session_record import SessionRecord
from outlast.hosts.sessions import session_files
from outlast.hosts.wire.events import HostName, Moment
from outlast.hosts.wire.reply import EVENT_NAMES

LONGEST = 9_100  # characters of one text: agents cut what has more than 10 000


class Hook(Protocol):
    """Answers a hook: in this process, or as an agent starts it."""

    def __call__(self, host: HostName, moment: Moment, payload: bytes, kind: str) -> str:
        """Return what the hook prints."""


def in_process(host: HostName, moment: Moment, payload: bytes, kind: str) -> str:
    """Answer by the full program."""
    del kind
    return answer_hook(host, moment, payload)


class Said:
    """What a hook has printed, taken apart."""

    def __init__(self, host: HostName, moment: Moment, printed: str) -> None:
        self.printed = printed
        document: dict[str, Any] = {}
        if host == "claude-code" and moment == "pre-compact":
            document = {"hookSpecificOutput": {"additionalContext": printed}} if printed else {}
        elif printed:
            assert printed.endswith("\n")
            assert printed.count("\n") == 1
            document = json.loads(printed)
            assert document
        own = document.get("hookSpecificOutput", {})
        if "hookEventName" in own:
            names = EVENT_NAMES[host]
            assert own["hookEventName"] == names.get(moment, names["post-tool"])
        self.model = own.get("additionalContext", "")
        self.user = document.get("systemMessage", "")
        self.denial = own.get("permissionDecisionReason", "")
        self.reason = document.get("reason", "") or self.denial
        assert bool(self.reason) == bool(document.get("decision") or own.get("permissionDecision"))
        assert len(self.model) <= LONGEST

    def __bool__(self) -> bool:
        return bool(self.printed)

    def __repr__(self) -> str:
        return f"Said({self.printed!r})"


class CodingAgent:
    """One session; `home` is the project. Each method is an event, and returns what was said."""

    def __init__(
        self,
        home: Path,
        host: HostName = "claude-code",
        session: str = "s1",
        hook: Hook = in_process,
    ) -> None:
        self.home, self.host, self.session, self._hook = home, host, session, hook

    def send(self, moment: Moment, kind: str = "", /, **fields: object) -> Said:
        """Report an event with these fields."""
        payload = {"session_id": self.session, "cwd": str(self.home), **fields}
        data = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
        return Said(self.host, moment, self._hook(self.host, moment, data, kind))

    def start(self, source: str = "startup") -> Said:
        return self.send("session-start", source=source)

    def types(self, prompt: str) -> Said:
        """Report what the user types."""
        return self.send("prompt", prompt=prompt)

    def before(self, tool: str = "Bash", **given: object) -> Said:
        return self.send("pre-tool", tool_name=tool, tool_input=given)

    def after(self, tool: str = "Bash", response: object = "", **given: object) -> Said:
        return self.send(
            "post-tool", "work", tool_name=tool, tool_input=given, tool_response=response
        )

    def views(self) -> Said:
        """Report that it has read a file."""
        return self.send("post-tool", "view", tool_name="Read", tool_input={}, tool_response="x")

    def lists(self, tool: str, response: object = "", **given: object) -> Said:
        """Report a change of its own list."""
        return self.send(
            "post-tool", "plan", tool_name=tool, tool_input=given, tool_response=response
        )

    def accepts(self, plan: str) -> Said:
        """Report that the user has accepted a plan."""
        return self.lists("ExitPlanMode", {"plan": plan, "isAgent": False})

    def fails(self, error: str, tool: str = "Bash", **given: object) -> Said:
        return self.send("tool-failure", tool_name=tool, tool_input=given, error=error)

    def edits(self, text: str = "edited", name: str = "work.py") -> None:
        """Write a file of the project."""
        (self.home / name).write_text(text)

    def stops(self, message: str, *, blocked: bool = False) -> Said:
        return self.send("stop", last_assistant_message=message, stop_hook_active=blocked)

    def compacts(self) -> Said:
        """Report a compaction; return what is said after it."""
        self.send("pre-compact", trigger="auto")
        return self.start("compact")

    @property
    def record(self) -> SessionRecord | None:
        """What is remembered of the session."""
        return session_files().read(self.host, self.session)

    @contextmanager
    def plan(self, actor: str = "human") -> Iterator[Plan]:
        """Open the plan of the session, as another process does."""
        record = self.record
        assert record is not None
        with open_plan(record.root, record.key, actor=actor) as plan:
            yield plan


def make_plan(
    home: Path, *tasks: str | NewTask, key: str = "add-oauth", goal: str = "Add OAuth"
) -> None:
    """Make a plan in a project; a person does, so that its checks are approved."""
    with create_plan(str(home), goal, key, actor="human") as plan:
        plan.add_all([NewTask(task) if isinstance(task, str) else task for task in tasks])


def checked(name: str, command: str = "test -e done") -> NewTask:
    """Return a task that is done when a command succeeds."""
    return NewTask(name, checks=(Check("command", command),))


def files_below(*places: Path) -> dict[str, bytes]:
    """Return every file and directory, to see that nothing was written."""
    return {
        str(path): path.read_bytes() if path.is_file() else b""
        for place in places
        for path in sorted(place.rglob("*"))
    }
