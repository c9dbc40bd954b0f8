"""What `doctor` says about coding agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.console.render.errors import error_text
from outlast.console.render.next_command import suggest_command
from outlast.hosts.settings.health import PATIENCE
from outlast.hosts.settings.setup_files import PROGRAMS
from outlast.language import listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outlast.console.call import Call
    from outlast.hosts.settings.health import HostHealth, ServerHealth, SetupHealth

Row = tuple[str, bool, str]  # what it is about, whether it is in order, what is said
_MILLISECONDS: Final = 1000


def host_rows(call: Call, hosts: Sequence[HostHealth]) -> Iterator[Row]:
    """Yield rows about every agent that is installed or set up, and one about the others."""
    absent = [each.host for each in hosts if not (each.program or each.setups or each.servers)]
    for each in hosts:
        if each.host in absent:
            continue
        if not each.setups:
            says = call.text("doctor_host_off", version=_version(each), host=each.host)
            yield each.host, True, says
        for setup in each.setups:
            yield from ((each.host, ok, says) for ok, says in _setup_rows(call, each, setup))
        for server in each.servers:
            yield each.host, *_server_row(call, each, server)
    if absent:
        missing = listing(absent, call.language)
        yield call.text("doctor_agents"), True, call.text("doctor_hosts_absent", hosts=missing)


def _version(host: HostHealth) -> str:
    return host.version or host.program


def _setup_rows(call: Call, host: HostHealth, setup: SetupHealth) -> Iterator[tuple[bool, str]]:
    where, program = setup.path, PROGRAMS[host.host]
    renew = suggest_command(call, "init", host.host, *_scope(setup.scope))
    if setup.problem is not None:
        yield False, error_text(setup.problem, call)
    elif setup.state == "gone":
        says = call.text("doctor_host_gone", where=where, path=setup.missing, command=renew)
        yield False, says
    elif setup.state == "outdated":
        yield False, call.text("doctor_host_outdated", where=where, command=renew)
    elif not host.program:
        yield True, call.text("doctor_host_missing", where=where, program=program)
    else:
        yield True, call.text("doctor_host_on", version=_version(host), where=where)
    if setup.untrusted:
        yield False, call.text("doctor_host_untrusted", where=where, count=setup.untrusted)


def _server_row(call: Call, host: HostHealth, server: ServerHealth) -> tuple[bool, str]:
    where, patience = server.path, f"{PATIENCE[host.host]:.0f}"
    milliseconds = round(server.seconds * _MILLISECONDS)
    if not server.is_this:
        renew = suggest_command(call, "init", host.host, *_scope(server.scope), "--mcp")
        says = call.text("doctor_mcp_other", python=server.python, where=where, command=renew)
        return True, says
    if server.problem is not None:
        problem = server.problem or call.text("doctor_mcp_printed_nothing")
        says = call.text("doctor_mcp_silent", patience=patience, problem=problem, where=where)
        return False, says
    return True, call.text("doctor_mcp_on", milliseconds=milliseconds, where=where)


def _scope(scope: str) -> tuple[str, ...]:
    return ("--project",) if scope == "project" else ()
