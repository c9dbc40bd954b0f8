"""What happens in a loop, in short lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.ports import events as v
from outlast.texts import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outlast.ports.model import Call as ToolCall

_LONGEST: Final = 72
_ANNOUNCING: Final = (":", "\uff1a")  # that more follows
_TELLING: Final = ("path", "command", "pattern", "title", "question")  # more than others


class Narrator:
    """Tells what happens in lines, and nothing twice.

    What a model says on the way to a call comes in pieces, and is told when the call begins; what
    it says at the end comes once more as a whole.
    """

    def __init__(self, *, asking: bool = False) -> None:
        """Begin with nothing said; who is `asking` the questions tells them too."""
        self._asking = asking
        self._where: list[str] = []
        self._spoken = self._told = self._announced = ""

    def told(self, event: v.Event) -> list[str]:
        """Return what has happened in lines; of what is no news, none."""
        if isinstance(event, v.Streamed):
            self._spoken += event.text
        if not ends_speech(event):
            return []
        before, self._spoken = self._spoken.strip(), ""
        if isinstance(event, v.Said):
            said = event.text.strip().removesuffix(self._announced)
            return [] if said.strip() in ("", self._told) else _speech(said)
        self._told = before or self._told
        if isinstance(event, v.Notified):
            self._announced = event.text
        return [*_speech(before), *self._news(event)]

    def _news(self, event: v.Event) -> list[str]:
        """Return the lines for an event; where the plan stands only if that is new."""
        if self._asking and isinstance(event, v.Asked):
            return []
        lines = in_lines(event)
        if not isinstance(event, v.PlanMoved):
            return lines
        known, self._where = self._where, lines or self._where
        return [] if lines == known else lines


def ends_speech(event: v.Event) -> bool:
    """Tell whether a model that was saying something has gone on to something else."""
    return not isinstance(event, v.Streamed | v.Spent | v.TodoUpdated)


def in_lines(event: v.Event) -> list[str]:
    """Return what has happened in lines; of what is no news by itself, none."""
    tell = _TOLD.get(type(event))
    return tell(event) if tell else []


def called(call: ToolCall) -> str:
    """Return a tool call in a few words: its name, and what it is about."""
    return cut(visible(f"{call.name} {_about(call.params)}".rstrip()))


def cut(line: str, longest: int = _LONGEST) -> str:
    """Return a line that is not too long."""
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def first_line(text: str) -> str:
    """Return the first line that says something, made visible and cut."""
    return cut(visible(next(_full_lines(text), "")), 2 * _LONGEST)


def problem(text: str) -> str:
    """Return what went wrong in a line; where a program's output follows, with how that ends."""
    first, *rest = tuple(_full_lines(text)) or ("",)
    told = f"{first} {rest[-1]}" if rest and first.endswith(_ANNOUNCING) else first
    return cut(visible(told), 2 * _LONGEST)


def _full_lines(text: str) -> Iterator[str]:
    return filter(None, (line.strip() for line in text.splitlines()))


def _about(params: dict[str, Any]) -> str:
    """Return the first parameter that can be said in short; of a list what its items are called."""
    telling = {name: params[name] for name in _TELLING if name in params}
    for value in (telling or params).values():
        if isinstance(value, str | int | float):
            return " ".join(str(value).split())
        if isinstance(value, list) and value:
            return ", ".join(map(_named, value))
    return ""


def _named(item: object) -> str:
    if isinstance(item, dict):
        return str(item.get("name") or item.get("content") or next(iter(item.values()), ""))
    return str(item)


def _ended(event: v.CallEnded) -> list[str]:
    if event.error:
        return [f"✖ {called(event.call)}: {problem(event.error)}"]
    return [f"✔ {called(event.call)}"]


def _asked(event: v.Asked) -> list[str]:
    """Return a question as a whole: what may be answered stands at its end."""
    first, *rest = event.question.text.strip().splitlines() or [""]
    return [f"? {event.question.id}  {visible(first)}", *(f"    {visible(one)}" for one in rest)]


def _speech(said: str) -> list[str]:
    return [f"  {visible(line.rstrip())}".rstrip() for line in said.strip().splitlines()]


def _moved(event: v.PlanMoved) -> list[str]:
    if not event.current:
        return []
    return [f"◐ [{event.done}/{event.total}] {visible(event.current)}"]


_TOLD: Final[dict[type[v.Event], Callable[[Any], list[str]]]] = {
    v.Said: lambda event: _speech(event.text),
    v.CallEnded: _ended,
    v.Notified: lambda event: [f"! {visible(line)}" for line in event.text.splitlines()],
    v.PlanMoved: _moved,
    v.Asked: _asked,
}
