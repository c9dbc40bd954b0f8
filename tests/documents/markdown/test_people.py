"""R4.02: what people write into `task_plan.md` is read as they mean it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from outlast.documents.markdown.merge.three_way import merge
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.rejected import rejection_comment
from outlast.documents.markdown.render import render
from outlast.documents.markdown.to_plan import to_plan
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.model import Phase, Prose, Task
from tests.documents.markdown.plan_texts import (
    NOW,
    apply_edits,
    copy,
    create_state,
    edit_file,
    names,
    prose,
    small,
)

if TYPE_CHECKING:
    from outlast.documents.markdown.merge.edits import MergeResult
    from outlast.model.state import PlanState


def save(state: PlanState, text: str, *, bare: bool = False) -> MergeResult:
    """Apply a whole file; the next rendering must ask for nothing more."""
    found = merge(copy(state), state, parse(text, bare=bare))
    assert apply_edits(state, found) == []
    assert merge(copy(state), state, parse(render(state))).edits == ()
    return found


def reports(found: MergeResult) -> list[tuple[str, object]]:
    return [(report.text, report.details["line"]) for report in found.reports]


def numbered(state: PlanState) -> list[tuple[int, str]]:
    return [(task.id, task.name) for task in state.tasks_in_order()]


@pytest.mark.parametrize(
    ("box", "status"),
    [
        *((box, "completed") for box in ("[x]", "[X]", "[✓]", "[✔]", "[√]", "[v]", "[V]")),
        *((box, "completed") for box in ("\uff3bx\uff3d", "【√】", "[ x ]", "[x ]", "[\uff58]")),
        *((box, "skipped") for box in ("[-]", "[–]")),
        *((box, "in_progress") for box in ("[~]", "[>]", "[/]")),
        *((box, "pending") for box in ("[]", "[  ]", "\uff3b \uff3d")),
    ],
)
def test_r4_02_a_box_means_what_people_mean_by_it(box: str, status: str) -> None:
    for old, new in (("- [ ] ○ **2**", f"- {box} ○ **2**"), ("- [ ] ○ **2** b", f"-{box} b")):
        state = small("a", "b")
        found, refused = edit_file(state, (old, new))
        assert (found.reports, refused, numbered(state)) == ((), [], [(1, "a"), (2, "b")])
        assert state.tasks[2].status == status
    assert render(state).count("** b") == 1


@pytest.mark.parametrize("was", ["pending", "completed", "in_progress"])
def test_r4_02_an_unknown_box_changes_nothing_and_is_put_right(was: str) -> None:
    state = create_state(
        c.CreatePlan("plan_x", "g", tasks=(Task(1, "a", status=was, actor="bo"),))  # type: ignore[arg-type]
    )
    text = render(state)
    box = "- [x]" if was == "completed" else "- [ ]"
    found = save(state, text.replace(box, "- [?]"))
    assert (reports(found), found.edits) == ([("task_plan_box", 11)], ())
    assert render(state) == text


@pytest.mark.parametrize(
    "line", ["- ○ **2** b", "[ ] ○ **2** b", "○ **2** b", "* **2** b", "- [ ] **2.** b", "1. ○ b"]
)
def test_r4_02_a_line_that_lost_a_part_is_still_its_task(line: str) -> None:
    state = small("a", "b", "c")
    found = save(state, render(state).replace("- [ ] ○ **2** b", line))
    assert (found.edits, found.reports) == ((), ())


@pytest.mark.parametrize(
    "line",
    ["○ **2** ~~b~~", "~~○ **2** b~~", "**2** ~~b~~", "~~**2** b~~", "~~b~~", "○ ~~**2** b~~"],
)
def test_r4_02_a_struck_task_is_skipped(line: str) -> None:
    state = small("a", "b")
    found = save(state, render(state).replace("○ **2** b", line))
    assert (numbered(state), found.reports) == ([(1, "a"), (2, "b")], ())
    assert state.tasks[2].status == "skipped"


def test_r4_02_a_struck_task_with_a_tick_is_done() -> None:
    state = small("a")
    edit_file(state, ("- [ ] ○ **1** a", "- [x] ○ **1** ~~a~~"))
    assert (state.tasks[1].name, state.tasks[1].status) == ("a", "completed")
    edit_file(state, ("**1** a", "**1** ~~a~~"))
    assert (state.tasks[1].name, state.tasks[1].status) == ("a", "completed")


@pytest.mark.parametrize("line", ["- [ ] ○ **2**", "- [x] ○ **2** ", f"- [ ] **2** {'x' * 1001}"])
def test_r4_02_a_name_that_is_being_typed_is_no_name_yet(line: str) -> None:
    state = small("a", "b")
    found = save(state, render(state).replace("- [ ] ○ **2** b", line))
    assert reports(found) == [("task_plan_name", 12)]
    assert numbered(state) == [(1, "a"), (2, "b")]
    assert (state.tasks[2].status == "completed") == ("[x]" in line)


def test_r4_02_a_number_without_a_name_is_the_name_of_a_new_task() -> None:
    state = small("a")
    save(state, render(state).replace("**1** a\n", "**1** a\n- [ ] **7**\n"))
    assert numbered(state) == [(1, "a"), (2, "7")]
    assert to_plan(parse("- [ ] **7**\n"), "plan_x", NOW).tasks[0].name == "7"


@pytest.mark.parametrize("arrow", ["→", "->"])
def test_r4_02_a_tick_may_tell_the_result_behind_an_arrow(arrow: str) -> None:
    for line in ("○ **1** Ask Kim", "Ask Kim"):
        state = small("Ask Kim", "b")
        edit_file(state, ("[ ] ○ **1** Ask Kim", f"[x] {line} {arrow} she agrees {arrow} good"))
        task = state.tasks[1]
        assert (task.name, task.status) == ("Ask Kim", "completed")
        assert task.result == f"she agrees {arrow} good"
    edit_file(state, ("Ask Kim", "Ask Kim → she does not"))
    assert (task.name, state.tasks[1].result) == ("Ask Kim", "she does not")
    edit_file(state, ("Ask Kim", "Ask Lee → he does"))
    assert (state.tasks[1].name, state.tasks[1].result) == ("Ask Lee", "he does")


def test_r4_02_an_arrow_may_be_a_part_of_a_name() -> None:
    state = small("Move v1 → v2", "b", "c")
    edit_file(state, ("[ ] ○ **1**", "[x] ○ **1**"), ("**2** b", "**2** b → d"))
    assert (names(state), state.tasks[1].result) == (["Move v1 → v2", "b → d", "c"], None)
    edit_file(state, ("v1 → v2", "v1 → v3"))
    assert names(state)[0] == "Move v1 → v3"
    edit_file(state, ("v1 → v3", "v1 → v3 → all moved"), ("**3** c\n", "**3** c\n- [x] e → f\n"))
    assert names(state) == ["Move v1 → v3", "b → d", "c", "e → f"]
    assert state.tasks[1].result == "all moved"


@pytest.mark.parametrize("line", ["- Roof", "* Roof", "1. Roof", "2) Roof", " - Roof", "\n- Roof"])
def test_r4_02_a_plain_bullet_below_a_task_is_a_task(line: str) -> None:
    state = small("a", "b")
    found = save(state, render(state).replace("**1** a\n", f"**1** a\n  about a\n{line}\n  high\n"))
    assert (numbered(state), found.reports) == ([(1, "a"), (3, "Roof"), (2, "b")], ())
    assert [state.tasks[n].description for n in (1, 3)] == ["about a", "high"]


@pytest.mark.parametrize("line", ["- needs: 2", "- result: ok", "- run\uff1ax", "- 依赖\uff1a2"])
def test_r4_02_a_keyword_that_is_not_indented_is_no_task_and_reported(line: str) -> None:
    state = small("a", "b")
    found = save(state, render(state).replace("**1** a\n", f"**1** a\n{line}\n"))
    assert (names(state), reports(found)) == (["a", "b"], [("task_plan_line", 12)])
    save(state, render(state).replace("**2** b\n", "**2** b\n- Runs: 10 km\n"))
    assert names(state) == ["a", "b", "Runs: 10 km"]


def test_r4_02_plain_bullets_below_a_heading_are_tasks() -> None:
    state = small("a")
    text = render(state).replace("\n---\n*", "## Phase: Later\n> soon\n\n- x\n- ~~y~~\n\n---\n*")
    save(state, text)
    assert [(task.name, task.status, task.phase) for task in state.tasks_in_order()][1:] == [
        ("x", "pending", "later"),
        ("y", "skipped", "later"),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "\nMind:\n- x\n- y\n",
        "\n<!-- -->\n- x\n",
        "\n* * *\n",
        "\n- [\n",
        "\n- [x\n",
        "\n- check: x\n",
        "\n### Sub\n1. x\n",
    ],
)
def test_r4_02_bullets_below_text_are_a_part_of_it(lines: str) -> None:
    state = small("a", "b")
    save(state, render(state).replace("**1** a\n", f"**1** a\n{lines}"))
    assert names(state) == ["a", "b"]
    assert lines.strip() in render(state)


def test_r4_02_bullets_of_another_document_are_no_tasks() -> None:
    text = "# R\n\n- top\n\n## Features\n\n- fast\n\n## To do\n\n- [ ] fix\n\n## Notes\n\n- mine\n"
    assert [task.name for task in to_plan(parse(text), "plan_x", NOW).tasks] == ["fix"]


@pytest.mark.parametrize("anchor", ["task:1", "phase:main", "head", "end", "after"])
@pytest.mark.parametrize("notes", ["", "about it"])
@pytest.mark.parametrize("first", ["- x", "> q", "<!-- c -->", "1. x"])
def test_r4_02_bullets_that_a_plan_keeps_as_prose_stay_prose(
    anchor: str, notes: str, first: str
) -> None:
    state = create_state(
        c.CreatePlan("plan_x", "g", phases=(Phase("main", "M", notes),), tasks=(Task(1, "a"),)),
        prose(first, "- y", anchor=anchor),
    )
    found = save(state, render(state))
    assert (found.edits, found.prose) == ((), (Prose(anchor, (first, "- y")),))


def test_r4_02_an_indented_task_is_a_task_and_that_is_told() -> None:
    state = small("a", "b", "c")
    text = render(state).replace("- [ ] ○ **2**", "    - [ ] ○ **2**")
    found = save(state, text.replace("**3** c\n", "**3** c\n\t- [x] d\n  - e\n"))
    assert reports(found) == [("task_plan_nested", 12), ("task_plan_nested", 14)]
    assert numbered(state) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    assert state.tasks[4].description == "- e"
    assert parse(render(state)).unread == ()


def test_r4_02_new_tasks_may_have_numbers_and_others_may_need_them() -> None:
    state = small("a", "b")
    added = "- [ ] **3** c\n  - needs: 4, **1**\n- [ ] ○ **4** d\n"
    found = save(state, render(state).replace("**2** b\n", f"**2** b\n{added}"))
    assert (numbered(state)[2:], found.reports) == ([(3, "c"), (4, "d")], ())
    assert state.tasks[3].needs == (4, 1)
    found = save(state, render(state).replace("**4** d\n", "**4** d\n- [ ] **9** e\n"))
    assert (numbered(state)[4:], reports(found)) == ([(5, "e")], [("task_plan_id_unknown", 16)])


def test_r4_02_renumbered_tasks_are_known_by_their_names() -> None:
    state = small("a", "b", "c")
    execute(state, (c.EditTask(3, needs=(2,)), c.Complete(2, "bo", "done")), NOW)
    head, _, rest = render(state).partition("- [ ] ○ **1** a\n")
    foot = rest[rest.index("\n---\n") :]
    lines = (
        "- [ ] ○ **1** a\n- [ ] **2** new\n- [x] ● **3** b\n  - result: done\n"
        "- [ ] ○ **4** c\n  - needs: 2, 3\n"
    )
    found = save(state, head + lines + foot)
    assert (numbered(state), found.reports) == ([(1, "a"), (4, "new"), (2, "b"), (3, "c")], ())
    assert (state.tasks[3].needs, state.tasks[2].status) == ((4, 2), "completed")


def test_r4_02_numbers_that_are_swapped_deleted_or_doubled() -> None:
    state = small("Walls", "Roof", "Paint")
    text = render(state)
    swapped = text.replace("**1**", "**0**").replace("**2**", "**1**").replace("**0**", "**2**")
    assert save(state, swapped).edits == ()
    deleted = text.replace("**1** ", "").replace("**2** ", "").replace("**3** ", "")
    assert save(state, deleted).edits == ()
    found = save(state, text.replace("**2** Roof\n", "**2** Roof\n- [ ] ○ **2** Gutter\n"))
    assert reports(found) == [("task_plan_id_twice", 13)]
    assert numbered(state) == [(1, "Walls"), (2, "Roof"), (4, "Gutter"), (3, "Paint")]
    save(state, render(state).replace("- [ ] ○ **4** Gutter\n", "").replace("**3**", "**4**"))
    assert numbered(state) == [(1, "Walls"), (2, "Roof"), (3, "Paint")]


def test_r4_02_a_renamed_task_is_known_by_its_number() -> None:
    state = small("a", "b")
    save(state, render(state).replace("**1** a", "**1** 7 things").replace("**2** b", "**2** d"))
    assert numbered(state) == [(1, "7 things"), (2, "d")]
    save(state, render(state).replace("**1** 7 things", "**1** 1. 7 things, **2** more"))
    assert numbered(state) == [(1, "1. 7 things, **2** more"), (2, "d")]


@pytest.mark.parametrize("block", ["```\n{}\n```", "<!--\n{}\n-->", "<!-- {} -->"])
def test_f7_a_numbered_line_in_a_comment_is_not_deleted(block: str) -> None:
    state = small("a", "b")
    line = "- [ ] ○ **2** b"
    found, _ = edit_file(state, (line, block.format(line.replace("b", "better"))))
    assert reports(found) == [("task_plan_hidden", 0)]
    assert names(state) == ["a", "b"]


def test_f17_the_ids_of_older_files_are_still_read() -> None:
    state = small("a", "b")
    older = render(state).replace("**2** b", "c <!-- t2 -->").replace("**1** a", "a <!-- t1 -->")
    save(state, older)
    assert numbered(state) == [(1, "a"), (2, "c")]


def test_f7_a_refused_line_whose_box_and_icon_disagree_stays_as_a_comment() -> None:
    comments = [rejection_comment(f"- {box} a") for box in ("[ ] ●", "[x] ○", "[✓]")]
    state = create_state(
        c.CreatePlan("plan_x", "g", tasks=(Task(1, "a", status="completed"),)),
        prose(*comments, anchor="task:1"),
    )
    assert [comment in render(state) for comment in comments] == [True, False, False]
