"""What loops ask people and are told, and what they count so that it survives a restart."""

from __future__ import annotations

import pytest

from outlast.domain import commands as c
from outlast.domain import loop_commands as loop
from outlast.domain.budget import Spend
from outlast.domain.decide.talk import MOST
from outlast.domain.model import PERSON, Interjection, Question
from tests.domain.acting import Acting


def test_r3_08_a_question_is_open_until_it_is_answered() -> None:
    acting = Acting()
    acting.do(loop.AskQuestion("Which port?", task=2), loop.AskQuestion("Delete?", "permit", "rm"))
    talk = acting.state.ledger.talk
    assert talk.questions == {
        1: Question(1, "Which port?", acting.now, task=2),
        2: Question(2, "Delete?", acting.now, "permit", "rm"),
    }
    acting.do(loop.AnswerQuestion("no", "ann", 2))
    acting.do(loop.AnswerQuestion("80", PERSON))
    answers = [one.answer for one in acting.state.ledger.talk.questions.values()]
    assert answers == ["80", "no"]
    acting.refused("INVALID_STATUS", loop.AnswerQuestion("81", PERSON))
    acting.refused("INVALID_STATUS", loop.AnswerQuestion("81", PERSON, 1))
    acting.refused("INVALID_ARGUMENT", loop.AnswerQuestion("81", PERSON, 3))
    assert talk.questions[1].answer is None, "who has read the plan keeps what it was"


def test_the_same_question_is_asked_once_while_it_is_open() -> None:
    acting = Acting()
    acting.do(loop.AskQuestion("Which?"))
    assert acting.do(loop.AskQuestion("Which?")).changes == ()
    acting.do(loop.AskQuestion("Which?", task=1))
    acting.do(loop.AnswerQuestion("this", "ann"))
    acting.do(loop.AskQuestion("Which?"))
    assert [*acting.state.ledger.talk.questions] == [1, 2, 3]


def test_the_last_few_answers_are_kept() -> None:
    acting = Acting()
    for number in range(1, 9):
        acting.do(loop.AskQuestion(f"Question {number}?"))
        if number != 2:
            acting.do(loop.AnswerQuestion("yes", "ann", number))
    assert [*acting.state.ledger.talk.questions] == [2, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(("answer", "outcome"), [("done", "done"), ("没有", "lost")])
def test_an_answer_that_settles_an_attempt_ends_it_and_counts_its_cost(
    answer: str, outcome: str
) -> None:
    acting = Acting()
    acting.do(c.Start("ann", 1))
    acting.do(c.BeginAttempt(1, "tool", "send mail", reserve=Spend(tool_calls=1, time=9.0)))
    acting.do(loop.AskQuestion("Was it sent?", "settle", "1#1", 1))
    refusal = acting.refused("INVALID_ARGUMENT", loop.AnswerQuestion("perhaps", PERSON))
    assert refusal["choices"] == ["done", "not done"]
    acting.wait(2)
    answered, ended = acting.do(loop.AnswerQuestion(answer, PERSON)).changes
    assert getattr(answered, "answer", "") == answer
    assert (getattr(ended, "outcome", ""), getattr(ended, "settled_by", "")) == (outcome, "person")
    assert acting.state.ledger.attempts == {}
    assert acting.state.ledger.books.spent[1] == Spend(tool_calls=1, time=2.0)


def test_an_answer_about_an_attempt_that_has_ended_is_only_an_answer() -> None:
    acting = Acting()
    acting.do(c.BeginAttempt(None, "tool", "x"), loop.AskQuestion("?", "settle", "0#1"))
    acting.do(c.EndAttempt("0#1", "failed"))
    assert len(acting.do(loop.AnswerQuestion("yes", PERSON)).changes) == 1


def test_what_is_said_waits_until_it_is_taken() -> None:
    acting = Acting()
    acting.do(loop.Interject("stop", "ann"))
    acting.do(loop.Interject("go on", "bob"))
    first, second = acting.state.ledger.talk.said
    assert first == Interjection(1, "stop", "ann", acting.now)
    acting.do(loop.TakeInterjections(first.id))
    assert acting.state.ledger.talk.said == (second,)
    assert acting.do(loop.TakeInterjections(first.id)).changes == ()
    acting.do(loop.TakeInterjections(second.id), loop.Interject("more", "ann"))
    assert [one.id for one in acting.state.ledger.talk.said] == [3]


@pytest.mark.parametrize(
    "command",
    [
        loop.AskQuestion(""),
        loop.AskQuestion(" \n"),
        loop.AskQuestion("x" * 2_001),
        loop.AskQuestion("\ud800"),
        loop.AskQuestion("x", about="x" * 201),
        loop.AnswerQuestion("x" * 16_001, "ann"),
        loop.AnswerQuestion(" ", "ann"),
        loop.Interject("x" * 16_001, "ann"),
        loop.Interject("", "ann"),
        loop.Interject("\udfff", "ann"),
        loop.Interject("x", ""),
    ],
)
def test_m9_what_is_said_is_neither_blank_nor_endless(command: c.Command) -> None:
    acting = Acting()
    acting.do(loop.AskQuestion("Which?"))
    acting.refused("INVALID_ARGUMENT", command)


def test_m9_only_so_much_waits_for_an_answer_or_a_loop() -> None:
    acting = Acting(0)
    acting.do(*(loop.AskQuestion(f"Question {n}?") for n in range(MOST)))
    acting.do(*(loop.Interject("wait", "ann") for _ in range(MOST)))
    acting.refused("INVALID_STATUS", loop.AskQuestion("One more?"))
    acting.refused("INVALID_STATUS", loop.Interject("wait", "ann"))
    acting.do(loop.AnswerQuestion("yes", "ann"), loop.AskQuestion("One more?"))


def test_numbers_count_on_in_the_plan_that_follows() -> None:
    acting = Acting()
    acting.do(loop.AskQuestion("Which?"), loop.Interject("stop", "ann"), loop.Strike("sh", "0a"))
    acting.do(c.Abort())
    acting.do(c.InitializePlan("plan_b", "Next", (c.NewTask("a"),)))
    ledger = acting.state.ledger
    assert (ledger.talk.questions, ledger.talk.said, ledger.struck) == ({}, (), {})
    acting.do(loop.AskQuestion("Which?"), loop.Interject("stop", "ann"))
    assert [*acting.state.ledger.talk.questions] == [2]
    assert acting.state.ledger.talk.said[0].id == 2


def test_r0_05_iterations_of_a_task_are_forgotten_when_it_leaves_progress() -> None:
    acting = Acting()
    acting.do(c.Start("ann", 1), c.Start("bob", 2))
    acting.do(c.CountIteration(1), c.CountIteration(1), c.CountIteration(2), c.CountIteration())
    assert acting.state.ledger.books.iterations == {1: 2, 2: 1}
    acting.do(c.CountIteration(3))
    assert acting.state.ledger.books.iterations == {1: 2, 2: 1}, "nobody works on it"
    assert acting.state.iteration_count == 5
    acting.do(c.Pause("limit"))
    acting.do(c.Resume())
    assert acting.state.ledger.books.iterations == {1: 2, 2: 1}
    acting.do(c.Complete(1, "ann"))
    assert acting.state.ledger.books.iterations == {2: 1}
    acting.do(c.Reset())
    assert acting.state.ledger.books.iterations == {}
    acting.refused("TASK_NOT_FOUND", c.CountIteration(9))


def test_r4_11_held_up_stops_are_counted_until_a_task_changes_its_state() -> None:
    acting = Acting()
    acting.do(loop.NoteLoop(stops=2))
    assert acting.do(loop.NoteLoop(stops=2, managed=False)).changes == ()
    acting.do(c.SetProgress(1, 1, 2), c.EditTask(1, name="other"))
    assert acting.state.ledger.books.stops == 2
    acting.do(c.Start("ann", 1))
    assert acting.state.ledger.books.stops == 0
    acting.do(loop.NoteLoop(managed=True))
    acting.do(loop.NoteLoop(stops=1))
    assert acting.state.ledger.books.managed


def test_r0_08_a_pause_says_why_until_it_ends() -> None:
    acting = Acting()
    acting.do(c.Pause("budget"))
    assert acting.state.ledger.books.paused_for == "budget"
    acting.do(c.Resume())
    assert acting.state.ledger.books.paused_for == ""
    paused = acting.do(c.Pause("waiting"))
    acting.undo(paused)
    assert acting.state.ledger.books.paused_for == ""
    acting.do(c.Pause("limit"))
    acting.do(c.Abort())
    assert acting.state.ledger.books.paused_for == ""


def test_r4_08_a_struck_call_is_kept_until_it_is_cleared() -> None:
    acting = Acting()
    acting.do(loop.Strike("sh", "0a"), loop.Strike("sh", "0b"), loop.Strike("fetch", "0a"))
    assert acting.do(loop.Strike("sh", "0a")).changes == ()
    assert acting.state.ledger.struck == {"sh": ("0a", "0b"), "fetch": ("0a",)}
    assert acting.do(loop.ClearStrikes("unknown")).changes == ()
    acting.do(loop.ClearStrikes("sh"))
    assert acting.state.ledger.struck == {"fetch": ("0a",)}
    acting.do(loop.ClearStrikes())
    assert acting.state.ledger.struck == {}
    assert acting.do(loop.ClearStrikes()).changes == ()
    acting.do(*(loop.Strike("sh", f"{n}") for n in range(120)))
    assert acting.state.ledger.struck["sh"] == tuple(f"{n}" for n in range(20, 120))
