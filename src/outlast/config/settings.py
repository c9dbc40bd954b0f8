"""Every setting with its default."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

from outlast.model.budget import Budget

Policy = Literal["auto", "words", "explicit"]
PlanTools = Literal["default", "full"]
LanguageChoice = Literal["", "en", "zh"]
LayoutChoice = Literal["outlast", "code-agent", "sessions"]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
BriefTokens = Annotated[int, Meta(ge=500)]
AgentPermissions = Literal["read", "edit", "full"]
AgentSessions = Literal["task", "shared"]
Unattended = Literal["wait", "abort"]
MailboxLayout = Literal["outlast", "volumes"]
MAILBOX_LAYOUTS: Final[tuple[MailboxLayout, ...]] = get_args(MailboxLayout)
SearchChoice = Literal["", "searxng", "file"]
Parallel = Annotated[int, Meta(ge=1, le=64)]
# A directory inside the mailbox: plain names, so that no `..` and no absolute path leads out of it.
MailboxPath = Annotated[str, Meta(pattern=r"^(?!\.)[\w.-]+(/(?!\.)[\w.-]+)*$", max_length=200)]
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


class OrchestratorSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How agents carry out the tasks of a plan.

    `agent` is used when the command line names none. `attempt_seconds` is how long one attempt may
    take, `attempts` how many may fail until a person is asked, `replans` how often the model may
    change the plan of a run. `sessions` is one for each task, or one `shared` by all. Where no
    person is present, a question waits in the plan or ends it (`unattended`).
    """

    agent: str = ""
    parallel: Parallel = 1
    permissions: AgentPermissions = "edit"
    attempt_seconds: Seconds = 600.0
    attempts: Positive = 3
    replans: Count = 5
    sessions: AgentSessions = "task"
    unattended: Unattended = "wait"
    review: bool = False
    preflight: bool = True


class MailboxSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where orders and reports are exchanged as files, and how often to look for them.

    Without a `directory` it is that of the `layout` in the workspace. `commands` and `reports` are
    the directories inside it where files wait; those for later states are beside them.
    """

    directory: str = ""
    layout: MailboxLayout = "outlast"
    commands: MailboxPath = "commands/pending"
    reports: MailboxPath = "reports/pending"
    poll_seconds: Seconds = 5.0


class AssistantSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the assistant.

    `directory` holds its plans, todos and appointments; empty is the user's data directory.
    `max_steps` is the allowance of one task, `most_failures` how many tool runs in a row may fail.
    With `skip_replans` the plan stays as it is after an item that brought nothing new; with
    `review` a person approves each change of it. `time_zone` is a name such as `Europe/Berlin`;
    empty is that of the system. With `reminders` those that fall due are shown in the chat.
    """

    directory: str = ""
    max_steps: Positive = 20
    most_failures: Positive = 3
    skip_replans: bool = False
    review: bool = False
    time_zone: str = ""
    reminders: bool = True


class SearchSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where `internet_search` searches: a server that speaks SearXNG's JSON, or a local file.

    Without a `provider` there is no such tool. `timeout` is in seconds.
    """

    provider: SearchChoice = ""
    url: str = ""
    file: str = ""
    timeout: Seconds = 10.0


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
    orchestrator: OrchestratorSettings = OrchestratorSettings()
    mailbox: MailboxSettings = MailboxSettings()
    assistant: AssistantSettings = AssistantSettings()
    search: SearchSettings = SearchSettings()
    limits: Limits = Limits()
    budget: Budget = Budget()
    notify: Notify = Notify()
    permissions: Permissions = Permissions()
    tools: Tools = Tools()
    prices: dict[str, tuple[float, float]] = {}
