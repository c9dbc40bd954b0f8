"""Problems: what is wrong with a model's data, each with its path, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.language import Language, clauses, text, type_words, visible
from outlast.model.limits import display_key

if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_LISTED: Final = 20


class Problem(Struct, frozen=True):
    """One thing that is wrong; `text` is a key of `outlast.language`, `path` may be empty."""

    text: str
    path: str = ""
    details: dict[str, object] = {}

    def explain(self, language: Language = "en") -> str:
        """Return the problem in words."""
        details = {
            name: type_words(value, language) if name in ("expected", "got") else value
            for name, value in self.details.items()
        }
        words = text(self.text, language, **details)
        colon = "\uff1a" if language == "zh" else ": "
        return f"{self.path}{colon}{words}" if self.path else words


class Problems(Struct, frozen=True):
    """Several problems, as a detail of an error."""

    problems: tuple[Problem, ...]

    def explain(self, language: Language = "en") -> str:
        """Return the problems on one line."""
        shown = [problem.explain(language) for problem in self.problems[:MAX_LISTED]]
        if len(self.problems) > MAX_LISTED:
            shown.append(text("more_left_out", language, count=len(self.problems) - MAX_LISTED))
        return visible(clauses(shown, language))


class BrokenText(Exception):
    """A text that cannot be read as data, even leniently; `at` is the offset of the problem."""

    def __init__(self, problem: Problem, at: int) -> None:
        super().__init__(problem.text)
        self.problem, self.at = problem, at


def child_path(path: str, key: object) -> str:
    """Return the path of a key or an index below a path, such as `tasks[2].name`."""
    if type(key) is int:
        return f"{path}[{key}]"
    return f"{path}.{display_key(key)}" if path else display_key(key)


def list_problems(problems: Sequence[Problem], language: Language = "en") -> str:
    """Return the problems as a list; of very many the first ones and the number of the others."""
    lines = [f"- {visible(problem.explain(language))}" for problem in problems[:MAX_LISTED]]
    if len(problems) > MAX_LISTED:
        lines.append(text("more_left_out", language, count=len(problems) - MAX_LISTED))
    return "\n".join(lines)
