"""Everything people and models read, in English and Chinese, looked up by key.

Each topic is a module of the package that it is about, with one table,
`"key": ("English", "中文")`. Topics are loaded one after the
other until a key is known, those that every command needs first.

In English a number can take its noun along: `{count:task}` becomes `1 task` or `1,200 tasks`,
`{count:entry|entries}` spells the plural out, and `{count:,}` is the number alone.

A command that people are to type ends with the options that it takes over from the command line
which prints it: `{common}` if it is about the same plan, `{as_person}` if only a person may run it,
`{lang}` if it is about no plan. For all other readers they are empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from outlast.errors import OutlastError, OutOfBudget

if TYPE_CHECKING:
    from collections.abc import Iterable

TOPICS: Final = {  # each with the module that holds its table
    "commands": "console.texts",
    "plan": "model.texts",
    "proof": "proof.texts",
    "storage": "store.texts",
    "edits": "documents.edit_texts",
    "history": "documents.history_texts",
    "help": "cli.texts",
    "tools": "plan.tools.texts",
    "loop": "agent.texts.loop",
    "context": "context.texts",
    "replan": "agent.texts.replan",
    "run": "agent.texts.run",
    "hosts": "hosts.texts",
    "models": "agent.texts.models",
    "settings": "config.texts",
    "mailbox": "orchestrator.texts.mailbox",
    "orchestrator": "orchestrator.texts.orchestrator",
    "report": "orchestrator.texts.report",
    "damage": "store.damage_texts",
    "agenda": "assistant.texts.agenda",
    "assistant": "assistant.texts.assistant",
}

Language = Literal["en", "zh"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
Row = tuple[str, str]

COMMAND_OPTIONS: Final = ("common", "as_person", "lang")
_NO_OPTIONS: Final[dict[str, object]] = dict.fromkeys(COMMAND_OPTIONS, "")
_OPTION_FIELDS: Final = tuple(f"{{{name}}}" for name in COMMAND_OPTIONS)
STATUS_ICONS: Final = {
    "pending": "○",
    "in_progress": "◐",
    "completed": "●",
    "failed": "✖",
    "skipped": "⊘",
}

_SHOWN: Final = 20
_JOINERS: Final = "\u200c\u200d"  # scripts and emoji are spelled with them
_ROWS: Final[dict[str, Row]] = {}
_SIMPLE: Final[dict[str, str]] = {}  # templates in the older form that is formatted faster


def topic(name: str) -> dict[str, Row]:
    """Return the table of a topic."""
    module = __import__(f"outlast.{TOPICS[name]}", fromlist=["TEXTS"])  # importlib costs too much
    table: dict[str, Row] = module.TEXTS
    return table


def load_topics(*names: str) -> None:
    """Load topics before others: a process that lives for a moment knows which it needs."""
    for name in names:
        _ROWS.update(topic(name))


def text(key: str, language: Language = "en", /, **values: object) -> str:
    """Return a text with the values filled in; an unknown key is a `KeyError`."""
    row = _ROWS.get(key) or _load(key)
    template = row[0] if language == "en" else row[1]
    if not values and ("{" not in template or not any(map(template.count, _OPTION_FIELDS))):
        return template
    shown = _NO_OPTIONS | values
    simple = _SIMPLE.get(template)
    if simple is None:
        simple = _SIMPLE[template] = _simplify(template)
    for name, value in values.items():
        if type(value) is str:
            continue
        if type(value) is int:
            if not simple:
                shown[name] = _Count(value)
        elif type(value) is list:
            shown[name] = _join(value, language)
        elif isinstance(value, OutlastError):
            options = {option: shown[option] for option in COMMAND_OPTIONS}
            shown[name] = explain(value, language, **options)
        elif hasattr(value, "explain"):  # several problems
            shown[name] = value.explain(language)
    return simple % shown if simple else template.format_map(shown)


def explain(error: OutlastError, language: Language = "en", **options: object) -> str:
    """Return the words for an error; `options` are those of the commands in it."""
    details = {
        name: type_words(value, language) if name in ("expected", "got") else value
        for name, value in error.details.items()
    }
    if "status" in details:
        details["status"] = status_words(str(details["status"]), language)
    if "failed" in details:
        details["shows"] = _check_results(error.details["failed"], language)
    if isinstance(error, OutOfBudget) and "what" in details:
        details["what"] = text(f"unit_{details['what']}", language)
    return text(error.text, language, **options, **details)


def check_result(short: str, language: Language = "en") -> str:
    """Return in words what a check recorded in short, such as `exit 1` or `missing`."""
    word, _, value = short.partition(" ")
    row = topic("proof").get(f"outcome_{word}")
    return short if row is None else row[language == "zh"].format_map({"value": value})


def status_words(status: str, language: Language = "en") -> str:
    """Return the status of a plan, a phase or a task in words."""
    row = topic("commands").get(f"status_{status}")
    return status if row is None else row[language == "zh"]


def visible(value: str) -> str:
    """Return a text in which control characters, bidi marks and the like are spelled out."""
    if value.isprintable():
        return value
    from unicodedata import category

    return "".join(
        c
        if c.isprintable() or c in _JOINERS or category(c) == "Zs"
        else c.encode("unicode_escape").decode()
        for c in value
    )


def clauses(parts: Iterable[str], language: Language = "en") -> str:
    """Join several clauses into one line."""
    return ("\uff1b" if language == "zh" else "; ").join(parts)


def listing(parts: Iterable[object], language: Language = "en") -> str:
    """Join several items into one list."""
    return ("、" if language == "zh" else ", ").join(map(str, parts))


def with_details(what: str, details: str, language: Language = "en") -> str:
    """Return a text with details in brackets, if there are any."""
    if not details:
        return what
    return f"{what}\uff08{details}\uff09" if language == "zh" else f"{what} ({details})"


def with_colon(what: object, content: str, language: Language = "en") -> str:
    """Return a content with a word before it."""
    return f"{what}\uff1a{content}" if language == "zh" else f"{what}: {content}"


class _Count(int):
    """A number that a template can ask for its noun."""

    def __format__(self, noun: str) -> str:
        if not noun[:1].isalpha():
            return super().__format__(noun)
        singular, _, plural = noun.partition("|")
        word = singular if self == 1 else plural or f"{singular}s"
        return f"{super().__format__(',')} {word}"


def _simplify(template: str) -> str:
    """Return a template for the operator `%`; empty if a number is written in its own way."""
    literal, *fields = template.replace("%", "%%").split("{")
    names = [field.partition("}") for field in fields]
    if not all(name.isidentifier() for name, _, _ in names):
        return ""
    return literal + "".join(f"%({name})s{rest}" for name, _, rest in names)


def _load(key: str) -> Row:
    for name in TOPICS:
        _ROWS.update(topic(name))
        if key in _ROWS:
            return _ROWS[key]
    raise KeyError(key)


def _check_results(failed: object, language: Language) -> object:
    """Return the checks that failed, each with its result."""
    if type(failed) is not list:
        return failed
    return [f"{check['rule']}: {check_result(check['says'], language)}" for check in failed]


def type_words(value: object, language: Language = "en") -> object:
    """Return the name of a JSON type, or of several, in words; any other value as it is."""
    if type(value) is list:
        return [type_words(item, language) for item in value]
    row = topic("plan").get(f"type_{value}")
    return value if row is None else row[language == "zh"]


def _join(values: list[object], language: Language) -> str:
    if not values:
        return text("nothing", language)
    more = ("…",) if len(values) > _SHOWN else ()
    return listing((*values[:_SHOWN], *more), language)
