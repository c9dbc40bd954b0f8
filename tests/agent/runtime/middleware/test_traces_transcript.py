"""R4.11, F1 and F13: the transcript beside the journal."""

import asyncio
import json
import stat
from pathlib import Path

import pytest

from outlast import create_plan
from outlast.store.transcript import TranscriptFile
from outlast.system.disk import Disk
from tests.agent.runtime.poke_tool import Poke, poke_once
from tests.agent.runtime.scene import GOAL, play
from tests.agent.tools.files.test_privacy import CANARY
from tests.store.faults import FaultyDisk


def test_r4_11_the_transcript_is_beside_the_journal_and_for_its_owner_only(tmp_path: Path) -> None:
    with create_plan(tmp_path, GOAL, "k") as plan:
        asyncio.run(play(plan, poke_once(f"API_KEY={CANARY}"), (Poke(),)))
    path = tmp_path / ".outlast" / "plans" / "k" / "transcript.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    kinds = ["think", "thought", "act", "acted", "think", "thought"]
    assert [one["kind"] for one in entries] == kinds
    assert [one["attempt"] for one in entries] == [f"0#{n}" for n in (1, 1, 2, 2, 3, 3)]
    assert {(one["run"], one["lane"]) for one in entries} == {(1, "main")}
    assert entries[0]["messages"][1]["text"].endswith(f"User instruction: {GOAL}")
    assert entries[2]["call"]["params"] == {"where": "here"}
    assert entries[3]["output"] == "poked {'where': 'here'}"
    assert [one["role"] for one in entries[4]["messages"]] == ["assistant", "tool"], "what is new"
    assert entries[5]["text"] == "API_KEY=[redacted]"


def test_r4_11_a_transcript_that_cannot_be_written_breaks_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FaultyDisk(Disk(), 1, error=OSError(28, "No space left on device"))
    kept = TranscriptFile(str(tmp_path / "transcript.jsonl"), disk)
    kept.add({"kind": "think"})
    kept.add({"kind": "thought"})
    assert caplog.text.count("no transcript is kept") == 1
    assert not (tmp_path / "transcript.jsonl").exists()


def test_f1_a_torn_entry_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    kept = TranscriptFile(str(path), Disk())
    kept.add({"kind": "think"})
    with path.open("ab") as file:
        file.write(b'{"kind": "tho')
    kept.add({"kind": "thought"})
    kept.add({"kind": "act"})
    first, torn, *others = path.read_text().splitlines()
    assert torn == '{"kind": "tho'
    assert [json.loads(one)["kind"] for one in (first, *others)] == ["think", "thought", "act"]


def test_f13_entries_of_a_transcript_are_truncated(tmp_path: Path) -> None:
    kept = TranscriptFile.beside(str(tmp_path / "journal.jsonl"), Disk())
    kept.add({"kind": "thought", "text": "x" * 50_000, "calls": [{"a": "y" * 50_000}]})
    kept.add({"kind": "thought", "calls": ["z" * 10_000] * 200})
    long, many = map(json.loads, (tmp_path / "transcript.jsonl").read_text().splitlines())
    assert (len(long["text"]), len(long["calls"][0]["a"])) == (20_001, 20_001)
    assert many == {"kind": "thought", "cut": many["cut"]}
    assert many["cut"] > 1_000_000


def test_r0_14_the_last_entries_are_read_back_without_damaged_ones(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    kept = TranscriptFile(str(path), Disk())
    assert kept.tail() == []
    kept.add({"kind": "think"})
    with path.open("ab") as file:
        file.write(b'[1]\n{"kind": "\xff"}\n' + b"[" * 100_000 + b'\n{"kind": "tho')
    kept.add({"kind": "act"})
    assert [entry["kind"] for entry in kept.tail()] == ["think", "act"]


def test_f13_only_the_end_of_a_long_transcript_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(b'{"kind": "first"}\n' + b'{"kind": "more"}\n' * 300_000)
    kinds = [entry["kind"] for entry in TranscriptFile(str(path), Disk()).tail()]
    assert set(kinds) == {"more"}
    assert len(kinds) < 300_000


def test_f13_a_transcript_that_cannot_be_read_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FaultyDisk(Disk(), 2, error=OSError(5, "Input/output error"))
    TranscriptFile(str(tmp_path / "transcript.jsonl"), Disk()).add({"kind": "think"})
    assert TranscriptFile(str(tmp_path / "transcript.jsonl"), disk).tail() == []
    assert "the transcript cannot be read" in caplog.text
