"""Runs one command: reads it, carries it out, prints the answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from outlast.errors import OutlastError
from outlast.interfaces.cli.parser import fast_path
from outlast.interfaces.cli.parser.table import COMMANDS
from outlast.interfaces.cli.plan_context import opened
from outlast.interfaces.cli.render.output import (
    OK,
    TROUBLE,
    complaint,
    content,
    exit_code,
    rendered,
    say_notices,
    write,
)
from outlast.wiring.workspaces import damage

if TYPE_CHECKING:
    from collections.abc import Callable

    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Answer, Json


def run(arguments: list[str]) -> int:
    """Run a command line; return the exit code."""
    call = fast_path.read(arguments)
    return _parsed(arguments) if call is None else carry_out(call)


def _parsed(arguments: list[str]) -> int:
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.parser import click_parser

    try:
        call = click_parser.read(arguments)
    except OutlastError as error:
        return _complain(error, Call("", {}, click_parser.peek(arguments)))
    return carry_out(call)


def carry_out(call: Call) -> int:
    """Do what is asked and print the answer; return the exit code."""
    try:
        said, code = _answered(call)
    except OutlastError as error:
        return _complain(error, call)
    if code == OK and damage(call.notices):
        code = TROUBLE
    say_notices(call)
    if said == "":  # it has been told already
        return code
    return write(rendered(said, code, call), sys.stdout) or code


def _answered(call: Call) -> tuple[Json | str, int]:
    command = COMMANDS[call.command]
    function = _function(command.home)
    if command.on_plan:
        with opened(call) as plan:
            answer = function(plan, call, **call.values)
            return content(answer, call), answer.code
    answer = function(call, **call.values)
    return content(answer, call), answer.code


def _function(home: str) -> Callable[..., Answer]:
    module, _, name = home.partition(".")
    found: Any = __import__(f"outlast.interfaces.cli.commands.{module}", fromlist=[name])
    function: Callable[..., Answer] = getattr(found, name)
    return function


def _complain(error: OutlastError, call: Call) -> int:
    say_notices(call, unless=error.text)
    stream = sys.stdout if call.as_json else sys.stderr
    return write(complaint(error, call), stream) or exit_code(error)
