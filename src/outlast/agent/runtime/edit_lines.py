"""What people changed in a plan, in lines for the model that works on it and for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outlast.agent.effects import PlanEdits
from outlast.context.escape import quote
from outlast.documents.change_words import CONSEQUENCES, TOLD_PHRASES, list_phrases
from outlast.language import text
from outlast.model.changes import fold
from outlast.model.model import PERSON, UNATTRIBUTED
from outlast.model.state import PlanState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outlast.documents.change_words import Phrase, Phrases
    from outlast.language import Language
    from outlast.model.changes import Commit
    from outlast.store.port import Store

_LINES: Final = 10
_JOINT: Final = "\0"  # before a noun: Chinese puts a space before a number, but not before a noun
_GOAL: Final = "change_goal"
_UNTOLD: Final = frozenset(("change_paused", "log_plan_resumed"))  # no model works meanwhile


def read_edits(
    store: Store, since: int, language: Language = "en", *, with_goal: bool = True
) -> PlanEdits:
    """Return what people changed after a revision, in lines for the model."""
    commits = store.commits_since(since)
    revision = commits[-1].revision if commits else since
    untold = _UNTOLD if with_goal else _UNTOLD | {_GOAL}
    lines, saves = list[str](), list[str]()
    for commit, phrases in _find_edits(store, commits, untold):
        lines += [_edit_line(each, commit, language) for each in phrases if each[0] not in untold]
        if commit.key.startswith(f"{commit.reason}:"):  # a save of a file
            saves.append(text("edit_applied", language, name=commit.reason, changes=phrases))
    more = max(len(lines) - _LINES, 0)
    return PlanEdits(revision, tuple(lines[:_LINES]), more, tuple(saves))


def _find_edits(
    store: Store, commits: list[Commit], untold: frozenset[str]
) -> Iterator[tuple[Commit, Phrases]]:
    edits = {commit.revision for commit in commits if _is_edit(commit, untold)}
    if not edits:
        return
    first = min(edits)
    state = store.state_before(first)
    for commit in commits:
        if commit.revision in edits:
            yield commit, list_phrases(state, commit)
        if commit.revision >= first:
            fold(state, commit.changes, commit.revision, commit.at)


def _is_edit(commit: Commit, untold: frozenset[str]) -> bool:
    """Return whether a person, or an unknown author, changed what a model should know."""
    if commit.author not in (PERSON, UNATTRIBUTED):
        return False
    phrases = list_phrases(PlanState(commit.at), commit)
    return any(key not in untold for key, _ in phrases)


def _edit_line(phrase: Phrase, commit: Commit, language: Language) -> str:
    key, details = phrase
    named: dict[str, Any] = {**details, "needs": _tasks(details.get("needs"), language)}
    if "task" in details:
        named["task"] = _task(details["task"], language)
    change = text(TOLD_PHRASES.get(key, key), language, **named)
    if commit.author == UNATTRIBUTED:
        line = text("told_file", language, name=commit.reason, change=change)
    else:
        line = text("told_plan" if key in CONSEQUENCES else "told_user", language, change=change)
    joined = line.replace(f" {_JOINT}", "" if language == "zh" else " ").replace(_JOINT, "")
    return quote(joined, len(joined))


def _tasks(ids: object, language: Language) -> list[str]:
    return [_task(task, language) for task in ids] if isinstance(ids, list) else []


def _task(task: object, language: Language) -> str:
    return _JOINT + text("undo_task", language, what=task)
