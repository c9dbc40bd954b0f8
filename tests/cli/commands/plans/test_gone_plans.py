"""F40: what commands say about plans whose directory vanished, and how these come back."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.processes import json_of, outlast, stdout_of

GONE = "Plans were here and are gone: k. Bring them back: outlast doctor --restore"


def git(path: Path, *words: str) -> None:
    command = ("git", "-c", "user.name=a", "-c", "user.email=a@b", *words)
    subprocess.run(command, cwd=path, check=True, capture_output=True)  # noqa: S603


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git repository with a plan that git ignores."""
    git(tmp_path, "init", "-q")
    (tmp_path / "file").write_text("content")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-qm", "first")
    stdout_of(tmp_path, "new", "Goal", "--key", "k")
    stdout_of(tmp_path, "add", "one", "two")
    return tmp_path


def test_f40_a_plan_that_git_has_cleaned_away_comes_back(project: Path) -> None:
    shown = stdout_of(project, "show")
    git(project, "clean", "-fdxq")
    assert stdout_of(project).startswith(GONE)
    assert json_of(project)["gone"] == ["k"]
    for command in (
        ["done", "1"],
        ["show"],
        ["add", "three"],
        ["use", "k"],
        ["show", "--plan", "k"],
    ):
        done = outlast(project, *command)
        assert done.returncode == 3
        assert done.stderr.endswith(f"{GONE}\n"), command
    doctor = outlast(project, "doctor")
    assert (doctor.returncode, f"✗ workspace: {GONE}\n" in doctor.stdout) == (4, True)
    inner = project / "src"
    inner.mkdir()
    assert stdout_of(inner).startswith(GONE)
    answer = stdout_of(inner, "doctor", "--restore")
    assert answer == "✓ plan k: its files were gone and are back: 0 of 2 tasks done\n"
    assert (project / ".outlast" / "plans" / "k" / "task_plan.md").exists()
    assert (project / ".outlast" / ".gitignore").read_text() == "*\n"
    assert stdout_of(project, "show") == shown
    again = stdout_of(project, "doctor", "--restore")
    assert again == "✓ workspace: no plan of this place is gone\n"


def test_f40_a_plan_that_git_has_stashed_is_there_once_when_it_is_back(project: Path) -> None:
    git(project, "stash", "-a")
    assert stdout_of(project).startswith(GONE)
    git(project, "stash", "pop")
    assert [plan["key"] for plan in json_of(project, "list")["plans"]] == ["k"]
    assert "gone" not in stdout_of(project)
    assert "no plan of this place" in stdout_of(project, "doctor", "--restore")


def test_f40_a_new_plan_with_the_key_of_one_that_is_gone_says_how_to_have_the_old_one(
    project: Path,
) -> None:
    assert outlast(project, "new", "Other", "--key", "other").stderr == ""
    git(project, "clean", "-fdxq")
    said = outlast(project, "new", "Goal", "--key", "k").stderr
    assert said.startswith("outlast: Another plan k was here and is gone")
    for command in re.findall(r"outlast (drop \S+ --yes|doctor --restore)", said):
        stdout_of(project, *command.split())
    assert [task["name"] for task in json_of(project, "show", "--plan", "k")["tasks"]] == [
        "one",
        "two",
    ]


def test_f40_a_run_with_the_key_of_a_plan_that_is_gone_says_so(project: Path) -> None:
    (project / "plan.md").write_text("# Job\n\n- [ ] One\n  - run: true\n")
    git(project, "add", "plan.md")
    git(project, "clean", "-fdxq")
    done = outlast(project, "run", "plan.md", "--agent", "shell", "--yes", "--key", "k")
    assert "Another plan k was here and is gone" in done.stderr


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no other file system")  # noqa: S108
def is_elsewhere(place: str, project: Path) -> bool:
    """Return whether files there cannot be links to files of the project."""
    return Path(place).stat().st_dev != project.stat().st_dev


def test_f40_a_plan_that_comes_back_from_a_copy_is_said_to_be_perhaps_old(project: Path) -> None:
    others = ("/dev/shm", "/var/tmp")  # noqa: S108 - a directory is made in one of them
    places = (place for place in others if is_elsewhere(place, project))
    with TemporaryDirectory(prefix="outlast-", dir=next(places)) as state:
        stdout_of(project, "new", "Other", "--key", "other", XDG_STATE_HOME=state)
        git(project, "clean", "-fdxq")
        said = stdout_of(project, "doctor", "--restore", "--plan", "other", XDG_STATE_HOME=state)
    assert "a copy is back, which may lack the latest changes: 0 of 0 tasks" in said


def test_f40_one_of_several_plans_is_brought_back(project: Path) -> None:
    stdout_of(project, "new", "Other", "--key", "other")
    git(project, "clean", "-fdxq")
    assert "gone: k, other." in stdout_of(project)
    assert "plan other" in stdout_of(project, "doctor", "--restore", "--plan", "other")
    assert [plan["key"] for plan in json_of(project, "list")["plans"]] == ["other"]
    assert GONE in outlast(project, "show", "--plan", "k").stderr


def test_f40_only_a_person_makes_a_plan_forgotten_and_has_to_confirm(project: Path) -> None:
    refused = outlast(project, "drop", "k", "--forget")
    assert refused.returncode == 1
    assert "outlast drop k --forget --yes" in refused.stderr
    agent = outlast(project, "drop", "k", "--forget", "--yes", CLAUDECODE="1")
    assert agent.returncode == 1
    assert "dropped" in stdout_of(project, "drop", "k", "--forget", "--yes")
    git(project, "clean", "-fdxq")
    assert GONE not in stdout_of(project)


def test_f40_a_plan_that_is_gone_can_be_forgotten(project: Path) -> None:
    git(project, "clean", "-fdxq")
    assert stdout_of(project, "drop", "k", "--forget", "--yes").startswith("Forgot plan k")
    assert GONE not in stdout_of(project)
