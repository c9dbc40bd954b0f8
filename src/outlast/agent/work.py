"""The protocol of an agent: a coding agent, a program or a person that carries out tasks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal, Protocol, get_args

from msgspec import Struct

from outlast.language import Language, text
from outlast.model.budget import NOTHING, Spend
from outlast.model.model import ReportStatus

Permissions = Literal["read", "edit", "full"]
PERMISSIONS: Final[tuple[Permissions, ...]] = get_args(Permissions)
# Codes of a result without a report: the time was up and the work is over, or it may go on still.
TIMED_OUT: Final = "TIMED_OUT"
BY_PERSON: Final = "BY_PERSON"  # the order is a person's: they have to be asked
AT_WORK: Final = "AT_WORK"
_SESSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_HEADING: Final = re.compile(r"^(\s*)#")


class Report(Struct, frozen=True):
    """What a coding agent says about its work; nothing of it is proved.

    `content` is everything below the front matter, also what stands outside of the sections.
    `denied` is what the agent was not permitted to do, `spent` what its work has cost.
    """

    status: ReportStatus
    session_id: str = ""
    results: str = ""
    pitfalls: str = ""
    next_steps: str = ""
    content: str = ""
    denied: tuple[str, ...] = ()
    spent: Spend = NOTHING


def is_session_id(value: str) -> bool:
    """Return whether a text may be the id of an agent's session: safe as an argument."""
    return _SESSION.fullmatch(value) is not None


class WorkOrder(Struct, frozen=True):
    """What an agent is asked to do: one attempt of a task.

    `id` names this attempt for the agent and is never used again. `context` is what it has to know
    of the plan, `advice` what to do otherwise than in the last attempt. Without a `session` a new
    one begins. `checks` are the rules that have to hold afterwards. `run` is the command that does
    the task; an agent must not run it unless a person approved it (`may_run`). `timeout` is in
    seconds. `plan` is the id of the plan that the task belongs to, `money` the
    dollars that are left for it, if they are limited. `approved` are the commands of the task that
    a person has approved: the agent may run them, too.
    """

    id: str
    task: int
    name: str
    description: str = ""
    constraints: str = ""
    expected: str = ""
    checks: tuple[str, ...] = ()
    run: str = ""
    files: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    context: str = ""
    advice: str = ""
    session: str = ""
    permissions: Permissions = "edit"
    timeout: float = 600.0
    may_run: bool = False
    plan: str = ""
    money: float | None = None
    approved: tuple[str, ...] = ()

    def prompt(self, language: Language) -> str:
        """Return the order as a prompt."""
        task = "\n".join(filter(None, (self.name, self.description)))
        bodies = {"order_task": task, **self.sections()}
        shown = (f"# {text(key, language)}\n{_safe(key, body)}" for key, body in bodies.items())
        return "\n\n".join((text("order_intro", language), *shown))

    def sections(self) -> dict[str, str]:
        """Return what belongs to the order beside the task itself, by the key of its label."""
        known = {
            "order_context": self.context,
            "order_constraints": self.constraints,
            "order_expected": self.expected,
            "order_checks": _bullets(self.checks),
            "order_files": _bullets(self.files),
            "order_protect": _bullets(self.protect),
            "order_advice": self.advice,
        }
        return {key: body for key, body in known.items() if body.strip()}


def _safe(key: str, body: str) -> str:
    """Return a text in which no line begins a section of the order; the context has our own."""
    if key == "order_context":
        return body
    return "\n".join(_HEADING.sub(r"\1\\#", line) for line in body.splitlines())


def _bullets(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {item}" for item in items)


class AgentSetup(Struct, frozen=True):
    """What an agent is made from: where it works, and what its programs find in the environment.

    `timeout` is how many seconds an order may take that does not say so itself.
    """

    workspace: str
    language: Language = "en"
    pass_env: tuple[str, ...] = ()
    timeout: float = 600.0


class WorkResult(Struct, frozen=True):
    """How an attempt of an agent ended: with a report, or with the `error` that prevented one.

    `late` is what reports about earlier orders for the same task say that came after their time was
    up. `denied` is what the agent was not permitted to do. `tail` is the end of its output.
    """

    report: Report | None = None
    session: str = ""
    spent: Spend = NOTHING
    denied: tuple[str, ...] = ()
    exit_code: int | None = None
    tail: str = ""
    error: str = ""
    code: str = ""
    late: str = ""


def _ignore(_: str) -> None:
    """Do nothing with what an agent tells."""


class WorkProgress(Struct, frozen=True):
    """Whom an agent tells about an order while it works; both are called in the event loop.

    `say` gets each piece of output, `began` the session that works on the order, as soon as it is
    known: an order that is interrupted can then be settled or continued.
    """

    say: Callable[[str], object] = _ignore
    began: Callable[[str], object] = _ignore


class Agent(Protocol):
    """Something that carries out tasks, any number of them at the same time."""

    @property
    def name(self) -> str:
        """The name by which people choose it."""

    async def work(self, order: WorkOrder, progress: WorkProgress) -> WorkResult:
        """Carry out an order; tell its progress.

        A cancellation stops the agent and everything it has started. If its work has come to its
        end all the same, the result with its report is returned and kept; otherwise the attempt is
        settled later. An agent that works on without us has the attribute `outlives_run`.
        """

    async def settle(self, order: str, session: str) -> WorkResult | None:
        """Return how an order ended whose caller died; None if that cannot be known."""

    async def end_session(self, session: str) -> None:
        """End a session: no order for it will follow."""


class Preflight(Protocol):
    """A small order that shows whether an agent can work, at most a minute long."""

    async def is_needed(self) -> bool:
        """Return whether the agent has not shown yet today that it can work here."""

    async def run(self) -> WorkResult:
        """Let the agent carry out the order; `error` tells why it cannot work."""
