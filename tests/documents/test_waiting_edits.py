"""A13: edits that wait for a person's word, as a question in both languages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from outlast.documents.change_words import describe
from outlast.documents.markdown.merge.edits import Edit
from outlast.documents.waiting_edits import (
    EDIT,
    WaitingEdit,
    WaitingEdits,
    decode_edits,
    describe_edits,
    encode_edits,
    list_waiting,
    question_text,
    waiting_edit,
)
from outlast.model import changes as c
from outlast.model.commands import EditTask, RemoveTask
from outlast.model.model import Question
from tests.documents.markdown.plan_texts import small

if TYPE_CHECKING:
    from outlast.model.commands import Command

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def waiting(*edits: WaitingEdit, key: str = "task_plan.md:1") -> WaitingEdits:
    return WaitingEdits("task_plan.md", "bash", key, edits)


def question(number: int, edits: WaitingEdits, answer: str | None = None) -> Question:
    return Question(number, "?", NOW, kind=EDIT, about=encode_edits(edits), answer=answer)


SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz1234"  # noqa: S105 - no real one
RENAME = WaitingEdit(3, ("- [ ] a",), ())


def test_a13_an_edit_is_kept_with_its_commands_and_without_secrets() -> None:
    commands: tuple[Command, ...] = (EditTask(1, name=f"use {SECRET}"),)
    edit = waiting_edit(small("a"), Edit("name", 3, commands, "", ("- [ ] a",)), commands)
    (kept,) = edit.decode()
    assert isinstance(kept, EditTask)
    assert kept.task == 1
    assert SECRET not in str(kept.name)


def test_a13_a_removed_task_is_named() -> None:
    commands: tuple[Command, ...] = (RemoveTask(1),)
    edit = waiting_edit(small("a"), Edit("gone", 0, commands, ""), commands)
    assert edit.task == "1 a"
    gone: tuple[Command, ...] = (RemoveTask(7),)
    assert waiting_edit(small("a"), Edit("gone", 0, gone, ""), gone).task == ""


def test_a13_the_question_is_read_in_the_language_of_its_reader() -> None:
    asked = question(4, waiting(RENAME, WaitingEdit(0, (), (), "2 b")))
    assert "- [ ] a" in question_text(asked, "en")
    assert "2 b" in question_text(asked, "zh")
    assert question_text(asked, "en") != question_text(asked, "zh")
    assert question_text(Question(4, "Which?", NOW), "zh") == "Which?"
    assert describe(c.QuestionAsked(asked), small("a")).startswith("asked question 4 ")


@pytest.mark.parametrize("about", ["", "{", "[]", '{"view": 3}'])
def test_a13_what_cannot_be_read_has_no_edits(about: str) -> None:
    assert decode_edits(Question(1, "?", NOW, kind=EDIT, about=about)) is None
    assert decode_edits(Question(1, "?", NOW, about=encode_edits(waiting(RENAME)))) is None


def test_a13_long_questions_are_cut() -> None:
    many = waiting(*(WaitingEdit(n, ("x" * 200,), ()) for n in range(1, 14)))
    told = describe_edits(many, "en")
    assert told.count("x" * 119 + "…") == 10
    assert "3 more" in told


def test_a13_a_whole_file_waits_with_its_reports() -> None:
    reports = (
        ("task_plan_cut", {"line_text": "- [ ] a", "removed": ["b", "c"]}),
        ("notes_cut", {"line_text": "### a"}),
    )
    whole = WaitingEdits("task_plan.md", "bash", "k", reports=reports)
    told = describe_edits(whole, "en")
    assert "it ends early, after: - [ ] a; missing tasks: b, c" in told
    assert "it ends early, after: ### a" in told


def test_a13_what_was_asked_about_before_is_listed() -> None:
    state = small("a")
    for asked in (
        question(1, waiting(RENAME, key="old")),
        question(2, waiting(RENAME, key="old"), answer="no"),
        question(3, waiting(RENAME, RENAME, key="new"), answer="yes"),
        Question(4, "Which?", NOW),
    ):
        c.QuestionAsked(asked).apply(state, NOW)
    assert len(list_waiting(state, "new")) == 3
    assert len(list_waiting(state, "other")) == 1
