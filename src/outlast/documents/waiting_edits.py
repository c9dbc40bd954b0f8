"""Edits that wait for a person's word, as an open question of kind `edit`.

They were made in a view while a tool ran, and only a person may make them. A yes applies them as
the person's, a no drops them. The question carries them, so that they outlive the process and the
file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, Raw, Struct, ValidationError
from msgspec.json import decode, encode

from outlast.language import Language, text, visible
from outlast.model.commands import Command, RemoveTask
from outlast.model.decide.conversation import QUESTION_CHARACTERS
from outlast.redact.structs import redact_commands
from outlast.store.journal import COMMAND_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlast.documents.markdown.merge.edits import Edit
    from outlast.model.model import Question
    from outlast.model.state import PlanState

EDIT: Final = "edit"
_SHOWN: Final = 10  # lines of a question
_LINE_CHARACTERS: Final = 120
_QUESTIONS: Final = {  # without the advice of the report: the file is set aside
    "task_plan_held_back": "edit_held_back",
    "task_plan_cut": "edit_cut",
    "notes_cut": "edit_notes_cut",
}
_CLASSES: Final[dict[str, Any]] = {name: kind for kind, name in COMMAND_NAMES.items()}


class WaitingEdit(Struct, frozen=True, omit_defaults=True):
    """One edit: the lines that were changed, and its commands by name.

    Without lines it removes a task, which `task` names.
    """

    line: int
    excerpt: tuple[str, ...]
    commands: tuple[tuple[str, Raw], ...]
    task: str = ""

    def decode(self) -> tuple[Command, ...]:
        """Return the commands."""
        return tuple(decode(body, type=_CLASSES[name]) for name, body in self.commands)


class WaitingEdits(Struct, frozen=True, omit_defaults=True):
    """The edits of one save of a view, which `key` identifies, and the tool that ran.

    `revision` is that of the plan when they were found. An edit that looks like a mistake waits as
    a whole: `text` is the file, `revision` its base, `bare` its form, and `reports` is why.
    """

    view: str
    during: str
    key: str
    edits: tuple[WaitingEdit, ...] = ()
    text: str = ""
    revision: int = 0
    reports: tuple[tuple[str, dict[str, Any]], ...] = ()
    bare: bool = False


def waiting_edit(state: PlanState, edit: Edit, commands: Sequence[Command]) -> WaitingEdit:
    """Return an edit with its commands, without the secrets in them."""
    named = ((COMMAND_NAMES[type(each)], Raw(encode(each))) for each in redact_commands(commands))
    removed = (state.find(each.task) for each in commands if isinstance(each, RemoveTask))
    task = next((f"{task.id} {task.name}" for task in removed if task is not None), "")
    return WaitingEdit(edit.line, edit.excerpt, tuple(named), task)


def encode_edits(edits: WaitingEdits) -> str:
    """Return the edits as the `about` of a question."""
    return encode(edits).decode()


def decode_edits(question: Question) -> WaitingEdits | None:
    """Return the edits of a question; None if it has none that can be read."""
    if question.kind != EDIT:
        return None
    try:
        return decode(question.about, type=WaitingEdits)
    except (DecodeError, ValidationError):
        return None


def list_waiting(state: PlanState, key: str) -> list[WaitingEdit]:
    """Return the edits that need not be asked about.

    They are in an open question, or in any question about the save of a file with this key.
    """
    edits: list[WaitingEdit] = []
    for question in state.ledger.conversation.questions.values():
        waiting = decode_edits(question)
        if waiting is not None and (question.answer is None or waiting.key == key):
            edits += waiting.edits
    return edits


def question_text(question: Question, language: Language) -> str:
    """Return the text of a question; one about edits in this language."""
    waiting = decode_edits(question)
    return question.text if waiting is None else describe_edits(waiting, language)


def describe_edits(waiting: WaitingEdits, language: Language) -> str:
    """Return the question about edits: what changed while which tool ran."""
    details: dict[str, object] = {"name": waiting.view, "tool": waiting.during}
    if waiting.edits:
        lines = [_describe_edit(edit, language) for edit in waiting.edits]
    else:
        reports = ((_QUESTIONS.get(key, key), values) for key, values in waiting.reports)
        lines = [text(key, language, **values) for key, values in reports]
    if len(lines) > _SHOWN:
        more = len(lines) - _SHOWN
        lines[_SHOWN:] = [text("edit_more", language, name=waiting.view, count=more)]
    listed = "\n".join(f"  {line}" for line in lines)
    key = "edit_question" if waiting.edits else "edit_question_file"
    return text(key, language, **details, lines=listed)[:QUESTION_CHARACTERS]


def _describe_edit(edit: WaitingEdit, language: Language) -> str:
    if edit.task:
        return text("edit_removal", language, task=_shorten(edit.task))
    line_text = _shorten(" ".join(edit.excerpt))
    return text("edit_line", language, line=edit.line, line_text=line_text)


def _shorten(line: str) -> str:
    shown = visible(line)
    return shown if len(shown) <= _LINE_CHARACTERS else f"{shown[: _LINE_CHARACTERS - 1]}…"
