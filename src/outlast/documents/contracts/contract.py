"""Parse the text of a model by a contract: a `msgspec.Struct` type, or a union of tagged ones.

The fields of the type are the contract: without a default they are required, `Literal` gives
choices, `Annotated[str, Meta(min_length=1)]` refuses a blank text, tagged structs describe what
each status needs. Unknown keys are ignored unless the type forbids them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar, cast

import msgspec
from msgspec import Struct

from outlast.documents.contracts.fit import fit
from outlast.documents.contracts.lenient_json import find_json, find_yaml
from outlast.documents.contracts.problems import BrokenText, Problem, list_problems
from outlast.documents.contracts.yaml_text import read_yaml
from outlast.language import Language, text

Json = dict[str, Any]
T = TypeVar("T")
Check = Callable[[T], Iterable[Problem]]
Salvage = Callable[[object], T]
_REF: Final = "#/$defs/{name}"


class Parsed(Struct, Generic[T], frozen=True):
    """What a text says: a value, or the problems of the candidate that is nearest to one."""

    value: T | None = None
    problems: tuple[Problem, ...] = ()

    def repair_request(self, language: Language = "en") -> str:
        """Return the message that asks the model to send corrected data."""
        problems = list_problems(self.problems, language)
        return text("contract_repair", language, problems=problems)


def parse_contract(
    reply: str, contract: type[T], check: Check[T] | None = None, salvage: Salvage[T] | None = None
) -> Parsed[T]:
    """Return the last value in a reply that fits the contract, as JSON or else as YAML.

    `check` finds what the type cannot express, such as the name of a tool that does not exist.
    Data that does not fit is checked too, as far as `salvage` can read it: so that all problems
    are found at once.
    """
    best: Parsed[T] | None = None
    for candidate in find_json(reply):
        if candidate.problem is None:
            parsed = fit_contract(candidate.value, contract, check, salvage)
        else:
            parsed = Parsed(problems=(candidate.problem,))
        best = _better(best, parsed)
    if best is None or best.problems:
        for block in find_yaml(reply):
            best = _better(best, _parse_yaml(block, contract, check, salvage))
    return Parsed(problems=(Problem("contract_nothing"),)) if best is None else best


def fit_contract(
    value: object,
    contract: type[T],
    check: Check[T] | None = None,
    salvage: Salvage[T] | None = None,
) -> Parsed[T]:
    """Return data as the type of a contract, with every problem listed."""
    fitted, problems = fit(value, contract_schema(cast("Hashable", contract)))
    if problems:
        more = check(salvage(fitted)) if check and salvage else ()
        return Parsed(problems=(*problems, *more))
    try:
        converted = msgspec.convert(fitted, contract)
    except msgspec.ValidationError as error:  # of what `fit` does not know, such as a pattern
        return Parsed(problems=(_other_problem(error),))
    problems = [] if check is None else list(check(converted))
    return Parsed(problems=tuple(problems)) if problems else Parsed(converted)


@lru_cache(maxsize=64)
def contract_schema(contract: Hashable) -> Json:
    """Return the JSON Schema of a contract, for models that take one."""
    (schema,), definitions = msgspec.json.schema_components((contract,), ref_template=_REF)
    return {**schema, "$defs": definitions}


def _parse_yaml(
    block: str, contract: type[T], check: Check[T] | None, salvage: Salvage[T] | None
) -> Parsed[T]:
    try:
        return fit_contract(read_yaml(block), contract, check, salvage)
    except BrokenText as error:
        return Parsed(problems=(error.problem,))


def _better(best: Parsed[T] | None, parsed: Parsed[T]) -> Parsed[T]:
    """Return the one with fewer problems, of equal ones the later."""
    if best is None or len(parsed.problems) <= len(best.problems):
        return parsed
    return best


def _other_problem(error: msgspec.ValidationError) -> Problem:
    problem, _, path = str(error).partition(" - at `$")
    return Problem("fit_other", path.rstrip("`").lstrip("."), {"problem": problem})
