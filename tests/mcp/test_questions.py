"""A model asks the person at the client, in both protocols; what only they may do stays theirs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from msgspec.structs import replace

import outlast
from outlast.mcp.tool_calls import FIELD, Form
from outlast.model.model import Question
from outlast.system.clock import now
from tests.mcp.clients import MODES, inside, run, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTION = Question(1, "Really?", now())
both = pytest.mark.parametrize("mode", MODES)


class Person:
    """Whoever sits at the client: fills in forms, and remembers what was asked."""

    def __init__(self, *answers: object, action: str = "accept") -> None:
        self.answers, self.action = list(answers), action
        self.asked: list[str] = []

    async def __call__(self, _context: object, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        content = {FIELD: self.answers.pop(0)} if self.action == "accept" else None
        return types.ElicitResult(action=self.action, content=content)  # type: ignore[arg-type]


def plan_with_check(where: Path, command: str = "true") -> None:
    with outlast.create_plan(where, "Ship it", "x") as plan:
        plan.add("A", checks=[outlast.Check("command", command)])


@both
def test_a_person_answers_a_question_and_the_plan_remembers_it(tmp_path: Path, mode: str) -> None:
    outlast.create_plan(tmp_path, "Ship it", "x").close()
    person = Person("Blue, please")

    async def talk() -> None:
        async with inside(tmp_path, mode, answer=person) as client:
            answer = await text_of(client, "ask_user", question="Which colour?")
            assert answer == "The user answers: Blue, please"
            assert "Blue, please" in await text_of(client, "plan_details", about="messages")

    run(talk())
    assert person.asked == ["Which colour?"]
    with outlast.open_plan(tmp_path, "x") as plan:
        (question,) = plan.questions.all()
        assert (question.text, question.answer, question.by) == (
            "Which colour?",
            "Blue, please",
            "human",
        )


@both
def test_without_a_plan_a_question_is_only_passed_on(tmp_path: Path, mode: str) -> None:
    async def talk() -> None:
        async with inside(tmp_path, mode, answer=Person("Yes")) as client:
            assert "Yes" in await text_of(client, "ask_user", question="Really?")

    run(talk())
    assert not (tmp_path / ".outlast").exists()


@both
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_question_that_is_not_answered_stays_open(tmp_path: Path, mode: str, action: str) -> None:
    outlast.create_plan(tmp_path, "Ship it", "x").close()

    async def talk() -> None:
        async with inside(tmp_path, mode, answer=Person(action=action)) as client:
            assert "has not answered" in await text_of(client, "ask_user", question="Which?")
            assert "has not answered" in await text_of(client, "ask_user", question="Which?")

    run(talk())
    with outlast.open_plan(tmp_path, "x") as plan:
        assert [question.text for question in plan.questions.open()] == ["Which?"]


@both
@pytest.mark.parametrize("tool", ["ask_user", "propose_goal", "approve_checks"])
def test_a_client_that_cannot_ask_is_told_what_to_do_instead(
    tmp_path: Path, mode: str, tool: str
) -> None:
    plan_with_check(tmp_path)
    arguments = {"ask_user": {"question": "?"}, "propose_goal": {"goal": "G"}}

    async def talk() -> None:
        async with inside(tmp_path, mode) as client:
            result = await client.call_tool(tool, arguments.get(tool, {}))
            assert result.is_error
            said = str(result.structured_content)
            assert "This client cannot" in said or "cannot decide that in this client" in said

    run(talk())
    with outlast.open_plan(tmp_path, "x") as plan:
        assert plan.questions.all() == ()


@both
@pytest.mark.parametrize(
    ("agrees", "goal", "answer"),
    [(True, "Ship it on Friday", "has changed"), (False, "Ship it", "stays")],
)
def test_a_goal_changes_only_if_the_person_agrees(
    tmp_path: Path, mode: str, *, agrees: bool, goal: str, answer: str
) -> None:
    outlast.create_plan(tmp_path, "Ship it", "x").close()
    person = Person(agrees)

    async def talk() -> None:
        async with inside(tmp_path, mode, answer=person) as client:
            assert answer in await text_of(client, "propose_goal", goal="Ship it on Friday")

    run(talk())
    assert "Ship it on Friday" in person.asked[0]
    with outlast.open_plan(tmp_path, "x") as plan:
        assert plan.goal == goal


@both
@pytest.mark.parametrize("variables", [{}, {"CLAUDECODE": "1"}])
def test_checks_run_once_the_person_at_the_client_has_approved_them(
    tmp_path: Path, mode: str, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_with_check(tmp_path, f"test -d . # {mode} {len(variables)}")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    person = Person(*(False, True))

    async def talk() -> None:
        async with inside(tmp_path, mode, key="x", answer=person) as client:
            refused = await text_of(client, "complete_task", task=1, result="ok")
            assert "CHECK_NOT_APPROVED" in refused
            assert "not approved" in await text_of(client, "approve_checks")
            assert "CHECK_NOT_APPROVED" in await text_of(
                client, "complete_task", task=1, result="ok"
            )
            assert "has approved" in await text_of(client, "approve_checks")
            assert "1/1 done" in await text_of(client, "complete_task", task=1, result="ok")
            assert "nothing to approve" in await text_of(client, "approve_checks")

    run(talk())
    assert all("test -d ." in asked for asked in person.asked)
    assert len(person.asked) == 2


def test_an_answer_counts_only_for_what_the_person_was_shown(tmp_path: Path) -> None:
    plan_with_check(tmp_path, "true # first")
    asked: list[str] = []

    async def answer(_context: object, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        if len(asked) == 1:  # meanwhile another check is added
            with outlast.open_plan(tmp_path, "x") as plan:
                plan.add("B", checks=[outlast.Check("command", "true # second")])
        return types.ElicitResult(action="accept", content={FIELD: True})

    async def talk() -> None:
        async with inside(tmp_path, "auto", answer=answer) as client:
            assert "has approved" in await text_of(client, "approve_checks")

    run(talk())
    assert ["second" in each for each in asked] == [False, True]


def test_a13_an_answer_names_the_words_the_form_the_plan_and_the_question(tmp_path: Path) -> None:
    with (
        outlast.create_plan(tmp_path, "Ship it", "x") as plan,
        outlast.create_plan(tmp_path, "Ship it", "y") as other,
    ):
        form = Form("Really?", {"properties": {FIELD: {"type": "boolean"}}}, QUESTION, plan)
        forms = [
            form,
            replace(form, message="Really now?"),
            replace(form, schema={"properties": {FIELD: {"type": "string"}}}),
            replace(form, question=replace(QUESTION, id=2)),
            replace(form, plan=other),
            replace(form, question=None, plan=None),
        ]
        assert len({each.digest for each in forms}) == len(forms)
        assert replace(form).digest == form.digest


@both
@pytest.mark.parametrize("question", ["", "  ", "x" * 2_001])
def test_a_question_that_cannot_be_asked_is_refused(
    tmp_path: Path, mode: str, question: str
) -> None:
    async def talk() -> None:
        async with inside(tmp_path, mode, answer=Person("never")) as client:
            result = await client.call_tool("ask_user", {"question": question})
            assert "INVALID_ARGUMENT" in str(result.structured_content)

    run(talk())


@both
@pytest.mark.parametrize("answers", [[5], [""], [None]])
def test_an_answer_of_another_form_is_none(
    tmp_path: Path, mode: str, answers: list[object]
) -> None:
    outlast.create_plan(tmp_path, "Ship it", "x").close()
    person: Callable[..., Any] = Person(*answers)

    async def talk() -> None:
        async with inside(tmp_path, mode, answer=person) as client:
            result = await client.call_tool("propose_goal", {"goal": "Else"})
            assert "has not answered" in str(result.structured_content)

    run(talk())
    with outlast.open_plan(tmp_path, "x") as plan:
        assert plan.goal == "Ship it"


def test_people_are_asked_in_their_language(tmp_path: Path) -> None:
    outlast.create_plan(tmp_path, "Ship it", "x").close()
    person = Person(*(True,))

    async def talk() -> None:
        async with inside(tmp_path, "auto", answer=person, language="zh") as client:
            await text_of(client, "propose_goal", goal="Else")

    run(talk())
    assert "把目标改为" in person.asked[0]


@both
@pytest.mark.parametrize("tool", ["approve_checks", "propose_goal"])
def test_a13_what_only_a_person_may_decide_is_not_asked_where_a_model_may_answer(
    tmp_path: Path, mode: str, tool: str
) -> None:
    plan_with_check(tmp_path, "test -d .")
    person = Person(*(True, True))
    arguments = {"goal": "Another goal"} if tool == "propose_goal" else {}

    async def talk() -> None:
        async with inside(tmp_path, mode, answer=person, is_persons_client=False) as client:
            assert "cannot decide that" in await text_of(client, tool, **arguments)
            refused = await text_of(client, "complete_task", task=1, result="ok")
            assert "CHECK_NOT_APPROVED" in refused

    run(talk())
    assert not person.asked
