"""`import` from other tools: files, directories, packages, and what a stranger may put there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import open_plan
from tests.cli.processes import environment, json_of, outlast, stdout_of
from tests.transfer.imports.samples import HERE


def place(where: Path, name: str, sample: str) -> Path:
    """Copy a sample to where its tool keeps it."""
    target = where / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes((HERE / sample).read_bytes())
    return target


def lines_of(cwd: Path, *arguments: str) -> list[str]:
    return stdout_of(cwd, *arguments).splitlines()


SESSION = "5e1b1a52-0b5f-4a57-9d0c-6f2f9b7c1a11"


def test_u9_a_directory_of_claude_code_is_one_plan(tmp_path: Path) -> None:
    for name in ("1.json", "2.json", "10.json"):
        place(tmp_path, f"{SESSION}/{name}", f"claude-tasks/{name}")
    (tmp_path / SESSION / ".highwatermark").write_text("10")
    (tmp_path / SESSION / "notes.txt").write_text("mine")
    answer = json_of(tmp_path, "import", SESSION)
    assert (answer["format"], answer["plan"]["key"]) == ("claude-tasks", "claude-tasks-5e1b1a52")
    assert answer["not_read"] == [
        {"line": 0, "text": "2: blockedBy 9", "why": "import_need", "file": None},
        {"line": 0, "text": "notes.txt", "why": "import_file", "file": None},
    ]
    assert lines_of(tmp_path, "show")[1:] == [
        "  ● 1 Find the bug",
        "  ◐ 2 Fix it",
        "  ○ 10 Release  needs 2",
    ]
    told = lines_of(tmp_path, "import", SESSION, "--key", "again")
    assert told[1:] == [
        "left out a need, because that task is not in the file, or comes later: 2: blockedBy 9",
        "not read: notes.txt",
    ]


def test_u9_todos_of_a_session_have_a_readable_key(tmp_path: Path) -> None:
    place(tmp_path, f"{SESSION}-agent-{SESSION}.json", "todos.json")
    answer = json_of(tmp_path, "import", f"{SESSION}-agent-{SESSION}.json")
    assert answer["plan"]["key"] == "todos-5e1b1a52"


@pytest.mark.parametrize("named", ["task_plan.md", "."])
def test_u9_what_stands_beside_a_plan_of_planning_with_files_is_read(
    tmp_path: Path, named: str
) -> None:
    for name in ("task_plan.md", "findings.md", "progress.md"):
        place(tmp_path, f"old/{name}", f"planning-with-files/{name}")
    answer = json_of(tmp_path, "import", f"old/{named}")
    assert (answer["format"], answer["not_read"]) == ("planning-with-files", [])
    with open_plan(str(tmp_path)) as plan:
        assert len(plan.notes.findings()) == 6
        assert {error.tool for error in plan.notes.errors()} == {"progress.md", "task_plan.md"}
    view = next((tmp_path / ".outlast").rglob("task_plan.md")).read_text()
    assert "Who uses the old constants besides us?" in view


def test_u9_an_imported_plan_is_exported_and_imported_again(tmp_path: Path) -> None:
    place(tmp_path, "specs/001-albums/tasks.md", "spec-kit.md")
    first = json_of(tmp_path, "import", "specs/001-albums", "--key", "one")
    assert (first["format"], first["plan"]["title"]) == ("spec-kit", "Photo albums")
    for form in ("plan.json", "manager", "markdown"):
        stdout_of(tmp_path, "export", f"{form}.out", "--plan", "one", "--format", form)
        again = json_of(tmp_path, "import", f"{form}.out", "--key", form.partition(".")[0])
        assert (again["format"], again["plan"]["total"]) == (form, 10)
    edited = json_of(tmp_path, "done", "3", "--plan", "one", "-m", "ok")
    assert edited["ok"]


def test_u9_a_plan_of_kiro_is_named_after_its_directory(tmp_path: Path) -> None:
    place(tmp_path, ".kiro/specs/user-auth/tasks.md", "kiro.md")
    answer = json_of(tmp_path, "import", ".kiro/specs/user-auth/tasks.md")
    assert (answer["format"], answer["plan"]["key"]) == ("kiro", "user-auth")
    assert lines_of(tmp_path, "show")[-1] == "  ○ 3 Checkpoint - all tests pass  needs 2"


def test_u9_a_form_that_is_named_is_used(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("- [ ] 1. A\n- [ ] 2. B\n")
    assert json_of(tmp_path, "import", "x.md", "--format", "kiro")["format"] == "kiro"
    refused = json_of(tmp_path, "import", "x.md", "--format", "todos", code=4)["error"]
    assert refused["code"] == "INVALID_DOCUMENT"
    unknown = json_of(tmp_path, "import", "x.md", "--format", "odd", code=2)["error"]
    assert (unknown["code"], "kiro" in unknown["details"]["expected"]) == ("WRONG_USAGE", True)


def test_a10_links_among_the_files_of_a_directory_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("## Notes\nprivate\n")
    place(tmp_path, "old/task_plan.md", "planning-with-files/task_plan.md")
    (tmp_path / "old" / "findings.md").symlink_to(secret)
    (tmp_path / "old" / "progress.md").mkdir()
    answer = json_of(tmp_path, "import", "old/task_plan.md")
    assert [(line["text"], line["why"]) for line in answer["not_read"]] == [
        ("findings.md", "import_link"),
        ("progress.md", "import_file"),
    ]
    assert "private" not in next((tmp_path / ".outlast").rglob("journal.jsonl")).read_text()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "tasks.md").symlink_to(secret)
    assert "new/tasks.md: expected a regular file" in outlast(tmp_path, "import", "new").stderr


def test_f15_the_files_of_a_directory_are_limited(tmp_path: Path) -> None:
    here = tmp_path / "many"
    here.mkdir()
    for name in ("1.json", "2.json"):
        with (here / name).open("wb") as file:
            file.truncate(64 * 1024 * 1024 - 1)
    refused = outlast(tmp_path, "import", "many")
    assert (refused.returncode, refused.stdout) == (4, "")
    assert "many/2.json: larger than 67,108,864 bytes" in refused.stderr


@pytest.mark.slow
def test_f15_a_directory_of_very_many_files_is_refused(tmp_path: Path) -> None:
    here = tmp_path / "many"
    here.mkdir()
    for number in range(10_001):
        (here / f"{number}.json").touch()
    refused = outlast(tmp_path, "import", "many")
    assert (refused.returncode, refused.stderr) == (4, "outlast: many: more than 10,000 files\n")


def test_a10_nothing_in_an_imported_file_is_run_or_approved(tmp_path: Path) -> None:
    text = (
        "# Tasks: $(touch ran)\n- [ ] T001 `touch ran`\n  - check: touch ran\n  - run: touch ran\n"
    )
    (tmp_path / "tasks.md").write_text(text)
    stdout_of(tmp_path, "import", "tasks.md")
    outlast(tmp_path, "done", "1", "-m", "ok")
    assert not (tmp_path / "ran").exists()
    with open_plan(str(tmp_path), "touch-ran") as plan:
        assert (plan.task(1).checks, plan.task(1).run) == ((), "")


PLUGIN = """
class Org:
    def recognizes(self, source):
        return source.text().startswith("* TODO")
    def read(self, source):
        lines = [line.removeprefix("* TODO ") for line in source.text().splitlines()]
        tasks = [{"id": n, "name": name} for n, name in enumerate(lines, 1)]
        return {"meta": {"goal": "From org"}, "tasks": tasks, "org": {"file": source.where}}
class Broken(Org):
    def recognizes(self, source):
        raise KeyError("no")
    def read(self, source):
        raise ValueError("not mine")
"""


def test_u9_a_package_adds_a_form_by_an_entry_point(tmp_path: Path) -> None:
    about = tmp_path / "site" / "org-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: org\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[outlast.importers]\norg = org_importer:Org\nbroken = org_importer:Broken\n"
        "gone = nowhere:X\n"
    )
    (tmp_path / "site" / "org_importer.py").write_text(PLUGIN)
    here = tmp_path / "here"
    here.mkdir()
    (here / "list.org").write_text("* TODO Sweep\n* TODO Cook\n")
    (here / "other.txt").write_text("nothing\n")

    def run(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", *arguments],
            capture_output=True,
            check=False,
            cwd=here,
            env=environment(PYTHONPATH=os.pathsep.join([str(tmp_path / "site"), *sys.path])),
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    code, shown, told = run("import", "list.org", "--json")
    assert "importer gone: the package that reads gone cannot be used" in told
    answer = json.loads(shown)
    assert (code, answer["format"], answer["plan"]["title"], answer["plan"]["total"]) == (
        0,
        "org",
        "From org",
        2,
    )
    assert run("import", "list.org", "--format", "org", "--key", "x")[0] == 0
    code, _, shown = run("import", "other.txt")
    assert (code, shown.endswith(", kiro, broken, gone, org\n")) == (2, True)
    code, _, shown = run("import", "list.org", "--format", "broken")
    assert (code, "ValueError: not mine" in shown) == (4, True)
    code, _, shown = run("import", "list.org", "--format", "gone")
    assert (code, "No module named 'nowhere'" in shown) == (4, True)
