"""R3.17: a task that is not over, with the fields and types of the document."""

from datetime import UTC, datetime
from pathlib import Path
from types import UnionType
from typing import get_type_hints

import pytest

from outlast import Assistant
from outlast.assistant import Clarification, Observation, PendingPlanTask
from outlast.assistant.tasks import describe_state, task_lines, task_page
from outlast.language import Language
from tests.agent.loops.replan_loop.replies import Script, ask, done, planned, replanned, use

DOCUMENT = {  # section 4
    "plan_initialized": bool,
    "plan_items": list[str],
    "current_plan_index": int,
    "awaiting_clarification": bool,
    "needs_replan": bool,
    "last_thought_snapshot": str | None,
    "observations": list[Observation],
    "step_count": int,
    "successful_steps": int,
    "failed_steps": int,
    "clarification_history": list[Clarification],
    "last_ask_user_question": str | None,
}


def pending(assistant: Assistant) -> PendingPlanTask:
    task = assistant.pending_task()
    assert task is not None
    return task


def test_r3_17_the_fields_and_types_are_those_of_the_document() -> None:
    hints = get_type_hints(PendingPlanTask)
    assert {name: hints[name] for name in DOCUMENT} == DOCUMENT
    assert isinstance(hints["last_thought_snapshot"], UnionType)


def test_r3_17_a_task_tells_where_it_stands_at_every_moment(tmp_path: Path) -> None:
    seen: list[PendingPlanTask] = []

    def look(answer: object) -> object:
        async def reply() -> object:
            seen.append(pending(Assistant(store=tmp_path)))
            return answer

        return reply

    model = Script(
        look(planned("look", "buy")),
        look(use("/todo list")),
        look(done("nothing there")),
        look(replanned("buy")),
        look(ask("Which milk?")),
    )
    assistant = Assistant(model, tmp_path)
    assistant.handle(" Buy milk\n")
    new, first, ran, item_done, again = seen
    assert new.goal == "Buy milk"
    assert (new.plan_initialized, new.plan_items, new.step_count) == (False, [], 0)
    assert (new.last_thought_snapshot, new.last_ask_user_question) == (None, None)
    assert {task.state for task in seen} == {"working"}
    assert (first.plan_initialized, first.plan_items) == (True, ["look", "buy"])
    assert (first.current_plan_index, first.step_count) == (0, 1)
    assert (ran.step_count, ran.successful_steps, ran.failed_steps) == (3, 1, 0)
    assert ran.last_thought_snapshot == "x"
    assert [(each.tool, each.input, each.ok) for each in ran.observations] == [
        ("todo", "/todo list", True)
    ]
    assert (item_done.current_plan_index, item_done.needs_replan) == (1, True)
    assert item_done.finished_items == ["look"]
    assert (again.plan_items, again.current_plan_index) == (["buy"], 0)
    assert (again.needs_replan, again.finished_items) == (False, ["look"])
    waiting = pending(assistant)
    assert (waiting.state, waiting.awaiting_clarification) == ("waiting", True)
    assert waiting.last_ask_user_question == "Which milk?"
    assert waiting.question_shown == "Please confirm: Which milk?"
    assert waiting.step_count == 5


def test_r3_17_an_answered_question_is_history(tmp_path: Path) -> None:
    model = Script(planned("buy"), ask("Which milk?"), replanned("buy"), use("/todo list"))
    assistant = Assistant(model, tmp_path, max_steps=3)
    assistant.handle("Buy milk")
    assert assistant.handle("oat").kind == "limit"
    task = pending(assistant)
    assert (task.state, task.awaiting_clarification) == ("paused", False)
    assert task.clarification_history == [Clarification("Which milk?", "oat")]
    assert (task.last_ask_user_question, task.question_shown) == ("Which milk?", "")


def test_r3_14_a_change_to_review_is_no_clarification(tmp_path: Path) -> None:
    model = Script(
        planned("look", "buy"),
        ask("Which milk?"),
        *(replanned("look", "buy"), done(), replanned("buy oat milk")),
    )
    assistant = Assistant(model, tmp_path, review=True)
    assistant.handle("Buy milk")
    reply = assistant.handle("oat")
    task = pending(assistant)
    assert (task.state, task.question_shown) == ("waiting", reply.text)
    assert (task.awaiting_clarification, task.needs_replan) == (False, True)
    assert task.last_ask_user_question == "Which milk?"
    page = task_page(task, "en")
    assert "buy oat milk" in page
    assert "Which milk?" not in page


PAGES = {
    "en": [
        "Task: Buy milk",
        "● look",
        "◐ buy",
        "Steps: 5 of 20; tool runs: 1 succeeded, 0 failed",
        "Waits for your answer: Which milk?",
    ],
    "zh": [
        "任务：Buy milk",
        "● look",
        "◐ buy",
        "步数：5/20；工具执行：成功 1，失败 0",
        "等待您的回答：Which milk?",
    ],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_r3_10_plan_shows_the_task_at_hand(tmp_path: Path, language: Language) -> None:
    model = Script(planned("look"), use("/todo list"), done(), replanned("buy"), ask("Which milk?"))
    assistant = Assistant(model, tmp_path, language=language)
    assistant.handle("Buy milk")
    task = pending(assistant)
    assert task_page(task, language).splitlines() == PAGES[language]
    assert task_lines([], language) == ""
    assert describe_state(task, language) in task_lines([task], language)


def test_a4_control_characters_of_a_task_are_spelled_out() -> None:
    task = PendingPlanTask(
        "k",
        "a\x1b[2Jb\nc",
        "waiting",
        datetime(2026, 1, 1, tzinfo=UTC),
        plan_items=["x\x07y"],
        awaiting_clarification=True,
        last_ask_user_question="\x9b31mred",
    )
    page = task_page(task, "en") + task_lines([task], "en")
    assert page.replace("\n", "").isprintable()
