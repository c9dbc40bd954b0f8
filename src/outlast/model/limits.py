"""The limits of single values (M9): types, lengths, characters. All input passes here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from outlast.errors import InvalidArgument, OutlastError
from outlast.model.model import CHECK_KINDS, PERSON, REPORT_FIELDS, Check, Progress
from outlast.redact.text_fields import TEXT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable


Word = TypeVar("Word", bound=str)

NAME_CHARACTERS: Final = 1_000
REF_CHARACTERS: Final = 200
RESULT_CHARACTERS: Final = 2_000  # of a result that is made of what was said and done
SHOWN_CHARACTERS: Final = 200  # of a result where it has one line
LARGEST_LIST: Final = 100
LARGEST_ID: Final = 2**53
LARGEST_GIVEN_ID: Final = 2**52  # of an imported task; leaves room for later ids
TITLE_CHARACTERS: Final = 80
TYPE_NAMES: Final[dict[type, str]] = {
    dict: "object",
    list: "array",
    tuple: "array",
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}

_FUNCTION: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_JSON_WORDS: Final = {
    "dict with str keys": "object with string keys",
    **{kind.__name__: name for kind, name in TYPE_NAMES.items()},
}


def check_name(value: object, argument: str) -> str:
    """Accept one non-blank line of at most 1 000 characters."""
    if (
        type(value) is str
        and len(value) <= NAME_CHARACTERS
        and value.isascii()
        and value.isprintable()
        and value.strip()
    ):
        return value  # the fast path for most names
    text = check_length(value, argument, NAME_CHARACTERS)
    if not text or text.isspace():
        raise InvalidArgument("name_blank", argument=argument)
    if not text.isprintable() and text.splitlines() != [text]:
        raise InvalidArgument("name_not_one_line", argument=argument)
    return text


def shorten_name(name: str) -> str:
    """Return a name that is not too long: a longer one is cut and ends in `…`."""
    return name if len(name) <= NAME_CHARACTERS else f"{name[: NAME_CHARACTERS - 1]}…"


def check_actor(value: object, argument: str = "actor") -> str:
    """Accept a name, save one that a reader takes for the person `human`."""
    if type(value) is str and value == PERSON:
        return value
    name = check_name(value, argument)
    if fold_actor(name) == PERSON:
        raise InvalidArgument("actor_like_person", argument=argument, name=name)
    return name


def fold_actor(name: str) -> str:
    """Return a name as a reader tells it apart: `Human`, `human.` and `human (mira)` are equal.

    Case, width, blanks, signs and invisible characters do not count.
    """
    if not name.isascii():
        from unicodedata import normalize  # imported late: most names are ASCII

        name = normalize("NFKC", name)
    word = name.strip(" ()").partition("(")[0]
    return "".join(filter(str.isalnum, word.casefold()))


def check_text(value: object, argument: str) -> str:
    """Accept any text of at most 64 KB."""
    if type(value) is str and value.isascii() and len(value) <= TEXT_BYTES:
        return value
    text = _check_string(value, argument)
    size = len(text.encode())
    if size > TEXT_BYTES:
        raise InvalidArgument("text_too_long", argument=argument, limit=TEXT_BYTES, length=size)
    return text


def check_length(value: object, argument: str, limit: int) -> str:
    """Accept any text of at most `limit` characters."""
    text = _check_string(value, argument)
    if len(text) > limit:
        raise InvalidArgument("name_too_long", argument=argument, limit=limit, length=len(text))
    return text


def check_commit_labels(author: str, reason: str, key: str, person: str) -> None:
    """Accept the author, the reason, the idempotency key and the person's name of a commit."""
    if not author.isidentifier() or len(author) > NAME_CHARACTERS:  # most are identifiers
        check_name(author, "author")
    if reason:
        check_text(reason, "reason")
    if key:
        check_name(key, "key")
    if person:
        check_name(person, "person")


def _check_string(value: object, argument: str) -> str:
    if type(value) is not str:
        raise wrong_type_error(argument, "str", value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument("lone_surrogate", argument=argument, position=error.start) from error
    return value


def check_ref(value: object, argument: str) -> int | str:
    """Accept a reference to a task: `3`, `"3"`, `step_3`, or an id it had elsewhere."""
    if type(value) is int:
        if -LARGEST_ID <= value <= LARGEST_ID:
            return value
    elif type(value) is str:
        if 0 < len(value) <= REF_CHARACTERS:
            return _check_string(value, argument)
    else:
        raise wrong_type_error(argument, "task id", value)
    raise InvalidArgument("not_a_task_id", argument=argument)


def check_choice(value: object, argument: str, choices: Iterable[Word]) -> Word:
    """Accept one of the choices."""
    if type(value) is not str:
        raise wrong_type_error(argument, "str", value)
    known = list(choices)
    for choice in known:
        if choice == value:
            return choice
    raise InvalidArgument("not_a_choice", argument=argument, choices=known)


def check_flag(value: object, argument: str) -> bool:
    """Accept true or false."""
    if type(value) is not bool:
        raise wrong_type_error(argument, "bool", value)
    return value


def check_tuple(value: object, argument: str, limit: int | None = None) -> None:
    """Accept a tuple of at most `limit` values."""
    if type(value) is not tuple:  # a list is what programs have instead, and JSON has no other word
        raise wrong_type_error(argument, "tuple" if type(value) is list else "list", value)
    if limit is not None and len(value) > limit:
        raise InvalidArgument("too_many", argument=argument, limit=limit, count=len(value))


def check_number(value: object, argument: str, least: int, limit: int) -> int:
    """Accept an integer between `least` and `limit`, both included."""
    if type(value) is not int:
        raise wrong_type_error(argument, "int", value)
    if not least <= value <= limit:
        raise InvalidArgument("bad_number", argument=argument, least=least, limit=limit)
    return value


def check_progress(value: Progress, argument: str) -> Progress:
    """Accept `current` of `total` parts, with 0 <= current <= total and 0 < total."""
    current, total = value.current, value.total
    whole = type(current) is int and type(total) is int
    if not whole or not 0 <= current <= total or not 0 < total <= LARGEST_ID:
        raise InvalidArgument("bad_progress", argument=argument)
    return value


def check_rule(check: object, argument: str) -> None:
    """Refuse anything but a valid `Check`."""
    if type(check) is not Check:
        raise wrong_type_error(argument, "Check", check)
    check_choice(check.kind, argument, CHECK_KINDS)
    check_name(check.rule, argument)


def check_form(check: Check, argument: str) -> None:
    """Refuse the rule of a check that its kind cannot have."""
    if check.kind == "python" and not _FUNCTION.fullmatch(check.rule):
        raise InvalidArgument("bad_check_function", argument=argument, rule=check.rule)
    if check.kind == "report" and check.subject not in REPORT_FIELDS:
        fields = list(REPORT_FIELDS)
        raise InvalidArgument(
            "bad_check_field", argument=argument, field=check.subject, choices=fields
        )
    if check.kind in ("file", "report"):
        _check_pattern(check.pattern, argument)


def _check_pattern(pattern: str, argument: str) -> None:
    """Refuse a pattern that is not a regular expression."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        problem = str(error)
        raise InvalidArgument(
            "bad_check_pattern", argument=argument, pattern=pattern, problem=problem
        ) from error
    except Warning:  # of a valid pattern, in a program that turns warnings into errors
        return


def wrong_type_error(argument: str, expected: str, value: object) -> InvalidArgument:
    """Return the error for a value of the wrong type; both types have their names in Python."""
    return InvalidArgument("wrong_type", argument=argument, expected=expected, got=_class(value))


def json_words(error: OutlastError) -> OutlastError:
    """Return an error about a wrong type with the names that the types have in JSON."""
    if error.text != "wrong_type":
        return error
    details = dict(error.details)
    for name in ("expected", "got"):
        details[name] = _JSON_WORDS.get(str(details[name]), details[name])
    return type(error)(error.text, **details)


def type_name(value: object) -> str:
    """Return the JSON name of a value's type, else the true name of its class."""
    kind = type(value)
    for known, called in TYPE_NAMES.items():
        if kind is known:  # a lookup would call the hash of the class
            return called
    return _class(value)


def _class(value: object) -> str:
    """Return the true name of a value's class."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name


def display_key(key: object) -> str:
    """Return a key of a foreign object in a form that is safe in a message."""
    if type(key) is not str:
        return type_name(key)
    return key[:80].encode("ascii", "backslashreplace").decode()


def default_title(goal: str) -> str:
    """Return the default title of a plan: the first line of its goal.

    A long one is cut after a word and ends in `…`, so that it does not read as the whole goal.
    """
    lines = goal.strip().splitlines()
    line = lines[0].strip() if lines else ""
    if len(line) <= TITLE_CHARACTERS:
        return line
    cut = line[:TITLE_CHARACTERS].rpartition(" ")[0].rstrip()
    if len(cut) < TITLE_CHARACTERS // 2:  # it has few spaces, as in Chinese
        cut = line[: TITLE_CHARACTERS - 1]
    return f"{cut}…"


def make_slug(title: str, taken: Iterable[str]) -> str:
    """Make a readable id from a title, different from the taken ones."""
    words = "".join(c if c.isalnum() else " " for c in title.lower()).split()
    base = "-".join(words)[:TITLE_CHARACTERS] or "phase"
    used, number, candidate = set(taken), 1, base
    while candidate in used:
        number += 1
        candidate = f"{base}-{number}"
    return candidate
