"""R0.14: the whole texts of a plan, in pages."""

import pytest

from outlast import Check, Plan, PlanManager
from outlast.context.details import PAGE_CHARACTERS, detail_page, topic_pages
from outlast.errors import InvalidArgument, TaskNotFound
from outlast.language import Language
from outlast.model.commands import AskQuestion, Complete
from outlast.model.execute import return_commit
from outlast.models import Call
from tests.making import make_plan


def shown(plan: Plan, about: str | int, page: int = 1, language: Language = "en") -> str:
    return plan.core.read(lambda state: detail_page(state, about, page, language))


def call(plan: Plan, name: str = "plan_details", **arguments: object) -> str:
    return plan.handle(Call(name, arguments))


def eventful() -> Plan:
    plan = make_plan(goal="Build it.\nIn German.")
    plan.add("Draw <it>", description="On paper.\nIn ink.", reasoning="no plan yet")
    checks = [Check("command", "make test"), Check("person", "it looks good")]
    plan.add("Build it", ["1"], checks=checks, files=["src/**"], run="make")
    plan.start(1)
    plan.set_progress(1, 1, 2)
    plan.complete(1, "a drawing\nin plan.svg")
    plan.add("Paint it")
    plan.start(3)
    plan.fail(3, "no paint")
    plan.acting_as("human").questions.say("Use euros")
    plan.notes.add_finding("code", "Where", "In shop.py\nline 3", "shop.py")
    plan.notes.add_finding("insight", "Short", "Short")
    plan.notes.add_error("bash", "not found\nat all", {"command": "make"})
    return plan


def test_r0_14_a_task_is_shown_with_everything_it_has() -> None:
    plan = eventful()
    assert shown(plan, 1) == (
        "Task 1, page 1 of 1\n"
        "\n"
        "1. ✓ Draw <it>\n"
        "  description: On paper.\n"
        "    In ink.\n"
        "  reasoning: no plan yet\n"
        "  progress: 1/2\n"
        "  result: a drawing\n"
        "    in plan.svg"
    )
    assert shown(plan, "2") == (
        "Task 2, page 1 of 1\n"
        "\n"
        "2. ⏸ Build it\n"
        "  needs: 1\n"
        "  check: make test\n"
        "    person: it looks good\n"
        "  run: make\n"
        "  files: src/**"
    )
    assert "  error: no paint\n  failed attempts: 1" in shown(plan, "#3")


def test_r0_14_topics_are_shown_whole_in_both_languages() -> None:
    plan = eventful()
    assert shown(plan, "goal") == "Goal, page 1 of 1\n\nBuild it.\n    In German."
    assert shown(plan, "tasks").count("\n2. ⏸ Build it\n") == 1
    assert shown(plan, "findings", language="zh") == (
        "发现，第 1 页，共 1 页\n"
        "\n"
        "1. [code] Where\n"
        "  In shop.py\n"
        "    line 3\n"
        "  来源: shop.py\n"
        "2. [insight] Short"
    )
    assert shown(plan, "errors") == (
        "Errors, page 1 of 1\n"
        "\n"
        "1. bash: not found\n"
        "    at all\n"
        "  times: 1\n"
        '  parameters: {"command":"make"}'
    )
    assert shown(plan, "messages") == "Messages and answers, page 1 of 1\n\n1. human: Use euros"
    assert shown(make_plan(), "findings") == "Findings: there are none"
    assert shown(make_plan(goal=""), "goal") == "Goal: there are none"


def test_r0_14_answers_and_proposed_goals_are_shown_with_what_was_asked() -> None:
    plan = make_plan()
    for question in (AskQuestion("Which?"), AskQuestion("New goal?", "goal", "Build a boat")):
        plan.core.commit((question,), return_commit)
    person = plan.acting_as("human")
    person.questions.answer("the second", 1)
    person.questions.answer("no", 2)
    asked = (AskQuestion("May it run?", "permit", "bash"), AskQuestion("How long?"))
    plan.core.commit(asked, return_commit)
    person.questions.answer("no", 3)
    assert shown(plan, "messages").endswith(
        "1. human: the second\n  question: Which?\n2. human: no\n  proposed goal: Build a boat\n"
        "Open question 4: How long?"
    )


def test_r0_14_work_in_progress_is_shown_with_its_actor() -> None:
    plan = make_plan("One")
    plan.acting_as("bob").start(1)
    assert "  worked on by: bob" in shown(plan, 1)


def test_r0_14_long_texts_go_on_over_pages_that_say_how_many_there_are() -> None:
    plan = make_plan()
    for number in range(1, 31):
        plan.add(f"Task {number}", description="word " * 60)
    plan.add("Long", description="\n".join(["a line of some length"] * 500))
    plan.add("Longer", description="x" * 9_000)
    pages = plan.core.read(lambda state: topic_pages(state, "tasks"))
    assert all(len(page.text) <= PAGE_CHARACTERS for page in pages)
    assert [page.first for page in pages][:3] == [1, 13, 25]
    assert shown(plan, "tasks", 2).startswith(f"Tasks, page 2 of {len(pages)}\n\n13. ")
    joined = "".join(shown(plan, 31, page).partition("\n\n")[2] for page in range(1, 5))
    assert joined.count("a line of some length") == 500
    assert sum(shown(plan, 32, page).count("x") for page in (1, 2, 3)) == 9_000
    with pytest.raises(InvalidArgument, match="Task 32 has 3 pages"):
        shown(plan, 32, 4)


def test_r0_14_a_topic_that_does_not_exist_is_refused_with_those_that_do() -> None:
    plan = make_plan("One")
    with pytest.raises(InvalidArgument, match="goal, tasks, findings, errors, messages"):
        shown(plan, "poems")
    with pytest.raises(TaskNotFound):
        shown(plan, 9)


def test_r0_14_the_tool_reads_what_models_send() -> None:
    plan = eventful()
    assert call(plan, about="Results") == call(plan, about="tasks")
    assert call(plan, about="answers") == call(plan, about=" messages ")
    for about in (1, "1", "#1", "task 1", "Step_1", "step 1."):
        assert "Draw &lt;it>" not in call(plan, about=about), "ordinary text stays as it is"
        assert "Draw <it>" in call(plan, about=about, page="1")
    assert "INVALID_ARGUMENT" in call(plan, about=["tasks"])
    assert "INVALID_ARGUMENT" in call(plan, about=True)
    assert "INVALID_ARGUMENT" in call(plan, about="tasks", page=0)
    assert "INVALID_ARGUMENT" in call(plan, about="tasks", page="two")
    assert "INVALID_ARGUMENT" in call(plan, about="tasks", page="9" * 5_000)
    assert "TASK_NOT_FOUND" in call(plan, about="9" * 15)
    assert "INVALID_ARGUMENT" in call(plan, about="9" * 5_000)
    plan.add("</brief>")
    assert "&lt;/brief>" in call(plan, about="tasks")


def test_r4_10_plan_read_shows_the_whole_goal_and_what_is_assumed() -> None:
    goal = f"{'Compare the reports. ' * 30}\nWrite it in German."
    plan = make_plan("One", "Two", goal=goal)
    plan.core.commit((Complete(1, "tester", "", "assumed"),), return_commit)
    answer = call(plan, "plan_read", includeCompleted=True)
    assert "**Objective:** Compare the reports." in answer
    assert "\n    Write it in German.\n**Progress:** 1/2" in answer
    assert "- ● One (#1) (assumed)\n- ○ Two (#2)\n" in answer


def test_r0_14_a_task_is_found_by_the_id_it_had_elsewhere() -> None:
    plan = PlanManager.from_dict(
        {"goal": "x", "tasks": [{"id": "alpha", "name": "One", "status": "pending"}]}
    ).plan
    assert "1. ⏸ One" in shown(plan, "alpha")
