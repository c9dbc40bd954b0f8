"""What the replan loop tells people: its progress (R3.12), and what it answers without a model.

The model's own reasoning is never told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from outlast.agent import effects as e
from outlast.agent.events import CHANGE_NOTICE, PROGRESS_NOTICE, Notified
from outlast.context.escape import one_line
from outlast.language import Language, clauses, listing, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outlast.agent.agent_spec import Replan
    from outlast.agent.effects import ReplanState
    from outlast.model.model import Question
    from outlast.model.replan_position import PlannedAction, ReplanPosition

_LINE_CHARACTERS: Final = 300
Decided = Literal["continue", "done", "ask_user", "all_done"]
_DECISIONS: Final[dict[Decided, str]] = {
    "continue": "thought_acts",
    "done": "thought_finishes",
    "ask_user": "thought_asks",
    "all_done": "thought_ends",
}
_NAME_CHARACTERS: Final = 100


class ProgressReporter:
    """Emits the lines of one run."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._last = ""

    def show_plan(self, items: Sequence[str]) -> e.Loop[None]:
        """Report the first plan."""
        yield from self._emit("steps_planned", count=len(items))
        yield from self._show_list(items)

    def show_replan(self, items: Sequence[str], patch: str, reason: str) -> e.Loop[None]:
        """Report a new plan, and how it differs from the one before."""
        yield from self._emit("steps_replanned", count=len(items))
        yield from self._show_list(items)
        yield from self.show_change(patch, reason)

    def show_change(self, patch: str, reason: str) -> e.Loop[None]:
        """Report how the plan differs from the one before, if it does."""
        if patch:
            changed = text("replanned", self._language, reason=_line(reason), patch=patch)
            yield from e.Emit(Notified(changed, CHANGE_NOTICE))

    def show_item(self, position: ReplanPosition, name: str) -> e.Loop[None]:
        """Report which item is worked on."""
        number, total = position.cursor + 1, len(position.items)
        yield from self._emit("item_current", number=number, total=total, name=_line(name))

    def show_decision(self, what: Decided) -> e.Loop[None]:
        """Report what the model decided, in a word."""
        yield from self._emit("thought_decided", what=text(_DECISIONS[what], self._language))

    def show_action(self, action: PlannedAction) -> e.Loop[None]:
        """Report an action before it runs."""
        yield from self._emit("step_action", tool=_line(action.tool), input=_line(action.input))

    def show_result(
        self, state: e.ReplanState, position: ReplanPosition, problem: str
    ) -> e.Loop[None]:
        """Report how an action ended, why if it failed, and how far the work is."""
        yield from self._emit("step_failed" if problem else "step_succeeded")
        if problem:
            yield from self.show_note(problem.strip().partition("\n")[0])
        yield from self.show_counts(state, position)

    def show_counts(self, state: e.ReplanState, position: ReplanPosition) -> e.Loop[None]:
        """Report how many items are done, and how the tool runs ended, unless that came last."""
        counts = text(
            "step_counts",
            self._language,
            done=len(state.finished),
            left=len(position.items) - position.cursor,
            succeeded=position.successes,
            failed=position.failures,
        )
        if counts != self._last:
            yield from self._report(counts)

    def show_note(self, line: str) -> e.Loop[None]:
        """Report anything else."""
        yield from self._report(one_line(line, _LINE_CHARACTERS))

    def _show_list(self, items: Sequence[str]) -> e.Loop[None]:
        lines = (f"{number}. {_line(item)}" for number, item in enumerate(items, 1))
        yield from self._emit("plan_items", items="\n".join(lines))

    def _emit(self, key: str, **details: object) -> e.Loop[None]:
        yield from self._report(text(key, self._language, **details).rstrip())

    def _report(self, line: str) -> e.Loop[None]:
        self._last = line
        yield from e.Emit(Notified(line, PROGRESS_NOTICE))


def _line(words: str) -> str:
    return one_line(words, _LINE_CHARACTERS)


# At the limit, if planning fails, and if a question waits (R3.05)


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
