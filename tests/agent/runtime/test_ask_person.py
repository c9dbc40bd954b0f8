"""M8, X3: a person who gives no clear answer is asked again, with the answers that fit."""

import asyncio
from pathlib import Path

import pytest

from outlast.agent.effects import Answered, Ask
from outlast.agent.events import Notified
from outlast.language import Language
from outlast.model.model import Question, QuestionKind
from outlast.store.watcher import WATCHER
from outlast.testing import FixedClock
from tests.agent.runtime.middleware.test_permission import FakePerson, Gate


def ask(
    work: Path, person: FakePerson | None, kind: QuestionKind, language: Language = "en"
) -> tuple[str | None, list[str]]:
    """Ask a question; return the answer and the notices."""
    gate = Gate(work)
    lane = gate.lane(person, language=language)

    async def perform() -> str | None:
        outcome = (await lane.perform(Ask(Question(7, "Sure?", FixedClock()(), kind)))).outcome
        await lane.finish()
        assert isinstance(outcome, Answered)
        return outcome.text

    answer = asyncio.run(perform())
    gate.close()
    return answer, [event.text for event in gate.events if isinstance(event, Notified)]


@pytest.mark.parametrize(
    ("kind", "clear", "hint"),
    [
        ("settle", "d", "answer done (d) or not done (n)"),
        ("goal", "no, later", "answer yes (y) or no (n)"),
        ("edit", "y", "answer yes (y) or no (n)"),
    ],
)
def test_x3_an_unclear_answer_is_asked_again_in_place(
    tmp_path: Path, kind: QuestionKind, clear: str, hint: str
) -> None:
    person = FakePerson("dunno\x1b", "what now?", clear)
    assert ask(tmp_path / "work", person, kind) == (clear, [])
    assert [question.text for question in person.asked] == [
        "Sure?",
        f'"dunno\x1b" does not answer question 7: {hint}',
        f'"what now?" does not answer question 7: {hint}',
    ]


@pytest.mark.parametrize(
    ("language", "notice"),
    [("en", "Question 7 stays open; answer it later"), ("zh", "问题 7 仍未回答；可以稍后再答")],
)
def test_x3_after_three_unclear_answers_the_question_stays_open(
    tmp_path: Path, language: Language, notice: str
) -> None:
    person = FakePerson(*["dunno"] * 4)
    assert ask(tmp_path / "work", person, "settle", language) == (None, [notice])
    assert len(person.asked) == 3


@pytest.mark.parametrize("reply", ["/plan", "cancel", "取消"])
def test_m8_a_command_is_passed_on_instead_of_asked_again(tmp_path: Path, reply: str) -> None:
    assert ask(tmp_path / "work", FakePerson(reply), "settle") == (reply, [])


@pytest.mark.parametrize("reply", ["", "  ", None])
def test_x3_an_empty_answer_means_later(tmp_path: Path, reply: str | None) -> None:
    person = FakePerson(reply, "done")
    assert ask(tmp_path / "work", person, "settle") == (None, [])
    assert len(person.asked) == 1


def test_m8_any_text_answers_a_question_of_the_model(tmp_path: Path) -> None:
    assert ask(tmp_path / "work", FakePerson("dunno"), "ask") == ("dunno", [])
    assert ask(tmp_path / "other", None, "ask") == (None, [])


def test_r1_06_nobody_waits_for_an_answer_that_has_come(tmp_path: Path) -> None:
    WATCHER.reset()
    for number in range(10):  # the answer comes while the wait for another one begins
        ask(tmp_path / f"{number}", FakePerson("dunno"), "ask")
    assert all(each.ended for each in WATCHER._subscriptions)  # noqa: SLF001 - only here


class WaitingPerson:
    """A person who sits before the question and does not answer it."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.was_released = False

    async def answer(self, question: Question) -> str | None:
        del question
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.was_released = True
        return None


@pytest.mark.parametrize("is_early", [True, False])
def test_r1_06_an_answer_from_elsewhere_ends_the_question_here(
    tmp_path: Path, *, is_early: bool
) -> None:
    gate, person = Gate(tmp_path / "work"), WaitingPerson()
    lane = gate.lane(person)
    question = gate.plan.questions.ask("Which way?")
    by_person = gate.plan.acting_as("human")
    if is_early:
        by_person.questions.answer("left", question.id)

    async def perform() -> Answered:
        asking = asyncio.create_task(lane.perform(Ask(question)))
        await person.asked.wait()
        if not is_early:
            await asyncio.to_thread(by_person.questions.answer, "left", question.id)
        outcome = (await asking).outcome
        await lane.finish()
        assert isinstance(outcome, Answered)
        return outcome

    assert asyncio.run(perform()) == Answered("left", is_recorded=True)
    gate.close()
    assert person.was_released
    notices = [event.text for event in gate.events if isinstance(event, Notified)]
    assert notices == [f"Question {question.id} was answered elsewhere: left"]
