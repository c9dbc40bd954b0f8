"""Parse a slash command; say what is wrong with one, and how it is written."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo
from datetime import time as clock_time
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from outlast.assistant.agenda.items import FIRST_DAY, LAST_DAY
from outlast.assistant.slash.forms import DAY, FORMS, MOMENT, NUMBER, SWITCH, WORDS, Form
from outlast.errors import InvalidArgument, WrongUsage
from outlast.language import visible
from outlast.model.intents import is_slash_command
from outlast.model.limits import LARGEST_ID, check_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.assistant.slash.forms import Choice, SlashRequest

_NUMBER: Final = re.compile(r"-?[0-9]{1,16}", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]", re.ASCII)
_HEADS: Final = tuple(dict.fromkeys(form.words[0] for form in FORMS))
_LONGEST: Final = 5_000  # characters of a line
_MOST_SHOWN: Final = 100  # characters of what was typed, in an error
_QUOTES: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u300c": "\u300d"}
_QUOTED: Final = "|".join(f"{begin}[^{end}]*{end}" for begin, end in _QUOTES.items())
_WORD: Final = re.compile(rf"(?:--[\w-]+=)?(?:{_QUOTED})(?!\S)|\S+")
_SWITCH: Final = {"on": True, "off": False}
_LABELS: Final = {  # as the usage lines have them
    MOMENT: "YYYY-MM-DD HH:MM",
    DAY: "YYYY-MM-DD",
    SWITCH: "|".join(_SWITCH),
}
_ALIKE: Final = 0.7  # from here on two commands are taken for a typing error


def split_commands(text: str) -> list[str]:
    """Return the lines of a text in which each is a slash command; else the text as one."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    return lines if all(map(is_slash_command, lines)) else [text.strip()]


def narrow_slash(line: str) -> str:
    """Return a line with a plain slash, if it begins with a Chinese one."""
    return f"/{line[1:]}" if line.startswith("\uff0f") else line


def parse_slash_command(line: str, zone: tzinfo) -> SlashRequest:
    """Return what a line asks for; times in it are those of a time zone.

    Raises `WrongUsage` with the usage line of the command, or with the commands that there are.
    """
    if len(line) > _LONGEST:
        raise WrongUsage("slash_too_long", most=_LONGEST)
    if sum(map(is_slash_command, line.splitlines())) > 1:  # pasted, or from a model
        raise WrongUsage("slash_several")
    words = [" ".join(word[0].split()) for word in _WORD.finditer(line)]
    if words:
        words[0] = narrow_slash(words[0])
    form = _find_form(words)
    return _Values(form, words[len(form.words) :], zone).read()


def _find_form(words: list[str]) -> Form:
    for form in FORMS:
        if tuple(words[: len(form.words)]) == form.words:
            return form
    head, verb = (*words, "", "")[:2]
    forms = [form for form in FORMS if form.words[0] == head]
    if not forms:
        close = get_close_matches(head.casefold()[:100], _HEADS, 1, _ALIKE)
        key = "slash_unknown_close" if close else "slash_unknown"
        command = _show_word(head)
        raise WrongUsage(key, command=command, close="".join(close), known=list(_HEADS))
    verbs = [form.words[1] for form in forms if len(form.words) > 1]
    key = "slash_verb_unknown" if verb else "slash_verb_missing"
    usage = f"{head} {'|'.join(verbs)} \u2026"
    raise WrongUsage(key, command=head, given=_show_word(verb), known=verbs, usage=usage)


class _Values:
    """The values after the words of a form."""

    def __init__(self, form: Form, words: list[str], zone: tzinfo) -> None:
        self._form, self._zone = form, zone
        self._options: dict[str, str] = {}
        self._words = [*self._take_options(words)]

    def read(self) -> SlashRequest:
        """Return what is asked for with every value."""
        form, places = self._form, dict[str, object]()
        for number, (name, kind) in enumerate(form.places, 1):
            is_optional = form.optional and number == len(form.places)
            if not self._words and is_optional:
                break
            places[name] = self._read(_label(name, kind), kind, self._take(kind))
        if self._words:
            raise self._error("slash_surplus", given=" ".join(self._words))
        kinds = dict(form.options)
        options = {
            name: self._read_option(f"--{name.replace('_', '-')}", kinds[name], given)
            for name, given in self._options.items()
        }
        return form.build(places, options)

    def _take(self, kind: str | Choice) -> str:
        """Take the words of the next place."""
        count = _count_words(kind, self._words)
        taken, self._words = self._words[:count], self._words[count:]
        return " ".join(taken)

    def _take_options(self, words: list[str]) -> Iterator[str]:
        """Take the options out of the words; yield the others."""
        kinds, at = dict(self._form.options), 0
        while at < len(words):
            word, at = words[at], at + 1
            if not word.startswith("--") or word == "--":
                yield word
                continue
            option, sign, value = word.partition("=")
            name = option[2:].replace("-", "_")
            if name not in kinds:
                known = [f"--{known.replace('_', '-')}" for known in kinds]
                raise self._error("slash_option_unknown", option=_show_word(option), known=known)
            if name in self._options:
                raise self._error("slash_option_twice", option=option)
            if sign and not value:
                raise self._error("slash_option_empty", option=option)
            given = [value, *words[at:]] if value else words[at:]
            count = _count_words(kinds[name], given)
            at += count - bool(value)
            self._options[name] = " ".join(given[:count])

    def _read_option(self, name: str, kind: str | Choice, given: str) -> object:
        """Read a value; what looks like an option is none, unless it is quoted."""
        return self._read(name, kind, "" if given.startswith("--") else given)

    def _read(self, name: str, kind: str | Choice, given: str) -> object:
        given = _unquote(given)
        if not given and name.startswith("--"):
            raise self._error("slash_option_empty", option=name)
        if not given:
            raise self._error("slash_value_missing", name=name)
        if not isinstance(kind, str):
            if given not in kind:
                raise self._error("slash_choice", name=name, given=given, known=list(kind))
            return given
        read = {
            NUMBER: self._number,
            MOMENT: self._moment,
            DAY: self._day,
            SWITCH: self._switch,
        }.get(kind, self._text)
        return read(name, given)

    def _text(self, name: str, given: str) -> str:
        try:
            return check_name(given, name)
        except InvalidArgument as error:
            raise self._error("slash_refused", problem=error) from error

    def _switch(self, name: str, given: str) -> bool:
        if given not in _SWITCH:
            raise self._error("slash_choice", name=name, given=given, known=list(_SWITCH))
        return _SWITCH[given]

    def _number(self, name: str, given: str) -> int:
        if not _NUMBER.fullmatch(given) or abs(int(given)) > LARGEST_ID:
            raise self._error("slash_no_number", name=name, given=given)
        return int(given)

    def _day(self, name: str, given: str) -> date:
        if not _DAY.fullmatch(given):
            raise self._error("slash_no_day", name=name, given=given)
        return self._find_day(name, given)

    def _find_day(self, name: str, given: str) -> date:
        """Return a day of the calendar, which is written as one."""
        try:
            day = date.fromisoformat(given)
        except ValueError:
            raise self._error("slash_day_unknown", name=name, given=given) from None
        if not FIRST_DAY <= day <= LAST_DAY:
            years = {"first": str(FIRST_DAY.year), "last": str(LAST_DAY.year)}
            raise self._error("slash_year_out_of_range", name=name, given=given, **years)
        return day

    def _moment(self, name: str, given: str) -> datetime:
        day, _, time = given.partition(" ")
        if not (_DAY.fullmatch(day) and _TIME.fullmatch(time)):
            raise self._error("slash_no_moment", name=name, given=given)
        local = datetime.combine(self._find_day(name, day), clock_time.fromisoformat(time))
        moment = local.replace(tzinfo=self._zone).astimezone(UTC)
        if moment.astimezone(self._zone).replace(tzinfo=None) != local:
            raise self._error("slash_moment_skipped", name=name, given=given)
        return moment

    def _error(self, text: str, *, given: str = "", **details: object) -> WrongUsage:
        return WrongUsage(text, usage=self._form.usage, given=_show_word(given), **details)


def _label(name: str, kind: str | Choice) -> str:
    """Return what the usage line calls a place."""
    return _LABELS.get(kind, name.upper()) if isinstance(kind, str) else "|".join(kind)


def _count_words(kind: str | Choice, words: list[str]) -> int:
    """Return how many of the words belong to a value; a quoted one may be a day and a time."""
    if kind == WORDS:
        return len(words)
    return 2 if kind == MOMENT and words and " " not in words[0] else 1


def _unquote(given: str) -> str:
    """Return a value without the quotes around it, which are not needed."""
    end = _QUOTES.get(given[:1])
    inner = given[1:-1]
    is_quoted = end is not None and len(given) > 1 and given.endswith(end) and end not in inner
    return inner.strip() if is_quoted else given


def _show_word(given: str) -> str:
    """Return what was typed, short and without control characters."""
    return visible(given if len(given) <= _MOST_SHOWN else f"{given[:_MOST_SHOWN]}\u2026")
