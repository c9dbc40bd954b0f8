"""What the replan loop answers without a model: at its limit, and if planning fails (R3.05)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.context.escape import one_line
from outlast.language import clauses, listing, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outlast.agent.agent_spec import Replan
    from outlast.agent.effects import ReplanState
    from outlast.language import Language
    from outlast.model.model import Question

_NAME_CHARACTERS: Final = 100


def limit_text(state: ReplanState, options: Replan) -> str:
    """Say what was done, why it is unfinished, and what to do next."""
    position, language = state.position, options.language
    done = [_names(state.finished, language)] if state.finished else []
    if position.successes or position.failures:
        counts = {"succeeded": position.successes, "failed": position.failures}
        done.append(text("limit_runs", language, **counts))
    why = [text("limit_reached", language, limit=position.limit)]
    left = [item.name for item in state.items[position.cursor :]]
    if left:
        why.append(text("limit_left", language, items=_names(left, language)))
    return text(
        "replan_limit",
        language,
        done=clauses(done, language) or text("limit_nothing_done", language),
        why=clauses(why, language),
        next=text("limit_next" if options.in_chat else "limit_next_run", language),
    )


def unavailable_text(options: Replan) -> str:
    """Say that planning is unavailable, and what works all the same."""
    key = "planning_unavailable" if options.in_chat else "planning_unavailable_run"
    return text(key, options.language)


def show_question(question: Question, language: Language) -> str:
    """Return a question as people read it (R3.08)."""
    shown = plain(question.text)
    return text("please_confirm", language, question=shown) if question.kind == "ask" else shown


def plain(words: str) -> str:
    """Return a text with its lines that is safe for a terminal."""
    return "\n".join(map(visible, words.splitlines()))


def _names(names: Iterable[str], language: Language) -> str:
    return listing((one_line(name, _NAME_CHARACTERS) for name in names), language)
