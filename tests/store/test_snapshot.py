"""F6: a snapshot gives back the plan, or is recognized as damaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outlast.model import commands as c
from outlast.model.budget import Spend
from outlast.model.execute import execute, return_commit
from outlast.model.model import PERSON, Check, Evidence, Proof, Prose
from outlast.store import snapshot
from outlast.store.journal import add_checksum
from outlast.testing.conformance.all_commands import loop_commands
from tests.making import count_iteration, make_plan, state_of
from tests.model.indexes import assert_indexes, encode_all


def test_f6_a_snapshot_gives_back_the_plan_with_its_indexes() -> None:
    plan = make_plan("a", "b", "c", "d")
    phase = plan.add_phase("Later", notes="notes")
    plan.move_phase(phase.id)
    plan.add("e", (1, 3), phase="main", checks=(Check("person", "ask"),), kind="code")
    plan.move(2, phase=phase.id)
    plan.complete(1, "done")
    plan.acting_as("bob").start(4)
    plan.acting_as("bob").start(3)
    plan.set_progress(3, 1, 2)
    plan.fail(2, "broken", retry=False)
    plan.remove(plan.add("gone").id)
    count_iteration(plan)
    plan.acting_as(PERSON).edit(title="title", goal="五")
    plan.pause()
    state = state_of(plan)
    found = snapshot.read(snapshot.write(state, 99, "mark", {"key": 7}))
    assert found is not None
    assert (found.offset, found.positions_by_key, found.revision) == (
        99,
        {"key": 7},
        state.revision,
    )
    restored = snapshot.restore(found)
    assert encode_all(restored) == encode_all(state)
    assert_indexes(restored)


def test_f6_a_snapshot_with_ids_that_no_plan_gives_is_refused() -> None:
    saved = snapshot.read(snapshot.write(state_of(make_plan("a", "b")), 99, "mark", {}))
    assert saved is not None
    first, second = saved.tasks
    for forged in (
        replace(saved, tasks=(first, first)),
        replace(saved, tasks=(replace(first, id=0), second)),
        replace(saved, tasks=(replace(first, id=-5), second)),
        replace(saved, next_id=2),
        replace(saved, next_id=-1, tasks=()),
        replace(saved, phases=saved.phases * 2),
    ):
        with pytest.raises((LookupError, ValueError)):
            snapshot.restore(forged)
    assert len(snapshot.restore(replace(saved, next_id=9)).tasks) == 2


def test_f6_a_snapshot_gives_back_what_is_noted_beside_the_tasks() -> None:
    plan = make_plan("a")
    look, at = Check("person", "look"), plan.updated_at
    for commands in (
        (c.EditTask(1, checks=(look,), run="make", files=("a",), protect=("b",)),),
        (c.Confirm(1, look, PERSON), c.MarkPhase("main", "blocked")),
        (c.NoteProof(Proof(1, "before", at, (Evidence(look, ok=False),), "p", "f", "s")),),
        (c.NoteFinding("code", "title", "五"), c.NoteFinding("code", "gone", "")),
        (c.ForgetFinding(2), c.NoteError("sh", "no", count=2), c.Deliver("out")),
        (c.KeepProse((Prose("top", ("line", "")),)),),
    ):
        plan.core.read(lambda state, commands=commands: execute(state, commands, at))  # type: ignore[misc]
    state = state_of(plan)
    found = snapshot.read(snapshot.write(state, 0, "mark", {}))
    assert found is not None
    assert (found.notes.last_finding, found.ledger.phase_marks) == (2, {"main": "blocked"})
    assert encode_all(snapshot.restore(found)) == encode_all(state)


def test_f6_a_snapshot_gives_back_counters_and_conversation_of_loops() -> None:
    plan = make_plan("a", "b")
    for commands in loop_commands(1, 0):
        plan.core.commit(commands, return_commit)
    plan.core.commit((c.Resume(),), return_commit)
    plan.core.commit(
        (c.BeginAttempt(None, "act", "x", reserve=Spend(tool_calls=1, money=0.1)),), return_commit
    )
    state = state_of(plan)
    found = snapshot.read(snapshot.write(state, 0, "mark", {}))
    assert found is not None
    ledger = found.ledger
    assert (ledger.counters, ledger.conversation) == (
        state.ledger.counters,
        state.ledger.conversation,
    )
    assert (
        ledger.counters.iterations,
        ledger.counters.stops,
        ledger.conversation.last_question,
    ) == ({1: 2}, 2, 5)
    assert (ledger.strikes, len(ledger.attempts)) == ({"sh": ("0a1b", "2c3d")}, 1)
    assert encode_all(snapshot.restore(found)) == encode_all(state)


def test_f17_a_plan_without_loops_has_no_fields_of_loops() -> None:
    plan = make_plan("a")
    plan.pause()
    plan.resume()
    plan.start(1)
    written = snapshot.write(state_of(plan), 0, "mark", {})
    assert all(word not in written for word in (b"books", b"talk", b"struck", b"reserve"))


def test_f6_an_empty_plan_comes_back() -> None:
    state = state_of(make_plan())
    found = snapshot.read(snapshot.write(state, 0, "mark", {}))
    assert found is not None
    assert encode_all(snapshot.restore(found)) == encode_all(state)


@given(st.binary())
def test_f6_what_is_no_snapshot_is_none(data: bytes) -> None:
    assert snapshot.read(data) is None


def test_f6_a_snapshot_cut_short_changed_or_of_another_form_is_none() -> None:
    good = snapshot.write(state_of(make_plan("a")), 10, "mark", {})
    assert snapshot.read(good) is not None
    for size in range(len(good) - 1):
        assert snapshot.read(good[:size]) is None
        changed = good[:size] + bytes((good[size] ^ 1,)) + good[size + 1 :]
        assert snapshot.read(changed) is None
    body = good[: good.rindex(b',"crc"')] + b"}"
    assert snapshot.read(add_checksum(body)) is not None
    assert snapshot.read(add_checksum(body.replace(b'"format":1', b'"format":2'))) is None
    assert snapshot.read(add_checksum(body.replace(b'"format":1', b'"format":"x"'))) is None


def test_f6_a_snapshot_may_be_ahead_of_a_journal_that_lost_commits() -> None:
    plan = make_plan("a")
    saved = snapshot.read(snapshot.write(state_of(plan), 99, "mark", {}))
    assert saved is not None
    assert not snapshot.is_ahead(saved, state_of(plan))
    assert snapshot.is_ahead(replace(saved, revision=saved.revision + 1), state_of(plan))
    assert not snapshot.is_ahead(replace(saved, revision=99, id="plan_other"), state_of(plan))


def test_f6_a_snapshot_with_a_task_in_no_phase_is_refused() -> None:
    saved = snapshot.read(snapshot.write(state_of(make_plan("a")), 99, "mark", {}))
    assert saved is not None
    (task,) = saved.tasks
    with pytest.raises(LookupError):
        snapshot.restore(replace(saved, tasks=(replace(task, phase="nowhere"),)))
