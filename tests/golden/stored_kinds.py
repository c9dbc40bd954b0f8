"""Every structure that is stored, by a name of its own, and how each is written.

The names here are those of `stored_names.json`; a class may be called anything.
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import inspect

from outlast.assistant.agenda import items
from outlast.assistant.agenda.commands import AddTodo
from outlast.assistant.agenda.database import AgendaDatabase
from outlast.config.parse import KEYS
from outlast.config.settings import Settings
from outlast.context.chat_model import Call, Message, Usage
from outlast.documents.json.foreign_fields import Foreign
from outlast.documents.views.manifest import ManifestEntry
from outlast.model import budget, ledger, model, replan_position
from outlast.model.changes import Change, Commit
from outlast.model.commands import NewTask
from outlast.plan.home.database import create_database
from outlast.store.journal import COMMAND_NAMES, Header
from outlast.store.snapshot import Snapshot
from outlast.system.disk import Disk

if TYPE_CHECKING:
    from pathlib import Path

KINDS: Final[dict[str, type[msgspec.Struct]]] = {
    "journal header": Header,
    "commit": Commit,
    "snapshot": Snapshot,
    "task": model.Task,
    "phase": model.Phase,
    "check": model.Check,
    "progress": model.Progress,
    "lease": model.Lease,
    "last run": model.LastRun,
    "attempt": model.Attempt,
    "question": model.Question,
    "report about a task": model.TaskReport,
    "decision about a task": model.TaskDecision,
    "session with an agent": model.AgentSession,
    "footprint of a task": model.Footprint,
    "interjection": model.Interjection,
    "evidence": model.Evidence,
    "proof": model.Proof,
    "confirmation": model.Confirmation,
    "finding": model.Finding,
    "error": model.ErrorRecord,
    "prose": model.Prose,
    "done attempt": ledger.DoneAttempt,
    "proofs of a task": ledger.TaskProofs,
    "ledger": ledger.Ledger,
    "notes": ledger.Notes,
    "loop counters": ledger.LoopCounters,
    "conversation": ledger.Conversation,
    "position of the replan loop": replan_position.ReplanPosition,
    "planned action": replan_position.PlannedAction,
    "observation": replan_position.Observation,
    "todo in the agenda": items.TodoItem,
    "appointment in the agenda": items.Appointment,
    "recurrence in the agenda": items.Recurrence,
    "spend": budget.Spend,
    "budget": budget.Budget,
    "new task": NewTask,
    "view in rendered.json": ManifestEntry,
    "foreign fields of plan.json": Foreign,
    "call in a transcript": Call,
    "message in a transcript": Message,
    "usage in a transcript": Usage,
}
COMMANDS: Final = {f"command {name}": kind for kind, name in COMMAND_NAMES.items()}
CHANGES: Final = {f"change {kind.__struct_config__.tag}": kind for kind in Change.__args__}
STORED: Final[dict[str, type[msgspec.Struct]]] = {**KINDS, **CHANGES, **COMMANDS}
_NAMES: Final = {kind: name for name, kind in STORED.items()}


def describe_all() -> dict[str, Any]:
    """Return how each structure is written: tag, fields in their order, types and defaults."""
    return {name: describe(kind) for name, kind in STORED.items()}


def describe(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return how a structure is written."""
    config, info = kind.__struct_config__, inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return {
        "tag": None if config.tag is None else [config.tag_field, config.tag],
        "flags": [flag for flag in _FLAGS if getattr(config, flag)],
        "fields": [f"{field.encode_name}: {_field(field)}" for field in info.fields],
    }


_FLAGS: Final = ("array_like", "omit_defaults", "forbid_unknown_fields")


def _field(field: inspect.Field) -> str:
    kind = _type(field.type)
    if field.required:
        return kind
    made = field.default
    if made is msgspec.NODEFAULT:
        made = field.default_factory()
    return f"{kind} = {msgspec.json.encode(made).decode()}"


def _type(kind: inspect.Type) -> str:  # noqa: PLR0911 - one for each kind of type
    match kind:
        case inspect.Metadata():  # such as that it is redacted
            return _type(kind.type)
        case inspect.StructType():
            return f"<{_NAMES[kind.cls]}>"  # a KeyError here: give it a name above
        case inspect.LiteralType():
            return "|".join(sorted(json.dumps(value) for value in kind.values))
        case inspect.UnionType():
            parts = sorted(_type(one) for one in kind.types)
            changes = sorted(f"<{name}>" for name in CHANGES)
            return "any change" if parts == changes else "|".join(parts)
        case inspect.DictType():
            return f"{{{_type(kind.key_type)}: {_type(kind.value_type)}}}"
        case inspect.VarTupleType() | inspect.ListType():
            return f"[{_type(kind.item_type)}...]"
        case inspect.TupleType():
            return f"[{', '.join(map(_type, kind.item_types))}]"
        case _:
            return type(kind).__name__.removesuffix("Type").lower()


def setting_keys() -> dict[str, Any]:
    """Return every key of the settings files with its default."""
    defaults = json.loads(msgspec.json.encode(Settings()))
    return {key: _at(defaults, key) for key in KEYS}


def _at(values: Any, key: str) -> Any:
    for name in key.split("."):
        values = values.get(name)
    return values


def table_columns(directory: Path) -> dict[str, list[list[Any]]]:
    """Return the tables of a new database of plans and their columns."""
    path = directory / "new.db"
    create_database(str(path), Disk(), shared=False)
    return _columns_of(path)


def agenda_columns(directory: Path) -> dict[str, list[list[Any]]]:
    """Return the tables of a new agenda and their columns."""
    path = directory / "agenda.db"
    AgendaDatabase(str(path)).change(AddTodo("x"))
    return _columns_of(path)


def _columns_of(path: Path) -> dict[str, list[list[Any]]]:
    """Return the columns of each table: name, type, required, in the key."""
    with sqlite3.connect(path) as database:
        tables = database.execute("select name from sqlite_master where type = 'table'").fetchall()
        columns = {
            table: [
                [name, kind, required, key]
                for _, name, kind, required, _, key in database.execute(
                    f"pragma table_info({table})"
                )
            ]
            for (table,) in sorted(tables)
        }
        for name in ("application_id", "user_version"):
            columns[name] = [[database.execute(f"pragma {name}").fetchone()[0]]]
    database.close()
    return columns
