"""M8, R3.05, R3.08: what an input to the assistant is about."""

from datetime import UTC, datetime, timedelta

import pytest

from outlast.assistant.conversation import choose_task, choose_turn
from outlast.assistant.tasks import PendingPlanTask, TaskState

MORNING = datetime(2026, 11, 16, 8, tzinfo=UTC)


def task(key: str, state: TaskState, hours: int = 0) -> PendingPlanTask:
    return PendingPlanTask(key, key, state, MORNING + timedelta(hours=hours))


WAITING, PAUSED = task("milk", "waiting"), task("trip", "paused", 1)
KILLED, ELSEWHERE = task("tax", "interrupted", 2), task("mail", "working", 3)


@pytest.mark.parametrize("line", ["", " \n\t"])
def test_an_empty_input_is_nothing(line: str) -> None:
    assert choose_turn(line, [WAITING], "milk").kind == "blank"


@pytest.mark.parametrize("line", ["取消当前任务", "取消任务", "cancel", "Cancel the current task."])
def test_r3_08_a_cancel_phrase_is_about_the_task_at_hand(line: str) -> None:
    turn = choose_turn(line, [PAUSED, WAITING])
    assert (turn.kind, turn.task) == ("cancel", WAITING)
    assert choose_turn(line, []).task is None


@pytest.mark.parametrize("line", ["oat milk", "继续", "continue", "no", "not done yet", "5"])
def test_r3_08_the_next_input_answers_the_question(line: str) -> None:
    turn = choose_turn(line, [PAUSED, KILLED, WAITING, ELSEWHERE])
    assert (turn.kind, turn.task) == ("answer", WAITING)


@pytest.mark.parametrize("line", ["继续", "continue", "please go on"])
def test_r3_05_continue_goes_on_with_the_task_changed_last(line: str) -> None:
    turn = choose_turn(line, [PAUSED, KILLED, ELSEWHERE])
    assert (turn.kind, turn.task) == ("continue", KILLED)
    assert choose_turn(line, [PAUSED]).task == PAUSED
    assert choose_turn(line, []).kind == "nothing_to_continue"


@pytest.mark.parametrize("tasks", [[], [PAUSED], [KILLED], [ELSEWHERE]])
def test_r3_05_any_other_input_is_a_new_task(tasks: list[PendingPlanTask]) -> None:
    turn = choose_turn("Buy a present for Ann", tasks)
    assert (turn.kind, turn.task) == ("new", None)


@pytest.mark.parametrize("line", ["还没完成", "not done yet", "The first step is not done yet"])
def test_m8_not_done_yet_is_about_the_task_at_hand_and_never_a_goal(line: str) -> None:
    turn = choose_turn(line, [PAUSED, KILLED])
    assert (turn.kind, turn.task) == ("message", KILLED)
    assert choose_turn(line, []).kind == "nothing_to_continue"


def test_m8_a_goal_may_mention_what_is_not_done() -> None:
    assert choose_turn("List the todos that are not done yet", [PAUSED]).kind == "new"


def test_an_order_to_continue_with_words_is_a_task_if_there_is_none() -> None:
    assert choose_turn("请继续执行：把昨天的报告发给老板", []).kind == "new"


@pytest.mark.parametrize("tasks", [[], [PAUSED], [WAITING], [task("trip", "working")]])
def test_an_answer_to_a_question_that_is_gone_becomes_no_task(tasks: list[PendingPlanTask]) -> None:
    assert choose_turn("by train", tasks, asked="trip").kind == "question_gone"


def test_continue_after_a_question_that_is_gone_is_no_answer() -> None:
    assert choose_turn("continue", [PAUSED], asked="milk").kind == "continue"


def test_r3_17_the_task_at_hand_waits_or_was_changed_last() -> None:
    second = task("rent", "waiting", 5)
    assert choose_task([]) is None
    assert choose_task([PAUSED, WAITING, KILLED]) == WAITING
    assert choose_task([WAITING, second]) == second
    assert choose_task([WAITING, second], asked="milk") == WAITING
    assert choose_task([ELSEWHERE]) == ELSEWHERE
