"""Complete slash commands while they are typed: verbs, options, views, days, ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from outlast.assistant.slash.forms import DAY, FORMS, MOMENT, SWITCH, WORDS, Choice, Form
from outlast.assistant.slash.parse import narrow_slash

_ID: Final = "id"
_LEAVE: Final = ("/exit",)
_DAYS: Final = 7  # that are proposed, from today on


class Suggestion(Struct, frozen=True):
    """A word that may stand at the end of the line, and a note about it."""

    word: str
    note: str = ""


class Knowledge(Struct, frozen=True):
    """What completion looks up: the items of a command by id, and the day."""

    items: Callable[[str], Mapping[int, str]]
    today: Callable[[], date]


def last_word(line: str) -> str:
    """Return the word that a line ends with; empty after a space."""
    return line.rsplit(" ", maxsplit=1)[-1]


def suggest(line: str, knowledge: Knowledge) -> list[Suggestion]:
    """Return what the last word of a slash command may become."""
    line = narrow_slash(line)
    if not line.startswith("/"):
        return []
    begun = last_word(line)
    before = line[: len(line) - len(begun)].split()
    words = _candidates(before, begun, knowledge)
    return [each for each in words if each.word.startswith(begun) and each.word != begun]


def common_addition(line: str, suggestions: Sequence[Suggestion]) -> str:
    """Return what all suggestions add to a line; a single one also ends its word."""
    begun = len(last_word(line))
    if len(suggestions) == 1:
        return f"{suggestions[0].word[begun:]} "
    words = sorted(each.word for each in suggestions)
    if not words:
        return ""
    first, last = words[0], words[-1]
    end = next((at for at, letter in enumerate(first) if last[at] != letter), len(first))
    return first[begun:end]


def _candidates(before: list[str], begun: str, knowledge: Knowledge) -> Iterator[Suggestion]:
    if not before:
        yield from _heads()
        return
    forms = [form for form in FORMS if form.words[0] == before[0]]
    verbs = [form for form in forms if len(form.words) > 1]
    if len(before) == 1:
        yield from (Suggestion(form.words[1], form.usage) for form in verbs)
    form = _find_form(forms, before)
    if form is not None:
        yield from _values(form, before[len(form.words) :], begun, knowledge)


def _heads() -> Iterator[Suggestion]:
    """Yield the first words, each with the verbs that may follow."""
    for head in dict.fromkeys(form.words[0] for form in FORMS):
        forms = [form for form in FORMS if form.words[0] == head]
        verbs = (form.words[1] if len(form.words) > 1 else _first_choices(form) for form in forms)
        yield Suggestion(head, " ".join(verbs))
    yield from map(Suggestion, _LEAVE)


def _first_choices(form: Form) -> str:
    kind = form.places[0][1] if form.places else ""
    return "" if isinstance(kind, str) else " ".join(kind)


def _find_form(forms: list[Form], before: list[str]) -> Form | None:
    matching = (form for form in forms if [*form.words] == before[: len(form.words)])
    return max(matching, key=lambda form: len(form.words), default=None)


class _Given(Struct):
    """What the words after a command already say: places that are filled, options, the last one.

    `missing` words of the last option's value are still to come.
    """

    places: int = 0
    options: tuple[str, ...] = ()
    missing: int = 0


def _values(form: Form, words: list[str], begun: str, knowledge: Knowledge) -> Iterator[Suggestion]:
    """Yield the values that may follow those that were given, and the options that are left."""
    given, kinds = _read_given(form, words), dict(form.options)
    if given.missing:
        kind = kinds[given.options[-1]]
        if given.missing == _size(kind):
            yield from _words_of(kind, knowledge)
        return
    place = _next_place(form, given.places)
    if place is None or begun.startswith("-"):
        flags = (f"--{name.replace('_', '-')}" for name in kinds if name not in given.options)
        yield from (Suggestion(flag, _value_usage(form, flag)) for flag in flags)
        return
    name, kind = place
    if name == _ID:
        items = knowledge.items(form.words[0])
        yield from (Suggestion(str(id_), note) for id_, note in items.items())
    yield from _words_of(kind, knowledge)


def _value_usage(form: Form, flag: str) -> str:
    """Return how the value of an option is written, as the usage line has it."""
    _, _, rest = form.usage.partition(f"[{flag} ")
    return rest.partition("]")[0]


def _read_given(form: Form, words: list[str]) -> _Given:
    given, kinds = _Given(), dict(form.options)
    for word in words:
        option, is_joined, _ = word.partition("=")
        name = option.removeprefix("--").replace("-", "_")
        if given.missing:
            given.missing -= 1
        elif option.startswith("--") and name in kinds:
            given.options = (*given.options, name)
            given.missing = _size(kinds[name]) - bool(is_joined)
        else:
            given.places += 1
    return given


def _next_place(form: Form, given: int) -> tuple[str, str | Choice] | None:
    """Return the place that the next word belongs to; a text goes on to the end of the line."""
    for name, kind in form.places:
        if kind == WORDS or given <= 0:
            return name, kind
        given -= _size(kind)
        if given < 0:  # the time of a moment: there is nothing to propose
            return name, WORDS
    return None


def _size(kind: str | Choice) -> int:
    """Return how many words a value has."""
    return 2 if kind == MOMENT else 1


def _words_of(kind: str | Choice, knowledge: Knowledge) -> Iterator[Suggestion]:
    if not isinstance(kind, str):
        yield from map(Suggestion, kind)
    elif kind == SWITCH:
        yield from map(Suggestion, ("on", "off"))
    elif kind in (DAY, MOMENT):
        today = knowledge.today()
        yield from (Suggestion(f"{today + timedelta(days=days)}") for days in range(_DAYS))
