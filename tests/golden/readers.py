"""What the golden tests need of Outlast. Only this module knows classes, attributes and functions.

Everything else here speaks of stored names alone, so a rename is followed in this one place.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from outlast.config.load import load, settings_with_origins
from outlast.context.chat_model import Call
from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.notes.merge import merge_deliverable, merge_errors, merge_findings
from outlast.documents.markdown.parse import parse
from outlast.documents.views import manifest
from outlast.model import plan_costs as costs
from outlast.model.execute import return_commit
from outlast.model.ledger import strike_key
from outlast.model.model import Check, Proof, Task
from outlast.model.state import PlanState
from outlast.plan.home.database import Database
from outlast.plan.home.workspace import Workspace
from outlast.plan.tools.call_record import call_line, json_digest
from outlast.proof.checks.trust import Trust
from outlast.store import journal, snapshot
from outlast.store.files.log import open_files
from outlast.store.port import Request
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome
from outlast.transfer import plan_document
from outlast.transfer.imports.document import ImportSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Json = dict[str, Any]
NOW = datetime(2030, 1, 1, tzinfo=UTC)
WORKSPACE = "/golden/workspace"  # of approvals and seals
_MERGES = {
    "findings.md": merge_findings,
    "errors.md": merge_errors,
    "deliverable.md": merge_deliverable,
}


# Plans


def state_facts(state: PlanState) -> Json:
    """Return a plan under stored names, and what is derived from it."""
    stored = _without_later_facts(json.loads(snapshot.write(state, 0, "", {})))
    del stored["crc"]
    tasks = [task["id"] for task in stored["tasks"]]
    return {
        "stored": stored,
        "status": state.status,
        "ready": state.ready_tasks(),
        "in progress": state.tasks_in_progress(),
        "blocked": {task: ids for task in tasks if (ids := state.blocked_by(state.task(task)))},
        "completed last": state.last_completed(),
        "step": state.current_step_index,
        "progress": msgspec.to_builtins(state.progress),
        "costs": {task: _costs(state, task) for task in (0, *tasks)},
    }


def _without_later_facts(stored: Json) -> Json:
    """Remove what a replay keeps of the conversation since later: who answered, what was read."""
    talk = stored["ledger"].get("talk", {})
    talk.pop("heard", None)
    for question in talk.get("questions", {}).values():
        question.pop("by", None)
        question.pop("answered_at", None)
    return stored


def _costs(state: PlanState, task: int) -> list[Json]:
    """Return what is spent, what is reserved for open attempts, and what remains."""
    amounts = (costs.spent_amount, costs.reserved_amount, costs.remaining_budget)
    return [msgspec.to_builtins(amount(state, task)) for amount in amounts]


class OpenPlan:
    """A plan in one of the stores."""

    def __init__(self, store: Any) -> None:
        """Wrap a store."""
        self._store = store

    def facts(self) -> Json:
        """Return the plan as it is."""
        facts: Json = self._store.read(state_facts)
        return facts

    def facts_at(self, revision: int) -> Json:
        """Return the plan as it was at a revision."""
        return state_facts(self._store.state_before(revision + 1))

    def commits(self) -> list[Json]:
        """Return all commits under stored names."""
        return [json.loads(msgspec.json.encode(commit)) for commit in self._store.commits_since(0)]

    def notices(self) -> list[Any]:
        """Return what the store reports."""
        return list(self._store.notices)

    def commit(self, commands: Sequence[Any], key: str) -> Json:
        """Commit commands under a key; return the commit under stored names."""
        made = self._store.commit(Request(commands, "golden", NOW, key=key), return_commit)
        return json.loads(msgspec.json.encode(made))  # type: ignore[no-any-return]

    def written(self, form: str) -> bytes:
        """Return the plan as a document."""
        data: bytes = self._store.read(lambda state: plan_document.write(state, form))
        return data

    def edits_in(self, text: str) -> Json:
        """Return what a `task_plan.md` asks for that was written for the plan as it is."""
        document = parse(text)
        result = self._store.read(lambda state: merge(state, state, document))
        edits, reports = len(result.edits), len(result.reports)
        return {"edits": edits, "reports": reports, "held": result.needs_confirmation}

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def open_directory(path: Path) -> OpenPlan:
    """Open the plan in a directory, without views."""
    return OpenPlan(open_files(str(path), Disk(), NOW))


def open_in_workspace(root: Path, key: str) -> OpenPlan:
    """Open a plan of a workspace, with its views."""
    return OpenPlan(Workspace(str(root), Disk()).open(key, NOW))


def open_in_database(path: Path, key: str) -> OpenPlan:
    """Open a plan of a database."""
    return OpenPlan(Database(str(path), Disk()).open(key, NOW))


def known_in_database(path: Path) -> list[str]:
    """Return the keys of the plans in a database."""
    return Database(str(path), Disk()).plan_keys()


def read_snapshot(data: bytes) -> Json:
    """Return the plan of a snapshot."""
    found = snapshot.read(data)
    assert found is not None
    return state_facts(snapshot.restore(found))


def rewrite_journal(data: bytes) -> bytes:
    """Return a journal as it is written of what was read of it."""
    (_, first), *rest = journal.split_lines(data)
    header = journal.read_header(first)
    assert header is not None
    lines = [journal.write_header(header.key, shared=header.shared)]
    for _, line in rest:
        commit = journal.read_commit(line)
        assert commit is not None
        lines.append(journal.write_commit(commit, json.loads(line).get("back", 0)))
    return b"".join(lines)


def read_rendered(directory: Path) -> Json:
    """Return the manifest of the views in a directory."""
    found: Json = msgspec.to_builtins(manifest.load(str(directory), Disk())[0])
    return found


# Commands


def command_kinds() -> dict[str, type]:
    """Return each kind of command by its stored name."""
    return {name: kind for kind, name in journal.COMMAND_NAMES.items()}


def read_commands(given: list[list[Any]]) -> list[Any]:
    """Make commands of their stored names and fields."""
    kinds = command_kinds()
    return [
        msgspec.json.decode(json.dumps(fields), type=kinds[name], strict=True)
        for name, fields in given
    ]


def digest(commands: list[Any]) -> str:
    """Return the digest that the journal keeps of commands."""
    return journal.digest(commands)


# Documents


def read_document(data: bytes, form: str | None) -> Json:
    """Return what a document says, under stored names."""
    source = ImportSource("document", {"document": data})
    found = plan_document.read_source(source, form, "plan_golden", NOW)
    return {
        "form": found.form,
        "plan": json.loads(msgspec.json.encode(found.plan)),
        "prose": json.loads(msgspec.json.encode(found.prose)),
        "unread": len(found.unread),
    }


def read_notes(name: str, text: str) -> Json:
    """Return what `findings.md` and the like say, as fields of commands for an empty plan."""
    result = _MERGES[name](None, PlanState(NOW), text)
    commands = [command for edit in result.edits for command in edit.commands]
    return {"commands": json.loads(msgspec.json.encode(commands)), "reports": len(result.reports)}


# Settings and the state directory


def read_settings(workspace: Path, environment: Mapping[str, str]) -> Json:
    """Return every setting with its value, and where it comes from."""
    loaded = load(workspace, environment)
    values = {
        key: [value, str(origin)] for key, (value, origin) in settings_with_origins(loaded).items()
    }
    return {
        "settings": json.loads(msgspec.json.encode(values)),
        "refused": sorted(key for _, facts in loaded.notices for key in facts["keys"]),  # type: ignore[attr-defined]
    }


def read_approvals(home: Path, plan: str, task: Json) -> Json:
    """Return what the state directory says of a task and its checks."""
    trust = Trust(StateHome(str(home)), WORKSPACE)
    found = msgspec.convert(task, Task)
    checks = msgspec.convert(task["checks"], tuple[Check, ...])
    return {
        "missing": msgspec.to_builtins(trust.list_unapproved(plan, checks)),
        "given": trust.pin_state(plan, found) == "pinned",
    }


def has_seal(home: Path, plan: str, proof: Json) -> bool:
    """Tell whether the seal of a proof is good."""
    sealed = msgspec.json.decode(json.dumps(proof), type=Proof)
    return Trust(StateHome(str(home)), WORKSPACE).is_sealed(plan, sealed)


def digests_of_calls(name: str, params: Json, message: str) -> Json:
    """Return what a journal keeps of a tool call and of its error."""
    return {
        "what": call_line(Call(name, params)),
        "digest": json_digest(params),
        "error key": strike_key(name, message),
    }
