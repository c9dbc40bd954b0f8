"""`task-<uuid>.md`: a command to the coding agent behind a mailbox (R1.02)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from msgspec import Struct

from outlast.agent.work import is_session_id
from outlast.errors import InvalidDocument
from outlast.language import times
from outlast.orchestrator.agents.mailbox.sections import SectionForm

if TYPE_CHECKING:
    from outlast.orchestrator.agents.mailbox.sections import HeadingLanguage

CommandType = Literal["new", "continue", "end"]
COMMAND_TYPES: Final[tuple[CommandType, ...]] = get_args(CommandType)
AUTO: Final = "auto"  # the session id of a command that begins a session
_ID: Final = re.compile(r"task-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CHECK: Final = "- check: "
_FORM: Final = SectionForm(
    ("description", "constraints", "expected"),
    {
        "en": ("Task description", "Constraints", "Expected output"),
        "zh": ("任务描述", "约束条件", "预期输出"),
    },
)


class CommandFile(Struct, frozen=True):
    """What a coding agent is asked to do; `checks` are the rules that must hold afterwards."""

    id: str
    created_at: datetime
    description: str
    constraints: str = ""
    expected: str = ""
    checks: tuple[str, ...] = ()
    session_id: str = AUTO
    command_type: CommandType = "new"


def is_command_id(value: str) -> bool:
    """Return whether a text is the id of a command: safe in the name of a file."""
    return _ID.fullmatch(value) is not None


def render(command: CommandFile, headings: HeadingLanguage = "en") -> str:
    """Return the file; the language of the headings is not that of the texts."""
    checks = "\n".join(f"{_CHECK}{rule}" for rule in command.checks)
    expected = "\n\n".join(filter(None, (command.expected.strip(), checks)))
    fields = {
        "id": command.id,
        "created_at": times.write_milliseconds(command.created_at),
        "session_id": command.session_id,
        "command_type": command.command_type,
    }
    return _FORM.render(fields, (command.description, command.constraints, expected), headings)


def parse(text: str, where: str) -> CommandFile:
    """Parse a command in either language; raises `InvalidDocument`.

    The checks stay in the expected output: they are for the agent to read.
    """
    file = _FORM.parse(text, where)
    fields = file.fields
    created, kind = times.read(fields.get("created_at")), fields.get("command_type", "")
    session = fields.get("session_id") or AUTO
    is_valid = {
        "id": is_command_id(fields.get("id", "")),
        "created_at": created is not None,
        "session_id": is_session_id(session),
        "command_type": kind in COMMAND_TYPES,
    }
    for field, is_good in is_valid.items():
        if not is_good:
            value = fields.get(field, "")
            raise InvalidDocument("mailbox_field", where=where, field=field, value=value)
    return CommandFile(
        fields["id"],
        cast("datetime", created),
        file.sections["description"],
        file.sections["constraints"],
        file.sections["expected"],
        session_id=session,
        command_type=cast("CommandType", kind),
    )
