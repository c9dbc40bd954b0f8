"""A17: keys in our environment cannot be read by what an agent runs, as a plain user on Linux."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.attacks import plain_user

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = 65_534
CANARY = "canary-4711-a1b2c3d4e5f6"
KEYS = ("ANTHROPIC_API_KEY", "MY_PAT", "SENTRY_DSN")
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such switch")


def as_plain_user(work: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(work),
        **dict.fromkeys(KEYS, CANARY),
    }
    return subprocess.run(  # type: ignore[call-overload,no-any-return] # noqa: S603 - our own script
        arguments,
        capture_output=True,
        check=False,
        cwd=work,
        env=environment,
        text=True,
        timeout=300,
        **user,
    )


def find_python(work: Path) -> str:
    """Return a Python that a plain user can start: ours may be in the home of root."""
    for path in (sys.executable, f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"):
        with suppress(OSError):
            if as_plain_user(work, path, "-c", "import msgspec, outlast").returncode == 0:
                return path
    pytest.skip("no Python that a plain user can start has what we need")


@pytest.fixture
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory that the plain user can reach and owns."""
    path = tmp_path_factory.mktemp("plain")
    (path / "project").mkdir()
    (path / "state").mkdir(0o700)
    if os.geteuid() == 0:
        for parent in (path, *path.parents):
            if parent.owner() == "root" and parent.stat().st_mode & 0o005 != 0o005:
                parent.chmod(parent.stat().st_mode | 0o005)
        for owned in (path, path / "project", path / "state"):
            os.chown(owned, NOBODY, NOBODY)
    return path


@ON_LINUX
def test_a17_neither_bash_nor_a_check_reads_our_keys_and_the_tools_still_work(work: Path) -> None:
    script = (plain_user.__file__, str(work / "project"), str(work / "state"))
    ended = as_plain_user(work, find_python(work), *script)
    assert ended.returncode == 0, ended.stderr
    shown = {
        folder: {way for way in plain_user.WAYS if CANARY in read(work / "project" / folder / way)}
        for folder in ("before", "bash", "check")
    }
    assert shown["before"] >= {"own", "environ", "indirect", "python", "all"}
    assert shown["bash"] == shown["check"] == set()
    assert ended.stdout.count("still works") == 2


def read(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")
