"""What all tests share."""

import gc
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings

from outlast import create_plan
from outlast.system.caller import HOST_VARIABLES
from scripts.pure_modules import find_files, is_test_of_pure_module, module_name, read_names

# Some modules are loaded late, and perhaps first by a test that coverage does not measure.
_PURE = read_names()
for file in find_files(_PURE):
    import_module(module_name(file))

# No test depends on the speed of the machine, and every run of a commit tries the same examples;
# `./dev soak` tries others.
settings.register_profile("default", deadline=None, derandomize=True)
settings.register_profile("fast", settings.get_profile("default"), max_examples=20)
settings.register_profile("soak", settings.get_profile("default"), derandomize=False)

# What a user may have set; the figures of `./dev soak` bear other names.
_OTHERS = {*HOST_VARIABLES, "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"}
_LONG = ("xdist_group", "slow")
_RAM = Path("/dev/shm")  # noqa: S108 - mkdtemp makes a private directory in it
_SETTING = re.compile("OUTLAST_(PLAN|ACTOR|NAME|LANG|MODEL|API_KEY|CHECK_SECONDS|.*__.*)")


def pytest_configure() -> None:
    """Give every child process the default SIGINT.

    A shell starts a background job with SIGINT ignored, and children inherit that: a test that
    interrupts its child would wait for ever. A handler is reset by `exec`, so children get the
    default, while this process goes on ignoring the signal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)
    gc.disable()  # until the tests are collected, of which hardly anything is garbage


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of pure modules, which are run with coverage.

    Several workers begin with what takes long: a group, which one of them runs, then slow tests.
    The quick ones fill what time is left at the end.
    """
    pure = {path: is_test_of_pure_module(path, _PURE) for path in {item.path for item in items}}
    for item in items:
        if pure[item.path]:
            item.add_marker("pure")
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: [not item.get_closest_marker(name) for name in _LONG])


def pytest_collection_finish() -> None:
    """Keep the million objects of the collected tests out of every search for garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def places_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests, and the processes they start, away from the user's files and settings.

    They act as a person's processes do, also where a coding agent runs the tests.
    """
    before = dict(os.environ)
    for place in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR"):
        os.environ[place] = str(tmp_path_factory.mktemp(place.lower()))
    for name in [name for name in before if _SETTING.fullmatch(name) or name in _OTHERS]:
        del os.environ[name]
    os.environ["OUTLAST_NAME"] = "mira"
    tempfile.tempdir = None  # looked up again
    yield
    os.environ.clear()
    os.environ.update(before)
    tempfile.tempdir = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leave the slow tests out of the coverage, which would make them three times as slow.

    The marker `no_cover` is not enough: a worker of xdist has two collectors, and it stops one.
    """
    if not item.get_closest_marker("slow"):
        return (yield)
    tracers = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracers[0])
        threading.settrace(tracers[1])


@pytest.fixture
def ram_path() -> Iterator[Path]:
    """A directory in memory, for tests that fill it thousands of times."""
    made = tempfile.mkdtemp(prefix="outlast-", dir=_RAM if _RAM.is_dir() else None)
    yield Path(made)
    shutil.rmtree(made)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory that has another one beside it for homes and settings."""
    place = tmp_path / "here"
    place.mkdir()
    return place


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with the plan `ship`, which has the tasks a and b."""
    with create_plan(str(tmp_path), "Ship it", "ship") as plan:
        plan.add("a")
        plan.add("b")
    return tmp_path


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function that makes the stores write a snapshot whenever they can."""

    def be_eager() -> None:
        monkeypatch.setattr("outlast.store.replica._SNAPSHOT_EVERY", 0)
        monkeypatch.setattr("outlast.store.replica._SNAPSHOT_BYTES_PER_TASK", 0)
        monkeypatch.setattr("outlast.store.replica._WORTHWHILE_BYTES", 0)

    return be_eager
