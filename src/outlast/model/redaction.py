"""Redact commands: every text that people read, nothing that must stay exact.

Exact are ids and references, names of actors and kinds, commands to run, checks, patterns of files,
digests, proofs, and the record of a call, which has digests in place of its secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec.structs import replace

from outlast.model import commands as c
from outlast.model.model import LastRun, Phase, Prose, Task
from outlast.model.replan_position import Observation, PlannedAction, ReplanPosition
from outlast.redact.fast import redact_text
from outlast.redact.hints import has_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Redactor = Callable[[Any], Any]

T = TypeVar("T")
_COMMENT_END: Final = "-->"


def redact_commands(commands: Sequence[T]) -> Sequence[T]:
    """Return commands without secrets; the same object if there is nothing to redact.

    A value of a wrong type stays as it is: the rules refuse it.
    """
    for command in commands:
        fields = _FIELDS.get(type(command), ())
        for name, redact_field in _question_fields(command) if fields is _QUESTION else fields:
            value = getattr(command, name)
            if redact_field(value) is not value:  # no truth of a value that is not checked yet
                return tuple(map(_redact, commands))
    return commands


def _redact(command: Any) -> Any:  # noqa: ANN401 - a command or a part of one, of any type
    fields = _FIELDS.get(type(command), ())
    if fields is _QUESTION:
        fields = _question_fields(command)
    texts = {name: redact_field(getattr(command, name)) for name, redact_field in fields}
    return replace(command, **texts) if texts else command


def _question_fields(question: Any) -> tuple[tuple[str, Redactor], ...]:  # noqa: ANN401 - its fields are not checked yet
    """Return the texts of a question; what it is about is one if people wrote it."""
    match question.kind:
        case "goal":
            return (*_QUESTION, ("about", redact_text))
        case "edit" | "replan" | "checks":
            return (*_QUESTION, ("about", _redact_json))
    return _QUESTION


def _redact_parts(parts: object) -> object:
    return redact_commands(parts) if type(parts) is tuple else parts


def _redact_part(part: object) -> object:
    return redact_commands((part,))[0]


def _redact_json(text: object) -> object:
    if type(text) is not str or not (has_hint(text) or "\\u" in text):
        return text
    from outlast.redact.values import redact_json

    return redact_json(text)


def _redact_lines(lines: object) -> object:
    """Redact lines as one text, since a private key has several; keep the ends of comments."""
    if type(lines) is not tuple or not all(type(line) is str for line in lines):
        return lines
    text = "\n".join(lines)
    if not has_hint(text):
        return lines
    from outlast.redact.secrets import redact

    safe = _COMMENT_END.join(map(redact, text.split(_COMMENT_END)))
    return lines if safe == text else tuple(safe.split("\n"))


def _redact_each(texts: object) -> object:
    """Redact texts that have nothing to do with each other."""
    if type(texts) is not tuple:
        return texts
    safe = tuple(map(redact_text, texts))
    return texts if safe == texts else safe


def _texts(*names: str) -> tuple[tuple[str, Redactor], ...]:
    return tuple((name, redact_text) for name in names)


_QUESTION: Final = _texts("text")
_TASK_TEXTS: Final = (
    "name",
    "reasoning",
    "description",
    "active_form",
    "constraints",
    "expected",
)
_FIELDS: Final[dict[type, tuple[tuple[str, Redactor], ...]]] = {
    c.CreatePlan: (
        *_texts("goal", "title"),
        ("phases", _redact_parts),
        ("tasks", _redact_parts),
        ("extra", _redact_json),
    ),
    c.InitializePlan: (*_texts("goal"), ("tasks", _redact_parts)),
    c.EditPlan: _texts("goal", "title"),
    c.AddPhase: _texts("title", "notes"),
    c.EditPhase: _texts("title", "notes"),
    c.AddTasks: (("tasks", _redact_parts),),
    c.Replan: (("tasks", _redact_parts),),
    c.EditTask: _texts(*_TASK_TEXTS, "result"),
    c.Complete: _texts("result"),
    c.Fail: _texts("error"),
    c.Skip: _texts("reason"),
    c.Return: _texts("reason"),
    c.EndAttempt: _texts("note"),
    c.AskQuestion: _QUESTION,
    c.AnswerQuestion: _texts("text"),
    c.Interject: _texts("text"),
    c.NoteRefusal: _texts("note"),
    c.RememberRun: (("run", _redact_part),),
    c.NoteReport: (
        *_texts("results", "pitfalls", "next_steps", "late"),
        ("denied", _redact_each),
    ),
    c.NoteDecision: _texts("reason", "advice"),
    c.NoteFootprint: (("outside", _redact_each),),
    c.MoveReplan: (("position", _redact_part), ("observation", _redact_part)),
    c.NoteFinding: _texts("title", "content", "source"),
    c.EditFinding: _texts("title", "content", "source"),
    c.NoteError: (*_texts("tool", "message", "stack"), ("params", _redact_json)),
    c.Deliver: _texts("text"),
    c.KeepProse: (("prose", _redact_parts),),
    # parts of commands
    c.NewTask: _texts(*_TASK_TEXTS),
    Task: (
        *_texts(*_TASK_TEXTS, "result", "error"),
        ("extra", _redact_json),
    ),
    Phase: _texts("title", "notes"),
    LastRun: _texts("model", "agent"),
    ReplanPosition: (*_texts("conclusion", "snapshot"), ("action", _redact_part)),
    PlannedAction: _texts("input"),
    Observation: _texts("input", "result"),
    Prose: (("lines", _redact_lines),),
}
