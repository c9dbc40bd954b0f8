"""Ask the model for data that fits a contract, again if it does not (R1.05)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec import Struct

from outlast.agent import effects as e
from outlast.agent.loops.endings import failure_end
from outlast.context.chat_model import Message
from outlast.documents.contracts.contract import Check, Salvage, parse_contract
from outlast.language import text

if TYPE_CHECKING:
    from outlast.language import Language

T = TypeVar("T")
Accept = Callable[[T], e.Loop[str]]  # returns why the plan refuses a value, or nothing
_REPAIRS: Final = 2  # times the model is asked to correct its answer


class Request(Struct, Generic[T], frozen=True):
    """What the model is asked for: data of a type, with what else has to hold for it."""

    contract: type[T]
    check: Check[T] | None = None
    salvage: Salvage[T] | None = None


def ask_model(
    messages: tuple[Message, ...],
    request: Request[T],
    language: Language,
    *,
    task: int | None = None,
    accept: Accept[T] | None = None,
) -> e.Loop[T | None]:
    """Return what the model answers; None if none of three answers can be used.

    Raises `LoopEnd` if the model cannot be asked.
    """
    for _ in range(_REPAIRS + 1):
        reply = yield from e.Think(messages, (), task=task)
        if reply.outcome.error:
            raise failure_end(reply.outcome, reply.plan, language)
        parsed = parse_contract(
            reply.outcome.text, request.contract, request.check, request.salvage
        )
        if parsed.value is None:
            repair = parsed.repair_request(language)
        else:
            refusal = "" if accept is None else (yield from accept(parsed.value))
            if not refusal:
                return parsed.value
            repair = text("contract_repair", language, problems=f"- {refusal}")
        answer = Message("assistant", reply.outcome.text)
        messages = (*messages, answer, Message("user", repair))
    return None


def ask_for_text(messages: tuple[Message, ...], language: Language) -> e.Loop[str]:
    """Return what the model answers in words. Raises `LoopEnd` if it cannot be asked."""
    reply = yield from e.Think(messages, ())
    if reply.outcome.error:
        raise failure_end(reply.outcome, reply.plan, language)
    return reply.outcome.text.strip()
