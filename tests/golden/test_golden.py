"""F17: what 33b2e3d has stored means the same to every later version.

The fixtures are never written again. `readers` opens each with the reader that users have; what is
compared are stored names and values, not classes and attributes.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.golden import readers
from tests.golden.readers import Json, OpenPlan
from tests.golden.stored_kinds import STORED

_FINER_TIME = rb', "(?:created|updated|started|completed)_at": "[^"]+\.[0-9]{6}Z"'
HERE = Path(__file__).parent
GOLDEN = HERE / "33b2e3d"
HOMES = {
    "outlast": (".outlast", "plans"),
    "code-agent": (".code-agent", "plans"),
    "sessions": (".sessions",),
}
SHARED = ("journal.jsonl", "snapshot.json")  # the same in `outlast` and `sessions`
NOTES = ("findings.md", "errors.md", "deliverable.md")
FORMS = {
    "plan.json": "plan.json",
    "manager.json": "manager",
    "markdown.md": "markdown",
    "checklist.md": "checklist",
}


def expected(name: str) -> Any:
    return json.loads((GOLDEN / "expected" / f"{name}.json").read_text("utf-8"))


def plain(value: object) -> Any:
    """Return a value as JSON gives it back."""
    return json.loads(json.dumps(value))


def mark(facts: Json) -> str:
    return hashlib.sha256(json.dumps(plain(facts), sort_keys=True).encode()).hexdigest()[:16]


def marks(plan: OpenPlan) -> dict[str, str]:
    """Return a short mark of the plan after each commit."""
    revisions = [commit["revision"] for commit in plan.commits()]
    return {str(revision): mark(plan.facts_at(revision)) for revision in revisions}


def put_workspace(root: Path, layout: str) -> Path:
    """Copy the files of a plan to where its layout has them; return its directory."""
    directory = root.joinpath(*HOMES[layout], "golden")
    if layout == "sessions":
        shutil.copytree(GOLDEN / "outlast", directory, ignore=lambda *_: list(NOTES))
        (directory / "task_plan.md").unlink()
    shutil.copytree(GOLDEN / layout, directory, dirs_exist_ok=True)
    return directory


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(shutil.copy(GOLDEN / "plans.db", tmp_path))


@pytest.fixture
def golden(tmp_path: Path) -> Iterator[OpenPlan]:
    for name in SHARED:
        shutil.copy(GOLDEN / "outlast" / name, tmp_path)
    plan = readers.open_directory(tmp_path)
    yield plan
    plan.close()


def test_f17_the_fixtures_are_as_they_were_written() -> None:
    lines = (HERE / "33b2e3d.sha256").read_text("utf-8").splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    files = sorted(path for path in GOLDEN.rglob("*") if path.is_file())
    found = {
        path.relative_to(GOLDEN).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    assert found == sums


@pytest.mark.parametrize("name", ["outlast", "code-agent", "everything"])
def test_f17_a_journal_is_written_as_it_was_read(name: str) -> None:
    data = (GOLDEN / name / "journal.jsonl").read_bytes()
    assert readers.rewrite_journal(data) == data


def test_f17_a_journal_with_every_change_means_what_it_meant(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "everything" / "journal.jsonl", tmp_path)
    plan, meant = readers.open_directory(tmp_path), expected("everything")
    for revision, facts in meant["facts"].items():
        assert plain(plan.facts_at(int(revision))) == facts
    assert marks(plan) == meant["hashes"]
    assert plan.notices() == []
    plan.close()


@pytest.mark.parametrize("with_snapshot", [True, False])
def test_f17_a_plan_means_what_it_meant(tmp_path: Path, *, with_snapshot: bool) -> None:
    for name in SHARED[: 1 + with_snapshot]:
        shutil.copy(GOLDEN / "outlast" / name, tmp_path)
    plan = readers.open_directory(tmp_path)
    assert plain(plan.facts()) == expected("golden")
    assert marks(plan) == expected("golden_hashes")
    assert plan.notices() == []
    plan.close()


@pytest.mark.parametrize("layout", ["outlast", "code-agent"])
def test_f17_a_snapshot_means_what_it_meant(layout: str) -> None:
    data = (GOLDEN / layout / "snapshot.json").read_bytes()
    assert plain(readers.read_snapshot(data)) == expected("snapshot")


@pytest.mark.parametrize("layout", HOMES)
def test_f17_a_workspace_opens_without_an_edit(layout: str, tmp_path: Path) -> None:
    directory = put_workspace(tmp_path, layout)
    files = {path.name: path.read_bytes() for path in directory.iterdir()}
    assert plain(readers.read_rendered(directory)) == expected("rendered")[layout]
    plan = readers.open_in_workspace(tmp_path, "golden")
    assert plain(plan.facts()) == expected("golden")
    assert plan.notices() == []
    plan.close()
    now = {path.name: path.read_bytes() for path in directory.iterdir()}
    views = [name for name in files if name not in SHARED]
    assert {name: now[name] for name in views} == {name: files[name] for name in views}
    assert now["journal.jsonl"] == files["journal.jsonl"]


def test_f17_a_database_means_what_it_meant(database: Path) -> None:
    meant = expected("database")
    assert readers.known_in_database(database) == list(meant)
    for key, facts in meant.items():
        plan = readers.open_in_database(database, key)
        assert plain(plan.facts()) == facts["facts"]
        assert marks(plan) == facts["hashes"]
        assert plan.notices() == []
        plan.close()


@pytest.mark.parametrize("name", expected("documents"))
def test_f17_a_document_says_what_it_said(name: str) -> None:
    path = GOLDEN / name if "/" in name else GOLDEN / "documents" / name
    form = "checklist" if name == "checklist.md" else None
    assert plain(readers.read_document(path.read_bytes(), form)) == expected("documents")[name]


@pytest.mark.parametrize("name", FORMS)
def test_f17_a_document_is_written_as_it_was(name: str, golden: OpenPlan) -> None:
    written, now = (GOLDEN / "documents" / name).read_bytes(), golden.written(FORMS[name])
    if name == "markdown.md":  # these words and numbers were others, and still are read
        assert written.count(b"\n  - after: ") == 4
        written = written.replace(b"\n  - after: ", b"\n  - needs: ")
        now, count = re.subn(rb"(?m)^(- .{7}) \*\*(\d+)\*\* (.*)$", rb"\1 \3 <!-- t\2 -->", now)
        assert count == 11
        now, count = re.subn(rb"  - (?:result: .*|status: assumed)\n", b"", now)
        assert count == 6  # it did not show how tasks ended
    if name == "plan.json":  # it had finer times, and said in the extension what is ordinary
        written, count = re.subn(_FINER_TIME, b"", written)
        assert count == 11
        written = re.sub(rb'"actor": "", |"how": (?:"reported"|""), ', b"", written)
    assert now == written


@pytest.mark.parametrize("layout", ["outlast", "code-agent"])
def test_f17_a_task_plan_that_nobody_edited_asks_for_nothing(layout: str, golden: OpenPlan) -> None:
    text = (GOLDEN / layout / "task_plan.md").read_text("utf-8")
    assert "\n  - after: " in text
    assert golden.edits_in(text) == {"edits": 0, "reports": 0, "held": False}


@pytest.mark.parametrize("name", expected("notes"))
def test_f17_notes_say_what_they_said(name: str) -> None:
    _, _, view = name.partition("/")
    text = (GOLDEN / name).read_text("utf-8")
    assert plain(readers.read_notes(view, text)) == expected("notes")[name]


@pytest.mark.parametrize("name", expected("values"))
def test_f17_every_stored_field_is_read_and_written(name: str) -> None:
    value = expected("values")[name]
    made = msgspec.json.decode(json.dumps(value), type=STORED[name])
    assert json.loads(msgspec.json.encode(made)) == value


def test_x1_the_digest_of_every_command_is_what_it_was() -> None:
    values, pause = expected("values"), ["Pause", {}]
    found = {}
    assert expected("digests").keys() <= {*readers.command_kinds()}
    for name in expected("digests"):
        command = [name, values[f"command {name}"]]
        found[name] = [
            readers.digest(readers.read_commands(given)) for given in ([command], [command, pause])
        ]
    assert found == expected("digests")


def test_x1_what_was_asked_before_is_answered_as_it_was(tmp_path: Path) -> None:
    for key, steps in expected("asked").items():
        source = {"golden": "outlast", "everything": "everything"}[key]
        directory = tmp_path / key
        directory.mkdir()
        shutil.copy(GOLDEN / source / "journal.jsonl", directory)
        plan = readers.open_directory(directory)
        known = {commit["key"]: commit for commit in plan.commits() if commit.get("key")}
        assert list(known) == [step for step, _ in steps]
        for step, given in steps:
            commands = readers.read_commands(given)
            assert readers.digest(commands) == known[step]["asked"]
            assert plan.commit(commands, step) == known[step]
        plan.close()


def test_f17_what_is_kept_of_a_call_is_what_it_was() -> None:
    for name, params, message, found in expected("calls"):
        assert readers.digests_of_calls(name, params, message) == found


@pytest.mark.parametrize(
    ("name", "user", "project"),
    [("user", True, False), ("project", False, True), ("both", True, True)],
)
def test_f17_settings_files_say_what_they_said(
    name: str, tmp_path: Path, *, user: bool, project: bool
) -> None:
    (tmp_path / "config/outlast").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    if user:
        shutil.copy(GOLDEN / "settings/user.toml", tmp_path / "config/outlast/config.toml")
    if project:
        shutil.copy(GOLDEN / "settings/project.toml", tmp_path / "work/outlast.toml")
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    assert settings(tmp_path, environment, name) == expected("settings")[name]


def test_f17_settings_of_the_environment_say_what_they_said(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    environment = json.loads((GOLDEN / "settings/environment.json").read_text("utf-8"))
    environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    assert settings(tmp_path, environment, "environment") == expected("settings")["environment"]


def settings(base: Path, environment: dict[str, str], name: str) -> Any:
    """Return the settings that were known then; later ones must have their defaults."""
    found = readers.read_settings(base / "work", environment)
    known, all_settings = expected("settings")[name]["settings"], found["settings"]
    later = all_settings.keys() - known
    assert {all_settings[key][1] for key in later} <= {"default"}
    found["settings"] = {key: all_settings[key] for key in all_settings if key not in later}
    return json.loads(json.dumps(found).replace(str(base), "BASE"))


def test_f17_approvals_and_seals_hold(tmp_path: Path) -> None:
    home, meant = tmp_path / "state", expected("state")
    shutil.copytree(GOLDEN / "state", home)
    for path in home.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    found = readers.read_approvals(home, "plan_golden", meant["task"])
    assert plain(found) == meant["approvals"]
    assert readers.has_seal(home, "plan_golden", meant["proof"])
    assert not readers.has_seal(home, "plan_other", meant["proof"])
