"""A5: an agent meets a secret at every turn, and no written file contains it."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from msgspec import json

from tests.attacks.leaky_agent import CANARY, LeakyRun


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> LeakyRun:
    """The run that all tests here look at."""
    made = LeakyRun(tmp_path_factory.mktemp("a5"))
    asyncio.run(made.run())
    return made


def files(run: LeakyRun) -> list[Path]:
    state = Path(os.environ["XDG_STATE_HOME"])
    return [path for home in (run.place, state) for path in home.rglob("*") if path.is_file()]


def test_a5_the_run_came_to_every_place(run: LeakyRun) -> None:
    assert [one.why for one in run.stopped] == ["model_failed", "finished"]
    assert any(CANARY in message.text for message in run.model.last_messages), (
        "the model has to see it"
    )
    names = {path.name for path in files(run)}
    assert names >= {"journal.jsonl", "transcript.jsonl", "errors.md", "findings.md"}
    assert names >= {"events.jsonl", "log.txt"}


def test_a5_no_file_has_the_secret(run: LeakyRun) -> None:
    leaks = [
        (path.name, line[:300])
        for path in files(run)
        for line in path.read_bytes().splitlines()
        if CANARY.encode() in line
    ]
    assert leaks == []


def test_a5_no_streamed_pieces_add_up_to_the_secret(run: LeakyRun) -> None:
    lines = (run.place / "events.jsonl").read_bytes().splitlines()
    told = [one["text"] for one in map(json.decode, lines) if one["type"] == "text_delta"]
    assert CANARY not in "".join(told)
    assert "Bye." in "".join(told)


def test_a5_no_file_name_has_the_secret(run: LeakyRun) -> None:
    assert files(run)
    for path in files(run):
        assert "canary" not in str(path.relative_to(path.anchor)).lower()


def test_a5_all_is_for_its_owner_only(run: LeakyRun) -> None:
    plans = run.work / ".outlast"
    for path in (plans, *plans.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
