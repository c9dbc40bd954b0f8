"""Questions, answers, interjections, and the loop counters that survive a restart."""

from __future__ import annotations

import pytest

from outlast.model import commands as c
from outlast.model.budget import Spend
from outlast.model.changes import PlanEdited, QuestionAnswered, RefusalNoted
from outlast.model.decide.conversation import MOST_OPEN
from outlast.model.history.undo import has_only_facts
from outlast.model.model import PERSON, Interjection, Question, QuestionKind
from outlast.redact.text_fields import TEXT_BYTES
from tests.model.indexes import encode_all
from tests.model.timed_plan import TimedPlan


def test_r3_08_a_question_is_open_until_it_is_answered() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Which port?", task=2), c.AskQuestion("Delete?", "permit", "rm"))
    talk = plan.state.ledger.conversation
    assert talk.questions == {
        1: Question(1, "Which port?", plan.now, task=2),
        2: Question(2, "Delete?", plan.now, "permit", "rm"),
    }
    plan.do(c.AnswerQuestion("no", "ann", 2))
    plan.do(c.AnswerQuestion("80", PERSON))
    answers = [one.answer for one in plan.state.ledger.conversation.questions.values()]
    assert answers == ["80", "no"]
    plan.refused("INVALID_STATUS", c.AnswerQuestion("81", PERSON))
    plan.refused("INVALID_STATUS", c.AnswerQuestion("81", PERSON, 1))
    plan.refused("INVALID_ARGUMENT", c.AnswerQuestion("81", PERSON, 3))
    assert talk.questions[1].answer is None, "who has read the plan keeps what it was"


def test_the_same_question_is_asked_once_while_it_is_open() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Which?"))
    assert plan.do(c.AskQuestion("Which?")).changes == ()
    plan.do(c.AskQuestion("Which?", task=1))
    plan.do(c.AnswerQuestion("this", "ann"))
    plan.do(c.AskQuestion("Which?"))
    assert [*plan.state.ledger.conversation.questions] == [1, 2, 3]


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        *((kind, [*range(1, 9)]) for kind in ("ask", "goal")),
        *((kind, [2, 4, 5, 6, 7, 8]) for kind in ("settle", "permit", "edit")),
    ],
)
def test_r0_14_what_people_answered_about_the_plan_is_kept_until_it_ends(
    kind: QuestionKind, kept: list[int]
) -> None:
    plan = TimedPlan()
    for number in range(1, 9):
        plan.do(c.AskQuestion(f"Question {number}?", kind, "about"))
        if number != 2:
            plan.wait(1)
            plan.do(c.AnswerQuestion("no", PERSON, number))
    questions = plan.state.ledger.conversation.questions
    assert [*questions] == kept
    assert (questions[8].by, questions[8].answered_at) == (PERSON, plan.now)
    assert (questions[2].by, questions[2].answered_at) == ("", None)


def test_r0_14_a_person_s_yes_to_a_proposed_goal_changes_it_in_the_same_commit() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("In Python?", "goal", "Build it in Python\nand test it"))
    plan.refused("INVALID_ARGUMENT", c.AnswerQuestion("yes", "agent"))
    changed = plan.do(c.AnswerQuestion("yes", PERSON))
    assert changed.changes == (
        QuestionAnswered(1, "yes", PERSON),
        PlanEdited("Build it in Python\nand test it", "Build it in Python"),
    )
    assert (plan.state.goal, plan.state.title) == (
        "Build it in Python\nand test it",
        "Build it in Python",
    )
    plan.undo(changed)
    assert (plan.state.goal, plan.state.title) == ("Goal", "Goal")
    assert plan.state.ledger.conversation.questions[1].answer == "yes"


def test_r0_14_a_no_leaves_the_goal() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("In Python?", "goal", "Build it in Python"))
    plan.do(c.AnswerQuestion("no", PERSON))
    assert plan.state.goal == "Goal"
    assert plan.state.ledger.conversation.questions[1].answer == "no"


@pytest.mark.parametrize("answer", ["只要不用 PHP", "yes, but in Rust"])
def test_r0_14_an_unclear_answer_leaves_the_question_about_the_goal_open(answer: str) -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("In Python?", "goal", "Build it in Python"))
    plan.refused("INVALID_ARGUMENT", c.AnswerQuestion(answer, PERSON))
    assert plan.state.goal == "Goal"
    assert plan.state.ledger.conversation.questions[1].answer is None


def test_a13_only_a_person_confirms_edits() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Are these yours?", "edit", '{"ticked": [1]}'))
    plan.refused("INVALID_ARGUMENT", c.AnswerQuestion("yes", "agent"))
    assert len(plan.do(c.AnswerQuestion("yes", PERSON)).changes) == 1


@pytest.mark.parametrize("kind", ["goal", "edit"])
def test_m9_what_a_person_has_to_confirm_is_neither_blank_nor_endless(kind: QuestionKind) -> None:
    plan = TimedPlan()
    for about in ("", " \n", "x" * (TEXT_BYTES + 1), "\ud800"):
        plan.refused("INVALID_ARGUMENT", c.AskQuestion("Sure?", kind, about))
    plan.do(c.AskQuestion("Sure?", kind, "x" * TEXT_BYTES))


@pytest.mark.parametrize(
    ("kind", "answer", "reported"),
    [
        ("delegate", "done", [("1#1", "human", "SUCCESS", "done")]),
        ("delegate", "not done", []),
        ("act", "done", []),
    ],
)
def test_x3_work_of_an_agent_that_a_person_saw_done_is_reported_with_the_answer(
    kind: str, answer: str, reported: list[tuple[str, ...]]
) -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1), c.BeginAttempt(1, kind, "x"))
    plan.do(c.AskQuestion("Was it done?", "settle", "1#1", 1))
    plan.do(c.AnswerQuestion(answer, "human", 1))
    reports = plan.state.ledger.reports.values()
    assert [(r.attempt, r.agent, r.status, r.results) for r in reports] == reported
    assert plan.state.ledger.attempts == {}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("done", "done"), ("d", "done"), ("完成", "done"), ("n", "lost"), ("没有", "lost")],
)
def test_an_answer_that_settles_an_attempt_ends_it_and_counts_its_cost(
    answer: str, outcome: str
) -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1))
    plan.do(c.BeginAttempt(1, "tool", "send mail", reserve=Spend(tool_calls=1, time=9.0)))
    plan.do(c.AskQuestion("Was it sent?", "settle", "1#1", 1))
    refusal = plan.refused("INVALID_ARGUMENT", c.AnswerQuestion("perhaps", PERSON))
    assert refusal["choices"] == ["done", "not done"]
    plan.wait(2)
    answered, ended = plan.do(c.AnswerQuestion(answer, PERSON)).changes
    assert getattr(answered, "answer", "") == answer
    assert (getattr(ended, "outcome", ""), getattr(ended, "settled_by", "")) == (outcome, "person")
    assert plan.state.ledger.attempts == {}
    assert plan.state.ledger.counters.spent[1] == Spend(tool_calls=1, time=2.0)


def test_an_answer_about_an_attempt_that_has_ended_is_only_an_answer() -> None:
    plan = TimedPlan()
    plan.do(c.BeginAttempt(None, "tool", "x"), c.AskQuestion("?", "settle", "0#1"))
    plan.do(c.EndAttempt("0#1", "failed"))
    assert plan.state.open_questions() == []
    assert len(plan.do(c.AnswerQuestion("yes", PERSON, 1)).changes) == 1


def test_x3_nobody_has_to_answer_about_a_task_that_has_ended() -> None:
    plan = TimedPlan()
    for number in (1, 2, 3):
        plan.do(c.Start(f"ann{number}", number))
        plan.do(c.BeginAttempt(number, "tool", "x"))
        plan.do(c.AskQuestion("?", "settle", f"{number}#{number}", number))
    plan.do(c.Complete(1, PERSON))
    plan.do(c.Return(2), c.RemoveTask(2))
    assert [question.id for question in plan.state.open_questions()] == [3]
    plan.do(c.Return(3))
    assert [question.id for question in plan.state.open_questions()] == [3], "it is still to do"


def test_r0_14_what_people_said_is_kept_after_it_was_read() -> None:
    plan = TimedPlan()
    plan.do(c.Interject("in euros", PERSON))
    plan.do(c.Interject("go on", PERSON, heard=True))
    plan.do(c.Interject("in German", "ann"))
    talk = plan.state.ledger.conversation
    assert [each.text for each in talk.interjections] == ["in euros", "in German"]
    assert [each.text for each in talk.heard] == ["go on"]
    plan.do(c.TakeInterjections(1))
    talk = plan.state.ledger.conversation
    assert [each.id for each in talk.messages] == [1, 2, 3]
    assert [each.text for each in talk.interjections] == ["in German"]
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_b", "Next", (c.NewTask("a"),)))
    assert plan.state.ledger.conversation.messages == ()


def test_r0_14_a_message_that_was_read_needs_no_room_among_the_unread() -> None:
    plan = TimedPlan(0)
    plan.do(*(c.Interject("wait", "ann") for _ in range(MOST_OPEN)))
    plan.do(c.Interject("go on", "ann", heard=True))
    assert len(plan.state.ledger.conversation.messages) == MOST_OPEN + 1


def test_an_interjection_waits_until_it_is_taken() -> None:
    plan = TimedPlan()
    plan.do(c.Interject("stop", "ann"))
    plan.do(c.Interject("go on", "bob"))
    first, second = plan.state.ledger.conversation.interjections
    assert first == Interjection(1, "stop", "ann", plan.now)
    plan.do(c.TakeInterjections(first.id))
    assert plan.state.ledger.conversation.interjections == (second,)
    assert plan.do(c.TakeInterjections(first.id)).changes == ()
    plan.do(c.TakeInterjections(second.id), c.Interject("more", "ann"))
    assert [one.id for one in plan.state.ledger.conversation.interjections] == [3]


def test_r0_14_what_was_only_a_command_is_not_kept() -> None:
    plan = TimedPlan()
    for text in ("/plan", "Use euros", "continue"):
        plan.do(c.Interject(text, "ann"))
    plan.do(c.TakeInterjections(2, (1,)))
    assert [one.text for one in plan.state.ledger.conversation.heard] == ["Use euros"]
    plan.do(c.TakeInterjections(3, (1, 3)))
    assert [one.text for one in plan.state.ledger.conversation.messages] == ["Use euros"]
    for dropped in ([1], (0,), ("1",)):
        plan.refused("INVALID_ARGUMENT", c.TakeInterjections(3, dropped))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command",
    [
        c.AskQuestion(""),
        c.AskQuestion(" \n"),
        c.AskQuestion("x" * 2_001),
        c.AskQuestion("\ud800"),
        c.AskQuestion("x", about="x" * 201),
        c.AnswerQuestion("x" * 16_001, "ann"),
        c.AnswerQuestion(" ", "ann"),
        c.Interject("x" * 16_001, "ann"),
        c.Interject("", "ann"),
        c.Interject("\udfff", "ann"),
        c.Interject("x", ""),
    ],
)
def test_m9_a_message_is_neither_blank_nor_endless(command: c.Command) -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Which?"))
    plan.refused("INVALID_ARGUMENT", command)


def test_m9_only_so_much_waits_for_an_answer_or_a_loop() -> None:
    plan = TimedPlan(0)
    plan.do(*(c.AskQuestion(f"Question {n}?") for n in range(MOST_OPEN)))
    plan.do(*(c.Interject("wait", "ann") for _ in range(MOST_OPEN)))
    plan.refused("INVALID_STATUS", c.AskQuestion("One more?"))
    plan.refused("INVALID_STATUS", c.Interject("wait", "ann"))
    plan.do(c.AnswerQuestion("yes", "ann"), c.AskQuestion("One more?"))


def test_numbers_count_on_in_the_plan_that_follows() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Which?"), c.Interject("stop", "ann"), c.Strike("sh", "0a"))
    plan.do(c.Abort())
    plan.do(c.InitializePlan("plan_b", "Next", (c.NewTask("a"),)))
    ledger = plan.state.ledger
    assert (ledger.conversation.questions, ledger.conversation.interjections, ledger.strikes) == (
        {},
        (),
        {},
    )
    plan.do(c.AskQuestion("Which?"), c.Interject("stop", "ann"))
    assert [*plan.state.ledger.conversation.questions] == [2]
    assert plan.state.ledger.conversation.interjections[0].id == 2


def test_r0_05_iterations_of_a_task_are_forgotten_when_it_leaves_progress() -> None:
    plan = TimedPlan()
    plan.do(c.Start("ann", 1), c.Start("bob", 2))
    plan.do(c.CountIteration(1), c.CountIteration(1), c.CountIteration(2), c.CountIteration())
    assert plan.state.ledger.counters.iterations == {1: 2, 2: 1}
    plan.do(c.CountIteration(3))
    assert plan.state.ledger.counters.iterations == {1: 2, 2: 1}, "nobody works on it"
    assert plan.state.iteration_count == 5
    plan.do(c.Pause("limit"))
    plan.do(c.Resume())
    assert plan.state.ledger.counters.iterations == {1: 2, 2: 1}
    plan.do(c.Complete(1, "ann"))
    assert plan.state.ledger.counters.iterations == {2: 1}
    plan.do(c.Reset())
    assert plan.state.ledger.counters.iterations == {}
    plan.refused("TASK_NOT_FOUND", c.CountIteration(9))


def test_r4_11_held_up_stops_are_counted_until_a_task_changes_its_state() -> None:
    plan = TimedPlan()
    plan.do(c.NoteLoop(stops=2))
    assert plan.do(c.NoteLoop(stops=2, managed=False)).changes == ()
    plan.do(c.SetProgress(1, 1, 2), c.EditTask(1, name="other"))
    assert plan.state.ledger.counters.stops == 2
    plan.do(c.Start("ann", 1))
    assert plan.state.ledger.counters.stops == 0
    plan.do(c.NoteLoop(managed=True))
    plan.do(c.NoteLoop(stops=1))
    assert plan.state.ledger.counters.managed


def test_x1_a_plan_remembers_up_to_where_the_model_knows_what_people_changed() -> None:
    plan = TimedPlan()
    plan.do(c.NoteLoop(seen=4))
    assert plan.do(c.NoteLoop(seen=4)).changes == ()
    plan.do(c.NoteLoop(stops=1))
    assert plan.state.ledger.counters.seen == 4
    plan.refused("INVALID_ARGUMENT", c.NoteLoop(seen=-1))


def test_r0_08_a_pause_says_why_until_it_ends() -> None:
    plan = TimedPlan()
    plan.do(c.Pause("budget"))
    assert plan.state.ledger.counters.pause_reason == "budget"
    plan.do(c.Resume())
    assert plan.state.ledger.counters.pause_reason == ""
    paused = plan.do(c.Pause("waiting"))
    plan.undo(paused)
    assert plan.state.ledger.counters.pause_reason == ""
    plan.do(c.Pause("limit"))
    plan.do(c.Abort())
    assert plan.state.ledger.counters.pause_reason == ""


def test_r4_08_a_struck_call_is_kept_until_it_is_cleared() -> None:
    plan = TimedPlan()
    plan.do(c.Strike("sh", "0a"), c.Strike("sh", "0b"), c.Strike("fetch", "0a"))
    assert plan.do(c.Strike("sh", "0a")).changes == ()
    assert plan.state.ledger.strikes == {"sh": ("0a", "0b"), "fetch": ("0a",)}
    assert plan.do(c.ClearStrikes("unknown")).changes == ()
    plan.do(c.ClearStrikes("sh"))
    assert plan.state.ledger.strikes == {"fetch": ("0a",)}
    plan.do(c.ClearStrikes())
    assert plan.state.ledger.strikes == {}
    assert plan.do(c.ClearStrikes()).changes == ()
    plan.do(*(c.Strike("sh", f"{n}") for n in range(120)))
    assert plan.state.ledger.strikes["sh"] == tuple(f"{n}" for n in range(20, 120))


def permit_answer(plan: TimedPlan) -> str | None:
    return plan.state.ledger.conversation.questions[1].answer


def test_a13_a_permission_is_given_only_where_it_was_asked_for() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Delete?", "permit", "rm"))
    for answer in ("yes", "always", " Y! ", "是", "maybe", "(no answer)"):
        refusal = plan.refused("INVALID_STATUS", c.AnswerQuestion(answer, PERSON, 1))
        assert refusal == {"text": "permit_elsewhere", "question": 1}
    plan.do(c.AnswerQuestion("yes", PERSON, 1, by_asker=True))
    assert permit_answer(plan) == "yes"


@pytest.mark.parametrize("by_asker", [True, False])
def test_a13_a_no_counts_from_anywhere_and_is_final(*, by_asker: bool) -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Delete?", "permit", "rm"))
    plan.do(c.AnswerQuestion("no, not now", "ann", 1, by_asker=by_asker))
    for answer in ("yes", "no"):
        for asker in (True, False):
            command = c.AnswerQuestion(answer, PERSON, 1, by_asker=asker)
            assert plan.refused("INVALID_STATUS", command)["text"] == "question_answered"
    assert permit_answer(plan) == "no, not now"


def test_a13_a_later_no_replaces_a_yes_and_a_repeated_yes_changes_nothing() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Delete?", "permit", "rm"))
    plan.do(c.AnswerQuestion("always", PERSON, 1, by_asker=True))
    again = c.AnswerQuestion("yes", PERSON, 1, by_asker=True)
    assert plan.refused("INVALID_STATUS", again)["text"] == "question_answered"
    plan.do(c.AnswerQuestion("no", "ann", 1))
    assert permit_answer(plan) == "no"
    assert plan.refused("INVALID_STATUS", again)["text"] == "question_answered"


def test_a13_other_questions_keep_their_first_answer() -> None:
    plan = TimedPlan()
    plan.do(c.AskQuestion("Which port?"))
    plan.do(c.AnswerQuestion("yes", PERSON, 1))
    refusal = plan.refused("INVALID_STATUS", c.AnswerQuestion("no", PERSON, 1))
    assert refusal["text"] == "question_answered"


def test_r4_11_a_refused_call_is_a_fact_of_the_history() -> None:
    plan = TimedPlan()
    before = encode_all(plan.state)
    commit = plan.do(c.NoteRefusal("bash: rm -r src", "hook", "ours:deny", 2))
    assert commit.changes == (RefusalNoted("bash: rm -r src", "hook", "ours:deny", 2),)
    plan.state.revision -= 1
    assert encode_all(plan.state) == before
    assert has_only_facts(commit)
    plan.refused("INVALID_ARGUMENT", c.NoteRefusal("x" * 501, "hook"))
    plan.refused("INVALID_ARGUMENT", c.NoteRefusal("x", "somebody"))  # type: ignore[arg-type]
    plan.refused("TASK_NOT_FOUND", c.NoteRefusal("x", "permission", task=9))
