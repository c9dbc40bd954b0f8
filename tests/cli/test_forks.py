"""A forked command does what a started one does: the tests of commands rest on that."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import create_plan
from tests.cli import forks
from tests.cli.processes import environment

PLAN = b'{"goal": "Tea", "steps": [{"name": "Boil \xe6\xb0\xb4"}]}'


def started(
    cwd: Path, arguments: list[str | bytes], variables: dict[str, str], given: bytes
) -> tuple[int, bytes, bytes]:
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", *arguments],
        capture_output=True,
        check=False,
        cwd=cwd,
        env=variables,
        input=given,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def forked(
    cwd: Path, arguments: list[str | bytes], variables: dict[str, str], given: bytes
) -> tuple[int, bytes, bytes]:
    done = forks.run(cwd, arguments, variables, given)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "variables", "given"),
    [
        (["--version"], {}, b""),
        (["show"], {}, b""),
        (["show"], {"OUTLAST_LANG": "zh"}, b""),
        (["show"], {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}, b""),
        (["log", "-n", "1"], {"TZ": "Asia/Shanghai"}, b""),
        (["done", "9"], {}, b""),
        (["nonsense"], {}, b""),
        (["add", b"caf\xe9", b"\xff\xfe"], {}, b""),
        (["import", "-", "--key", "tea", "--json"], {}, PLAN),
        (["import", "-"], {}, b"x" * 300_000),
        (["add", "a"], {"CLAUDECODE": "1", "OUTLAST_NAME": ""}, b""),
        (["approve"], {"OUTLAST_MARK_1": "1"}, b""),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_fork_prints_and_ends_as_a_process_of_its_own(
    tmp_path: Path, arguments: list[str | bytes], variables: dict[str, str], given: bytes
) -> None:
    ends = []
    for run in (started, forked):
        place = tmp_path / run.__name__ / "here"
        place.mkdir(parents=True)
        with create_plan(place, "Ship it 船", "ship", actor="human") as plan:
            plan.add("a")
        ends.append(run(place, arguments, environment(**variables), given))
    assert ends[0] == ends[1]


def test_a_fork_sees_its_own_directory_variables_and_streams(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    for place in (first, second):
        place.mkdir()
        assert forks.run(place, ["new", place.name], environment()).returncode == 0
    assert forks.run(first, ["show"], environment()).stdout.startswith(b"1  0/0")
    assert forks.run(second, ["show"], environment()).stdout.startswith(b"2  0/0")
    assert os.environ.get("OUTLAST_PLAN") is None


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    ours, its = os.pipe()
    try:
        process = forks.start(tmp_path, ["import", "-"], environment(), (ours, its, its))
        with pytest.raises(AssertionError, match="hangs"):
            process.wait(0.1)
        assert process.wait() < 0
    finally:
        os.close(ours)
        os.close(its)
