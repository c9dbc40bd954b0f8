"""The arguments of the seventeen functions, read the plain way, for the reference model."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Details = dict[str, Any]

FILTERS: Final = ("pending", "in_progress", "completed", "failed", "skipped", "blocked")
_NEEDED: Final = object()


class RefusalError(Exception):
    """What the reference refuses; `details` are the exact ones, or a test that they must pass."""

    def __init__(self, code: str, details: Details | Callable[[Details], bool]) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


def cut(details: Details) -> Details:
    """A list of more than 20 is the first and the last 10 of it, and how many there are."""
    long = {name: v for name, v in details.items() if type(v) is list and len(v) > 20}
    ends = {name: [*value[:10], *value[-10:]] for name, value in long.items()}
    return details | ends | {f"{name}_count": len(value) for name, value in long.items()}


def refuse_arguments(culprits: set[str]) -> RefusalError:
    """Any of the bad arguments may be the one that is named; `?` stands for what has no name."""

    def names_one(details: Details) -> bool:
        named = str(details.get("argument", details.get("tool")))
        return bool(culprits & {"?", named, re.split(r"[.\[]", named)[0]})

    return RefusalError("INVALID_ARGUMENT", names_one)


@cache
def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: "_" + found.group().lower(), name)


# --- single values ------------------------------------------------------------------------------


def _is_unicode(value: object) -> bool:
    return type(value) is str and not re.search(r"[\ud800-\udfff]", value)


def is_name(value: Any) -> bool:
    return (
        _is_unicode(value)
        and len(value) <= 1000
        and value.strip() != ""
        and value.splitlines() == [value]
    )


def is_text(value: Any) -> bool:
    return _is_unicode(value) and len(value.encode()) <= 65536


def is_ref(value: Any) -> bool:
    if type(value) is int:
        return abs(value) <= 2**53
    return _is_unicode(value) and 1 <= len(value) <= 200


def number(ref: int | str) -> int:
    if type(ref) is int:
        return ref
    found = re.fullmatch(r"(?:step_)?([0-9]{1,16})", str(ref))
    return int(found[1]) if found else 0


def _is_flag(value: object) -> bool:
    return type(value) is bool


def _is_filter(value: object) -> bool:
    return type(value) is str and value in FILTERS


def _is_refs(value: Any, names: Sequence[str] = ()) -> bool:
    """Tell whether all are ids, or names that one task has."""

    def fits(ref: Any) -> bool:
        if type(ref) is str and ref in names:
            return names.count(ref) == 1
        return is_ref(ref) and (type(ref) is int or is_name(ref))

    return type(value) in (list, tuple) and all(map(fits, value))


def _is_fields(value: Any, names: Sequence[str] = ()) -> bool:
    checks = {
        "name": is_name,
        "dependencies": lambda refs: _is_refs(refs, names),
        "reasoning": is_text,
    }
    return type(value) is dict and all(
        type(key) is str and key in checks and (given is None or checks[key](given))
        for key, given in value.items()
    )


def _is_updates(value: Any, names: Sequence[str] = ()) -> bool:
    return _is_fields(value, names) and any(given is not None for given in value.values())


def _is_new_tasks(value: Any) -> bool:
    if type(value) not in (list, tuple) or not all(type(item) is dict for item in value):
        return False
    names = [item["name"] for item in value if type(item.get("name")) is str]
    return len(names) == len(value) and all(_is_fields(item, names) for item in value)


# --- the functions ------------------------------------------------------------------------------

_TASK: Final = ("task_id", is_ref, _NEEDED)

SIGNATURES: Final[dict[str, tuple[tuple[str, Callable[..., bool], Any], ...]]] = {
    "getCurrentTask": (),
    "startNextTask": (),
    "completeTask": (_TASK, ("result", is_text, _NEEDED)),
    "failTask": (_TASK, ("error_message", is_text, _NEEDED), ("should_retry", _is_flag, True)),
    "addTask": (
        ("name", is_name, _NEEDED),
        ("dependencies", _is_refs, ()),
        ("reasoning", is_text, ""),
        ("after_task_id", is_ref, None),
        ("description", is_text, ""),
    ),
    "updateTask": (_TASK, ("updates", _is_updates, _NEEDED)),
    "skipTask": (_TASK, ("reason", is_text, _NEEDED)),
    "removeTask": (_TASK,),
    "getTaskList": (("status_filter", _is_filter, None),),
    "getPlanStatus": (),
    "getTaskById": (_TASK,),
    "getExecutableTaskList": (),
    "pausePlan": (),
    "resumePlan": (),
    "resetPlan": (),
    "initializePlan": (("goal", is_text, _NEEDED), ("tasks", _is_new_tasks, _NEEDED)),
    "reopenTask": (_TASK, ("reason", is_text, _NEEDED)),
}
SPELLINGS: Final = {spelled: name for name in SIGNATURES for spelled in (name, snake(name))}


def read(
    tool: str, given: Sequence[object], named: Mapping[Any, object], names: Sequence[str]
) -> list[Any]:
    """Return one value a parameter, or refuse with the names of all arguments that are wrong.

    `names` are those of the plan's tasks which may stand for an id.
    """
    wanted = SIGNATURES[tool]
    bound: dict[str, object] = dict(zip((name for name, _, _ in wanted), given, strict=False))
    culprits = {tool} if len(given) > len(wanted) else set()
    for name, value in named.items():
        if type(name) is not str:
            culprits.add("?")
        elif name in bound or name not in [known for known, _, _ in wanted]:
            culprits.add(name if name.isprintable() else "?")
        else:
            bound[name] = value
    values = []
    for name, fits, default in wanted:
        value = bound.get(name)
        if value is None and default is not _NEEDED:
            value = default
        elif not (fits(value, names) if fits in (_is_refs, _is_updates) else fits(value)):
            culprits.add(name)
        values.append(value)
    if culprits:
        raise refuse_arguments(culprits)
    return values
