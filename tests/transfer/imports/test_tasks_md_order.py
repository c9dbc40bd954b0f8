"""U9: the order of imported tasks is a sequence, or needs where some may run in parallel."""

from outlast.transfer.imports.tasks_md import Step, sequence


def needs_of(*steps: Step) -> dict[int, tuple[int, ...]]:
    order, needs = sequence(steps)
    assert order == "graph"
    return needs


def test_u9_tasks_without_marks_are_a_sequence_with_the_needs_they_name() -> None:
    assert sequence(()) == ("sequential", {})
    steps = (Step(1, "p"), Step(2, "p", needs=(1,)))
    assert sequence(steps) == ("sequential", {1: (), 2: (1,)})


def test_u9_a_group_ends_with_its_phase() -> None:
    steps = [Step(1, "p", parallel=True), Step(2, "p", parallel=True)]
    steps += [Step(3, "q", parallel=True), Step(4, "q"), Step(5, "q", parallel=True)]
    assert needs_of(*steps) == {1: (), 2: (), 3: (1, 2), 4: (3,), 5: (4,)}


def test_u9_nothing_waits_for_what_is_optional() -> None:
    steps = [Step(1, "p"), Step(2, "p", optional=True), Step(3, "p", parallel=True, optional=True)]
    assert needs_of(*steps, Step(4, "p", needs=(2, 1))) == {1: (), 2: (1,), 3: (1,), 4: (1, 2)}


def test_u9_stories_run_beside_each_other_and_what_follows_waits_for_all() -> None:
    steps = [Step(1, "a"), Step(2, "b", story=True), Step(3, "b", story=True)]
    steps += [Step(4, "c", story=True), Step(5, "d"), Step(6, "e"), Step(7, "f", story=True)]
    assert needs_of(*steps) == {1: (), 2: (1,), 3: (2,), 4: (1,), 5: (3, 4), 6: (5,), 7: (6,)}
