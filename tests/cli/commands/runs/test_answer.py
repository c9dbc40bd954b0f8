"""X3, M8: answers to questions from any terminal."""

from pathlib import Path

import pytest

from outlast import Plan, create_plan, open_plan
from outlast.model.commands import BeginAttempt
from outlast.model.execute import return_commit
from tests.cli.processes import json_of, outlast, stdout_of

SETTLE = "`python3 review.py` (task 1) was running when the agent was killed. Did it finish?"


def ask(plan: Plan) -> None:
    """Leave a call open, with a question about it, a free one, and one about the goal."""
    plan.add("Review")
    plan.start(1)
    what = 'bash {"command":"python3 review.py"}'
    plan.core.commit((BeginAttempt(1, "act", what),), return_commit)
    plan.questions.ask(SETTLE, kind="settle", about="1#1", task=1)
    plan.questions.ask("How many?")
    plan.questions.ask("Change the goal to: Rest?", kind="goal", about="Rest")
    plan.questions.ask("Allow? (yes / no / always)", kind="permit", about="rm")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship", actor="agent") as plan:
        ask(plan)
    return tmp_path


def refusal(workspace: Path, *words: str) -> str:
    refused = outlast(workspace, "answer", *words)
    assert (refused.returncode != 0, refused.stdout) == (True, "")
    return refused.stderr


def test_x3_an_answer_that_does_not_fit_is_refused_with_those_that_do(workspace: Path) -> None:
    for words, hint in (
        (("1", "what"), "answer done (d) or not done (n)"),
        (("3", "what"), "answer yes (y) or no (n)"),
    ):
        shown = f'outlast: "what" does not answer question {words[0]}: {hint}\n'
        assert refusal(workspace, *words) == shown
    hint = "“what”没有回答问题 1：请回答“已完成”（d）或“未完成”（n）"
    assert refusal(workspace, "1", "what", "--lang", "zh") == f"outlast: {hint}\n"
    details = json_of(workspace, "answer", "1", "what", code=2)["error"]["details"]
    assert details["choices"] == ["done", "not done"]
    assert "only a no counts from elsewhere" in refusal(workspace, "4", "maybe")
    with open_plan(workspace) as plan:
        assert [question.id for question in plan.questions.open()] == [1, 2, 3, 4]


def test_an_answer_names_the_first_line_of_its_question(workspace: Path) -> None:
    with open_plan(workspace) as plan:
        plan.questions.ask("Which of these:\n  A\n  B")
    shown = stdout_of(workspace, "answer", "5", "A").splitlines()
    assert shown[0] == "Answered question 5: Which of these"


def test_m8_a_number_that_no_question_has_is_refused_with_the_open_ones(workspace: Path) -> None:
    for words in (("9", "done"), ("#9", "done")):
        shown = "outlast: There is no question 9; open questions: 1, 2, 3, 4\n"
        assert refusal(workspace, *words) == shown
    assert refusal(workspace, "1").startswith("outlast: give the answer: outlast answer 1 ")
    assert '"30"' in refusal(workspace, "30"), "it is an answer to the oldest question"
    assert stdout_of(workspace, "answer", "2", "3", "reports").startswith("Answered question 2")
    assert "has already been answered" in refusal(workspace, "2", "four")
    assert '"9999999999999999999' in refusal(workspace, "9" * 5_000, "reports")


@pytest.mark.parametrize("word", ["d", "done", "yes", "完成", "n", "not done", "no", "未完成"])
def test_x3_one_key_or_one_word_settles_a_call(tmp_path: Path, word: str) -> None:
    with create_plan(str(tmp_path), "Ship it", "ship", actor="agent") as plan:
        ask(plan)
        assert plan.acting_as("human").questions.answer(word) == 1
        assert plan.core.read(lambda state: state.ledger.attempts) == {}


def test_x3_open_questions_are_shown_with_the_commands_that_answer_them(workspace: Path) -> None:
    shown = stdout_of(workspace, "show")
    commands = (
        (
            f"Question 1: {SETTLE}\n  outlast answer 1 done --plan ship\n  "
            "outlast answer 1 not done --plan ship\n"
        ),
        'Question 2: How many?\n  outlast answer 2 "…" --plan ship\n',
        (
            "Question 3: Change the goal to: Rest?\n  outlast answer 3 yes --plan ship\n  "
            "outlast answer 3 no --plan ship\n"
        ),
        "  outlast answer 4 no --plan ship\n",
    )
    for command in commands:
        assert command in shown
    assert "  outlast answer 1 未完成 --plan ship --lang zh\n" in stdout_of(
        workspace, "show", "--lang", "zh"
    )
    answered = stdout_of(workspace, "answer", "1", "not", "done")
    assert answered.startswith(f"Answered question 1: {SETTLE}\nQuestion 2: How many?\n")


def test_x3_the_placeholder_of_a_printed_command_is_no_answer(workspace: Path) -> None:
    for words in (("2", "…"), ("2", '"…"')):
        assert 'give the answer: outlast answer 2 "the answer"' in refusal(workspace, *words)
    assert "outlast answer 1 " in refusal(workspace, "…")
    assert len(json_of(workspace)["questions"]) == 4
    assert json_of(workspace, "answer", "2", "…", "seven")["question"]["answer"] == "… seven"


def test_r1_06_a_question_is_answered_by_a_file(workspace: Path) -> None:
    (workspace / "words.md").write_text("\ufeffAs many as\nthere are\n", encoding="utf-8")
    shown = stdout_of(workspace, "answer", "2", "--file", "words.md")
    assert shown.startswith("Answered question 2: How many?")
    with open_plan(workspace) as plan:
        answered = plan.core.read(lambda state: state.ledger.conversation.questions[2])
    assert answered.answer == "As many as\nthere are"


def test_r1_06_a_file_that_is_no_answer_is_refused(workspace: Path) -> None:
    (workspace / "photo.jpg").write_bytes(b"ab\xff\xd8")
    (workspace / "blank.md").write_text(" \n")
    for file, line in (
        ("none.md", "none.md"),
        ("photo.jpg", "photo.jpg: expected UTF-8 text; byte 2 is not"),
        ("blank.md", "expected some text"),
        (".", ".: "),
    ):
        shown = refusal(workspace, "2", "--file", file)
        assert (line in shown, shown.count("\n")) == (True, 1)
    with open_plan(workspace) as plan:
        assert len(plan.questions.open()) == 4
