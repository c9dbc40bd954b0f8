"""`init`: set up a coding agent, or remove the setup."""

from __future__ import annotations

import sys
from difflib import unified_diff
from importlib.metadata import version
from itertools import chain
from typing import TYPE_CHECKING, Final

from outlast.console.call import OK, REFUSED, Answer, Call, Json, shell_word
from outlast.console.render.output import write
from outlast.errors import WrongUsage
from outlast.hosts.command_table import SETUPS
from outlast.hosts.settings.setup import (
    AGENTS_MD,
    Installation,
    Places,
    Scope,
    Setup,
    SetupOptions,
    apply_setup,
    installed_hosts,
    is_temporary_python,
    prepare_guide,
    prepare_host,
    prepare_plugin,
    this_installation,
    user_places,
)
from outlast.hosts.wire.events import HOST_NAMES, HostName
from outlast.language import listing, text, visible
from outlast.model.intents import is_yes
from outlast.redact.secrets import redact
from outlast.system.workspace_root import current_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.hosts.settings.files import FileChange

_WIDEST: Final = 400  # characters of a line in a diff
_NONE: Final = "/dev/null"
_WILL: Final = {
    "create": "init_will_create",
    "update": "init_will_update",
    "remove": "init_will_remove",
}
_NEXT: Final = {
    "claude-code": "init_next_commands",
    "codex": "init_next_codex",
    "gemini": "init_next_commands",
}


def init(  # noqa: PLR0913 - one keyword for each option
    call: Call,
    *,
    host: str | None = None,
    project: bool = False,
    user: bool = False,
    mcp: bool = False,
    plugin: str | None = None,
    remove: bool = False,
    yes: bool = False,
) -> Answer:
    """Set up a coding agent, or remove the setup: show what changes, ask, and change it."""
    if [project, user, plugin is not None].count(True) > 1:
        raise WrongUsage("init_two_scopes")
    places = user_places(current_directory())
    own = this_installation(version("outlast"))
    chosen = _choose(call, places) if host is None else _check_name(host)
    if chosen == AGENTS_MD and (project or user or mcp or plugin is not None):
        raise WrongUsage("init_guide_options")
    if plugin is not None and chosen != "claude-code":
        raise WrongUsage("init_plugin_host")
    setup = _prepare(call, chosen, SetupOptions(places, own, call.language, mcp, remove))
    options = ["--project"] if project else ["--plugin", plugin] if plugin is not None else []
    words = [chosen, *options, *(["--mcp"] if mcp else []), *(["--remove"] if remove else [])]
    if not setup.pending:
        apply_setup(setup)  # what was stored for a removal may still have to go
        key = "init_nothing_to_remove" if remove else "init_current"
        lines = [call.text(key, host=chosen), *_notice_lines(call, setup)]
        return _answer(chosen, setup, lines, applied=False)
    if not call.wants_json:
        diffs = map(_file_diff, setup.pending)
        write("\n".join(chain.from_iterable(diffs)), sys.stdout)
    if not yes and not call.is_interactive:
        lines = [
            *_notice_lines(call, setup),
            call.text("init_unconfirmed", command=call.suggest("init", *words)),
        ]
        return _answer(chosen, setup, lines, applied=False, code=REFUSED)
    if not yes and not _is_confirmed(call, setup):
        return _answer(chosen, setup, [call.text("init_declined")], applied=False)
    apply_setup(setup)
    lines = [*_result_lines(call, setup), *_notice_lines(call, setup)]
    if not remove:
        undo = call.suggest("init", chosen, *options, "--remove")
        lines += _next_lines(call, chosen, setup, own, undo)
    return _answer(chosen, setup, lines, applied=True)


def _check_name(name: str) -> str:
    if name not in SETUPS:
        raise WrongUsage("init_unknown_host", host=visible(name), known=[*SETUPS])
    return name


def _choose(call: Call, places: Places) -> str:
    """Return the agent to set up: the only one that is installed, else the one a person names."""
    hosts: list[HostName] = installed_hosts(places)
    if not hosts:
        raise WrongUsage("init_nothing_installed")
    if not call.is_interactive:
        commands = [call.suggest("init", name) for name in hosts]
        raise WrongUsage("init_which", hosts=[*hosts], commands=commands)
    if len(hosts) == 1:
        return hosts[0]
    names = listing(hosts, call.language)
    try:
        typed = input(call.text("init_ask_host", hosts=names)).strip()
    except EOFError:
        typed = ""
    near = [name for name in hosts if typed and name.startswith(typed.lower())]
    return near[0] if len(near) == 1 else _check_name(typed)


def _prepare(call: Call, chosen: str, options: SetupOptions) -> Setup:
    plugin = call.values.get("plugin")
    if plugin is not None:
        return prepare_plugin(plugin, options)
    for host in HOST_NAMES:
        if host == chosen:
            scope: Scope = "project" if call.values.get("project") else "user"
            return prepare_host(host, scope, options)
    return prepare_guide(options)


def _is_confirmed(call: Call, setup: Setup) -> bool:
    """Ask, below a diff that may have left the screen: so the question names the files again."""
    will = [
        visible(call.text(_WILL[_kind(change)], where=change.file.where))
        for change in setup.pending
    ]
    lines = [*will, *_notice_lines(call, setup)]
    try:
        question = call.text("init_ask", count=len(setup.pending))
        return is_yes(input("\n".join([*lines, question])))
    except EOFError:
        return False


def _answer(
    chosen: str, setup: Setup, lines: list[str], *, applied: bool, code: int = OK
) -> Answer:
    def as_json() -> Json:
        files = [
            {
                "path": change.file.path,
                "change": _kind(change),
                "diff": "\n".join(_file_diff(change)),
                "backup": setup.backups.get(change.file.path),
            }
            for change in setup.pending
        ]
        left_alone = [text(key, **facts) for key, facts in setup.notices]
        return {"host": chosen, "applied": applied, "files": files, "left_alone": left_alone}

    return Answer(as_json, lambda: "\n".join(lines), code)


def _kind(change: FileChange) -> str:
    if change.after is None:
        return "remove"
    return "create" if change.file.text is None else "update"


def _file_diff(change: FileChange) -> Iterator[str]:
    """Yield the unified diff of a file, without the secrets that stand beside our lines."""
    path = visible(change.file.where)
    before, after = change.file.text, change.after
    lines = unified_diff(
        (before or "").splitlines(keepends=True),
        (after or "").splitlines(keepends=True),
        _NONE if before is None else path,
        _NONE if after is None else path,
    )
    for line in lines:
        bare = line.rstrip("\r\n")
        shown = visible(redact(bare.replace("\t", "    ")))
        yield shown if len(shown) <= _WIDEST else f"{shown[:_WIDEST]}…"
        if bare == line:
            yield "\\ No newline at end of file"


def _notice_lines(call: Call, setup: Setup) -> list[str]:
    return [visible(call.text(key, **facts)) for key, facts in setup.notices]


def _result_lines(call: Call, setup: Setup) -> Iterator[str]:
    for change in setup.pending:
        path = change.file.path
        done = "init_restored" if setup.is_removal else "init_wrote"
        key = "init_removed" if change.after is None else done
        yield visible(call.text(key, where=path))
        if not setup.is_removal and path in setup.backups:
            yield visible(call.text("init_backup", where=setup.backups[path]))


def _next_lines(
    call: Call, chosen: str, setup: Setup, own: Installation, undo: str
) -> Iterator[str]:
    """Yield what to do now."""
    if chosen == AGENTS_MD:
        where = visible(setup.pending[0].file.path)
        yield call.text("init_next_agents_md", where=where, remove=undo)
        return
    if is_temporary_python(own.python):
        yield visible(call.text("init_temporary_python", python=own.python))
    plugin = call.values.get("plugin")
    if plugin is not None:
        yield call.text("init_next_plugin", directory=shell_word(plugin))
    else:
        yield call.text(_NEXT[chosen], remove=undo)
