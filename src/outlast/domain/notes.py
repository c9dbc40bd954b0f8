"""Notes of a plan beside its tasks: findings, errors, the deliverable, prose."""

# No `from __future__ import annotations` here: msgspec builds a decoder several times slower from
# annotations that are strings.

import re
from typing import Final

from msgspec import Struct, field

from outlast.domain.model import ErrorRecord, Finding, Prose

_NUMBERS: Final = re.compile("[0-9]+")
_KEY_CHARACTERS: Final = 100


class Notes(Struct, omit_defaults=True):
    """Findings by id and errors by strike key, in order of arrival, and their last ids.

    `answer` is what the model said at the end of the last run that finished the plan.
    """

    findings: dict[int, Finding] = {}
    errors: dict[str, ErrorRecord] = {}
    last_finding: int = field(default=0, name="noted")
    last_error: int = field(default=0, name="logged")
    deliverable: str = ""
    answer: str = ""
    prose: tuple[Prose, ...] = ()


def strike_key(tool: str, message: str) -> str:
    """Return the key under which equal errors of a tool are counted (R4.07).

    It has every number in the message replaced by N.
    """
    return f"{tool}:{_NUMBERS.sub('N', message)[:_KEY_CHARACTERS]}"
