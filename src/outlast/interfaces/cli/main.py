"""Run one command: parse it, execute it, print the answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from outlast.errors import OutlastError
from outlast.interfaces.cli.parser import fast_path
from outlast.interfaces.cli.parser.table import COMMANDS
from outlast.interfaces.cli.plan_context import open_plan_for
from outlast.interfaces.cli.render.output import (
    FAILURE,
    OK,
    answer_content,
    format_content,
    print_notices,
    write,
)
from outlast.wiring.workspaces import damage_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Answer, Json


def run(arguments: list[str]) -> int:
    """Run a command line; return the exit code."""
    call = fast_path.parse(arguments)
    return _parse_and_execute(arguments) if call is None else execute(call)


def _parse_and_execute(arguments: list[str]) -> int:
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.parser import click_parser

    try:
        call = click_parser.parse(arguments)
    except OutlastError as error:
        return _report_error(error, Call("", {}, click_parser.guess_common_options(arguments)))
    return execute(call)


def execute(call: Call) -> int:
    """Execute a command and print its answer; return the exit code."""
    try:
        content, code = _call_command(call)
    except OutlastError as error:
        return _report_error(error, call)
    if code == OK and damage_error(call.notices):
        code = FAILURE
    print_notices(call)
    if content == "":  # everything is printed already
        return code
    return write(format_content(content, code, call), sys.stdout) or code


def _call_command(call: Call) -> tuple[Json | str, int]:
    command = COMMANDS[call.command]
    function = _load_function(command.function)
    if command.needs_plan:
        with open_plan_for(call) as plan:
            answer = function(plan, call, **call.values)
            return answer_content(answer, call), answer.code
    answer = function(call, **call.values)
    return answer_content(answer, call), answer.code


def _load_function(function_path: str) -> Callable[..., Answer]:
    module_name, _, name = function_path.partition(".")
    imported: Any = __import__(f"outlast.interfaces.cli.commands.{module_name}", fromlist=[name])
    function: Callable[..., Answer] = getattr(imported, name)
    return function


def _report_error(error: OutlastError, call: Call) -> int:
    from outlast.interfaces.cli.render.errors import exit_code, render_error

    print_notices(call, unless=error.text)
    stream = sys.stdout if call.wants_json else sys.stderr
    return write(render_error(error, call), stream) or exit_code(error)
