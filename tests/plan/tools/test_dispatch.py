"""X5: for any calls in any order, the answer line is true."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from outlast.errors import ToolFailed
from outlast.plan.tools.dispatch import call_tool, refusal_outcome
from tests.making import make_plan

TASK = st.integers(0, 6)
TEXT = st.sampled_from(["", "made", "no"])
CALLS = st.one_of(
    st.tuples(
        st.just("add_tasks"),
        st.fixed_dictionaries(
            {
                "tasks": st.lists(
                    st.one_of(
                        st.sampled_from("abc"),
                        st.fixed_dictionaries(
                            {"name": st.sampled_from("abc"), "needs": st.lists(TASK, max_size=2)}
                        ),
                    ),
                    min_size=1,
                    max_size=3,
                )
            }
        ),
    ),
    st.tuples(st.just("complete_task"), st.fixed_dictionaries({"task": TASK, "result": TEXT})),
    st.tuples(
        st.just("fail_task"),
        st.fixed_dictionaries({"task": TASK, "error": TEXT, "retry": st.booleans()}),
    ),
    st.tuples(st.just("skip_task"), st.fixed_dictionaries({"task": TASK, "reason": TEXT})),
)
NOW = re.compile(r"Now (\d+)\.$")
FAR = re.compile(r"(\d+)/(\d+)")


@given(st.lists(CALLS, max_size=12))
def test_x5_the_answer_says_how_far_the_plan_is_and_what_is_next(
    calls: list[tuple[str, dict[str, Any]]],
) -> None:
    plan = make_plan("a", "b", actor="agent")
    for name, arguments in calls:
        before = plan.revision
        answer = call_tool(plan, name, arguments)
        assert "\n" not in answer.text
        if answer.is_refused:
            assert plan.revision == before
            assert answer.text.startswith(f"{answer.code}: ")
            continue
        is_known = answer.text.startswith("Not added again") and "Added" not in answer.text
        assert plan.revision == before + 1 or (is_known and plan.revision == before)
        current, now = plan.current(), NOW.search(answer.text)
        assert (now and int(now[1])) == (current and current.id)
        assert answer.text.endswith("The plan is complete.") == (plan.status == "completed")
        far = FAR.search(answer.text)
        if far:
            assert (int(far[1]), int(far[2])) == (plan.progress.current, plan.progress.total)


def test_a_refusal_keeps_its_line_breaks() -> None:
    error = ToolFailed("call_failed", problem="one\ntwo\x1b")
    assert refusal_outcome(error, lean=True).text == "TOOL_FAILED: Failed: one\ntwo\\x1b"


def test_f13_arguments_as_text_are_repaired_or_refused() -> None:
    plan = make_plan("a")
    for arguments in ("{'task': 1, 'result': 'made',}", '```json\n{"task": 1, "result": ""}\n```'):
        assert not call_tool(plan, "complete_task", arguments).is_refused
        plan.reopen(1, "again")
    for arguments in ('{"task": 1, "task": 2}', '{"task": NaN}', "1", "done", '{"task": 1} {}'):
        answer = call_tool(plan, "complete_task", arguments)
        assert answer.text.startswith("INVALID_ARGUMENT: arguments: not valid JSON: ")
