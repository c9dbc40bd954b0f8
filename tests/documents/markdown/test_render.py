"""R4.02: `task_plan.md` has exactly the form of its document."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.model import commands as c
from outlast.model.commands import KeepProse, MarkPhase
from outlast.model.execute import execute
from outlast.model.model import Check, Phase, Prose, Task
from tests.documents.markdown.plan_texts import NOW, create_state, small

if TYPE_CHECKING:
    from outlast.model.state import PlanState

EXAMPLE = """\
# UserService 缓存重构

> **Objective:** Task objectives extracted from todos

> **Progress:** 0/5 steps completed

---

## ○ Phase: Main Tasks

- [ ] ○ 分析现有 UserService 实现
- [ ] ○ 设计缓存策略
- [ ] ○ 实现缓存层
- [ ] ○ 更新 UserService 使用缓存
- [ ] ○ 编写测试

---
*Last updated: 2026-01-14T10:30:00.000Z*
"""


def example() -> PlanState:
    names = re.findall(r"- \[ \] ○ (.*)", EXAMPLE)
    tasks = tuple(Task(number, name) for number, name in enumerate(names, 1))
    goal = "Task objectives extracted from todos"
    return create_state(c.CreatePlan("plan_x", goal, title="UserService 缓存重构", tasks=tasks))


def test_r4_02_the_documents_example_is_reproduced_byte_for_byte() -> None:
    assert render(example(), bare=True) == EXAMPLE


def test_r4_02_people_see_the_numbers_that_needs_uses() -> None:
    text = render(example())
    assert re.findall(r"(?m)^- \[ \] ○ \*\*(\d)\*\* ", text) == [*"12345"]
    assert re.sub(r"\*\*\d\*\* ", "", text).replace("<!-- outlast r1 -->\n", "") == EXAMPLE


def test_f19_the_last_line_names_the_commit_that_the_file_shows() -> None:
    text = render(example(), mark="9f3c1a2b")
    assert text.endswith("Z*\n<!-- outlast r1 9f3c1a2b -->\n")
    document = parse(text)
    assert (document.revision, document.mark, document.is_complete) == (1, "9f3c1a2b", True)
    document = parse(render(example()))
    assert (document.revision, document.mark, document.is_complete) == (1, "", True)
    document = parse(text.removesuffix("2b -->\n"))
    assert (document.revision, document.mark, document.is_complete) == (None, "", False)


def test_f20_a_file_of_the_document_is_complete_with_its_time() -> None:
    text = render(example(), bare=True)
    assert parse(text, bare=True).is_complete
    assert not parse(text.partition("*Last")[0], bare=True).is_complete


def test_r4_02_every_state_has_its_icon_and_only_what_is_completed_is_ticked() -> None:
    tasks = (
        Task(1, "a", status="completed"),
        Task(2, "b", status="in_progress", actor="bo"),
        Task(3, "c", status="skipped"),
        Task(4, "d", status="failed"),
        Task(5, "e"),
    )
    text = render(create_state(c.CreatePlan("plan_x", "g", tasks=tasks)), bare=True)
    assert "- [x] ● a\n- [ ] ◐ b\n- [ ] ⊘ c\n- [ ] ✖ d\n- [ ] ○ e\n" in text
    assert "> **Progress:** 2/5 steps completed\n" in text
    assert "## ◐ Phase: Main Tasks\n" in text


def test_r4_02_phases_have_icons_and_notes() -> None:
    phases = tuple(Phase(name, name.upper()) for name in "abcd")
    tasks = (Task(1, "x", "a", status="completed"), Task(2, "y", "b", status="failed"))
    state = create_state(
        c.CreatePlan("plan_x", "g", phases=phases, tasks=tasks),
        c.EditPhase("b", notes="first\n\nsecond"),
        MarkPhase("d", "in_progress"),
    )
    text = render(state, bare=True)
    assert text.partition("---\n\n")[2].rpartition("---\n")[0] == (
        "## ● Phase: A\n\n- [x] ● x\n\n"
        "## ✖ Phase: B\n\n> first\n>\n> second\n\n- [ ] ✖ y\n\n"
        "## ○ Phase: C\n\n\n"
        "## ◐ Phase: D\n\n\n"
    )


def test_r4_02_what_the_line_cannot_say_stands_below_it() -> None:
    state = small("a", "b")
    execute(
        state,
        (
            c.EditTask(
                2,
                needs=(1,),
                checks=(
                    Check("command", "pytest -q"),
                    Check("command", "file: x"),
                    Check("file", "a.txt ~ ^ok"),
                    Check("person", "looks good"),
                ),
                run="make build",
                files=("src/a,b/**", "x"),
                protect=("tests/**",),
            ),
        ),
        NOW,
    )
    assert (
        "- [ ] ○ **2** b\n"
        "  - needs: 1\n"
        "  - check: pytest -q\n"
        "  - check: command: file: x\n"
        "  - check: file: a.txt ~ ^ok\n"
        "  - check: person: looks good\n"
        "  - run: make build\n"
        "  - files: src/a&#44;b/**, x\n"
        "  - protect: tests/**\n"
    ) in render(state)


def test_r4_02_without_ids_dependencies_are_positions() -> None:
    tasks = (Task(7, "a"), Task(3, "b", needs=(7,)))
    state = create_state(c.CreatePlan("plan_x", "g", tasks=tasks))
    assert "- [ ] ○ b\n  - needs: 1\n" in render(state, bare=True)
    assert "- [ ] ○ **3** b\n  - needs: 7\n" in render(state)


def test_r4_02_a_goal_of_several_lines_is_one_quotation() -> None:
    text = render(create_state(c.CreatePlan("plan_x", "one\n\n  **Progress:** 1/2\nthree ")))
    assert "> **Objective:** one\n>\n>   &#42;*Progress:** 1/2\n> three&#32;\n\n" in text


def test_r4_02_the_time_is_in_utc_with_milliseconds() -> None:
    state = small("a")
    state.updated_at = datetime(2026, 1, 14, 12, 30, 0, 123456, timezone(timedelta(hours=2)))
    assert "*Last updated: 2026-01-14T10:30:00.123Z*\n" in render(state)
    state.updated_at = datetime(2026, 1, 14, tzinfo=UTC)
    assert "*Last updated: 2026-01-14T00:00:00.000Z*\n" in render(state)


def test_r4_02_prose_stands_at_its_places() -> None:
    state = small("a", "b")
    places = ("top", "head", "phase:main", "task:1", "task:2", "end", "after", "task:99", "task:98")
    kept = [Prose(place, (f"at {place}",)) for place in places[:-1]]
    execute(state, (KeepProse((*kept, Prose("task:98", ("",)), Prose("end", ("more",)))),), NOW)
    assert render(state, bare=True) == (
        "at top\n\n# Goal\n\n> **Objective:** Goal\n\n> **Progress:** 0/2 steps completed\n\n"
        "at head\n\n---\n\n"
        "## ○ Phase: Main Tasks\n\nat phase:main\n\n- [ ] ○ a\nat task:1\n- [ ] ○ b\nat task:2\n\n"
        "---\nat end\nmore\nat task:99\n\n*Last updated: 2026-01-14T10:30:00.000Z*\n\nat after\n"
    )


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain 中文 a_b *c* `d` <e> & f", "plain 中文 a_b *c* `d` <e> & f"),
        (" a ", "&#32;a&#32;"),
        ("a\tb\x1b[0m", "a&#9;b&#27;[0m"),
        ("&#45; &amp;", "&#38;#45; &amp;"),
        ("a <!-- t7 -->", "a &#60;!-- t7 -->"),
        ("a <!-- note -->", "a <!-- note -->"),
        ("a\u202eb\u3000c", "a&#8238;b\u3000c"),
    ],
)
def test_a3_only_what_would_be_misread_is_escaped(name: str, written: str) -> None:
    assert f"- [ ] ○ {written}\n" in render(small(name), bare=True)


@pytest.mark.parametrize("word", ["not applied", "not taken in"])  # the second in older plans
def test_r4_02_a_rejected_line_is_left_out_once_the_plan_is_so(word: str) -> None:
    comments = (f"<!-- outlast: {word}: - [x] ● a -->", f"<!-- outlast: {word}: - [ ] ○ a -->")
    state = small("a")
    execute(state, (KeepProse((Prose("task:1", comments),)),), NOW)
    assert comments[0] in render(state)
    assert comments[1] not in render(state)
