"""`import` and `export`: every form, streams, sizes, existing files."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import create_plan, open_plan
from outlast.__main__ import main
from tests.cli.processes import environment, json_of, outlast, stdout_of

FORMS = ("plan.json", "manager", "markdown", "checklist")
LARGEST = 64 * 1024 * 1024


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    here = tmp_path / "here"
    here.mkdir()
    with create_plan(str(here), "Ship it", "ship") as plan:
        plan.add("Build ● it")
        plan.add("● Test it", [1])
        plan.add_phase("Later on")
        plan.add("Tell", phase="later-on")
        plan.complete(1, "well")
        plan.skip(3)
    return here


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    there = tmp_path / "there"
    there.mkdir()
    return there


def piped(cwd: Path, text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *arguments],
        capture_output=True,
        check=False,
        cwd=cwd,
        env=environment(),
        input=text,
        timeout=60,
    )


@pytest.mark.parametrize("form", FORMS)
def test_m7_what_is_exported_is_imported_whatever_the_form(
    workspace: Path, elsewhere: Path, form: str
) -> None:
    file = elsewhere / "plan"
    stdout_of(workspace, "export", str(file), "--format", form)
    taken = json_of(elsewhere, "import", str(file), "--key", "again")
    assert taken["format"] == ("markdown" if form == "checklist" else form)
    assert (taken["plan"]["key"], taken["plan"]["total"], taken["not_read"]) == ("again", 3, [])
    with open_plan(str(elsewhere), "again") as plan:
        titles = {phase.id: phase.title for phase in plan.phases}
        names = [(task.name, titles[task.phase], task.finished) for task in plan.tasks()]
    assert names == [
        ("Build ● it", "Main Tasks", True),
        ("● Test it", "Main Tasks", False),
        ("Tell", "Later on", True),
    ]


@pytest.mark.parametrize("form", ["plan.json", "manager"])
def test_m7_a_form_that_can_say_everything_comes_back_the_same(
    workspace: Path, elsewhere: Path, form: str
) -> None:
    given = stdout_of(workspace, "export", "-", "--format", form).encode()
    assert piped(elsewhere, given, "import", "-").returncode == 0
    with open_plan(str(workspace), "ship") as exported, open_plan(str(elsewhere), "ship") as plan:
        assert plan.id != exported.id, "permissions and approvals belong to an id"
        expected = given.replace(exported.id.encode(), plan.id.encode())
    assert stdout_of(elsewhere, "export", "--format", form).encode() == expected


def test_r4_02_the_plan_for_people_comes_back_with_its_prose(elsewhere: Path) -> None:
    text = "# Move house\n\nCall Ada first.\n\n- [ ] Pack\n  - check: make\n- [x] Find a van\n"
    done = piped(elsewhere, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "import", "-")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith("Created plan ")
    assert "with 2 tasks: Move house" in done.stdout.decode()
    assert "Call Ada first." in stdout_of(elsewhere, "export")


def test_lines_that_cannot_be_read_are_reported_with_their_number(elsewhere: Path) -> None:
    done = piped(elsewhere, b"# T\n\n- [ ] a\n- [?] b\n", "import", "-", "--key", "t")
    assert done.stdout.decode() == (
        "Created plan t with 1 task: T\nline 4 could not be parsed: - [?] b\n"
    )
    text = "- [ ] a\n  - [ ] b\n- [?] ○ c\n"
    done = piped(elsewhere, text.encode(), "import", "-", "--key", "u")
    assert done.stdout.decode().splitlines()[1:] == [
        "line 2: tasks have no levels; this one follows the task above it: - [ ] b",
        "line 3: unknown box; the task is not ticked: - [?] ○ c",
    ]


def test_a10_imported_checks_are_not_approved(workspace: Path, elsewhere: Path) -> None:
    stdout_of(workspace, "add", "guarded", "--check", "touch ran")
    for place in (workspace, elsewhere):
        file = place / "p.json"
        stdout_of(workspace, "export", str(file), "--plan", "ship")
        stdout_of(place, "import", str(file), "--key", "copy")
        shown = json_of(place, "check", "--plan", "copy", code=1)
        assert shown["unapproved"] == [
            {"task": 4, "checks": [{"kind": "command", "rule": "touch ran"}]}
        ]
        assert not (place / "ran").exists()


def test_m7_the_same_plan_twice_in_a_workspace_is_two_plans(workspace: Path) -> None:
    stdout_of(workspace, "export", "p.json")
    refused = outlast(workspace, "import", "p.json")
    assert refused.returncode == 1
    assert "There is already a plan at " in refused.stderr
    stdout_of(workspace, "import", "p.json", "--key", "copy")
    with open_plan(str(workspace), "ship") as one, open_plan(str(workspace), "copy") as other:
        assert one.id != other.id


def test_a11_an_existing_file_is_kept(workspace: Path) -> None:
    file = workspace / "plan.md"
    file.write_text("mine")
    refused = outlast(workspace, "export", "plan.md")
    assert (refused.returncode, refused.stdout, file.read_text()) == (1, "", "mine")
    assert refused.stderr.startswith("outlast: plan.md already exists;")
    answer = json_of(workspace, "export", "plan.md", "--yes")
    assert Path(answer["kept"]).read_text() == "mine"
    assert file.read_text().startswith("# Ship it\n")
    assert sorted(path.name for path in workspace.iterdir()) == sorted(
        [".outlast", "plan.md", Path(answer["kept"]).name]
    )


def test_a11_only_a_person_replaces_a_file(workspace: Path) -> None:
    file = workspace / "plan.md"
    file.write_text("mine")
    refused = outlast(workspace, "export", "plan.md", "--yes", "--as", "bot")
    assert (refused.returncode, file.read_text()) == (1, "mine")
    assert "Only a person may use outlast export --yes" in refused.stderr


def test_a5_an_exported_file_is_private(workspace: Path) -> None:
    stdout_of(workspace, "export", "plan.json")
    assert stat.S_IMODE((workspace / "plan.json").stat().st_mode) == 0o600
    assert json.loads((workspace / "plan.json").read_text())["goal"] == "Ship it"


def test_the_target_of_a_link_is_written_not_the_link(workspace: Path, elsewhere: Path) -> None:
    (workspace / "link.json").symlink_to(elsewhere / "real.json")
    stdout_of(workspace, "export", "link.json")
    assert (workspace / "link.json").is_symlink()
    assert (elsewhere / "real.json").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["import", "missing.json"], 4, "missing.json: No such file"),
        (["import", "."], 2, ".: a directory without the files of a plan: task_plan.md, "),
        (["import", "/dev/zero"], 4, "/dev/zero: expected a regular file"),
        (["import", "fifo"], 4, "fifo: expected a regular file"),
        (["import", "bad.json"], 2, "bad.json: line 1: not valid JSON: "),
        (["import", "bytes"], 4, "bytes: expected UTF-8 text"),
        (["import", "cyclic.json"], 1, "Circular dependency"),
        (["import", "bad.json", "--format", "yaml"], 2, "--format: there is no format yaml; the "),
        (["export", "no/such/place.md"], 4, "no/such/place.md: No such file"),
        (["export", "."], 4, ".: expected a regular file"),
    ],
)
def test_a_wrong_document_or_place_is_refused(
    workspace: Path, arguments: list[str], code: int, words: str
) -> None:
    os.mkfifo(workspace / "fifo")
    (workspace / "bad.json").write_text("{")
    (workspace / "bytes").write_bytes(b"# \xff")
    steps = [{"id": "step_1", "description": "a", "outlast": {"dependencies": [1]}}]
    (workspace / "cyclic.json").write_text(json.dumps({"goal": "g", "steps": steps}))
    done = outlast(workspace, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"outlast: {words}")


def test_f15_a_document_that_is_too_large_is_not_read(elsewhere: Path) -> None:
    with (elsewhere / "large.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    done = outlast(elsewhere, "import", "large.md")
    assert (done.returncode, done.stderr) == (
        4,
        f"outlast: large.md: larger than {LARGEST:,} bytes\n",
    )


@pytest.mark.slow
def test_f15_an_endless_document_is_not_read(elsewhere: Path) -> None:
    with (Path("/dev/zero")).open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "outlast", "import", "-"],
            capture_output=True,
            check=False,
            cwd=elsewhere,
            env=environment(),
            stdin=endless,
            timeout=60,
        )
    assert (done.returncode, done.stdout) == (4, b"")
    assert done.stderr == f"outlast: -: larger than {LARGEST:,} bytes\n".encode()


def test_a4_no_key_of_a_document_leads_anywhere(elsewhere: Path) -> None:
    document = {"goal": "g", "steps": [], "outlast": {"key": "../../../x"}}
    done = piped(elsewhere, json.dumps(document).encode(), "import", "-")
    assert done.returncode == 0
    assert [path.name for path in elsewhere.parent.iterdir()] == ["there"]
    assert [path.name for path in (elsewhere / ".outlast" / "plans").iterdir()] != []


def test_a_list_without_a_heading_is_named_after_its_file(elsewhere: Path) -> None:
    (elsewhere / "chores.txt").write_text("- [ ] sweep\n")
    assert stdout_of(elsewhere, "import", "chores.txt").endswith(" with 1 task: chores\n")
    assert b": plan\n" in piped(elsewhere, b"- [ ] sweep\n", "import", "-").stdout


UNKNOWN = {
    "letter.txt": "Dear all,\n",
    "readme.md": "# Read me\n\n## Use\n\n- one\n- two\n",
    "empty.json": "{}",
    "list.json": "[]",
    "goal.json": '{"goal": " "}',
    "no-tasks.json": '{"tasks": []}',
    "vscode.json": '{"version": "2.0.0", "tasks": [{"label": "build", "type": "shell"}]}',
    "roadmap.json": '{"goal": "Launch", "milestones": [{"name": "Beta"}]}',
    "words.json": '["a", "b"]',
    "package.json": '{"name": "x", "scripts": {}}',
    "tags.json": '{"master": {"tasks": []}}',
    "broken.json": '[{"content": "a"',
}
EVERY_FORM = (
    "plan.json, manager, markdown, checklist, todos, claude-tasks, task-master, "
    "planning-with-files, spec-kit, kiro"
)
STOPPED = {  # where reading stopped, and the nearest form
    "letter.txt": "not a plan in a format that can be imported (read to line 1); ",
    "readme.md": "line 5: not a plan in a format that can be imported; nearest: checklist; ",
    "no-tasks.json": "line 1: not a plan in a format that can be imported; nearest: manager; ",
    "vscode.json": "line 1: not a plan in a format that can be imported; nearest: manager; ",
    "roadmap.json": "line 1: not a plan in a format that can be imported; nearest: plan.json; ",
    "broken.json": "line 1: not valid JSON: Expecting ',' delimiter: line 1 column 17 (char 16); ",
}


def test_u9_an_unknown_form_is_refused_and_creates_nothing(
    elsewhere: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(elsewhere)
    for name, content in UNKNOWN.items():
        (elsewhere / name).write_text(content)
        assert main(["import", name]) == 2
        message = capsys.readouterr().err
        assert message.startswith(f"outlast: {name}: {STOPPED.get(name, '')}")
        assert message.endswith(f"the formats are: {EVERY_FORM}\n")
    refused = outlast(elsewhere, "import", "empty.json", "--format", "manager", "--lang", "zh")
    assert refused.returncode == 2
    assert refused.stderr.startswith("outlast: empty.json：第 1 行：不是可以导入的计划；最接近")
    shown = json_of(elsewhere, "import", "readme.md", code=2)["error"]
    assert (shown["code"], shown["details"]["line"], shown["details"]["near"]) == (
        "UNKNOWN_FORM",
        5,
        "checklist",
    )
    assert sorted(path.name for path in elsewhere.iterdir()) == sorted(UNKNOWN)


def test_u9_a_plan_that_is_refused_leaves_nothing(elsewhere: Path) -> None:
    steps = [{"id": "step_1", "description": "a", "outlast": {"dependencies": [1]}}]
    document = json.dumps({"goal": "g", "steps": steps}).encode()
    assert b"Circular dependency" in piped(elsewhere, document, "import", "-").stderr
    assert [*elsewhere.iterdir()] == []


TODOS = [
    {"content": "Read it", "status": "completed", "activeForm": "Reading it"},
    {"content": "Fix it", "status": "in_progress", "activeForm": "Fixing it"},
    {"content": "Test it", "status": "pending", "activeForm": "Testing it"},
]


def test_u9_todos_of_todo_write_become_a_plan(elsewhere: Path) -> None:
    (elsewhere / "todos.json").write_text(json.dumps(TODOS))
    answer = json_of(elsewhere, "import", "todos.json")
    assert (answer["format"], answer["plan"]["key"], answer["plan"]["order"]) == (
        "todos",
        "todos",
        "sequential",
    )
    assert stdout_of(elsewhere, "show") == (
        "todos  1/3 running  [todos]\n  ● 1 Read it\n  ◐ 2 Fix it\n  ○ 3 Test it\n"
    )


def test_u9_the_tasks_of_task_master_become_a_plan(elsewhere: Path) -> None:
    subtasks = [
        {"id": 1, "title": "Sign in", "status": "done", "dependencies": []},
        {"id": 2, "title": "Database", "status": "pending", "dependencies": [1]},
    ]
    tasks = [
        {"id": 1, "title": "Set up", "status": "done", "dependencies": []},
        {"id": 2, "title": "Core", "status": "in-progress", "dependencies": [1]},
        {"id": 3, "title": "Pages", "status": "pending", "dependencies": [2, "2.2"]},
    ]
    tasks[1]["subtasks"] = subtasks
    (elsewhere / "tasks.json").write_text(json.dumps({"master": {"tasks": tasks, "metadata": {}}}))
    assert (
        stdout_of(elsewhere, "import", "tasks.json") == "Created plan tasks with 5 tasks: tasks\n"
    )
    assert stdout_of(elsewhere, "show").splitlines()[1:] == [
        "  ● 1 Set up",
        "  ● 4 Sign in",
        "  ○ 5 Database",
        "  ◐ 2 Core",
        "  ○ 3 Pages  needs 2, 5",
    ]


@pytest.mark.parametrize("name", ["plan.csv", "plan.yaml", "release-1.2"])
def test_u9_export_refuses_an_unknown_ending(workspace: Path, name: str) -> None:
    refused = outlast(workspace, "export", name)
    assert refused.returncode == 2
    assert refused.stderr == (
        f"outlast: {name}: unknown ending {Path(name).suffix}; use .md or .json, or choose a "
        "format: --format plan.json|manager|markdown|checklist\n"
    )
    assert not (workspace / name).exists()
    stdout_of(workspace, "export", name, "--format", "checklist")
    assert (workspace / name).read_text().startswith("# Ship it\n")
