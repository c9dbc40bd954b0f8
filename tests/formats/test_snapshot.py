"""F6: a snapshot gives back the plan, or is noticed to be none."""

from hypothesis import given
from hypothesis import strategies as st

from outlast.domain import commands as c
from outlast.domain import note_commands as n
from outlast.domain.budget import Spend
from outlast.domain.enact import enact, receipt
from outlast.domain.model import PERSON, Check, Evidence, Proof, Prose
from outlast.formats import snapshot
from outlast.formats.checksum import seal
from outlast.testing.conformance.looping import looping
from tests.domain.recompute import assert_indexes, whole
from tests.making import make_plan, state_of


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
    plan.count_iteration()
    plan.edit(title="title", goal="五")
    plan.pause()
    state = state_of(plan)
    found = snapshot.read(snapshot.write(state, 99, "mark", {"key": 7}))
    assert found is not None
    assert (found.offset, found.answered, found.revision) == (99, {"key": 7}, state.revision)
    restored = snapshot.restore(found)
    assert whole(restored) == whole(state)
    assert_indexes(restored)


def test_f6_a_snapshot_gives_back_what_is_noted_beside_the_tasks() -> None:
    plan = make_plan("a")
    look, at = Check("person", "look"), plan.updated_at
    for commands in (
        (c.EditTask(1, checks=(look,), run="make", files=("a",), protect=("b",)),),
        (n.Confirm(1, look, PERSON), n.MarkPhase("main", "blocked")),
        (n.NoteProof(Proof(1, "before", at, (Evidence(look, ok=False),), "p", "f", "s")),),
        (n.NoteFinding("code", "title", "五"), n.NoteFinding("code", "gone", "")),
        (n.ForgetFinding(2), n.NoteError("sh", "no", count=2), n.Deliver("out")),
        (n.KeepProse((Prose("top", ("line", "")),)),),
    ):
        plan.read(lambda state, commands=commands: enact(state, commands, at))  # type: ignore[misc]
    state = state_of(plan)
    found = snapshot.read(snapshot.write(state, 0, "mark", {}))
    assert found is not None
    assert (found.notes.noted, found.ledger.marked) == (2, {"main": "blocked"})
    assert whole(snapshot.restore(found)) == whole(state)


def test_f6_a_snapshot_gives_back_what_loops_have_counted_and_said() -> None:
    plan = make_plan("a", "b")
    for commands in looping(1, 0):
        plan.commit(commands, receipt)
    plan.commit((c.Resume(),), receipt)
    plan.commit(
        (c.BeginAttempt(None, "act", "x", reserve=Spend(tool_calls=1, money=0.1)),), receipt
    )
    state = state_of(plan)
    found = snapshot.read(snapshot.write(state, 0, "mark", {}))
    assert found is not None
    ledger = found.ledger
    assert (ledger.books, ledger.talk) == (state.ledger.books, state.ledger.talk)
    assert (ledger.books.iterations, ledger.books.stops, ledger.talk.asked) == ({1: 2}, 2, 3)
    assert (ledger.struck, len(ledger.attempts)) == ({"sh": ("0a1b", "2c3d")}, 1)
    assert whole(snapshot.restore(found)) == whole(state)


def test_f17_a_plan_without_loops_is_written_as_it_was_before_there_were_any() -> None:
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
    assert whole(snapshot.restore(found)) == whole(state)


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
    assert snapshot.read(seal(body)) is not None
    assert snapshot.read(seal(body.replace(b'"format":1', b'"format":2'))) is None
    assert snapshot.read(seal(body.replace(b'"format":1', b'"format":"x"'))) is None
