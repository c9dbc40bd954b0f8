"""One answer to a coding agent."""

from outlast.hosts.wire.events import NO_ANSWER, HostAnswer, merge_answers


def test_r4_04_several_answers_are_one() -> None:
    assert merge_answers(()) == merge_answers((NO_ANSWER, NO_ANSWER)) == NO_ANSWER
    told, asked = HostAnswer("the plan", "a line"), HostAnswer("", "another", "not yet")
    assert merge_answers((told, NO_ANSWER)) == told
    assert merge_answers((told, asked, told)) == HostAnswer(
        "the plan\n\nthe plan", "a line\nanother\na line", "not yet"
    )
