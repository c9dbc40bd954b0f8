"""F1: a process killed by SIGKILL leaves all of a command or nothing of it."""

import multiprocessing
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.store.operations import HUGE, HUGE_COUNT, make_store, on_disk
from tests.store.workers import Killed, kill_at_random, kill_everywhere

SPAWN = multiprocessing.get_context("spawn")
KILLS = 24


class Copy:
    """Copies a directory; can be pickled for another process."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __call__(self, target: str) -> None:
        shutil.copytree(self.source, target)


def check(directory: Path, results: list[Killed]) -> set[str]:
    """Check that every plan is the old or the new one; return which of them there were."""
    before = on_disk(directory / "made")
    ways = set()
    for number, acknowledged in results:
        found = on_disk(directory / str(number))
        new = found["revision"] - before["revision"]
        assert new in ((1,) if acknowledged else (0, 1))
        assert new or found == before
        assert not list((directory / str(number)).glob("*.new"))
        added = len(found["tasks"]) - len(before["tasks"])
        ways.add(f"{added or 'none'}")
    return ways


def made(directory: Path) -> Copy:
    (directory / "made").mkdir()
    make_store(directory / "made").close()
    return Copy(str(directory / "made"))


@pytest.mark.slow
@pytest.mark.parametrize("operation", [HUGE, "several"])
def test_f1_a_process_killed_at_any_call_leaves_none_or_all(operation: str, tmp_path: Path) -> None:
    copy = made(tmp_path)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        results = pool.submit(kill_everywhere, str(tmp_path), copy, operation).result()
    assert len(results) >= 12
    assert check(tmp_path, results) == {"none", "10000" if operation != "several" else "1"}


@pytest.mark.slow
def test_f1_a_process_killed_at_any_moment_leaves_none_or_all(tmp_path: Path) -> None:
    copy = made(tmp_path)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        job = pool.submit(kill_at_random, str(tmp_path), copy, HUGE, KILLS)
        results = job.result()
    assert check(tmp_path, results) <= {"none", f"{HUGE_COUNT}"}
