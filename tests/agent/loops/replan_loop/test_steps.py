"""R3.04: the step count after every effect, in recorded conversations.

A line of a record is an effect and the count right after it: `think 3`, `act 4`. Effects that are
no attempts are `record`, `read`, `emit` and so on; most of them cost nothing, as the record shows.
"""

import pytest

from outlast.model.commands import AnswerQuestion
from outlast.model.model import PERSON
from tests.agent.loops.replan_loop.by_hand import Recording
from tests.agent.loops.replan_loop.played import Played
from tests.agent.loops.replan_loop.replies import FINAL, ask, done, planned, replanned, use


def check(recorded: Recording, expected: str) -> None:
    """Check the attempts with their counts, and that nothing else changed the count."""
    attempts = [f"{what} {steps}" for what, steps in recorded.record if what in ("think", "act")]
    assert attempts == [line.strip() for line in expected.split(",")]
    before = 0
    for what, steps in recorded.record:
        assert steps == before or what in ("think", "act"), (what, steps)
        assert steps - before in (0, 1)
        before = steps


def test_r3_04_steps_of_a_plain_conversation() -> None:
    recorded = Recording(planned("a"), use("/todo 1"), done(), FINAL)
    assert recorded.run().why == "answered"
    check(recorded, "think 0, think 1, act 2, think 3, think 4")
    assert recorded.record == [
        ("record", 0),  # look for open attempts
        *[("readreplan", 0)] * 2,
        ("think", 0),  # plan
        ("record", 0),  # its items
        *[("emit", 0)] * 2,
        ("readreplan", 0),
        ("emit", 0),
        ("record", 0),  # start the item
        ("think", 1),
        ("emit", 1),
        ("record", 1),  # the action
        ("readreplan", 1),
        ("emit", 1),
        ("act", 2),
        ("record", 2),  # the observation
        *[("emit", 2)] * 2,
        ("readreplan", 2),
        ("emit", 2),
        ("think", 3),
        ("emit", 3),
        ("record", 3),  # the item is done
        ("readreplan", 3),
        ("runchecks", 3),
        ("think", 4),  # replan
        ("readreplan", 4),  # is it outdated?
        ("record", 4),  # the end
        *[("emit", 4)] * 2,
    ]


def test_r3_04_steps_of_several_items() -> None:
    recorded = Recording(
        planned("a", "b", "c"),
        *(use("/todo 1"), done(), replanned("b", "c")),
        *(done(), replanned("c")),
        *(use("/todo 2"), use("/todo 3"), done(), FINAL),
    )
    assert recorded.run().why == "answered"
    check(
        recorded,
        "think 0, think 1, act 2, think 3, think 4, think 5, think 6, think 7, act 8, think 9,"
        "act 10, think 11, think 12",
    )


def test_r3_04_steps_of_tool_failures() -> None:
    fail = use("/todo fail")
    recorded = Recording(planned("a"), fail, fail, fail, fail, fail, done(), FINAL)
    assert recorded.run().why == "answered"
    check(
        recorded,
        "think 0, think 1, act 2, think 3, act 4, think 5, act 6, think 7, think 8, think 9,"
        "think 10",
    )


def test_r3_04_steps_of_parse_failures() -> None:
    unknown = use("/x", tool="bash")
    recorded = Recording("?", planned("a"), "?", unknown, done(), "?", replanned(), "?", "?", FINAL)
    assert recorded.run().why == "answered"
    check(
        recorded,
        "think 0, think 0, think 1, think 2, think 3, think 4, think 5, think 6, think 7, think 8",
    )


def test_r3_04_steps_of_two_clarifications() -> None:
    recorded = Recording(
        planned("a"),
        ask("Which?"),
        replanned("a", "b"),
        use("/todo 1"),
        ask("When?"),
        replanned("a"),
        done(),
        FINAL,
    )
    assert recorded.run().why == "waiting"
    assert recorded.run().why == "waiting", "asking again costs nothing either"
    recorded.answer("this")
    assert recorded.run().why == "waiting"
    recorded.answer("now")
    assert recorded.run().why == "answered"
    check(recorded, "think 0, think 1, think 2, think 3, act 4, think 5, think 6, think 7, think 8")


def test_r3_04_steps_in_the_real_runtime_are_the_same() -> None:
    talk: tuple[tuple[object, ...], ...] = (
        ("?", planned("a", "b"), use("/todo 1"), "?", use("/todo fail"), ask("Which?")),
        ("?", replanned("a", "b"), done("x"), *["?"] * 3, replanned("b"), ask("When?")),
        (replanned("b"), use("/todo 2"), done(), FINAL),
    )
    played, recorded = Played(), Recording()
    for part in talk:
        recorded.replies += part
        assert played.play(*part).why == recorded.run().why
        if part is not talk[-1]:
            played.answer("this")
            recorded.hand.commit(AnswerQuestion("this", PERSON))
    assert played.record == recorded.record
    assert played.record[-1] == ("emit", 19)


SCRIPT = (
    planned("a", "b"),
    use("/todo 1"),
    "?",
    done(),
    "?",
    replanned("b"),
    use("/todo fail"),
    done(),
    FINAL,
)
ATTEMPTS = [
    "think 0",
    *("think 1", "act 2", "think 3", "think 4", "think 5", "think 6"),
    *("think 7", "act 8", "think 9", "think 10"),
]


@pytest.mark.parametrize("limit", range(1, 11))
def test_r3_04_steps_when_the_limit_is_hit_at_each_place(limit: int) -> None:
    recorded = Recording(*SCRIPT)
    end = recorded.run(max_iterations=limit)
    assert end.why == ("answered" if limit == 10 else "limit")
    check(recorded, ",".join(ATTEMPTS[: limit + 1]))
    if end.why == "limit":
        assert recorded.run(max_iterations=limit).why == "limit"
        check(recorded, ",".join(ATTEMPTS[: limit + 1]))
        assert recorded.run(max_iterations=20, continues=True).why == "answered"
        assert recorded.counts == [*range(11)]
