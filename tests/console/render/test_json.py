"""The keys of `--json` answers, which programs rely on."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from outlast import create_plan
from tests.cli.processes import json_of, outlast, stdout_of

TASK = {
    "id": 1,
    "name": "Build",
    "phase": "main",
    "status": "pending",
    "needs": [],
    "blocked_by": [],
    "description": "",
    "constraints": "",
    "expected": "",
    "reasoning": "",
    "result": None,
    "error": None,
    "retry_count": 0,
    "progress": None,
    "checks": [],
    "run": "",
    "files": [],
    "protect": [],
    "how": "",
    "actor": "",
    "started_at": None,
    "ended_at": None,
}
TEST = {**TASK, "id": 2, "name": "Test", "needs": [1]}
PLAN = {
    "key": "ship",
    "title": "Ship it",
    "status": "idle",
    "condition": "idle",
    "is_aborted": False,
    "done": 0,
    "total": 2,
}
ROW = {
    "goal": "Ship it",
    "is_current": False,
    "current": None,
    "actor": "",
    "since": None,
    "next": None,
    "worker": "",
    "spent": {
        "model_calls": 0,
        "tokens": 0,
        "money": 0.0,
        "time": 0.0,
        "tool_calls": 0,
        "replans": 0,
    },
    "questions": [],
    "updated_at": "T",
    "problem": "",
}
WHOLE = {
    "goal": "Ship it",
    "order": "graph",
    "needs_approval": False,
    "last_run": None,
    "created_at": "T",
    "updated_at": "T",
}


def keys_of(cwd: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    """Return an answer with every time replaced by `T`."""
    answer = json.dumps(json_of(cwd, *arguments, code=code))
    timeless: dict[str, Any] = json.loads(re.sub(r'"\d{4}-\d\d-\d\dT[\d:.]+Z"', '"T"', answer))
    return timeless


@pytest.mark.slow
def test_the_answers_of_every_command_to_programs(tmp_path: Path) -> None:
    def expect(*arguments: str, **expected: object) -> None:
        assert keys_of(tmp_path, *arguments) == {"ok": True, **expected}, arguments

    nothing = {"current": None, "next": None}
    expect(plan=None, phases=[], tasks=[], costs=None, questions=[], archived_count=0)
    expect("list", plans=[], archived=[], archived_count=0)
    expect(
        *("new", "Ship it", "--key", "ship"),
        plan={**PLAN, **WHOLE, "total": 0, "revision": 1},
        files=[str(tmp_path / ".outlast/plans/ship/task_plan.md")],
    )
    expect("next", plan={**PLAN, "total": 0}, **nothing, reason="empty", ready=[])
    expect(
        *("add", "Build"),
        tasks=[TASK],
        new_phase=None,
        plan={**PLAN, "total": 1},
        current=None,
        next=TASK,
        reason=None,
    )
    blocked = {**TEST, "blocked_by": [1]}
    then = {"current": None, "next": TASK, "reason": None}
    expect("add", "Test", "--needs", "1", tasks=[blocked], new_phase=None, plan=PLAN, **then)
    expect("ready", plan=PLAN, **then, ready=[TASK])
    begun = {**TASK, "status": "in_progress", "actor": "human", "started_at": "T"}
    running = {**PLAN, "status": "running", "condition": "running"}
    working = {"plan": running, "current": begun, "next": None, "reason": "waiting"}
    expect("start", task=begun, **working, green_before=False)
    again = {**TASK, "error": "x", "retry_count": 1}
    expect("fail", "x", task=again, will_retry=True, plan=running, **{**then, "next": again})
    built = {**begun, "status": "completed", "result": "ok", "retry_count": 1, "ended_at": "T"}
    built["how"] = "reported"
    one = {**running, "done": 1}
    then = {"current": None, "next": TEST, "reason": None}
    expect("done", "1", "-m", "ok", task=built, plan=one, proof="reported", **then)
    paused = {**one, "status": "paused", "condition": "paused"}
    expect("pause", plan=paused, **nothing, reason="paused", worker=None)
    expect("resume", plan=one, **then)
    skipped = {**TEST, "status": "skipped", "ended_at": "T"}
    completed = {"status": "completed", "condition": "completed"}
    complete = {**PLAN, **completed, "done": 2}
    expect("skip", "2", task=skipped, plan=complete, **nothing, reason="all_done")
    commit = {"revision": 9, "at": "T", "author": "human", "person": "mira", "reason": ""}
    commit["changes"] = [{"type": "TaskSkipped", "id": 2}]
    expect("--plan", "ship", "log", "-n1", plan={"key": "ship"}, runs=[], commits=[commit])
    expect("--plan", "ship", "undo", undone=commit, plan=one, **then)
    expect(
        "rm", "2", task=TEST, plan={**complete, "done": 1, "total": 1}, **nothing, reason="all_done"
    )
    expect(
        *("show", "--plan", "ship"),
        plan={**PLAN, **WHOLE, **completed, "done": 1, "total": 1, "revision": 11},
        phases=[{"id": "main", "title": "Main Tasks"}],
        costs=None,
        questions=[],
        tasks=[{**built, "proof": "reported"}],
    )
    listed = {**PLAN, **ROW, **completed, "done": 1, "total": 1}
    expect("list", plans=[listed], archived=[], archived_count=0)
    stdout_of(tmp_path, "add", "Sell", "--plan", "ship")
    aborted = {**PLAN, "status": "failed", "condition": "aborted", "is_aborted": True, "done": 1}
    expect("abort", plan=aborted, **nothing, reason="aborted")
    name = json_of(tmp_path, "drop", "ship")["name"]
    [archived] = json_of(tmp_path, "list", "--archived")["archived"]
    path = str(tmp_path / ".outlast" / "archive" / name)
    assert archived.keys() == {*PLAN, *ROW, "name", "path"}
    assert (archived["name"], archived["path"], archived["is_aborted"]) == (name, path, True)
    expect("restore", name, plan={"key": "ship"}, key="ship", archived=None)


def test_the_shape_of_doctor(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship")
    found = json_of(tmp_path, "doctor")["findings"]
    assert {"what": "plan ship", "ok": True, "says": "idle 0/0"} in found
    assert [one for one in found if list(one) != ["what", "ok", "says"]] == []


def test_x8_errors_for_programs_are_english_and_complete(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship").add("a")
    assert json_of(tmp_path, "--lang=zh", "done", "9", code=1)["error"] == {
        "code": "TASK_NOT_FOUND",
        "message": "Task with ID 9 not found",
        "details": {"task_id": "9"},
        "hints": ["See the tasks: outlast show --lang zh"],
    }


def test_a6_json_holds_the_values_as_they_are_but_no_raw_control_character(tmp_path: Path) -> None:
    name = "a\x1b[31m\x07\x7f\x9b\u202e\u200b\U000e0001 中文 👩\u200d💻 b"
    create_plan(str(tmp_path), "Ship it", "ship").add(name)
    done = outlast(tmp_path, "next", "--json")
    assert done.stdout.rstrip("\n").isprintable()
    assert json.loads(done.stdout)["next"]["name"] == name


def test_bytes_that_are_no_text_are_refused_in_either_form(tmp_path: Path) -> None:
    create_plan(str(tmp_path), "Ship it", "ship")
    for arguments in ([b"add", b"\xff"], [b"done", b"\xff"], [b"--plan", b"\xff", b"show"]):
        plain = outlast(tmp_path, *arguments)
        assert (plain.returncode, plain.stdout) == (2, "")
        assert "lone surrogate at position 0" in plain.stderr
        answer = json.loads(outlast(tmp_path, *arguments, b"--json").stdout)
        assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert outlast(tmp_path, b"\xff").stderr.startswith("outlast: unknown command \\udcff;")
