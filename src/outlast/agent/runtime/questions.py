"""Ask a person: the one who is present, unless somebody answers the question elsewhere first."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from outlast.agent.effects import Answered
from outlast.agent.events import Notified
from outlast.agent.runtime.guards import shield, to_text
from outlast.errors import InvalidArgument
from outlast.language import text
from outlast.model.decide.conversation import check_answer
from outlast.model.intents import classify_message
from outlast.system.logs import LOG

if TYPE_CHECKING:
    from outlast.agent.people.person import Person
    from outlast.agent.runtime.lane import Lane
    from outlast.model.model import Question
    from outlast.model.state import PlanState

_MAX_ASKS: Final = 3  # times a person is asked who gives no clear answer


async def ask_person(lane: Lane, question: Question) -> Answered:
    """Ask the person who is present; the text is None without one, or without a clear answer.

    An answer that does not fit the question is asked again, a few times, with those that do. An
    answer that is recorded from elsewhere meanwhile counts, and the person need not answer any
    more.
    """
    person = lane.run.spec.person
    if person is None:
        return Answered()
    await lane.flush()
    try:
        async with lane.without_slot():
            return await _ask_until_clear(lane, question, person)
    except Exception:
        LOG.exception("a person could not be asked")
        return Answered()
    finally:
        lane.mark_stale()


async def _ask_until_clear(lane: Lane, question: Question, person: Person) -> Answered:
    asked = question
    for _ in range(_MAX_ASKS):
        answered = await _first_answer(lane, asked, person)
        answer = answered.text or ""
        if not answer.strip():
            return Answered()
        if answered.is_recorded or _is_command(question, answer):
            return answered
        try:
            check_answer(question, answer)
        except InvalidArgument as error:
            asked = replace(question, text=lane.run.error_text(error))
        else:
            return answered
    if question.kind != "permit":
        left_open = text("question_left_open", lane.run.language, question=question.id)
        lane.emit(Notified(left_open, "command"))
    return Answered()


async def _first_answer(lane: Lane, question: Question, person: Person) -> Answered:
    """Return the answer of the person here, or one from elsewhere if that is recorded first."""
    if question.kind == "permit":  # only the person here can say yes
        return Answered(to_text(await shield(person.answer(question)) or ""))
    here = asyncio.ensure_future(person.answer(question))
    elsewhere = asyncio.ensure_future(_wait_for_answer(lane, question))
    try:
        await asyncio.wait((here, elsewhere), return_when=asyncio.FIRST_COMPLETED)
        if here.done():
            return Answered(to_text(await shield(here) or ""))
        answer = await elsewhere
    finally:
        for waiting in (here, elsewhere):
            waiting.cancel()
        await asyncio.wait((here, elsewhere))
    said = text("answered_elsewhere", lane.run.language, question=question.id, answer=answer)
    lane.emit(Notified(said, "command"))
    return Answered(answer, is_recorded=True)


async def _wait_for_answer(lane: Lane, question: Question) -> str:
    """Wait until the plan has an answer to a question, and return it."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def note_change(_revision: int) -> None:
        with suppress(RuntimeError):  # the event loop has ended
            loop.call_soon_threadsafe(changed.set)

    def find_answer(state: PlanState) -> str | None:
        stored = state.ledger.conversation.questions.get(question.id)
        return stored.answer if stored is not None and stored.answered_at is not None else None

    unsubscribe = await lane.on_plan_change(note_change)
    try:
        while True:
            changed.clear()
            answer = await lane.read(find_answer)
            if answer is not None:
                return answer
            await changed.wait()
    finally:
        await unsubscribe()


def _is_command(question: Question, answer: str) -> bool:
    """Return whether a reply is a command by M8 instead of an answer; a permission takes none."""
    intent = classify_message(answer, paused=False, question=True)
    return question.kind != "permit" and intent.kind != "answer"
