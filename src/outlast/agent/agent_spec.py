"""What a run is made of: one value, validated where it is made, and handed on as it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import tzinfo
from inspect import iscoroutinefunction
from typing import Any, ClassVar, Final, Literal, Protocol, Self, get_args

from msgspec import Struct

from outlast.agent.events import Event
from outlast.agent.people.person import Person
from outlast.agent.work import Agent, Permissions, Preflight
from outlast.config.parse import check_settings
from outlast.config.settings import MailboxSettings, Settings, Unattended
from outlast.context.chat_model import Model, ToolSpec
from outlast.context.tool import Tool
from outlast.errors import InvalidArgument
from outlast.hooks.custom import validate_hooks
from outlast.hooks.port import Hook
from outlast.language import Language
from outlast.model.budget import NO_LIMIT, Budget, update_budget
from outlast.model.limits import (
    LARGEST_ID,
    check_actor,
    check_choice,
    check_flag,
    check_name,
    check_number,
    wrong_type_error,
)
from outlast.model.model import ASSISTANT, PERSON, LastRun
from outlast.model.replan_position import STEP_LIMIT
from outlast.plan.core import as_tuple
from outlast.plan.home.find import is_url
from outlast.plan.plan import Plan
from outlast.store.port import Layout
from outlast.system.clock import Clock

Policy = Literal["auto", "words", "explicit"]
_KINDS: Final[dict[str, type]] = {"plan": Plan, "budget": Budget, "zone": tzinfo}
_ABILITIES: Final = {
    "person": "answer",
    "on_event": "__call__",
    "listener": "__call__",
    "width": "__call__",
    "clock": "__call__",
    "agenda": "change",
    "search": "search",
}
_MODEL: Final = ("name", "price", "think")
_FLAGS: Final = ("enable_planning", "ask", "yes", "dry_run", "remember_permissions")


def check_model(model: object) -> None:
    """Refuse what is neither a model nor the name of one."""
    if not isinstance(model, str) and not all(hasattr(model, part) for part in _MODEL):
        raise wrong_type_error("model", "model", model)


def check_options(**given: object) -> None:
    """Validate options by their names; None means not given."""
    for name, value in given.items():
        if value is not None:
            _check_option(name, value)


def _check_option(name: str, value: object) -> None:
    kind, ability = _KINDS.get(name), _ABILITIES.get(name)
    if kind is not None and not isinstance(value, kind):
        raise wrong_type_error(name, kind.__name__, value)
    if ability is not None and not hasattr(value, ability):
        raise wrong_type_error(name, name, value)
    if iscoroutinefunction(value):  # its result would never be awaited
        raise InvalidArgument(
            "wrong_type", argument=name, expected="function", got="coroutine function"
        )
    if name == "settings":
        check_settings(value)
    if name == "language":
        check_choice(value, name, get_args(Language))
    if name == "person_name":
        check_name(value, name)
    if name == "layout":
        check_choice(value, name, get_args(Layout))


class LoopOptions(Struct, frozen=True, kw_only=True):
    """`max_iterations` limits one run; a run that goes on without a limit of its own keeps it."""

    max_iterations: int = 20

    def __post_init__(self) -> None:
        check_number(self.max_iterations, "max_iterations", 1, LARGEST_ID)


class ToolLoop(LoopOptions, frozen=True, kw_only=True):
    """The model calls tools until it is done; the defaults are those of the settings.

    `policy`, `words`, `least_iterations` and `most_iterations` decide when a task counts as done
    without a report. A conversation longer than `context_characters` is compacted to a brief.
    `stop_limit` is how often a model that stops too early is held up. A run sets the rest: with
    `can_ask`, the model may ask questions; `speaker` is the actor whose messages the loop is given.
    """

    policy: Policy = "auto"
    words: tuple[str, ...] = ()
    least_iterations: int = 2
    most_iterations: int = 10
    auto_create_plan: bool = True
    context_characters: int = 200_000
    stop_limit: int = 3
    enable_planning: bool = True
    can_ask: bool = True
    speaker: str = PERSON

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the loop that settings describe."""
        loop = settings.loop
        return cls(
            max_iterations=loop.max_iterations,
            policy=loop.policy,
            words=loop.words,
            least_iterations=loop.least_iterations,
            most_iterations=loop.most_iterations,
            auto_create_plan=settings.auto_create_plan,
            context_characters=loop.context_characters,
            stop_limit=settings.rules.stop_limit,
        )


class Replan(LoopOptions, frozen=True, kw_only=True):
    """The model plans, takes each item in small steps, and replans after each item.

    A task may take `max_iterations` steps, and as many again each time that a person `continues` it
    at the limit. After `most_failures` tool runs in a row that failed, the item must end or a
    person be asked. With `skips_replans` nothing is replanned after an item that brought nothing
    new, with `review` a person approves each change of the plan. `in_chat`: the plan exists, and
    answers are read where slash commands can be typed. A run sets the rest: `moment` is the time
    with its zone; with `plan_only` the goal is planned, and nothing is carried out.
    """

    max_iterations: int = STEP_LIMIT
    most_failures: int = 3
    skips_replans: bool = False
    review: bool = False
    continues: bool = False
    in_chat: bool = False
    plan_only: bool = False
    tools: tuple[ToolSpec, ...] = ()
    moment: str = ""
    language: Language = "en"

    @classmethod
    def from_settings(cls, settings: Settings, *, review: bool, in_chat: bool) -> Self:
        """Return the loop that settings describe."""
        return cls(
            max_iterations=settings.loop.max_iterations,
            most_failures=settings.assistant.most_failures,
            skips_replans=settings.assistant.skip_replans,
            review=review,
            in_chat=in_chat,
        )


class Crew(Protocol):
    """Finds the agents that tasks are delegated to, and has the loop in which they work."""

    def find_worker(self, spec: AgentSpec) -> Agent | None:
        """Return the agent that carries out the tasks; raise an error if it cannot work here."""

    def try_first(self, spec: AgentSpec, agent: Agent, directory: str) -> Preflight:
        """Return what tries an agent before its first task."""

    def loop(self, how: Any, language: Language) -> Any:  # noqa: ANN401 - its own delegation; effects
        """Return the loop that plans, delegates and judges."""


class Delegation(LoopOptions, frozen=True, kw_only=True):
    """An agent, or the one of a name, carries out the tasks of a plan, `parallel` at a time.

    A kind of delegation says whose agents they are: its `crew`.

    Without a model (`has_model`) the plan is carried out as it is, and checks alone decide. With
    `plan_only` the goal is planned, and nothing is carried out. An attempt may take `timeout`
    seconds. Agents with the `permissions` to read never collide. With `review` a person approves a
    change of the plan before it is made. After `attempts` failed ones a person is asked about a
    task; if nobody answers, an `unattended` run leaves the task waiting, or aborts the plan. If all
    tasks `share_session`, they are carried out one after another in a single session of the agent.
    `mailbox` is the one behind the agent, for later runs of the plan.
    """

    crew: ClassVar[Any]  # a `Crew`, for our own loops only
    agent: Agent | str = ""
    parallel: int = 1
    permissions: Permissions = "edit"
    timeout: float = 600.0
    has_model: bool = True
    review: bool = False
    plan_only: bool = False
    most_replans: int = 5
    attempts: int = 3
    unattended: Unattended = "wait"
    share_session: bool = False
    mailbox: MailboxSettings | None = None

    @classmethod
    def from_settings(cls, settings: Settings, agent: Agent | str, **chosen: Any) -> Self:  # noqa: ANN401 - fields
        """Return the loop that settings describe, but for chosen fields that are not None."""
        known = settings.orchestrator
        usual = {
            "max_iterations": settings.loop.max_iterations,
            "parallel": known.parallel,
            "permissions": known.permissions,
            "timeout": known.attempt_seconds,
            "review": known.review,
            "most_replans": known.replans,
            "attempts": known.attempts,
            "unattended": known.unattended,
            "share_session": known.sessions == "shared",
        }
        given = {name: value for name, value in chosen.items() if value is not None}
        return cls(agent=agent, **usual | given)

    @property
    def agent_name(self) -> str:
        """The name of the agent."""
        return self.agent if isinstance(self.agent, str) else self.agent.name


Loop = ToolLoop | Replan | Delegation


class PlanRef(Struct, frozen=True):
    """Which plan: a given one, else the one with `key` in `workdir` (a directory, or a URL).

    Without `workdir` it lives in memory, without `key` the first message chooses it. The first plan
    of a key is created in `layout`, or in that of the settings.
    """

    plan: Plan | None = None
    workdir: str | os.PathLike[str] | None = None
    key: str | None = None
    layout: Layout | None = None

    def __post_init__(self) -> None:
        check_options(plan=self.plan, layout=self.layout)


class AgentSpec(Struct, frozen=True, kw_only=True):
    """A model with tools, the loop that they work in, and the plan: what `AgentLoop` is made from.

    `person` is asked, and with `ask` questions wait for an answer. Calls that match `allow` need no
    permission, with `yes` none does; with `dry_run` the agent only plans. The rest is as in
    `AgentLoop`.
    """

    model: Model | str = ""
    tools: tuple[Tool | Callable[..., Any], ...] = ()
    hooks: tuple[Hook, ...] = ()
    loop: Loop = ToolLoop()
    plan: PlanRef = PlanRef()
    enable_planning: bool = True
    budget: Budget | None = None
    settings: Settings = Settings()
    on_event: Callable[[Event], object] | None = None
    actor: str = "agent"
    lease_seconds: int = 60
    language: Language = "en"
    clock: Clock | None = None
    person: Person | None = None
    person_name: str = ""
    ask: bool = False
    allow: tuple[str, ...] = ()
    yes: bool = False
    dry_run: bool = False
    remember_permissions: bool = False

    def __post_init__(self) -> None:
        check_model(self.model)
        check_actor(self.actor)
        for name in _FLAGS:
            check_flag(getattr(self, name), name)
        if not isinstance(self.loop, LoopOptions):
            raise wrong_type_error("loop", "loop", self.loop)
        as_tuple(self.tools, "tools")
        as_tuple(self.allow, "allow")
        check_settings(self.settings)
        check_choice(self.language, "language", get_args(Language))
        check_options(budget=self.budget, on_event=self.on_event, person=self.person)
        check_options(person_name=self.person_name or None)
        validate_hooks(self.hooks)

    @property
    def delegation(self) -> Delegation | None:
        """The loop, if an agent carries out the tasks."""
        return self.loop if isinstance(self.loop, Delegation) else None

    @property
    def needs_plan(self) -> bool:
        """Whether the loop cannot work without a plan that lasts."""
        return not isinstance(self.loop, ToolLoop)

    @property
    def plans(self) -> bool:
        """Whether there is a plan: a tool loop can do without, as called or by the settings."""
        return isinstance(self.loop, Replan) or (self.enable_planning and self.settings.enabled)

    @property
    def has_rules(self) -> bool:
        """Whether built-in hooks are called: they tell of plan tools, which `Replan` has not."""
        return not isinstance(self.loop, Replan)

    @property
    def model_name(self) -> str:
        """The name under which a later run finds the model; empty if there is none."""
        name = self.model if isinstance(self.model, str) else getattr(self.model, "name", "")
        kind, _, rest = name.partition(":") if isinstance(name, str) else ("", "", "")
        if kind == "script":
            name = f"script:{os.path.abspath(rest)}"  # noqa: PTH100 - without the cost of pathlib
        try:
            return check_name(name, "model")
        except InvalidArgument:
            return ""

    def limits(self, known: Budget = NO_LIMIT) -> Budget:
        """Return each limit as given, else as known of the plan, else as in the settings."""
        return update_budget(update_budget(self.settings.budget, known), self.budget or NO_LIMIT)

    def last_run(self, known: LastRun | None) -> LastRun:
        """Return what the plan remembers of a run; a task of the assistant stays one."""
        loop, how, name = self.loop, self.delegation, "tools"
        if isinstance(loop, Replan):
            was_assistant = known is not None and known.loop == ASSISTANT
            name = ASSISTANT if loop.in_chat or was_assistant else "replan"
        return LastRun(
            self.model_name,
            self.actor,
            self.language,
            loop.max_iterations,
            how.agent_name if how else "",
            how.parallel if how else 1,
            not isinstance(loop, ToolLoop) and loop.review,
            name,
        )


def directory_of(spec: AgentSpec) -> str | None:
    """Return the directory in which a run works, if there is one."""
    workdir = spec.plan.workdir
    return None if workdir is None or is_url(workdir) else os.fspath(workdir)
