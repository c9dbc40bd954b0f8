"""A project, a state directory of its own, and the shells that run hooks."""

from pathlib import Path

import pytest

from tests.hosts.hook.shell import Shell

SHELLS = {
    "sh": ("sh",),
    "dash": ("dash", "-u"),
    "bash": ("bash",),
    "bash-posix": ("bash", "--posix", "-u"),
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The user's state directory."""
    place = tmp_path / "state of 'María' \"$x\" 状态"
    place.mkdir(mode=0o700)
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The directory of a project."""
    place = tmp_path / "project"
    place.mkdir()
    return place


@pytest.fixture(
    params=["sh", *(pytest.param(name, marks=pytest.mark.slow) for name in SHELLS if name != "sh")]
)
def shell(
    request: pytest.FixtureRequest, tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A shell that runs hooks."""
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    return Shell(tmp_path, SHELLS[request.param], name="python of 'María'")
