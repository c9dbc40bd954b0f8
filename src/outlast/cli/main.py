"""Run one command: parse it, execute it, print the answer."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from outlast.cli.parser import guess_common_options, join_needs, parse
from outlast.console.call import FAILURE, OK, Answer, Call, Json
from outlast.console.command_index import load_attribute, load_command
from outlast.console.plan_context import ARCHIVED, open_plan_for
from outlast.console.render.output import (
    answer_content,
    format_content,
    print_notice,
    print_notices,
    write,
)
from outlast.errors import OutlastError
from outlast.plan.home.find import DISK, damage_error
from outlast.system.caller import host_agent
from outlast.system.state_home import StateHome, state_home

if TYPE_CHECKING:
    from collections.abc import Callable


def run(arguments: list[str]) -> int:
    """Run a command line and print its answer; return the exit code."""
    arguments = join_needs(arguments)
    try:
        call = parse(arguments)
    except OutlastError as error:
        return _report_error(error, Call("", {}, guess_common_options(arguments)))
    call.context.find_attached, call.context.before_use = _attached_key, _take_in_spooled
    code = _answer(call)
    finish(call)
    return code


def _attached_key(root: str) -> str:
    """Return the key of the plan that the coding agent's session which runs this works on."""
    if not host_agent():
        return ""
    from outlast.hosts.sessions import attached_record

    record = attached_record(root)
    return "" if record is None else record.key


def _take_in_spooled(plan_id: str) -> None:
    """Let a plan have what hooks of coding agents brought while it was locked."""
    sessions = StateHome(state_home()).path_of("hosts")
    if os.path.isdir(sessions):  # noqa: PTH112 - a short-lived process cannot afford pathlib
        from outlast.hosts.session_plan import take_in_for

        take_in_for(plan_id)


def finish(call: Call) -> None:
    """Call what waits for the end of a command; an error is logged, as the answer is printed."""
    for callback in call.at_end:
        try:
            callback()
        except OutlastError as error:
            from outlast.system.logs import LOG

            LOG.warning("after the end of %s: %s", call.command, error)


def _answer(call: Call) -> int:
    """Execute a command and print its answer; return the exit code."""
    try:
        content, code = _execute(call)
    except OutlastError as error:
        return _report_error(error, call)
    if code == OK and damage_error(call.notices):
        code = FAILURE
    print_notices(call)
    if content == "":  # everything is printed already
        return code
    return write(format_content(content, code, call), sys.stdout) or code


def _execute(call: Call) -> tuple[Json | str, int]:
    """Execute a command; return its answer, ready to be printed, and the exit code."""
    command = load_command(call.command)
    flags = command.reserved_flags(call.values)
    if flags or command.person_only:
        call.require_person(" ".join((command.name, *flags)))
    function: Callable[..., Answer] = load_attribute(command.function)
    DISK.on_wait = partial(print_notice, call)
    if not command.needs_plan:
        answer = function(call, **call.values)
        return answer_content(answer, call), answer.code
    values = {name: value for name, value in call.values.items() if name != ARCHIVED}
    with open_plan_for(call) as plan:  # the content is made while the plan is open
        answer = function(plan, call, **values)
        return answer_content(answer, call), answer.code


def _report_error(error: OutlastError, call: Call) -> int:
    from outlast.console.render.errors import exit_code, render_error

    print_notices(call, unless=error.text)
    stream = sys.stdout if call.wants_json else sys.stderr
    return write(render_error(error, call), stream) or exit_code(error)
