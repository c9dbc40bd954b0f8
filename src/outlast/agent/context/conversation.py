"""A conversation: results of calls, its size, and its last exchange.

An exchange is the model's last message and the results of its calls. A compacted conversation keeps
it, and a resumed one gets it back from the transcript. A model's API refuses a call without a
result and a result without a call, so the two always come in pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from outlast.context.chat_model import Call, Message
from outlast.context.escape import quote
from outlast.language import Language, text
from outlast.redact.truncate import head_and_tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_NAME: Final = 100  # characters of a name that is compared
_SIMILARITY: Final = 0.5
EXCHANGE_CHARACTERS: Final = 8_000  # of an exchange that is read back
_ARGUMENT_CHARACTERS: Final = 500  # of one text in the arguments of a call that is read back
_CUT_NOTE: Final = 60  # characters of the note about what was left out
_MAIN_LANE: Final = "main"


# Results of calls


def tool_message(call: Call, output: str, error: str, language: Language = "en") -> Message:
    """Return the result of a call; it was truncated where the tool ran."""
    content = text("call_failed", language, problem=error) if error else output
    return Message("tool", quote(content, len(content)), call_id=call.id)


def unknown_tool(name: str, available: Sequence[str], language: Language = "en") -> str:
    """Return the error of a call of a tool that is not offered; name the nearest that is."""
    from difflib import get_close_matches

    nearest = get_close_matches(name[:_NAME].lower(), available, 1, _SIMILARITY)
    if not nearest:
        return text("tool_not_offered", language, takes=list(available))
    return text("tool_nearest", language, nearest=nearest[0], takes=list(available))


def truncate_result(result: str, limit: int, language: Language = "en") -> str:
    """Return a result; of a long one both ends and the number of characters left out."""
    if len(result) <= limit:
        return result
    half = limit // 2
    note = text("call_cut", language, count=len(result) - 2 * half)
    return f"\n{note}\n".join(head_and_tail(result, half))


def not_run_message(call: Call, language: Language = "en") -> Message:
    """Return the answer to a call that was not run because the plan ended before it."""
    return Message("tool", text("call_not_run", language), call_id=call.id)


# Size


def conversation_size(messages: Sequence[Message]) -> int:
    """Return the approximate number of characters of messages."""
    return sum(
        len(message.text) + sum(len(str(call.params)) for call in message.calls)
        for message in messages
    )


def tail_within(messages: Sequence[Message], limit: int) -> list[Message]:
    """Return as many of the last messages as fit into `limit` characters."""
    start = len(messages)
    while start and conversation_size(messages[start - 1 :]) <= limit:
        start -= 1
    return [*messages[start:]]


# The last exchange


class _Entry(Struct):
    """What is needed of an entry of the transcript; every kind has other fields."""

    kind: str
    lane: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    call: Call = Call("")
    output: str = ""
    failed: str = ""
    messages: tuple[Message, ...] = ()


def last_exchange(
    messages: Sequence[Message], limit: int, language: Language = "en"
) -> tuple[Message, ...]:
    """Return the model's last message and everything after it, within `limit` characters.

    Tool results are truncated to fit. Return nothing if that is not enough.
    """
    exchange = tuple(messages[_last_reply(messages) :])
    if conversation_size(exchange) <= limit:
        return exchange
    return _truncate_results(exchange, limit, language)


def add_missing_results(messages: Sequence[Message], language: Language = "en") -> list[Message]:
    """Return a conversation in which the calls of the model's last message all have a result.

    A run can end before the result of a call is known.
    """
    index = _last_reply(messages)
    calls = messages[index].calls if index < len(messages) else ()
    end = index + 1 + sum(message.role == "tool" for message in messages[index:])
    missing = calls[end - index - 1 :]
    return [
        *messages[:end],
        *(_unknown_result(call, language) for call in missing),
        *messages[end:],
    ]


def _last_reply(messages: Sequence[Message]) -> int:
    """Return the position of the model's last message; the length without one."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "assistant":
            return index
    return len(messages)


def _truncate_results(
    messages: tuple[Message, ...], limit: int, language: Language
) -> tuple[Message, ...]:
    results = [message for message in messages if message.role == "tool"]
    room = limit - conversation_size(messages) + conversation_size(results)
    share = room // max(len(results), 1) - _CUT_NOTE
    if share < _CUT_NOTE:
        return ()
    return tuple(
        replace(message, text=truncate_result(message.text, share, language))
        if message.role == "tool"
        else message
        for message in messages
    )


def _unknown_result(call: Call, language: Language) -> Message:
    return Message("tool", text("call_unfinished", language), call_id=call.id)


def restore_exchange(
    entries: Iterable[dict[str, Any]], language: Language = "en"
) -> tuple[Message, ...]:
    """Return the last exchange that the entries of a transcript tell; empty if they tell none.

    Damaged entries are skipped. Long texts are truncated, and a call whose result is missing gets
    a note instead.
    """
    thought, results, running = _Entry("", ""), list[str | None](), -1
    for entry in filter(None, map(_parse, entries)):
        match entry.kind:
            case "thought" if not entry.failed and (entry.calls or entry.text.strip()):
                thought, results, running = entry, [None] * len(entry.calls), -1
            case "act":
                running = _find_unanswered(thought.calls, results, entry.call.id)
            case "acted" if running >= 0:
                error = entry.failed and text("call_failed", language, problem=entry.failed)
                results[running], running = error or entry.output, -1
            case "think":
                for message in entry.messages:
                    if message.role == "tool":
                        _set_result(thought.calls, results, message)
    return _shorten_exchange(thought, results, language) if thought.kind else ()


def _set_result(calls: Sequence[Call], results: list[str | None], message: Message) -> None:
    """Fill in the result of a call that has none yet, as the model was shown it."""
    index = _find_unanswered(calls, results, message.call_id)
    if index >= 0:
        results[index] = message.text


def _find_unanswered(calls: Sequence[Call], results: Sequence[str | None], id_: str) -> int:
    """Return the position of the first call with an id that has no result yet; -1 without one."""
    for index, (call, result) in enumerate(zip(calls, results, strict=True)):
        if result is None and call.id == id_:
            return index
    return -1


def _shorten_exchange(
    thought: _Entry, results: Sequence[str | None], language: Language
) -> tuple[Message, ...]:
    remark = truncate_result(thought.text, EXCHANGE_CHARACTERS // 4, language)
    calls = tuple(replace(call, params=_shorten(call.params, language)) for call in thought.calls)
    messages = (
        Message("tool", quote(result, len(result)), call_id=call.id)
        if result is not None
        else _unknown_result(call, language)
        for call, result in zip(calls, results, strict=True)
    )
    exchange = Message("assistant", remark, calls), *messages
    return last_exchange(exchange, EXCHANGE_CHARACTERS, language)


def _parse(entry: dict[str, Any]) -> _Entry | None:
    """Return an entry of the main lane; None if it is of another lane, or damaged."""
    try:
        parsed = convert(entry, _Entry)
    except ValidationError:
        return None
    return parsed if parsed.lane == _MAIN_LANE else None


def _shorten(value: Any, language: Language) -> Any:  # noqa: ANN401 - JSON
    """Return a value of JSON whose long texts are truncated."""
    if isinstance(value, str):
        return truncate_result(value, _ARGUMENT_CHARACTERS, language)
    if isinstance(value, dict):
        return {key: _shorten(item, language) for key, item in value.items()}
    if isinstance(value, list):
        return [_shorten(item, language) for item in value]
    return value
