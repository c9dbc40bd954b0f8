"""A5: a secret comes in by every way there is, and no stored file contains it."""

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from outlast import Assistant, Plan, PlanManager, create_plan, open_plan
from outlast.console.command_index import TABLES
from outlast.model.commands import NewTask
from outlast.model.model import PERSON
from outlast.models import Call
from outlast.plan.tools.compact import COMPACT
from outlast.plan.tools.manager_tools import TOOLS
from outlast.plan.tools.plan_tool import PlanTool
from outlast.sessions import PlanningService, TaskPhase, TaskStep
from outlast.testing import ScriptedModel, Turn
from outlast.transfer.plan_import import import_document
from tests.cli.processes import outlast

CANARY = "c4n4ry7q9xz2"  # lowercase, as in ids that are made from texts
SECRET = f"use password={CANARY} there"
HIDDEN = "use password=[redacted] there"


def leaks(directory: Path) -> list[str]:
    """Return the files below a directory that contain the secret."""
    files = (path for path in directory.rglob("*") if path.is_file())
    return [str(path) for path in files if CANARY.encode() in path.read_bytes()]


def contents(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())


# Every verb of a plan

VERBS: dict[str, Callable[[Plan], object]] = {
    "add": lambda p: p.add(SECRET, reasoning=SECRET, active_form=SECRET),
    "add_all": lambda p: p.add_all([NewTask(SECRET, reasoning=SECRET)], new_phase=SECRET),
    "update": lambda p: p.update(1, name=SECRET, reasoning=SECRET, active_form=SECRET),
    "edit": lambda p: p.edit(goal=SECRET, title=SECRET),
    "add_phase": lambda p: p.add_phase(SECRET, notes=SECRET),
    "edit_phase": lambda p: p.edit_phase("main", title=SECRET, notes=SECRET),
    "complete": lambda p: p.complete(1, SECRET),
    "fail": lambda p: p.fail(1, SECRET),
    "return_task": lambda p: (p.start(1), p.return_task(1, SECRET)),
    "skip": lambda p: p.skip(1, SECRET),
    "reopen": lambda p: (p.skip(1), p.reopen(1, SECRET)),
    "pause": lambda p: p.pause(SECRET),
    "abort": lambda p: p.abort(SECRET),
    "initialize": lambda p: (
        *(p.skip(1), p.complete(2)),
        p.initialize(SECRET, [NewTask(SECRET, active_form=SECRET)]),
    ),
    "notes.add_finding": lambda p: p.notes.add_finding("code", SECRET, SECRET, SECRET),
    "notes.add_error": lambda p: p.notes.add_error(SECRET, SECRET, {"token": CANARY}, SECRET),
    "notes.deliver": lambda p: p.notes.deliver(SECRET),
    "questions.ask": lambda p: p.questions.ask(SECRET),
    "questions.answer": lambda p: (p.questions.ask("Which?"), p.questions.answer(SECRET)),
    "questions.say": lambda p: p.questions.say(SECRET),
}
EXACT = {  # verbs whose texts are references, names, or are not stored
    *("acting_as", "blocked_by", "claim", "claim_with_heartbeat", "context", "graph", "handle"),
    *("move", "move_phase", "remove", "remove_phase", "set_progress", "start", "task", "tasks"),
    *("owns", "tools", "with_lease"),
    *("budget.charge", "budget.cost", "budget.limits", "budget.remaining", "budget.reserved"),
    *("budget.set", "checks.approve", "checks.confirm", "checks.proof", "checks.run"),
    *("notes.clear_errors", "notes.clear_strikes", "notes.error_count", "notes.errors"),
    *("notes.findings",),
}
FACETS = ("checks", "budget", "notes", "questions", "history", "files")


def verbs_with_text(owner: object, prefix: str = "") -> Iterator[str]:
    """Yield the public methods that take a text or a value that may contain one."""
    for name, method in inspect.getmembers(type(owner), inspect.isfunction):
        annotations = (p.annotation for p in inspect.signature(method).parameters.values())
        if not name.startswith("_") and any(
            "str" in str(a) or "Ref" in str(a) for a in annotations
        ):
            yield f"{prefix}{name}"


def test_a5_every_verb_that_takes_a_text_is_tried() -> None:
    plan = create_plan("memory:", "Ship it")
    known = set(verbs_with_text(plan))
    for facet in FACETS:
        known |= set(verbs_with_text(getattr(plan, facet), f"{facet}."))
    assert known - EXACT <= set(VERBS)


@pytest.mark.parametrize("place", ["files", "sqlite"])
@pytest.mark.parametrize("verb", VERBS)
def test_a5_no_verb_stores_a_secret(verb: str, place: str, tmp_path: Path) -> None:
    where = tmp_path if place == "files" else f"sqlite:///{tmp_path}/plans.db"
    with create_plan(where, "Ship it", "x", actor=PERSON) as plan:
        plan.add("one")
        plan.add("two")
        VERBS[verb](plan)
        assert CANARY not in str(plan.history.commits(100))
    assert leaks(tmp_path) == []
    assert b"[redacted]" in contents(tmp_path)


@pytest.mark.parametrize("place", ["files", "sqlite", "memory"])
def test_a5_no_goal_is_stored_with_a_secret(place: str, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/plans.db"
    where = {"files": str(tmp_path), "sqlite": database, "memory": "memory:"}[place]
    with create_plan(where, SECRET) as plan:
        assert plan.goal == HIDDEN
        assert "c4n" not in plan.key
    assert leaks(tmp_path) == []


# The tools of a model


def argument(schema: dict[str, Any], name: str = "") -> Any:
    """Return a value that a schema allows, with a secret in each free text."""
    schema = schema.get("anyOf", [schema])[-1]
    kind = schema.get("type")
    if "enum" in schema:
        return schema["enum"][0]
    if name in ("dependencies", "needs"):
        return []
    if kind == "object":
        return {key: argument(value, key) for key, value in schema.get("properties", {}).items()}
    if kind == "array":
        return [argument(schema["items"])]
    return {"string": SECRET, "boolean": True, "integer": 1}.get(str(kind), 1)


def arguments_of(tool: PlanTool) -> dict[str, Any]:
    return {
        item.name: argument(item.kind.schema, item.name)
        for item in tool.parameters
        if item.name not in ("after_task_id", "insert_after", "phaseId")
    }


@pytest.mark.parametrize("tool", [*COMPACT, *TOOLS], ids=lambda tool: tool.name)
def test_a5_no_tool_of_a_model_stores_a_secret(tool: PlanTool, tmp_path: Path) -> None:
    arguments = arguments_of(tool)
    with create_plan(tmp_path, "Ship it", "x") as plan:
        plan.add("one")
        plan.add("two")
        plan.handle(Call(tool.name, arguments))
    with create_plan(tmp_path, "", "empty") as plan:
        plan.handle(Call(tool.name, arguments))
    assert leaks(tmp_path) == []


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a5_no_function_of_a_plan_manager_stores_a_secret(tool: PlanTool, tmp_path: Path) -> None:
    arguments = arguments_of(tool)
    manager = PlanManager(create_plan(tmp_path, "Ship it", "x"))
    manager.addTask("one")
    getattr(manager, tool.name)(**arguments)
    getattr(PlanManager(goal=SECRET), tool.snake_name)(**arguments)
    assert CANARY not in str(manager.to_dict())
    manager.plan.close()
    assert leaks(tmp_path) == []


def test_a5_the_service_of_a_session_stores_no_secret(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "s") as service:
        phases = [TaskPhase(SECRET, (TaskStep(SECRET, active_form=SECRET),), SECRET)]
        service.plan.create(SECRET, SECRET, phases)
        service.errors.log("bash", SECRET, {"api_key": CANARY}, SECRET)
        service.findings.add("code", SECRET, SECRET, SECRET)
    assert b"[redacted]" in contents(tmp_path)
    assert leaks(tmp_path) == []


# The command line

CALLS = (
    ("new", SECRET),
    ("add", SECRET, "Second", "Third", "Fourth"),
    ("edit", "1", "--name", SECRET, "--reason", SECRET),
    ("edit", "--goal", SECRET, "--title", SECRET, "--reason", SECRET),
    ("done", "1", "-m", SECRET),
    ("fail", "2", SECRET),
    ("skip", "3", SECRET),
    ("note", SECRET, "--title", SECRET, "--source", SECRET),
    ("note", SECRET, "--error", "bash"),
    ("say", SECRET),
    ("pause", SECRET),
    ("abort", SECRET),
)
NO_TEXT = {  # commands without a free text, or whose texts an agent's tests look at
    *(
        "accept",
        "answer",
        "archive",
        "check",
        "claim",
        "config",
        "context",
        "demo",
        "doctor",
        "export",
    ),
    *("graph", "help", "import", "list", "log", "models", "next", "release", "reset", "restore"),
    *("drop", "permissions", "resume", "rm", "run", "show", "start", "undo", "use", "version"),
    *("attach", "chat", "detach", "hook", "init", "mcp", "report", "watch", "welcome", "worker"),
}


def test_a5_every_command_that_takes_a_text_is_tried() -> None:
    assert TABLES.keys() - NO_TEXT == {call[0] for call in CALLS}


def test_a5_no_command_stores_or_prints_a_secret(tmp_path: Path) -> None:
    for call in CALLS:
        done = outlast(tmp_path, *call)
        assert (done.returncode, done.stderr) == (0, ""), call
        assert CANARY not in done.stdout, call
    for look in ("show", "log", "note", "next", "list"):
        assert CANARY not in outlast(tmp_path, look, "--json").stdout
    assert leaks(tmp_path) == []


def test_a5_no_task_of_the_assistant_stores_a_secret(tmp_path: Path) -> None:
    model = ScriptedModel(
        [
            Turn('"planned"', say=f'{{"status": "planned", "plan": ["{SECRET}"]}}'),
            Turn('"replanned"', say=f'{{"status": "done", "response": "{SECRET}"}}'),
            Turn(
                '"ask_user"',
                say=f'{{"status": "ask_user", "current_step": "{SECRET}", "question": "{SECRET}"}}',
            ),
        ]
    )
    with Assistant(model, tmp_path) as assistant:
        assert assistant.handle(SECRET).kind == "question"
        assert assistant.handle(SECRET).kind == "answer"
    assert b"[redacted]" in contents(tmp_path)
    assert leaks(tmp_path) == []


# Documents and files of people

DOCUMENTS = {
    "plan.json": json.dumps(
        {
            "id": "p",
            "goal": SECRET,
            "password": CANARY,
            "steps": [{"id": 1, "description": SECRET, "result": SECRET, "api_key": CANARY}],
        }
    ),
    "manager.json": json.dumps(
        {
            "meta": {"goal": SECRET, "token": CANARY},
            "state": {},
            "tasks": [{"id": 1, "name": SECRET, "reasoning": SECRET, "secret": CANARY}],
        }
    ),
    "task_plan.md": f"# {SECRET}\n\n{SECRET}\n\n## Phase: {SECRET}\n\n- [ ] {SECRET}\n  {SECRET}\n",
    "list.md": f"# {SECRET}\n\n{SECRET}\n\n- [ ] {SECRET}\n- [x] {SECRET}\n",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a5_no_imported_document_brings_a_secret_along(name: str, tmp_path: Path) -> None:
    source, work = tmp_path / name, tmp_path / "work"
    work.mkdir()
    source.write_text(DOCUMENTS[name])
    plan, _ = import_document(str(work), str(source), None, "x", actor=PERSON)
    plan.close()
    assert b"[redacted]" in contents(work)
    assert leaks(work) == []


@pytest.mark.parametrize(
    ("directory", "name"), [(".outlast/plans/x", "task_plan.md"), (".sessions/x", "plan.json")]
)
def test_a5_no_adopted_file_of_another_program_brings_a_secret_along(
    directory: str, name: str, tmp_path: Path
) -> None:
    place = tmp_path / directory
    place.mkdir(parents=True)
    (place / name).write_text(DOCUMENTS[name])
    with open_plan(tmp_path, "x") as plan:
        plan.add("more")
    assert leaks(tmp_path) == []


def test_a5_what_people_write_into_the_views_is_redacted_there_too(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "x") as plan:
        plan.add("one")
        plan.notes.add_finding("code", "t", "c")
        plan.notes.add_error("bash", "exit 1")
        plan.notes.deliver("text")
    place = tmp_path / ".outlast" / "plans" / "x"
    view = place / "task_plan.md"
    prose = f"{SECRET}\n\n<!-- Cookie: a={CANARY}; b -->\n\n"
    view.write_text(prose + view.read_text().replace("one", f"{SECRET}\n- [ ] {SECRET}"))
    findings, errors = place / "findings.md", place / "errors.md"
    findings.write_text(f"{findings.read_text()}\n## Insight\n\n### {SECRET}\n\n{SECRET}\n")
    errors.write_text(f"{errors.read_text()}\n## bash\n**Message:** {SECRET}\n")
    (place / "deliverable.md").write_text(SECRET)
    with open_plan(tmp_path, "x") as plan:
        assert [task.name for task in plan.tasks()] == [HIDDEN, HIDDEN]
        assert HIDDEN in str(plan.notes.findings())
        assert HIDDEN in str(plan.notes.errors())
    assert HIDDEN in view.read_text()
    assert "<!-- Cookie: [redacted]-->" in view.read_text()
    assert leaks(tmp_path) == []
