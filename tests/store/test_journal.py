"""F6, F17: the lines of a journal, each with its checksum."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.errors import InvalidArgument, NewerFormat
from outlast.model.changes import Commit, PlanPaused, TaskAdded
from outlast.model.commands import Pause, Resume, Start
from outlast.model.model import Task
from outlast.store import journal
from outlast.store.journal import add_checksum, verify_checksum

NOW = datetime(2026, 1, 1, tzinfo=UTC)
COMMIT = Commit(3, NOW, "ann", (PlanPaused(), TaskAdded(Task(1, 'a "b" \n 五'))), "why", "key")


@given(st.dictionaries(st.text(), st.text(), min_size=1))
def test_f6_a_body_with_its_checksum_is_one_line_and_comes_back(values: dict[str, str]) -> None:
    body = journal._ENCODER.encode(values)  # noqa: SLF001 - how lines are written
    line = add_checksum(body)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert verify_checksum(line[:-1]) == body


def test_f6_a_line_with_any_byte_changed_or_missing_fails_its_checksum() -> None:
    line = journal.write_commit(COMMIT)[:-1]
    assert verify_checksum(line) is not None
    for offset in range(len(line)):
        for other in {0, 10, 48, 255, line[offset] ^ 1} - {line[offset]}:
            changed = line[:offset] + bytes((other,)) + line[offset + 1 :]
            assert journal.read_commit(changed) is None
        assert journal.read_commit(line[:offset]) is None
        assert journal.read_commit(line[:offset] + line[offset + 1 :]) is None


def test_f6_a_commit_comes_back_as_it_was() -> None:
    line = journal.write_commit(COMMIT)
    assert journal.read_commit(line[:-1]) == COMMIT


def test_f6_a_good_line_that_says_nothing_known_is_no_commit_and_no_header() -> None:
    for body in (b"{}", b'{"revision":"x"}', b'{"outlast":"snapshot"}', b"{]}", b'{"\xff":1}'):
        line = add_checksum(body)[:-1]
        assert journal.read_commit(line) is None
        assert journal.read_header(line) is None


def test_f17_a_sound_line_with_an_unknown_change_is_newer_and_with_a_forged_one_damaged() -> None:
    head = b'{"revision":3,"at":"2026-01-01T00:00:00Z","author":"ann","changes":['
    for change, is_newer in (
        (b'{"type":"PlanPaused","why":5}', False),
        (b'{"type":"PlanPaused"},{"type":"PlanTeleported","to":[1]}', True),
        (b'{"type":7}', False),
        (b"5", False),
    ):
        line = add_checksum(head + change + b"]}")[:-1]
        if is_newer:
            with pytest.raises(NewerFormat) as caught:
                journal.read_commit(line)
            assert caught.value.details == {"revision": 3, "change": "PlanTeleported"}
        else:
            assert journal.read_commit(line) is None
        damaged = line.replace(b"2026", b"2027")
        assert journal.read_commit(damaged) is None, "its checksum does not match"


def test_f6_a_damaged_header_is_none() -> None:
    line = journal.write_header("key")[:-1]
    assert journal.read_header(line[:-1]) is None
    assert journal.read_header(b"") is None


def test_f17_a_header_says_the_format_and_the_key() -> None:
    line = journal.write_header("some key")
    header = journal.read_header(line[:-1])
    assert header == journal.Header(1, "some key")
    assert line.startswith(b'{"outlast":"journal","format":1,"key":"some key","crc":"')


def test_f17_a_newer_header_is_refused() -> None:
    with pytest.raises(NewerFormat) as caught:
        journal.read_header(
            add_checksum(b'{"outlast":"journal","format":2,"key":"","new":[1]}')[:-1]
        )
    assert caught.value.details == {"found": 2, "known": journal.FORMAT}


def test_f6_only_complete_lines_are_lines() -> None:
    assert list(journal.split_lines(b"")) == []
    assert list(journal.split_lines(b"torn")) == []
    assert list(journal.split_lines(b"a\n\nbc\ntorn")) == [(0, b"a"), (2, b""), (3, b"bc")]


@given(st.lists(st.binary().map(lambda line: line.replace(b"\n", b""))), st.binary())
def test_f6_lines_are_found_where_they_begin(lines: list[bytes], torn: bytes) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    data = whole + torn.replace(b"\n", b"")
    found = list(journal.split_lines(data))
    assert [line for _, line in found] == lines
    assert all(data[begin:].startswith(line + b"\n") for begin, line in found)


def test_x1_the_digest_of_a_request_tells_commands_apart() -> None:
    marks = {
        journal.digest(commands)
        for commands in ((Pause(),), (Resume(),), (Start("a"),), (Start("b"),), (), (Pause(),) * 2)
    }
    assert len(marks) == 6
    assert journal.digest((Start("a"),)) == journal.digest((Start("a"),))


def test_f6_the_mark_of_a_line_tells_it_from_any_other() -> None:
    line = journal.write_commit(COMMIT)
    assert journal.mark_of(line) == journal.mark_of(line[:-1])
    assert journal.mark_of(line) != journal.mark_of(journal.write_commit(replace(COMMIT, key="x")))


def test_f6_a_bad_line_is_damage_if_a_later_batch_was_written_behind_it() -> None:
    good, torn = journal.write_commit(COMMIT)[:-1], b'{"revision":4'
    assert journal.is_damage([(10, good)])  # its checksum matches: what it says is wrong
    assert journal.is_damage([(10, torn), (40, good)])
    assert not journal.is_damage([(10, torn)])
    same_batch = add_checksum(b'{"back":30}')[:-1]
    assert not journal.is_damage([(10, torn), (40, same_batch)])
    assert journal.bytes_back(b"{]") == 0


def test_m9_a_request_with_half_a_character_has_no_digest() -> None:
    with pytest.raises(InvalidArgument, match="lone surrogate at position"):
        journal.digest((Start("\ud800", 1),))
