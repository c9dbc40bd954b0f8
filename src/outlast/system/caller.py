"""Who runs this process: a coding agent, or a person with their name and language."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from outlast.errors import InvalidArgument
from outlast.model.limits import fold_actor
from outlast.model.model import PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from outlast.language import Language

MARK: Final = "OUTLAST_MARK_"  # begins a name in the environment of what a tool of ours starts
_PROCESSES: Final = "/proc"
_ANY_MARK: Final = f"{MARK}*"
OWN_AGENT: Final = "agent"  # what a tool or a check of our own starts acts as this

# Coding agents set these for the programs that they start. Not in the table: variables that people
# set to configure an agent (CODEX_HOME, AIDER_MODEL), and those of an editor's own terminals.
HOSTS: Final = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_ENTRYPOINT": "claude-code",
    "CODEX_THREAD_ID": "codex",
    "CODEX_SESSION_ID": "codex",
    "CODEX_SANDBOX": "codex",
    "CODEX_CI": "codex",
    "CURSOR_AGENT": "cursor",
    "GEMINI_CLI": "gemini-cli",
    "GEMINI_SESSION_ID": "gemini-cli",
    "QWEN_CODE": "qwen-code",
    "OPENCODE": "opencode",
    "COPILOT_CLI": "copilot-cli",
    "GOOSE_TERMINAL": "goose",
    "CLINE_ACTIVE": "cline",
    "AUGMENT_AGENT": "augment",
    "ANTIGRAVITY_AGENT": "antigravity",
}
_FOR_HOOKS: Final = ("CLAUDE_PROJECT_DIR", "GEMINI_SESSION_ID")  # what commands do not get
_OF_LAUNCHERS: Final = ("CLAUDE_CODE_ENTRYPOINT",)  # what editors and SDKs give the agent itself
_PROGRAMS: Final = {"claude-code": b"claude"}  # of agents that run no command as a copy of theirs
_ANY_HOST: Final = "AI_AGENT"  # its value names the agent: `goose@1.2.3`, `claude-code_2.1.0_cli`
ACTOR: Final = "OUTLAST_ACTOR"  # names an agent that sets none of these
_VARIABLES: Final = (*HOSTS, _ANY_HOST, ACTOR)  # the first one that names an agent counts
HOST_VARIABLES: Final = frozenset(_VARIABLES)
_SEPARATES_COMMANDS: Final = ("claude-code", "codex")
_NAME: Final = "OUTLAST_NAME"
_LOGIN_NAMES: Final = ("LOGNAME", "USER")
_NAME_LENGTH: Final = 100


def host_agent() -> str:
    """Return the agent in whose environment this process runs; "" if a person started it."""
    return find_host()[1]


def find_host() -> tuple[str, str]:
    """Return the variable that gives the agent away and the agent's name; two "" for a person.

    The mark of our own tools comes first: a tool may run in a loop that a coding agent started.
    """
    names = [name for name in os.environ if name in HOST_VARIABLES or name.startswith(MARK)]
    if names and any(name.startswith(MARK) for name in names):
        return _ANY_MARK, OWN_AGENT
    for variable in sorted(filter(os.environ.get, names), key=_VARIABLES.index):
        agent = HOSTS.get(variable) or _agent_name(variable, os.environ[variable])
        if agent:
            return variable, agent
    return (_ANY_MARK, OWN_AGENT) if has_marked_ancestor(os.getpid()) else ("", "")


def refuse_person_inside_agent(argument: str) -> None:
    """Raise `InvalidArgument` if an agent runs this process, which then cannot be a person's."""
    variable, agent = find_host()
    if agent:
        raise InvalidArgument(
            "person_inside_agent", argument=argument, agent=agent, variable=variable
        )


def refuse_persons_name(name: str, argument: str) -> None:
    """Raise `InvalidArgument` if an agent runs this process and takes the name of its user.

    An account that is called like an agent, as in some containers, has no person's name.
    """
    if not host_agent():
        return
    users = {os.environ.get(_NAME), *map(os.environ.get, _LOGIN_NAMES), account_name(os.getuid())}
    persons = {fold_actor(user) for user in users if user}
    if fold_actor(name) in persons.difference(("",), map(fold_actor, (OWN_AGENT, *HOSTS.values()))):
        raise InvalidArgument("actor_like_person", argument=argument, name=name)


def _agent_name(variable: str, value: str) -> str:
    """Return the agent that a variable names; "" for a person, `agent` if it names nobody.

    The value of AI_AGENT begins with the name; `1` and `true` are none.
    """
    if variable == ACTOR:
        if value == PERSON:
            return ""
    else:
        letters = (letter if letter.isalnum() or letter == "-" else " " for letter in value.lower())
        value = ("".join(letters).split() or [""])[0]
    return OWN_AGENT if value in ("", "1", "true") or fold_actor(value) == PERSON else value


def person_name() -> str:
    """Return the name of the person at this process: OUTLAST_NAME, else the login name.

    It is one printable line. "" if nothing is known, or if OUTLAST_NAME is set and empty.
    """
    names = map(os.environ.get, _LOGIN_NAMES)
    name = os.environ.get(_NAME)
    if name is None:
        name = next(filter(None, names), None) or account_name(os.getuid())
    printable = name if name.isprintable() else "".join(filter(str.isprintable, name))
    return " ".join(printable.split())[:_NAME_LENGTH]


def choose_language(chosen: str | None, environment: Mapping[str, str] | None = None) -> Language:
    """Return the language of `--lang`, else of OUTLAST_LANG, else of the system's locale."""
    environment = os.environ if environment is None else environment
    named = chosen or environment.get("OUTLAST_LANG")
    if not named:
        variables = ("LC_ALL", "LC_MESSAGES", "LANG")
        named = next((environment[name] for name in variables if environment.get(name)), "en")
    return "zh" if named.lower().startswith("zh") else "en"


def account_name(user: int) -> str:
    """Return the login name of a user id; "" if it has no account, as in some containers."""
    from pwd import getpwuid

    try:
        return getpwuid(user).pw_name
    except KeyError:
        return ""


def is_inside_tool() -> bool:
    """Return whether a tool or a check started this process, or an ancestor of it.

    On Linux a program does not hide that by a cleared environment. One that outlives its ancestors
    is not recognized.
    """
    return any(name.startswith(MARK) for name in os.environ) or has_marked_ancestor(os.getpid())


def may_be_run_by_model() -> bool:
    """Return whether a model's command may have started this process, not the agent's own program.

    Claude Code and Codex run each command in a session of the operating system whose leader has
    their variables, and start what they need themselves in the session that they were started in:
    no command can enter that again. Where the leader cannot be looked at, a model may be it.
    """
    agent = host_agent()
    if not agent or agent not in _SEPARATES_COMMANDS:
        return bool(agent)
    names = _variables_of(os.getsid(0))
    return not names or bool(names & HOST_VARIABLES)


def is_run_by_model_of(agent: str) -> bool:
    """Return whether a command of this coding agent's model has started this process.

    The agent runs its commands and its hooks in sessions of the operating system, each of which
    says by the variables of its leader what it is for. Where the agent itself was started, as from
    a terminal that another agent has opened, says nothing. What hides its own variables, or
    outlives its command, is not recognized; nor is anything where processes cannot be looked at.
    """
    names = {name for name, owner in HOSTS.items() if owner == agent}
    names.difference_update(_FOR_HOOKS, _OF_LAUNCHERS)
    if names.isdisjoint(os.environ):
        return False
    process, leaders = os.getpid(), set[int]()
    while process > 1:
        parent, leader = _read_family(process)
        if _read(process, "comm").strip() == _PROGRAMS.get(agent):
            leaders.discard(leader)
            break
        leaders.add(leader)
        process = parent
    variables = map(_variables_of, leaders)
    return any(names & known and known.isdisjoint(_FOR_HOOKS) for known in variables)


def _variables_of(process: int) -> set[str]:
    """Return the names of the variables that a process was started with; empty if unknown."""
    entries = _read(process, "environ").split(b"\0")
    return {entry.partition(b"=")[0].decode(errors="replace") for entry in entries if entry}


@cache
def has_marked_ancestor(process: int) -> bool:
    """Return whether an ancestor of a process has the mark, or a tool's process is among them.

    A tool is the leader of a session. Its runner has another child that watches over it, and whose
    command line has the leader's number and the mark.
    """
    mark = MARK.encode()
    while process > 1:
        parent, session = _read_family(process)
        if parent > 1 and mark in _read(parent, "environ"):
            return True
        watches = b"\0%d\0%b" % (process, mark)
        if session == process and any(
            watches in _read(each, "cmdline") for each in _children(parent)
        ):
            return True
        process = parent
    return False


def _read_family(process: int) -> tuple[int, int]:
    """Return the parent and the session of a process; zeros if they are unknown."""
    fields = _read(process, "stat").rpartition(b")")[2].split()  # the name may have brackets
    return (int(fields[1]), int(fields[3])) if fields else (0, 0)


def _children(process: int) -> Iterator[int]:
    with suppress(OSError):  # the process is gone
        for thread in os.listdir(f"{_PROCESSES}/{process}/task"):
            yield from map(int, _read(process, f"task/{thread}/children").split())


def _read(process: int, name: str) -> bytes:
    """Return what the kernel tells about a process; nothing if it is another user's or is gone."""
    try:
        with open(f"{_PROCESSES}/{process}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""
