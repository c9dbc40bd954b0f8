"""A5: an agent meets a secret at every turn, and none of it is in anything that is written."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from msgspec import json

from tests.attacks.leaking import CANARY, Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run that all tests here look at."""
    made = Run(tmp_path_factory.mktemp("a5"))
    asyncio.run(made.go())
    return made


def files(run: Run) -> list[Path]:
    state = Path(os.environ["XDG_STATE_HOME"])
    return [path for home in (run.place, state) for path in home.rglob("*") if path.is_file()]


def test_a5_the_run_came_to_every_place(run: Run) -> None:
    assert [one.why for one in run.stopped] == ["model_failed", "finished"]
    assert any(CANARY in message.text for message in run.model.shown), "the model has to see it"
    names = {path.name for path in files(run)}
    assert names >= {"journal.jsonl", "transcript.jsonl", "errors.md", "findings.md"}
    assert names >= {"events.jsonl", "log.txt"}


def test_a5_no_file_has_the_secret(run: Run) -> None:
    leaks = [
        (path.name, line[:300])
        for path in files(run)
        for line in path.read_bytes().splitlines()
        if CANARY.encode() in line
    ]
    assert leaks == []


def test_a5_nor_do_the_pieces_of_what_is_said_make_it_up(run: Run) -> None:
    lines = (run.place / "events.jsonl").read_bytes().splitlines()
    told = [one["text"] for one in map(json.decode, lines) if one["type"] == "text_delta"]
    assert CANARY not in "".join(told)
    assert "Bye." in "".join(told)


def test_a5_nor_is_any_named_after_it(run: Run) -> None:
    for path in files(run):
        assert "canary" not in str(path.relative_to(path.anchor)).lower()


def test_a5_all_is_for_its_owner_only(run: Run) -> None:
    plans = run.work / ".outlast"
    for path in (plans, *plans.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
