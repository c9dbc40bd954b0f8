"""The table of commands: names, functions, arguments, options, aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from outlast.language import LANGUAGES
from outlast.model.model import CATEGORIES, ORDERS

if TYPE_CHECKING:
    from collections.abc import Mapping


class Argument(Struct, frozen=True):
    """A positional value; `many` takes all that are left."""

    name: str
    metavar: str
    help_key: str
    required: bool = True
    many: bool = False


class Option(Struct, frozen=True):
    """A value given by a flag; without a `metavar` it is a switch.

    An `unlisted` option is in no usage line: people look it up when they need it. A `person_only`
    option is refused to agents.
    """

    name: str
    flags: tuple[str, ...]
    help_key: str
    metavar: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()
    is_number: bool = False
    unlisted: bool = False
    person_only: bool = False


class Command(Struct, frozen=True):
    """One command; `function` names its module and function in `commands`.

    A `rare` command is shown by `help --all` only, a `hidden` one never. A `person_only` command is
    refused to agents.
    """

    name: str
    function: str
    help_key: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    needs_plan: bool = True
    rare: bool = False
    hidden: bool = False
    person_only: bool = False

    def reserved_flags(self, values: Mapping[str, object]) -> list[str]:
        """Return the flags among the given values that only a person may use."""
        return [
            option.flags[-1]
            for option in self.options
            if option.person_only and values.get(option.name)
        ]


def _choice(name: str, flag: str, help_key: str, *choices: str) -> Option:
    return Option(name, (flag,), help_key, "|".join(choices), choices=choices)


def _number(name: str, flag: str, help_key: str, metavar: str) -> Option:
    return Option(name, (flag,), help_key, metavar, is_number=True)


DOCUMENTS: Final = ("plan.json", "manager", "markdown", "checklist")
GRAPHS: Final = ("ascii", "mermaid", "dot")
LAYOUTS: Final = ("outlast", "code-agent", "sessions")
LOOPS: Final = ("tools", "replan")
MAILBOX_LAYOUTS: Final = ("outlast", "volumes")
MCP_TOOLS: Final = ("default", "planmanager", "todo")
PERMISSIONS: Final = ("read", "edit", "full")
SESSIONS: Final = ("task", "shared")
SETUPS: Final = ("claude-code", "codex", "gemini", "agents-md")

COMMON: Final = (
    Option("plan", ("--plan",), "option_plan", "KEY"),
    Option("actor", ("--as",), "option_as", "NAME"),
    _choice("lang", "--lang", "option_lang", *LANGUAGES),
    Option("json", ("--json",), "option_json"),
)

_TASK: Final = Argument("task", "N", "argument_task")
_OPTIONAL_TASK: Final = Argument("task", "N", "argument_task", required=False)
_REVISION: Final = Argument("number", "N", "argument_revision", required=False)
_REASON: Final = Argument("reason", "REASON", "argument_reason", required=False, many=True)
_PLAN_KEY: Final = Argument("key", "KEY", "argument_plan_key", required=False)
_FILE: Final = Argument("file", "FILE", "argument_import")
_OPTIONAL_FILE: Final = Argument("file", "FILE", "argument_export", required=False)
_KEY: Final = Option("key", ("--key",), "option_key", "KEY")
_NEEDS: Final = Option("needs", ("--needs",), "option_needs", "N,N", many=True)
_INSERT_AFTER: Final = Option("insert_after", ("--insert-after",), "option_insert_after", "N")
_PHASE: Final = Option("phase", ("--phase",), "option_phase", "PHASE")
_DESCRIPTION: Final = Option("description", ("-d", "--description"), "option_description", "TEXT")
_TOKEN: Final = _number("token", "--token", "option_token", "TOKEN")
_YES: Final = Option("yes", ("--yes",), "option_yes", person_only=True)
_STOP: Final = Option("stop", ("--stop",), "option_stop", person_only=True)
_LAYOUT: Final = replace(_choice("layout", "--layout", "option_layout", *LAYOUTS), unlisted=True)
_MAILBOX_LAYOUT: Final = _choice("layout", "--layout", "option_mailbox_layout", *MAILBOX_LAYOUTS)
_ARCHIVED: Final = Option("archived", ("--archived",), "option_archived_name", "NAME")
_FORM: Final = _choice("form", "--format", "option_document", *DOCUMENTS)
_BUDGET: Final = Option("budget", ("--budget",), "option_budget", "tokens=200k,money=2,time=30m")
_PROOF: Final = (
    Option("checks", ("--check",), "option_check", "RULE", many=True),
    Option("run", ("--run",), "option_run", "COMMAND"),
    Option("files", ("--files",), "option_files", "GLOB,GLOB", many=True),
    Option("protect", ("--protect",), "option_protect", "GLOB,GLOB", many=True),
)

_MODEL: Final = Option("model", ("--model",), "option_model", "NAME")
_AGENT: Final = (
    _MODEL,
    _number("max_iterations", "--max-iterations", "option_max_iterations", "COUNT"),
    _BUDGET,
    Option("allow", ("--allow",), "option_allow", "PATTERN", many=True, person_only=True),
    Option("yes", ("--yes",), "option_yes_to_all", person_only=True),
    replace(_number("lease", "--lease", "option_lease", "SECONDS"), unlisted=True),
)
_TASK_AGENT: Final = (
    Option("agent", ("--agent",), "option_agent", "NAME"),
    _number("parallel", "--parallel", "option_parallel", "COUNT"),
    replace(
        _choice("permissions", "--permissions", "option_agent_permissions", *PERMISSIONS),
        person_only=True,
    ),
    replace(_number("timeout", "--timeout", "option_agent_timeout", "SECONDS"), unlisted=True),
    replace(Option("mailbox", ("--mailbox",), "option_mailbox", "DIR"), unlisted=True),
    replace(_choice("sessions", "--sessions", "option_sessions", *SESSIONS), unlisted=True),
    Option("review", ("--review",), "option_review"),
)
_LOOP: Final = _choice("loop", "--loop", "option_loop", *LOOPS)
_DRY_RUN: Final = Option("dry_run", ("--dry-run",), "option_dry_run")
_APPROVE: Final = Option("approve", ("--approve",), "option_approve_plan", person_only=True)

_HOST_SESSION: Final = (
    Option("agent", ("--agent",), "option_hook_agent", "NAME", unlisted=True),
    Option("session", ("--session",), "option_host_session", "ID", unlisted=True),
)

_ALL: Final = (
    Command(
        "run",
        "runs.run.run",
        "command_run",
        (Argument("goal", "GOAL", "argument_run_goal", required=False, many=True),),
        (
            *_TASK_AGENT,
            _LOOP,
            *_AGENT,
            _KEY,
            _DRY_RUN,
            replace(
                _choice("layout", "--layout", "option_run_layout", *LAYOUTS, MAILBOX_LAYOUTS[1]),
                unlisted=True,
            ),
        ),
        needs_plan=False,
    ),
    Command(
        "resume",
        "runs.run.resume",
        "command_resume",
        (Argument("words", "TEXT", "argument_resume", required=False, many=True),),
        (
            *_TASK_AGENT,
            _LOOP,
            *_AGENT,
            _DRY_RUN,
            replace(_MAILBOX_LAYOUT, unlisted=True),
            _APPROVE,
        ),
        needs_plan=False,
    ),
    Command(
        "chat",
        "runs.chat.chat",
        "command_chat",
        options=(
            _MODEL,
            Option("review", ("--review",), "option_review"),
            _number("max_steps", "--max-steps", "option_max_steps", "COUNT"),
        ),
        needs_plan=False,
        person_only=True,
    ),
    Command(
        "worker",
        "runs.worker.worker",
        "command_worker",
        options=(
            replace(_TASK_AGENT[0], help_key="option_worker_agent"),
            _TASK_AGENT[2],
            _TASK_AGENT[3],
            replace(_TASK_AGENT[4], help_key="option_worker_mailbox", unlisted=False),
            Option("workspace", ("--workspace",), "option_worker_workspace", "DIR"),
            _MAILBOX_LAYOUT,
            Option("once", ("--once",), "option_worker_once"),
        ),
        needs_plan=False,
        rare=True,
    ),
    Command(
        "mcp",
        "program.mcp.mcp",
        "command_mcp",
        options=(
            Option("http", ("--http",), "option_http", "PORT"),
            _choice("tools", "--tools", "option_mcp_tools", *MCP_TOOLS),
            Option("workspace", ("--workspace",), "option_mcp_workspace", "DIR"),
        ),
        needs_plan=False,
    ),
    Command(
        "attach",
        "agents.session.attach",
        "command_attach",
        (Argument("key", "KEY", "argument_plan_key", required=False),),
        (*_HOST_SESSION, Option("guard", ("--guard",), "option_guard")),
        needs_plan=False,
    ),
    Command(
        "detach",
        "agents.session.detach",
        "command_detach",
        options=_HOST_SESSION,
        needs_plan=False,
        rare=True,
    ),
    Command(
        "hook",
        "agents.session.hook",
        "command_hook",
        (Argument("event", "EVENT", "argument_hook_event"),),
        (Option("agent", ("--agent",), "option_hook_agent", "NAME"),),
        needs_plan=False,
        rare=True,
    ),
    Command(
        "answer",
        "runs.answer.answer",
        "command_answer",
        (Argument("words", "[ID] TEXT", "argument_answer", many=True),),
        (Option("file", ("--file",), "option_answer_file", "FILE", unlisted=True),),
        person_only=True,
    ),
    Command(
        "say",
        "runs.answer.say",
        "command_say",
        (Argument("words", "TEXT", "argument_say", many=True),),
    ),
    Command(
        "demo",
        "program.demo.demo",
        "command_demo",
        (Argument("where", "DIR", "argument_demo", required=False),),
        (Option("model", ("--model",), "option_demo_model", "NAME"),),
        needs_plan=False,
    ),
    Command(
        "new",
        "plans.plan.new",
        "command_new",
        (Argument("goal", "GOAL", "argument_goal", many=True),),
        (
            _KEY,
            _LAYOUT,
            Option("shared", ("--shared",), "option_shared"),
        ),
        needs_plan=False,
    ),
    Command(
        "add",
        "tasks.task.add",
        "command_add",
        (Argument("names", "NAME", "argument_names", many=True),),
        (
            _DESCRIPTION,
            _NEEDS,
            _INSERT_AFTER,
            _PHASE,
            *_PROOF,
            replace(_BUDGET, help_key="option_task_budget"),
        ),
    ),
    Command(
        "edit",
        "tasks.task.edit",
        "command_edit",
        (_OPTIONAL_TASK,),
        (
            Option("name", ("--name",), "option_name", "TEXT"),
            _DESCRIPTION,
            _INSERT_AFTER,
            Option("first", ("--first",), "option_first"),
            _PHASE,
            Option("needs", ("--needs",), "option_needs_or_none", "N,N|none", many=True),
            Option("progress", ("--progress",), "option_progress", "DONE/ALL"),
            Option("reopen", ("--reopen",), "option_reopen"),
            *_PROOF,
            Option("no_checks", ("--no-checks",), "option_no_checks"),
            replace(
                _BUDGET, help_key="option_task_budget_or_none", metavar=f"{_BUDGET.metavar}|none"
            ),
            Option("goal", ("--goal",), "option_goal", "TEXT"),
            Option("title", ("--title",), "option_title", "TEXT"),
            _choice("order", "--order", "option_order", *ORDERS),
            Option("reason", ("--reason",), "option_reason", "TEXT"),
            replace(_TOKEN, unlisted=True),
        ),
    ),
    Command(
        "next",
        "tasks.work.next_task",
        "command_next",
        options=(Option("every", ("--all",), "option_all"),),
    ),
    Command("start", "tasks.work.start", "command_start", (_OPTIONAL_TASK,)),
    Command(
        "done",
        "tasks.work.complete",
        "command_done",
        (_OPTIONAL_TASK,),
        (
            Option("result", ("-m", "--result"), "option_result", "TEXT"),
            replace(_TOKEN, unlisted=True),
            Option("force", ("--force",), "option_force", unlisted=True, person_only=True),
        ),
    ),
    Command(
        "fail",
        "tasks.work.fail",
        "command_fail",
        (Argument("words", "[N] REASON", "argument_fail", many=True),),
        (Option("final", ("--no-retry",), "option_no_retry"), replace(_TOKEN, unlisted=True)),
    ),
    Command(
        "check",
        "tasks.check.check",
        "command_check",
        (_OPTIONAL_TASK,),
        (
            Option("every", ("--all",), "option_all_checks"),
            Option("approve", ("--approve",), "option_approve", person_only=True),
            Option("confirm", ("--confirm",), "option_confirm", person_only=True),
        ),
    ),
    Command(
        "note",
        "tasks.note.note",
        "command_note",
        (Argument("words", "TEXT", "argument_note", required=False, many=True),),
        (
            _choice("category", "--category", "option_category", *CATEGORIES),
            Option("title", ("--title",), "option_note_title", "TEXT"),
            Option("source", ("--source",), "option_source", "TEXT"),
            Option("error", ("--error",), "option_error", "TOOL"),
            Option("allow", ("--allow",), "option_allow_tool"),
        ),
    ),
    Command("skip", "tasks.task.skip", "command_skip", (_TASK, _REASON)),
    Command("rm", "tasks.task.remove", "command_remove", (_TASK,)),
    Command(
        "show",
        "plans.show.show",
        "command_show",
        (Argument("task", "N", "argument_task_or_name", required=False, many=True),),
        (
            Option("at", ("--at",), "option_at", "N"),
            Option("cost", ("--cost",), "option_cost"),
            Option("every", ("--all",), "option_whole_task"),
            _ARCHIVED,
        ),
    ),
    Command(
        "context",
        "plans.context.context",
        "command_context",
        (Argument("about", "ABOUT", "argument_about", required=False),),
        (
            Option("brief", ("--brief",), "option_brief"),
            _number("page", "--page", "option_page", "N"),
            replace(_ARCHIVED, unlisted=True),
        ),
    ),
    Command(
        "list",
        "plans.overview.list_all",
        "command_list",
        options=(Option("archived", ("--archived",), "option_archived"),),
        needs_plan=False,
    ),
    Command(
        "graph",
        "plans.show.graph",
        "command_graph",
        options=(
            _choice("form", "--format", "option_graph", *GRAPHS),
            replace(_ARCHIVED, unlisted=True),
        ),
    ),
    Command(
        "watch",
        "runs.watch.watch",
        "command_watch",
        options=(
            Option("once", ("--once",), "option_once"),
            _number("seconds", "--for", "option_for", "SECONDS"),
        ),
    ),
    Command(
        "log",
        "plans.history.log",
        "command_log",
        options=(
            _number("limit", "-n", "option_limit", "COUNT"),
            Option("since", ("--since",), "option_since", "TIME"),
            Option("task", ("--task",), "option_log_task", "N"),
            Option("by", ("--by",), "option_by", "NAME"),
            Option("every", ("--all",), "option_log_all"),
            Option("diff", ("--diff",), "option_diff", "A..B"),
            replace(_ARCHIVED, unlisted=True),
        ),
    ),
    Command(
        "report",
        "plans.report.report",
        "command_report",
        options=(
            Option("md", ("--md",), "option_report_md", "FILE"),
            Option("html", ("--html",), "option_report_html", "FILE"),
            _YES,
            replace(_ARCHIVED, unlisted=True),
        ),
    ),
    Command("undo", "plans.history.undo", "command_undo", (_REVISION,)),
    Command(
        "use",
        "plans.plan.use",
        "command_use",
        (Argument("key", "KEY", "argument_use"),),
        needs_plan=False,
    ),
    Command("pause", "plans.plan.pause", "command_pause", (_REASON,)),
    Command("abort", "plans.archive.abort", "command_abort", (_REASON,), (_STOP,)),
    Command(
        "drop",
        "plans.archive.drop",
        "command_drop",
        (_PLAN_KEY,),
        (_STOP,),
        needs_plan=False,
    ),
    Command(
        "import",
        "plans.transfer.import_plan",
        "command_import",
        (_FILE,),
        (Option("form", ("--format",), "option_import_form", "FORMAT"), _KEY, _LAYOUT),
        needs_plan=False,
    ),
    Command(
        "export",
        "plans.transfer.export_plan",
        "command_export",
        (_OPTIONAL_FILE,),
        (_FORM, _YES, replace(_ARCHIVED, unlisted=True)),
    ),
    Command("models", "program.config.models", "command_models", needs_plan=False),
    Command("config", "program.config.config", "command_config", needs_plan=False),
    Command(
        "permissions",
        "runs.permissions.permissions",
        "command_permissions",
        options=(Option("forget", ("--forget",), "option_forget"),),
        rare=True,
    ),
    Command(
        "doctor",
        "program.doctor.doctor",
        "command_doctor",
        (Argument("where", "WHERE", "argument_where", required=False),),
        (
            Option("repair", ("--repair",), "option_repair"),
            Option(
                "new_identity",
                ("--new-identity",),
                "option_new_identity",
                "KEY",
                person_only=True,
            ),
        ),
        needs_plan=False,
    ),
    Command(
        "init",
        "agents.init.init",
        "command_init",
        (Argument("host", "|".join(SETUPS), "argument_init_host", required=False),),
        (
            Option("project", ("--project",), "option_init_project"),
            Option("user", ("--user",), "option_init_user"),
            Option("mcp", ("--mcp",), "option_init_mcp"),
            Option("plugin", ("--plugin",), "option_init_plugin", "DIR"),
            Option("remove", ("--remove",), "option_init_remove"),
            replace(_YES, help_key="option_init_yes"),
        ),
        needs_plan=False,
    ),
    Command(
        "help",
        "program.help.show_help",
        "command_help",
        (Argument("command", "COMMAND", "argument_command", required=False),),
        (Option("every", ("--all",), "option_all_commands"),),
        needs_plan=False,
    ),
    Command(
        "claim",
        "tasks.claim.claim",
        "command_claim",
        (_OPTIONAL_TASK,),
        (_number("seconds", "--seconds", "option_seconds", "SECONDS"), _TOKEN),
        rare=True,
    ),
    Command(
        "release",
        "tasks.claim.release",
        "command_release",
        (_TASK,),
        (_TOKEN,),
        rare=True,
    ),
    Command(
        "accept",
        "plans.plan.accept",
        "command_accept",
        options=(_YES,),
        rare=True,
        person_only=True,
    ),
    Command(
        "reset",
        "plans.plan.reset",
        "command_reset",
        options=(_YES,),
        rare=True,
        person_only=True,
    ),
    Command(
        "archive",
        "plans.archive.archive",
        "command_archive",
        (_PLAN_KEY,),
        needs_plan=False,
        rare=True,
    ),
    Command(
        "restore",
        "plans.archive.restore",
        "command_restore",
        (Argument("name", "NAME", "argument_restore"),),
        needs_plan=False,
        rare=True,
    ),
    Command("version", "program.help.version", "option_version", needs_plan=False),
    Command("welcome", "plans.overview.welcome", "command_show", needs_plan=False, hidden=True),
)

COMMANDS: Final = {command.name: command for command in _ALL}

# Words that people and models try first, each for a command with its first arguments.
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "brief": ("context", "--brief"),
    "cancel": ("abort",),
    "close": ("done",),
    "complete": ("done",),
    "continue": ("resume",),
    "create": ("add",),
    "delete": ("rm",),
    "diff": ("log", "--diff"),
    "findings": ("note",),
    "finish": ("done",),
    "history": ("log",),
    "ls": ("list",),
    "move": ("edit",),
    "mv": ("edit",),
    "notes": ("note",),
    "plans": ("list",),
    "ready": ("next", "--all"),
    "remove": ("rm",),
    "rename": ("edit",),
    "reopen": ("edit", "--reopen"),
    "status": ("show",),
    "tree": ("show",),
    "update": ("edit",),
    "verify": ("check",),
}


def resolve_alias(arguments: list[str]) -> list[str]:
    """Replace an alias in the first place by its command."""
    return [*ALIASES.get(arguments[0], arguments[:1]), *arguments[1:]]
