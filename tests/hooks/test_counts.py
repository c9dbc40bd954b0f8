"""R4.06 and R4.07: reminders and strikes equal a simple count, whatever an agent does."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.hooks.port import ToolResult
from outlast.model.ledger import strike_key
from tests.hooks.fakes import engine
from tests.making import make_plan

VIEWS = ("read_file", "grep")
TOOLS = st.sampled_from((*VIEWS, "bash", "findings_write", "write_file"))
ERRORS = st.sampled_from(("", "exit 1", "exit 22", "no such file"))
STEPS = st.lists(st.tuples(TOOLS, ERRORS), max_size=30)


@settings(max_examples=40)
@given(STEPS, st.integers(1, 4))
def test_r4_06_reminders_come_as_counted_by_hand(
    steps: list[tuple[str, str]], threshold: int
) -> None:
    hooks, views = engine(make_plan("one"), action_threshold=threshold), 0
    for tool, error in steps:
        said = hooks.post_tool_use(tool, {}, ToolResult(success=not error, error=error))
        views = 0 if tool == "findings_write" and not error else views
        views += tool in VIEWS and not error
        reminded = views == threshold
        assert (f"performed {threshold} view" in said.inject_context) is reminded
        views = 0 if reminded else views


@settings(max_examples=40)
@given(STEPS, st.integers(1, 4))
def test_r4_07_strikes_are_as_counted_by_hand(steps: list[tuple[str, str]], limit: int) -> None:
    plan = make_plan("one")
    hooks = engine(plan, error_strike_limit=limit, strict=True)
    counted: Counter[str] = Counter()
    struck: set[tuple[str, str]] = set()
    for tool, error in steps:
        call = {"of": error}
        assert hooks.pre_tool_use(tool, call).should_continue is ((tool, error) not in struck)
        said = hooks.post_tool_use(tool, call, ToolResult(success=not error, error=error))
        if not error:
            struck = {one for one in struck if one[0] != tool}
            continue
        key = strike_key(tool, error)
        counted[key] += 1
        warned = counted[key] >= limit
        assert (f"occurred {counted[key]} times" in said.inject_context) is warned
        struck |= {(tool, error)} if warned else set()
    assert {
        strike_key(one.tool, one.message): one.count for one in plan.notes.errors(limit=99)
    } == counted
