"""F1, F2: a killed process or a power loss leaves all of a commit or nothing of it."""

import multiprocessing
import os
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import pytest

from tests.store.operations import HUGE, OPERATIONS, fresh_directory, get_files, put_files
from tests.store.sqlite.databases import (
    ADD,
    NAME,
    Killed,
    begin,
    change,
    kill_at_bytes,
    kill_at_random,
    kill_in_steps,
    make_store,
    on_disk,
    open_store,
    state,
)

SPAWN = multiprocessing.get_context("spawn")
LOG = f"{NAME}-wal"
INDEX = f"{NAME}-shm"
HEADER, FRAME = 32, 24 + 4096
SECTOR = 512


def check(made: Path, results: list[Killed]) -> None:
    """Check that every plan is the old or the new one and goes on; both occurred."""
    before = on_disk(made)
    after = on_disk(next(where for where, _, survived in results if survived))
    ways = set()
    for where, acknowledged, survived in results:
        found = on_disk(where)
        assert found == after or (found == before and not acknowledged)
        assert acknowledged or not survived
        store = open_store(where)
        assert change(store, OPERATIONS["add phase"], key="next").revision > found["revision"]
        store.close()
        assert [path.name for path in Path(where).iterdir()] == [NAME]
        ways.add(found["revision"])
    assert ways == {before["revision"], after["revision"]}


def templates(path: Path, operation: str) -> dict[str, Path]:
    """Return directories with the same plan: all of it in the database, or all in the WAL."""
    store = make_store(fresh_directory(path / "open"), operation)
    logged = get_files(path / "open")
    store.close()
    put_files(path / "logged", {name: logged[name] for name in (NAME, LOG)})
    return {"closed": path / "open", "logged": path / "logged"}


PARTS = 4
POINTS = 2000  # at which a process is killed, in all parts together
STRIDE = 1 if os.environ.get("OUTLAST_EVERY_BYTE") else 2  # in steps


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_f1_a_process_killed_in_any_step_leaves_none_or_all(part: int, ram_path: Path) -> None:
    points = 0
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        for number, operation in enumerate([*OPERATIONS][part::PARTS]):
            place = fresh_directory(ram_path / "now")
            made = templates(place, operation)[("closed", "logged")[number % 2]]
            steps = pool.submit(kill_in_steps, str(made), f"{place}/step", operation, STRIDE)
            sizes = pool.submit(kill_at_bytes, str(made), f"{place}/byte", operation, 1601)
            for results in (steps.result(), sizes.result()):
                check(made, results)
                points += len(results) - 1  # the last one lives
    assert points >= POINTS / PARTS


@pytest.mark.slow
def test_f1_a_process_killed_at_any_moment_leaves_none_or_all(tmp_path: Path) -> None:
    made = templates(tmp_path, "")["closed"]
    arguments = (str(made), f"{tmp_path}/kill", HUGE, 40)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        check(made, pool.submit(kill_at_random, *arguments).result())


CALLS = "pwrite64,write,fdatasync,fsync,ftruncate,unlink,openat,fcntl,mmap,rename,close"
WORK = """
import sys
from tests.store.sqlite.databases import begin, change, open_store
from tests.store.operations import OPERATIONS
if sys.argv[1] == "begin":
    begin(sys.argv[2]).close()
else:
    store = open_store(sys.argv[2])
    change(store, OPERATIONS["several"], key="the key")
    store.close()
"""


def run_traced(*arguments: str, cwd: Path, inject: str = "") -> subprocess.CompletedProcess[str]:
    """Run a process under strace, which kills it at one of its calls."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace")
    options = ("-P", str(cwd), "-P", str(cwd / NAME), "-P", str(cwd / LOG), "-P", str(cwd / INDEX))
    killing = ("-e", inject) if inject else ()
    command = (sys.executable, "-c", WORK, *arguments)
    return subprocess.run(  # noqa: S603 - our own commands
        [strace, "-e", f"trace={CALLS}", *options, *killing, *command],
        capture_output=True,
        check=False,
        text=True,
        cwd=Path(__file__).parents[3],
    )


@pytest.mark.slow
def test_f1_a_process_killed_at_any_call_leaves_none_or_all(tmp_path: Path) -> None:
    where = tmp_path / "plan"
    store = make_store(fresh_directory(where))
    before = state(store)
    store.close()
    files = get_files(where)
    whole = run_traced("change", str(where), cwd=where)
    if whole.returncode:
        pytest.skip("processes cannot be traced here")
    calls = sum(not line.startswith(("+++", "---")) for line in whole.stderr.splitlines())
    assert calls > 30
    revisions = set()
    for call in range(1, calls + 1, 4):
        put_files(where, files)
        inject = f"inject={CALLS}:signal=SIGKILL:when={call}"
        run_traced("change", str(where), cwd=where, inject=inject)
        found = on_disk(where)
        assert found["revision"] - before["revision"] in (0, 1)
        assert found["revision"] > before["revision"] or found == before
        revisions.add(found["revision"])
    assert len(revisions) == 2


# The power goes: what was not acknowledged may be written in any part


def history(path: Path) -> tuple[dict[str, bytes], list[int], list[dict[str, object]]]:
    """Return the files of an open plan, where in the WAL each commit ends, and the plans then."""
    begin(fresh_directory(path)).close()
    store = open_store(path)
    ends, plans = [0], [state(store)]
    for number in range(12):
        change(store, OPERATIONS["add many"] if number == 5 else ADD, key=f"{number}")
        ends.append((path / LOG).stat().st_size)
        plans.append(state(store))
    files = {name: (path / name).read_bytes() for name in (NAME, LOG)}
    store.close()
    return files, ends, plans


def test_f2_a_log_cut_anywhere_ends_in_a_whole_commit(ram_path: Path) -> None:
    files, ends, plans = history(ram_path / "made")
    log = files[LOG]
    assert ends[-1] == len(log)
    for frame in range(HEADER, len(log) + 1, FRAME):
        for cut in {frame, frame + 24, frame + FRAME // 2, frame + FRAME - 1, frame - HEADER}:
            put_files(ram_path / "cut", files | {LOG: log[:cut]})
            kept = sum(end <= cut for end in ends) - 1
            assert on_disk(ram_path / "cut") == plans[kept]


def test_f2_what_was_acknowledged_survives_whatever_was_written_of_the_next_commit(
    ram_path: Path,
) -> None:
    files, ends, plans = history(ram_path / "made")
    random = Random(2)  # noqa: S311 - a choice of sectors is no secret
    seen = set()
    for number in range(400):
        at = random.randrange(1, len(ends))
        safe, log = files[LOG][: ends[at - 1]], bytearray(files[LOG][: ends[at]])
        for sector in range(len(safe) // SECTOR * SECTOR, len(log), SECTOR):
            begin_, end = max(sector, len(safe)), min(sector + SECTOR, len(log))
            if random.random() < number / 400:
                log[begin_:end] = bytes(end - begin_)
        put_files(ram_path / "cut", files | {LOG: bytes(log)})
        found = on_disk(ram_path / "cut")
        assert found in plans[at - 1 : at + 1]
        seen.add(found["revision"] == plans[at]["revision"])
    assert seen == {True, False}


def test_f1_copies_made_at_any_moment_of_a_commit_are_whole(ram_path: Path) -> None:
    """The files of a database in use are what a killed machine would leave."""
    files, _, plans = history(ram_path / "made")
    for index in (b"", b"\x00" * 32768, files[LOG][:32768]):
        put_files(ram_path / "copy", files | {INDEX: index})
        assert on_disk(ram_path / "copy") == plans[-1]
