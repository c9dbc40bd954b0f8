"""What all tests share."""

import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from importlib import import_module
from pkgutil import walk_packages

import pytest
from hypothesis import settings

from outlast import formats
from outlast import model as domain
from outlast.system.caller import HOST_VARIABLES

# Some modules are loaded late, and perhaps first by a test that coverage does not measure.
for room in (domain, formats):
    for module in walk_packages(room.__path__, f"{room.__name__}."):
        import_module(module.name)

# No test depends on the speed of the machine, and every run of a commit tries the same examples;
# `./dev soak` tries others.
settings.register_profile("default", deadline=None, derandomize=True)
settings.register_profile("fast", settings.get_profile("default"), max_examples=20)
settings.register_profile("soak", settings.get_profile("default"), derandomize=False)

# What a user may have set; the figures of `./dev soak` bear other names.
_OTHERS = {*HOST_VARIABLES, "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"}
_SETTING = re.compile("OUTLAST_(PLAN|ACTOR|NAME|LANG|MODEL|API_KEY|CHECK_SECONDS|.*__.*)")


def pytest_configure() -> None:
    """Give every child process the default SIGINT.

    A shell starts a background job with SIGINT ignored, and children inherit that: a test that
    interrupts its child would wait for ever. A handler is reset by `exec`, so children get the
    default, while this process goes on ignoring the signal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


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
