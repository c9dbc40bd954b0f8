"""The benchmarks of plans on disk run, with numbers that say nothing about speed."""

import json
from pathlib import Path

import pytest

from bench import acknowledged, cli_start, durable_ops, open_plan, pairs
from bench.acknowledged import CONTROL, IN_SQLITE, OURS, SQLITE
from bench.durable import CountingDisk, HastyDisk, durable
from bench.measure import Sample
from bench.pairs import ASK, GRAPHLIB, START
from bench.peer_programs import TaskMaster, Taskwarrior
from bench.plans import RESULT, wide
from bench.writers import ALL_PROCESSES, ONE, TASKS, THREADS, WRITERS, Writers


def test_x6_a_commit_is_synced_once_as_the_counting_disk_sees() -> None:
    with durable(wide(2), CountingDisk()) as made:
        made.plan.complete(1, RESULT)
        before, length = made.disk.syncs, made.journal
        made.plan.complete(2, RESULT)
        assert made.disk.syncs == before + 1
        assert made.journal > length


def test_the_hasty_disk_counts_syncs_and_bytes_all_the_same() -> None:
    with durable(wide(1), HastyDisk()) as made:
        syncs, written = made.disk.syncs, made.disk.written
        made.plan.complete(1, RESULT)
        assert made.disk.syncs > syncs
        assert made.disk.written > written


@pytest.mark.slow
def test_pairs_are_measured_in_every_way_on_both_shapes() -> None:
    found = pairs.measure((10,), rounds=1, together=10)
    assert {way for _, _, way in found.seconds} == {ASK, START, GRAPHLIB}
    assert found.bytes["chain", 10, ASK].journal > len(RESULT)
    assert "layered" in pairs.show(found, (10,))


def test_an_acknowledged_operation_is_measured_beside_its_control_and_sqlite() -> None:
    found = acknowledged.measure(operations=3)
    assert found.syncs == 1
    assert {name: len(sample.values) for name, sample in found.cpu.items()} == {
        OURS: 3,
        IN_SQLITE: 3,
        CONTROL: 3,
        SQLITE: 3,
    }
    assert CONTROL in found.show()


def test_the_possible_gain_is_what_one_sync_for_all_writers_would_give() -> None:
    wall = {ONE: Sample([100e-6]), THREADS: Sample([20e-6])}
    found = Writers(10e-6, wall, {}, lost=0)
    assert found.gain(THREADS) == pytest.approx(5)
    assert found.ideal == pytest.approx(100 / (10 + 90 / WRITERS))


@pytest.mark.slow
def test_durable_ops_reports_writers_of_every_kind() -> None:
    text = durable_ops.report((1_000,), rounds=1, operations=3, each=1, each_process=2)
    for name in (ONE, THREADS, TASKS, ALL_PROCESSES):
        assert f"| {name} " in text
    assert "0 reached" in text.partition("acknowledged commits lost")[2]


def test_a_plan_is_opened_from_its_snapshot_and_by_full_replay() -> None:
    found = open_plan.measure(1_000, rounds=1)
    assert found.changes > 2_000  # a thousand added, five hundred started and completed
    assert found.commits == 502
    assert found.weight > 0


@pytest.mark.slow
def test_every_command_is_timed_as_an_installed_one() -> None:
    text = cli_start.report(rounds=1, size=20)
    for command in ("next", "done", "show", "list", "log", "add"):
        assert f"| `outlast {command}` " in text


def test_other_programs_are_given_the_same_plan_half_done(tmp_path: Path) -> None:
    TaskMaster(tmp_path).lay(10)
    text = (tmp_path / ".taskmaster/tasks/tasks.json").read_text(encoding="utf-8")
    tasks = json.loads(text)["master"]["tasks"]
    assert [task["status"] for task in tasks] == ["done"] * 5 + ["pending"] * 5

    Taskwarrior(tmp_path).lay(10)
    lines = (tmp_path / "pending.data").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 5
    assert all('status:"pending"' in line for line in lines)
