"""Everything that can be set, with what holds where nobody has set it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from outlast.domain.budget import Budget

Policy = Literal["auto", "words", "explicit"]
PlanTools = Literal["default", "full"]
Tongue = Literal["", "en", "zh"]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]


class Hooks(Struct, frozen=True, forbid_unknown_fields=True):
    """Which points ask their hooks, and people's own hooks.

    These are functions (`module:function`) or names of the entry points `outlast.hooks`.
    """

    session_start: bool = True
    user_prompt: bool = True
    pre_tool_use: bool = True
    post_tool_use: bool = True
    on_error: bool = True
    pre_compact: bool = True
    on_stop: bool = True
    python: tuple[str, ...] = ()


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """When the rules of the hooks speak up."""

    action_threshold: Positive = 2
    error_strike_limit: Positive = 3
    strict: bool = False
    stop_limit: Count = 3
    critical_tools: tuple[str, ...] = ("write_file", "edit_file", "bash")
    view_tools: tuple[str, ...] = ("read_file", "glob", "grep", "list_directory", "web_fetch")
    write_tools: tuple[str, ...] = ("write_file", "edit_file")


class Cleanup(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a session begins with archiving old plans, and how old they are then."""

    auto_cleanup: bool = False
    retention_days: Count = 7


class LoopSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How the tool loop works.

    `words` tell under some policies that a task is done; none means the usual ones. `plan_tools`
    are those with which the model plans.
    """

    model: str = ""
    max_iterations: Positive = 20
    policy: Policy = "auto"
    words: tuple[str, ...] = ()
    least_iterations: Positive = 2
    most_iterations: Positive = 10
    context_characters: Positive = 200_000
    plan_tools: PlanTools = "default"


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """How long and how large things may be, and how often a model is asked again."""

    model_seconds: Seconds = 300.0
    tool_seconds: Seconds = 600.0
    tries: Positive = 4
    max_tokens: Positive = 4_096
    reply_characters: Positive = 400_000
    output_characters: Positive = 20_000


class Notify(Struct, frozen=True, forbid_unknown_fields=True):
    """A command that is run when people should look."""

    command: str = ""


class Permissions(Struct, frozen=True, forbid_unknown_fields=True):
    """What is done without asking: paths outside the workspace, commands, as patterns."""

    allow: tuple[str, ...] = ()


class Tools(Struct, frozen=True, forbid_unknown_fields=True):
    """Which tools of installed packages are offered: names of the entry points `outlast.tools`."""

    enabled: tuple[str, ...] = ()


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. `prices` are dollars for a million tokens, in and out, by model."""

    enabled: bool = True
    auto_create_plan: bool = True
    sync_to_todo_write: bool = True
    language: Tongue = ""
    hooks: Hooks = Hooks()
    rules: Rules = Rules()
    cleanup: Cleanup = Cleanup()
    loop: LoopSettings = LoopSettings()
    limits: Limits = Limits()
    budget: Budget = Budget()
    notify: Notify = Notify()
    permissions: Permissions = Permissions()
    tools: Tools = Tools()
    prices: dict[str, tuple[float, float]] = {}
