"""R4.10: the list of a coding agent in the plan that its session works on."""

from collections.abc import Callable

import pytest

from outlast import Plan
from outlast.hosts.todo_mirror import Mirrored, mirror_todos
from outlast.hosts.wire.events import ListedTodo
from outlast.plan.tools.advance import complete_and_start_next
from tests.making import make_plan


def created(number: int, name: str, description: str = "") -> ListedTodo:
    return ListedTodo(name, "pending", "", str(number), description)


def completed(number: int) -> ListedTodo:
    return ListedTodo("", "completed", "", str(number))


class Mirror:
    """The list of one session, told piece by piece."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.last = plan, Mirrored((), {})

    def tell(self, *todos: ListedTodo) -> None:
        last = self.last
        self.last = mirror_todos(self.plan, todos, last.ids, last.done_early, last.revision)

    def statuses(self) -> list[str]:
        return [task.status for task in self.plan.tasks()]


def three() -> Mirror:
    mirror = Mirror(make_plan(order="sequential"))
    for number, name in enumerate(("one", "two", "three"), start=1):
        mirror.tell(created(number, name))
    return mirror


def test_r4_10_completions_in_another_order_are_made_up_for() -> None:
    mirror = three()
    mirror.tell(completed(3))
    assert mirror.last.done_early == (3,)
    mirror.tell(completed(1))
    assert mirror.statuses() == ["completed", "pending", "pending"]
    mirror.tell(completed(2))
    assert mirror.statuses() == ["completed"] * 3
    assert mirror.last.done_early == ()


def test_r4_10_completions_of_one_list_come_in_any_order() -> None:
    mirror = three()
    mirror.tell(completed(3), completed(2), completed(1))
    assert mirror.statuses() == ["completed"] * 3


def test_r4_10_an_early_completion_that_is_undone_is_forgotten() -> None:
    mirror = three()
    mirror.tell(completed(3))
    mirror.tell(ListedTodo("", "pending", "", "3"))
    mirror.tell(completed(1), completed(2))
    assert mirror.statuses() == ["completed", "completed", "pending"]


def test_r4_10_an_early_completion_of_a_task_that_is_gone_is_forgotten() -> None:
    mirror = three()
    mirror.tell(completed(2), completed(3))
    mirror.plan.skip(2)
    mirror.plan.remove(3)
    mirror.tell(completed(1))
    assert mirror.statuses() == ["completed", "skipped"]
    assert mirror.last.done_early == ()


@pytest.mark.parametrize("reopen", [lambda plan: plan.reopen(2), lambda plan: plan.undo()])
def test_r4_10_an_early_completion_that_somebody_has_reopened_since_is_forgotten(
    reopen: Callable[[Plan], object],
) -> None:
    mirror = three()
    mirror.tell(completed(3), completed(2))
    assert mirror.last.done_early == (3, 2)
    for task in (1, 2):
        mirror.plan.complete(task)
    reopen(mirror.plan)
    mirror.tell(ListedTodo("first", "", "", "1"))
    assert mirror.statuses() == ["completed", "pending", "pending"]
    assert mirror.last.done_early == (3,)
    mirror.plan.complete(2)
    mirror.tell()
    assert mirror.statuses() == ["completed"] * 3


def test_r4_10_a_task_that_a_completion_has_started_is_still_done_early() -> None:
    mirror = three()
    mirror.tell(completed(2))
    complete_and_start_next(mirror.plan.core, 1, "done")
    assert mirror.statuses() == ["completed", "in_progress", "pending"]
    mirror.tell(completed(1))
    assert mirror.statuses() == ["completed", "completed", "pending"]


def test_r4_10_a_task_that_was_started_since_is_not_done_early() -> None:
    mirror = three()
    mirror.tell(completed(2))
    mirror.plan.skip(1)
    mirror.plan.start(2)
    mirror.tell()
    assert mirror.statuses() == ["skipped", "in_progress", "pending"]


def test_r4_10_an_early_completion_of_a_plan_that_was_reset_is_forgotten() -> None:
    mirror = three()
    mirror.tell(completed(2))
    mirror.plan.complete(1)
    mirror.plan.reset()
    mirror.plan.complete(1)
    mirror.tell()
    assert mirror.statuses() == ["completed", "pending", "pending"]
    assert mirror.last.done_early == ()


def test_r4_10_a_completion_that_waits_for_a_paused_plan_is_made_up_for() -> None:
    mirror = three()
    mirror.plan.start(1)
    mirror.plan.pause()
    mirror.tell(completed(1))
    mirror.plan.resume()
    mirror.tell()
    assert mirror.statuses() == ["completed", "pending", "pending"]


def test_r4_10_a_task_is_completed_when_the_one_before_it_is_deleted() -> None:
    mirror, deleted = three(), ListedTodo("", "deleted", "", "1")
    mirror.tell(completed(2))
    mirror.tell(deleted)
    assert mirror.statuses() == ["skipped", "completed", "pending"]
    mirror = three()
    mirror.tell(completed(2), ListedTodo("", "in_progress", "", "3"), deleted)
    assert mirror.statuses() == ["skipped", "completed", "in_progress"]


def test_r4_10_the_description_of_a_listed_task_is_that_of_the_task() -> None:
    mirror = Mirror(make_plan())
    mirror.tell(created(1, "one", "with care"))
    assert mirror.plan.task(1).description == "with care"
    mirror.tell(ListedTodo("", "", "", "1", "with more care"))
    assert (mirror.plan.task(1).name, mirror.plan.task(1).description) == ("one", "with more care")
    mirror.tell(ListedTodo("first", "", "", "1"))
    assert mirror.plan.task(1).name == "first"
    assert mirror.plan.task(1).description == "with more care"


def test_m9_a_long_name_goes_on_in_the_description() -> None:
    mirror = Mirror(make_plan())
    mirror.tell(created(1, "n" * 1_001, "d" * 70_000))
    task = mirror.plan.task(1)
    assert (len(task.name), task.name[-1]) == (1_000, "…")
    assert task.description.startswith("n" * 1_001 + "\n\nd")
    assert len(task.description) == 65_536


def test_r4_10_one_task_at_a_time_is_in_progress() -> None:
    mirror = Mirror(make_plan("one", "two"))
    mirror.tell(ListedTodo("one", "in_progress"))
    mirror.tell(ListedTodo("two", "in_progress"), ListedTodo("one", "pending"))
    assert mirror.statuses() == ["pending", "in_progress"]
    mirror.tell(ListedTodo("two", "deleted"))
    assert mirror.statuses() == ["pending", "skipped"]
