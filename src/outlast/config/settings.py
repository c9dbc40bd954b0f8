"""Every setting with its default."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from outlast.domain.budget import Budget

Policy = Literal["auto", "words", "explicit"]
PlanTools = Literal["default", "full"]
LanguageChoice = Literal["", "en", "zh"]
LayoutChoice = Literal["outlast", "code-agent", "sessions"]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
BriefTokens = Annotated[int, Meta(ge=500)]
Seconds = Annotated[float, Meta(gt=0)]


class Hooks(Struct, frozen=True, forbid_unknown_fields=True):
    """One switch per hook point, and custom hooks in `python`.

    A custom hook is a function (`module:function`) or the name of an entry point of the group
    `outlast.hooks`.
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
    """Thresholds of the built-in hook rules, and the tools they watch."""

    action_threshold: Positive = 2
    error_strike_limit: Positive = 3
    strict: bool = False
    stop_limit: Count = 3
    critical_tools: tuple[str, ...] = ("write_file", "edit_file", "bash")
    view_tools: tuple[str, ...] = ("read_file", "glob", "grep", "list_directory", "web_fetch")
    write_tools: tuple[str, ...] = ("write_file", "edit_file")


class Cleanup(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a session starts by archiving completed plans older than `retention_days`."""

    auto_cleanup: bool = False
    retention_days: Count = 7


class LoopSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the tool loop.

    `words` are the transition words of the policies `auto` and `words`; empty means the built-in
    ones. `brief_tokens` is how long the brief may be that a new conversation starts with.
    `plan_tools` chooses the plan tools that the model is offered. With `ask_unattended` it
    may ask questions although no person is present: the plan waits for the answer.
    """

    model: str = ""
    max_iterations: Positive = 20
    policy: Policy = "auto"
    words: tuple[str, ...] = ()
    least_iterations: Positive = 2
    most_iterations: Positive = 10
    context_characters: Positive = 200_000
    brief_tokens: BriefTokens = 2_000
    plan_tools: PlanTools = "default"
    ask_unattended: bool = False


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Timeouts, size limits, and how often a model call is tried.

    `lock_seconds` is how long to wait for another process that holds the lock of a plan.
    """

    model_seconds: Seconds = 300.0
    tool_seconds: Seconds = 600.0
    tries: Positive = 4
    max_tokens: Positive = 4_096
    reply_characters: Positive = 400_000
    output_characters: Positive = 20_000
    lock_seconds: Seconds = 60.0


class Notify(Struct, frozen=True, forbid_unknown_fields=True):
    """The command that notifies a person."""

    command: str = ""


class Permissions(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of paths outside the workspace, and of commands, that need no question."""

    allow: tuple[str, ...] = ()


class Tools(Struct, frozen=True, forbid_unknown_fields=True):
    """Tools of installed packages to offer, and what `bash` and checks find in the environment.

    `enabled` names entry points in `outlast.tools`, `pass_env` variables that look like secrets.
    """

    enabled: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings.

    `layout` is where a workspace keeps the first plan of a key. `prices` are dollars per million
    tokens, input and output, by model.
    """

    enabled: bool = True
    auto_create_plan: bool = True
    sync_to_todo_write: bool = True
    language: LanguageChoice = ""
    layout: LayoutChoice = "outlast"
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
