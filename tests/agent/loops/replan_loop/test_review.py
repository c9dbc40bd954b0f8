"""X7, R3: a replan is a patch; a person may approve, edit or reject it."""

import json

import pytest

from outlast import NewTask
from outlast.agent import effects as e
from outlast.agent.effects import Acted, PatchPreview, Thought
from outlast.model.changes import ReplanMoved
from outlast.model.commands import AddTasks, AnswerQuestion, RemoveTask
from outlast.model.model import PERSON, Question
from tests.agent.loops.replan_loop.by_hand import ByHand
from tests.agent.loops.replan_loop.played import Played
from tests.agent.loops.replan_loop.replies import FINAL, ask, done, planned, replanned

PROPOSED = (
    "The plan should change: item ended: a\n- 2 b\n+ 4 new\n"
    "Answer approve; reject and why; edit, once you have changed the plan yourself; or say what "
    "should be different."
)


def propose() -> Played:
    """Play until a new list waits for its approval."""
    played = Played()
    end = played.play(planned("a", "b", "c"), done("x"), replanned("c", "new"), review=True)
    assert (end.why, end.text) == ("waiting", PROPOSED)
    assert (played.position.needs_replan, played.position.steps) == (True, 2)
    assert played.tasks == [(1, "a", "in_progress"), (2, "b", "pending"), (3, "c", "pending")]
    return played


def test_x7_a_new_list_waits_for_its_approval_also_after_a_restart() -> None:
    played = propose()
    assert played.play(review=True).text == PROPOSED
    played.answer("approve")
    end = played.play(done(), replanned("new"), done(), FINAL, review=True)
    assert end.why == "answered"
    assert played.changes == ["The plan has changed: item ended: a\n- 2 b\n+ 4 new"]
    assert played.tasks == [(1, "a", "completed"), (3, "c", "completed"), (4, "new", "completed")]
    assert played.position.steps == 6, "a review costs nothing"


BY_HAND = AddTasks((NewTask("by hand"),))


def test_x7_a_diff_leaves_out_what_a_person_adds_while_the_model_replans() -> None:
    played = Played()
    late = played.meanwhile(replanned("c"), BY_HAND)
    end = played.play(planned("a", "b"), done(), late, review=True)
    assert end.text.splitlines()[1:3] == ["- 2 b", "+ 4 c"]
    played.answer("approve")
    rest = (done(), replanned("by hand"), done(), FINAL)
    assert played.play(*rest, review=True).why == "answered"
    assert "Plan:\n1. c\n2. by hand" in played.lines
    assert "Current item: 1/2 - c" in played.lines
    assert [name for _, name, _ in played.tasks] == ["a", "c", "by hand"]


def test_x7_a_list_that_leaves_all_as_it_is_needs_no_approval_whatever_a_person_adds() -> None:
    played = Played()
    late = played.meanwhile(replanned("b"), BY_HAND)
    rest = (done(), replanned("by hand"), done(), FINAL)
    end = played.play(planned("a", "b"), done(), late, *rest, review=True)
    assert (end.why, played.changes) == ("answered", [])
    assert [name for _, name, _ in played.tasks] == ["a", "b", "by hand"]


@pytest.mark.parametrize("review", [False, True])
def test_x7_what_both_a_person_and_the_model_add_is_there_once(*, review: bool) -> None:
    played = Played()
    late = played.meanwhile(replanned("c", "d", "c", "c"), AddTasks((NewTask("C"),)))
    played.play(planned("a", "b"), done(), late, review=review, max_iterations=2)
    if review:
        assert played.plan.questions.open()[0].text.splitlines()[1:5] == [
            *("- 2 b", "+ 4 d", "+ 5 c", "+ 6 c")
        ]
        played.commit(AddTasks((NewTask("d"),)))
        played.answer("approve")
        played.play(review=True)
    names = sorted(name for _, name, _ in played.tasks)
    assert names == ["C", "a", "c", "c", "d"], "the model has c three times"


def test_r3_02_a_list_may_have_an_item_more_than_once() -> None:
    played = Played()
    rest = (*(done() for _ in range(3)), FINAL)
    played.play(planned("a", "b"), done(), replanned("b", "c", "b", "b"), *rest, max_iterations=3)
    assert sorted(name for _, name, _ in played.tasks) == ["a", "b", "b", "b", "c"]


def test_x7_an_end_is_not_approved_with_an_item_that_came_after_the_question() -> None:
    played = propose_end()
    played.commit(BY_HAND)
    played.answer("approve")
    end = played.play(replanned("by hand"), review=True)
    assert (end.why, played.plan.status) == ("waiting", "paused")
    (request,) = played.model.asked
    assert (
        "## Why the last proposal, which the user approved, was not carried out\n"
        "> There are new items or answers since then" in request
    )
    assert "- by hand" in request.partition("## Remaining")[2]


def test_x7_a_rejected_list_leaves_the_present_one_and_the_model_is_told_why() -> None:
    played = propose()
    played.answer("拒绝：b 还要做")
    end = played.play(done(), replanned("c"), done(), FINAL, review=True)
    assert end.why == "answered"
    assert "- replan (failed): c, new\n> b 还要做" in played.model.asked[0]
    assert "A person has rejected the change of the plan" in "\n".join(played.lines)
    assert [(task.name, task.result) for task in played.plan.tasks()] == [
        ("a", "x"),
        ("b", None),
        ("c", None),
    ], "each with its own conclusion"


def test_x7_a_person_may_change_the_plan_themselves() -> None:
    played = propose()
    played.commit(RemoveTask(2), RemoveTask(3), AddTasks((NewTask("mine"),)))
    played.answer("edit")
    assert played.play(done(), FINAL, review=True).why == "answered"
    assert played.tasks == [(1, "a", "completed"), (4, "mine", "completed")]


def test_x7_other_words_ask_the_model_for_another_list() -> None:
    played = propose()
    played.answer("b first, please")
    end = played.play(replanned("b", "c", "new"), review=True)
    assert end.why == "waiting"
    assert (
        "## What the user wants instead of the last proposal\n> b first, please"
        in (played.model.asked[0])
    )
    assert "+ 4 new" in end.text
    assert played.position.steps == 3
    played.answer("ok")
    rest = (done(), replanned("c", "new"), done(), replanned("new"), done(), FINAL)
    assert played.play(*rest, review=True).why == "answered"


def test_x7_a_rejected_list_after_the_last_item_has_to_be_made_again() -> None:
    played = Played()
    played.play(planned("a"), done(), replanned("b"), review=True)
    played.answer("no")
    end = played.play(FINAL, review=True)
    assert end.why == "answered"
    assert "> no" in played.model.asked[0]


def test_x7_an_approved_list_that_the_plan_refuses_now_is_made_again() -> None:
    script = iter((planned("a", "b"), done(), replanned("c"), replanned("b"), done(), FINAL))
    asked = list[str]()

    def think(effect: e.Think) -> Thought:
        asked.append(effect.messages[-1].text)
        return Thought(json.dumps(next(script)))

    hand = ByHand(think, lambda _effect: Acted())
    assert hand.run(review=True).why == "waiting"
    hand.commit(AnswerQuestion("approve", PERSON))
    refusals = [PatchPreview(error="the plan is full")]
    preview = hand.preview
    hand.preview = lambda *what: refusals.pop() if refusals else preview(*what)
    assert hand.run(review=True).why == "answered"
    assert (
        "## Why the last proposal, which the user approved, was not carried out\n"
        "> the plan is full\n" in asked[3]
    )
    assert "What the user wants instead" not in asked[3]


def propose_end(answer: str = "Fine so.") -> Played:
    """Play until an end that drops two items waits for its approval."""
    played = Played()
    final = {"status": "done", "response": answer}
    end = played.play(planned("a", "b", "c"), done("x"), final, review=True)
    assert (end.why, played.plan.status) == ("waiting", "paused")
    assert end.text.splitlines()[:4] == [
        "The plan should change: item ended: a",
        "- 2 b",
        "- 3 c",
        f"and ends with the answer: {answer[:299]}{'…' if len(answer) > 300 else ''}",
    ]
    return played


@pytest.mark.parametrize("answer", ["Fine so.", "\N{FOX FACE}" * 20_000])
def test_x7_an_end_that_drops_open_items_waits_for_its_approval(answer: str) -> None:
    played = propose_end(answer)
    played.answer("approve")
    end = played.play(review=True)
    assert (end.why, end.text) == ("answered", answer[:16_000])
    assert played.tasks == [(1, "a", "completed")]
    assert played.plan.tasks()[0].result == "x"
    assert played.changes == ["The plan has changed: item ended: a\n- 2 b\n- 3 c"]
    assert played.position.steps == 2, "a review costs nothing"


def test_x7_an_end_that_is_rejected_leaves_the_items() -> None:
    played = propose_end()
    played.answer("reject: b matters")
    end = played.play(done(), replanned("c"), done(), FINAL, review=True)
    assert end.why == "answered"
    assert "- replan (failed): Fine so.\n> b matters" in played.model.asked[0]
    assert [task.status for task in played.plan.tasks()] == ["completed"] * 3


def test_x7_an_end_that_drops_open_items_is_shown_and_recorded_with_its_reason() -> None:
    played = Played()
    assert played.play(planned("a", "b"), done(), FINAL).why == "answered"
    assert played.changes == ["The plan has changed: item ended: a\n- 2 b"]
    assert "item ended: a" in reasons(played)


def test_r3_06_a_list_to_review_ends_the_row_of_failed_rounds() -> None:
    played = Played()
    end = played.play(planned("a", "b"), done(), *["?"] * 6, replanned("c"), review=True)
    assert (end.why, played.position.failed_rounds) == ("waiting", 0)


def test_x7_a_list_that_changes_nothing_needs_no_approval() -> None:
    played = Played()
    end = played.play(planned("a", "b"), done(), replanned("b"), done(), FINAL, review=True)
    assert end.why == "answered"


def test_x7_a_person_who_is_present_decides_at_once() -> None:
    class Person:
        async def answer(self, question: Question) -> str:
            assert question.kind == "replan"
            return "approve"

    played = Played()
    end = played.play(
        planned("a", "b"), done(), replanned("c"), done(), FINAL, review=True, person=Person()
    )
    assert end.why == "answered"
    assert played.changes == ["The plan has changed: item ended: a\n- 2 b\n+ 3 c"]


def reasons(played: Played) -> list[str]:
    return [commit.reason for commit in played.plan.core.store.commits_since(0)]


def test_x7_a_replan_is_recorded_with_its_reason() -> None:
    played = Played()
    played.play(planned("a", "b"), done(), replanned("c"), done(), FINAL)
    assert "item ended: a" in reasons(played)


def test_x7_the_reason_is_what_happened_last() -> None:
    played = Played()
    played.play(planned("a", "b"), done(), ask("Which?"), skips_replans=True)
    played.answer("this one")
    played.play(replanned("c"), done(), FINAL, skips_replans=True)
    assert "the user answered: this one" in reasons(played)
    assert "item ended: a" not in reasons(played)


def test_x7_a_replan_can_be_undone() -> None:
    played = Played()
    assert (
        played.play(planned("a", "b"), done("x"), replanned("c"), max_iterations=2).why == "limit"
    )
    played.plan.undo()
    assert played.tasks == [(1, "a", "in_progress"), (2, "b", "pending")]
    end = played.play(done(), replanned("b"), done(), FINAL, continues=True)
    assert end.why == "answered"
    assert played.tasks == [(1, "a", "completed"), (2, "b", "completed")]
    assert played.position.steps == 2 + 4, "the count does not fall"


def test_r3_02_a_replan_is_one_commit() -> None:
    played = Played()
    played.play(planned("a", "b"), done("x"), replanned("c"), done(), FINAL)
    commits = [each for each in played.plan.core.store.commits_since(0) if each.reason]
    (replan,) = [each for each in commits if each.reason == "item ended: a"]
    moves = [each for each in replan.changes if isinstance(each, ReplanMoved)]
    assert [(each.position.cursor, each.position.needs_replan) for each in moves] == [(0, False)]
    kinds = {type(each).__name__ for each in replan.changes}
    assert {"TaskAdded", "TaskCompleted", "TaskRemoved"} <= kinds
