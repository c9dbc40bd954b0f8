"""R4.02: what people write by hand, and what other programs write, is understood."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.documents.markdown.to_plan import prose_of, to_plan
from outlast.errors import CircularDependency, InvalidDocument
from outlast.model.commands import KeepProse
from outlast.model.model import PERSON, Check
from tests.documents.markdown.plan_texts import NOW, create_state, lines, visible_plan
from tests.documents.markdown.test_render import EXAMPLE


def tasks(text: str) -> list[tuple[Any, ...]]:
    """Return id, name and state of the tasks in a file."""
    made = to_plan(parse(text), "plan_x", NOW)
    return [(task.id, task.name, task.status) for task in made.tasks]


def names(text: str) -> list[str]:
    return [item.name for item in parse(text).items()]


def unread_lines(text: str) -> list[int]:
    return [one.line for one in parse(text).unread]


def test_r4_02_the_documents_example_is_read() -> None:
    made = to_plan(parse(EXAMPLE), "plan_x", NOW)
    assert (made.title, made.goal) == (
        "UserService 缓存重构",
        "Task objectives extracted from todos",
    )
    assert (made.order, made.next_id, made.begun) == ("sequential", 6, False)
    assert [(phase.id, phase.title) for phase in made.phases] == [("main", "Main Tasks")]
    assert tasks(EXAMPLE)[4] == (5, "编写测试", "pending")
    assert prose_of(parse(EXAMPLE), made) == ()


def test_r4_02_a_plain_checklist_is_a_plan() -> None:
    text = "Shopping\n\n* [ ] milk\n+ [X]  eggs  \n1. [x] bread\n2) [ ] salt"
    assert tasks(text) == [
        (1, "milk", "pending"),
        (2, "eggs", "completed"),
        (3, "bread", "completed"),
        (4, "salt", "pending"),
    ]
    made = to_plan(parse(text), "plan_x", NOW)
    assert (made.goal, made.title, made.begun, made.phases[0].id) == ("", None, True, "main")
    assert [(p.anchor, p.lines) for p in prose_of(parse(text), made)] == [("top", ("Shopping",))]


def test_r4_02_an_empty_file_is_an_empty_plan() -> None:
    made = to_plan(parse(""), "plan_x", NOW)
    assert (made.tasks, [phase.id for phase in made.phases], made.next_id) == ((), ["main"], 1)
    assert create_state(made).status == "idle"


def test_r4_02_phases_are_headings_with_or_without_icon_and_word() -> None:
    text = (
        "# T\n## One\n- [ ] a\n## ● Two\n> n1\n>n2\n- [ ] b\n"
        "##   Phase:  Three\n## ✖\ufe0f Phase: One\n"
    )
    made = to_plan(parse(text), "plan_x", NOW)
    assert [(phase.id, phase.title, phase.notes) for phase in made.phases] == [
        ("one", "One", ""),
        ("two", "Two", "n1\nn2"),
        ("three", "Three", ""),
        ("one-2", "One", ""),
    ]
    assert [(task.name, task.phase) for task in made.tasks] == [("a", "one"), ("b", "two")]


def test_r4_02_tasks_above_the_first_heading_are_in_the_main_phase() -> None:
    made = to_plan(parse("- [ ] a\n## Main Tasks\n- [ ] b\n"), "plan_x", NOW)
    assert [(task.name, task.phase) for task in made.tasks] == [("a", "main"), ("b", "main-tasks")]


def test_r4_02_nested_items_are_tasks_like_the_others() -> None:
    text = "- [ ] a\n  - [ ] b\n    * [x] ◐ c\n\t- [ ] d\n"
    assert names(text) == ["a", "b", "c", "d"]


def test_r4_02_icons_and_boxes_without_a_base() -> None:
    text = "- [ ] ○ a\n- [ ] ◐ b\n- [x] ● c\n- [ ] ⊘ d\n- [ ] ✖ e\n- [x] ○ f\n- [ ] ● g\n- [x] h\n"
    found = [task.status for task in to_plan(parse(text), "plan_x", NOW).tasks]
    assert found == [
        *("pending", "in_progress", "completed", "skipped", "failed"),
        *("completed", "pending", "completed"),
    ]
    state = create_state(to_plan(parse(text), "plan_x", NOW))
    assert [state.tasks[n].actor for n in (1, 2, 3, 4)] == ["", PERSON, PERSON, ""]
    assert (state.tasks[2].started_at, state.tasks[3].how) == (NOW, "reported")


def test_r4_02_the_indented_lines_are_read() -> None:
    text = (
        "- [ ] a\n- [ ] b\n"
        "  - needs: 1\n  - check: pytest -q\n  * Check:   file: x ~ y\n\t- check: person: ok?\n"
        "  - run: make\n  - files: a, b ,\n  - files: c\n  - protect: tests/**\n"
    )
    item = [*parse(text).items()][1]
    assert item.needs == ("1",)
    assert item.checks == (
        Check("command", "pytest -q"),
        Check("file", "x ~ y"),
        Check("person", "ok?"),
    )
    assert (item.run, item.files, item.protect) == ("make", ("a", "b", "c"), ("tests/**",))
    at = {"needs": (3,), "check": (4, 5, 6), "run": (7,), "files": (8, 9), "protect": (10,)}
    assert item.at == at


def test_r4_02_a_dependency_is_a_position_an_id_or_a_name() -> None:
    plain = (
        "- [ ] a\n- [ ] b\n  - needs: 1\n- [ ] c\n  - needs: b, #1\n"
        "- [ ] d, e\n- [ ] f\n  - needs: d, e\n"
    )
    made = to_plan(parse(plain), "plan_x", NOW).tasks
    assert [task.needs for task in made] == [(), (1,), (2, 1), (), (4,)]
    with_ids = "- [ ] **7** a\n- [ ] **3** b\n  - needs: 7\n- [ ] c\n  - needs: b\n"
    made = to_plan(parse(with_ids), "plan_x", NOW).tasks
    assert [(task.id, task.needs) for task in made] == [(7, ()), (3, (7,)), (8, (3,))]


@pytest.mark.parametrize(
    "line",
    [
        *("needs: 1, 2", "after: 1, 2", "depends on: 1, 2", "依赖: 1, 2", "Needs: **1**,#2"),
        *(
            "needs\uff1a1\uff0c2",
            "After\uff1a1、2",
            "Depends On\uff1aa\uff0c b",
            "依赖\uff1a1、2, a",
        ),
    ],
)
def test_r4_02_dependencies_are_read_under_each_word_for_them(line: str) -> None:
    text = f"- [ ] a\n- [ ] b\n- [ ] c\n  - {line}\n"
    assert to_plan(parse(text), "plan_x", NOW).tasks[2].needs == (1, 2)
    assert [*parse(text).items()][2].at == {"needs": (4,)}
    assert unread_lines(text) == []


def test_r4_02_a_name_with_a_chinese_comma_is_found_before_its_parts() -> None:
    text = "- [ ] 甲\n- [ ] 乙\n- [ ] 甲、乙\n- [ ] d\n  - needs: {}\n"
    for words, needs in (("甲、乙", (3,)), ("乙、甲", (2, 1)), ("3, 乙\uff0c甲、", (3, 2, 1))):
        assert to_plan(parse(text.format(words)), "plan_x", NOW).tasks[3].needs == needs
    with pytest.raises(InvalidDocument) as caught:
        to_plan(parse(text.format("甲、丙")), "plan_x", NOW)
    assert caught.value.details["task_id"] == "丙"


def test_r4_02_keywords_may_end_in_a_wide_colon() -> None:
    assert unread_lines("- [ ] a\n  - files\uff1a\n") == [2]
    (item,) = parse("- [ ] a\n  - run\uff1amake all\n  - files\uff1aa、b\uff0cc, d\n").items()
    assert (item.run, item.files) == ("make all", ("a", "b", "c", "d"))
    for line in ("  - 备注\uff1ax", "  - phone: 123", "  - phone\uff1a123", "  - it depends on: x"):
        text = f"- [ ] a\n{line}\n"
        assert unread_lines(text) == []
        assert [item.description for item in parse(text).items()] == [line[2:]]


def test_m2_needs_with_nothing_behind_it_says_that_a_task_needs_nothing() -> None:
    for line in ("  - needs:", "  - 依赖\uff1a"):
        text = f"- [ ] a\n- [ ] b\n{line}\n"
        assert unread_lines(text) == []
        _, item = parse(text).items()
        assert item.needs_by_line == {3: ()}
        assert to_plan(parse(text), "plan_x", NOW).tasks[1].needs == ()


@pytest.mark.parametrize(
    "words", ["9", "0", "nobody", "same", "99999999999999999", "1, same", "a, nobody"]
)
def test_r4_02_a_dependency_on_an_unknown_task_is_refused_with_its_line(words: str) -> None:
    text = f"- [ ] a\n- [ ] same\n- [ ] same\n- [ ] b\n  - run: x\n  - needs: {words}\n"
    with pytest.raises(InvalidDocument) as caught:
        to_plan(parse(text), "plan_x", NOW)
    assert caught.value.details["where"] == "line 6"


def test_r4_02_a_number_may_also_be_a_name() -> None:
    text = "- [ ] 7\n- [ ] **3** b\n  - needs: 7\n- [ ] 3\n- [ ] d\n  - needs: 3\n"
    found = to_plan(parse(text), "plan_x", NOW).tasks
    assert [(task.id, task.needs) for task in found] == [(4, ()), (3, (4,)), (5, ()), (6, (3,))]


def test_m2_a_plan_in_which_a_task_waits_for_a_later_one_is_no_sequence() -> None:
    made = to_plan(parse("- [ ] a\n  - needs: 2\n- [ ] b\n"), "plan_x", NOW)
    assert made.order == "graph"
    assert create_state(made).ready_tasks() == [2]
    with pytest.raises(CircularDependency):
        create_state(to_plan(parse("- [ ] a\n  - needs: 1\n"), "plan_x", NOW))


def test_r4_02_of_a_repeated_id_the_first_line_keeps_it() -> None:
    ids = (2, 2, 2**53, 0)
    text = "".join(f"- [ ] **{n}** {name}\n" for name, n in zip("abcd", ids, strict=True))
    assert [task[:2] for task in tasks(text)] == [(2, "a"), (3, "b"), (4, "c"), (5, "d")]


def test_r4_02_code_and_comments_say_nothing() -> None:
    text = (
        "- [ ] a\n```md\n- [ ] no\n## No\n```\n~~~~\n- [ ] no\n~~~\n~~~~~\n- [ ] b\n"
        "<!--\n- [ ] no\n-->\n<!-- - [ ] no -->\n<!-->\n- [ ] c\n  ```\n  - run: no\n  ```\n"
    )
    document = parse(text)
    assert names(text) == ["a", "b", "c"]
    assert [item.run for item in document.items()] == ["", "", ""]
    assert (unread_lines(text), len(document.sections)) == ([], 1)


@pytest.mark.parametrize("opening", ["```", "~~~", "<!-- never", "```x```"])
def test_r4_02_what_is_never_closed_hides_nothing(opening: str) -> None:
    text = (
        f"- [ ] a\n{opening}\n- [ ] b\n{opening}\n- [ ] c\n"
        if "x" in opening
        else f"- [ ] a\n{opening}\n- [ ] b\n- [ ] c\n"
    )
    document = parse(text)
    assert names(text) == ["a", "b", "c"]
    assert [(one.line, one.why) for one in document.unread] == (
        [] if "x" in opening else [(2, "task_plan_unclosed")]
    )
    made = to_plan(document, "plan_x", NOW)
    again = parse(render(create_state(made, KeepProse(prose_of(document, made)))))
    assert [(item.name, item.prose) for item in again.items()] == [
        (item.name, item.prose) for item in document.items()
    ]


def test_r4_02_fences_that_are_never_closed_are_searched_once() -> None:
    text = "".join("`" * n + "a\n<!-- x\n" for n in (*range(400, 3, -1), 4, 5)) + "- [ ] a\n"
    assert names(text) == ["a"]
    assert len(parse(text).unread) == 2 * 399


@pytest.mark.parametrize(
    "line",
    [
        *("- [y] a", "- [ ]", "- [ ] ○ ", "- [ ] ", "- [ ] " + "a" * 1001),
        *(
            "##",
            "## ○ Phase:",
            "##Phase: x",
            "## " + "a" * 1001,
            "- needs: 1",
            "  - chek: x",
            "  - Results: x",
        ),
        *("  - status: done", "  - status:", "  - result: " + "a" * 65537),
        *("  - check:", "  - check: person:", "  - run:", "  - files: ,"),
        *("  - run: " + "a" * 1001, "  - files: a, " + "a" * 1001, "- [ ] a\x0cb"),
    ],
)
def test_r4_02_a_line_that_cannot_be_understood_is_reported_and_kept(line: str) -> None:
    text = f"# T\n\n## P\n- [ ] a\n{line}\n- [ ] b\n"
    document = parse(text)
    assert unread_lines(text) == [5]
    assert document.unread[0].text == line
    assert [(item.name, item.prose) for item in document.items()] == [("a", (line,)), ("b", ())]


def test_r4_02_a_second_run_line_and_orphans_are_reported() -> None:
    assert unread_lines("- [ ] a\n  - run: x\n  - run: y\n") == [3]
    assert unread_lines("## P\n  - run: x\n  - colour: red\n") == [2]


@pytest.mark.parametrize("line", ["### Sub", "> q", "---"])
def test_r4_02_ordinary_prose_is_kept_and_not_reported(line: str) -> None:
    text = f"## P\n- [ ] a\n{line}\n- [ ] b\n"
    assert unread_lines(text) == []
    assert next(parse(text).items()).prose == (line,)


def test_r4_02_the_places_of_prose() -> None:
    text = (
        "---\nfront: matter\n---\n# Other\ntext\n# T\n\n> **Objective:** g\n> more\nhead 1\n\n"
        "> **Progress:** 0/1 steps completed\n> quoted\n---\nhead 2\n\n---\n\n"
        "## P\n> notes\n\n> no notes\n\n"
        "- [ ] a\n\nbelow\n\n---\n\n## Q\n\n---\nend\n*Last updated: 2026-01-14T10:30:00.000Z*\n"
        "<!-- outlast r7 -->\n\nafter\n"
    )
    document = parse(text)
    assert (document.title, document.goal, document.revision) == ("T", "g\nmore", 7)
    assert document.top == ("---", "front: matter", "---", "# Other", "text")
    assert document.head == ("head 1", "", "> quoted", "---", "head 2")
    assert [(s.notes, s.prose) for s in document.sections] == [("notes", ("> no notes",)), ("", ())]
    assert next(document.items()).prose == ("", "below", "", "---")
    assert (document.end, document.after) == (("end",), ("after",))
    assert document.at == {"title": 6, "goal": 8}


def test_r4_02_lines_below_the_last_one_are_tasks_and_phases_too() -> None:
    document = parse(EXAMPLE + "- [ ] more\nnote\n## New\n- [ ] last\n")
    assert [len(section.items) for section in document.sections] == [6, 1]
    assert [*document.items()][5].description == "note"
    assert document.after == ()


def test_r4_02_a_file_without_a_title_or_a_goal() -> None:
    assert to_plan(parse("# Only\n"), "plan_x", NOW).goal == "Only"
    made = to_plan(parse("> **Objective:** g\nprose\n\n---\n- [ ] a\n"), "plan_x", NOW)
    assert (made.title, made.goal) == (None, "g")
    assert parse("> **Objective:** g\nprose\n\n---\n- [ ] a\n").head == ("prose",)
    late = parse("## P\n- [ ] a\n# Late\n\n> **Objective:** g\n")
    assert (late.title, late.goal) == ("Late", "g")
    assert parse("## P\n- [ ] a\n# Late\n").title is None
    assert parse(f"# {'a' * 1001}\n").top == (f"# {'a' * 1001}",)
    assert parse("#\n\n- [ ] a\n").title == ""


def test_r4_02_line_ends_and_marks_do_not_matter() -> None:
    twin = parse(EXAMPLE)
    for other in (
        EXAMPLE.replace("\n", "\r\n"),
        EXAMPLE.replace("\n", "\r"),
        "\ufeff" + EXAMPLE,
        EXAMPLE.removesuffix("\n"),
        EXAMPLE.replace("缓存策略\n", "缓存策略  \t\n"),
    ):
        found = parse(other)
        assert to_plan(found, "plan_x", NOW) == to_plan(twin, "plan_x", NOW)
        assert (found.unread, found.end, found.after) == ((), (), ())


def test_r4_02_ids_in_code_are_known_to_be_hidden() -> None:
    assert parse("```\n- [ ] **4** a\n```\n<!-- - [ ] ○ **5** x -->\n").hidden == {4, 5}


def test_a3_references_to_no_character_are_left_alone() -> None:
    assert names("- [ ] &#1114112; &#55296; &#65; &#x41; &amp;\n") == [
        "&#1114112; &#55296; A &#x41; &amp;"
    ]


_odd = st.one_of(
    lines,
    st.sampled_from(
        [
            *("", "# T", "## P", "- [ ] a", "- [x] **2** b", "  - needs: 1", "```", "<!--", "-->"),
            *(
                "> **Objective:** g",
                "> q",
                "> **Progress:** 1/2 steps completed",
                "---",
                "<!-- -->",
                ">",
            ),
            *(
                "*Last updated: 2026-01-14T10:30:00.000Z*",
                "<!-- outlast r3 -->",
                "  - run: x",
                "text",
                "  text",
                "  ```",
                "- note",
                "  - result: r",
                "## ○ Phase: Q",
            ),
        ]
    ),
)


@given(st.lists(st.tuples(_odd, st.booleans()), max_size=14))
def test_r4_02_no_line_is_lost_and_the_second_reading_is_like_the_first(
    found: list[tuple[str, bool]],
) -> None:
    marked = [f"{line}\nmark {n}" if mark else line for n, (line, mark) in enumerate(found)]
    document = parse("\n".join(marked))
    try:
        made = to_plan(document, "plan_x", NOW)
        state = create_state(made, KeepProse(prose_of(document, made)))
    except (InvalidDocument, CircularDependency):
        return
    written = render(state)
    for n, (_, mark) in enumerate(found):
        assert not mark or re.search(rf"^ *mark {n}$", written, re.MULTILINE)
    if any(one.why == "task_plan_unclosed" for one in document.unread):
        return  # what ends it may come with lines that are put together
    again = parse(written)
    plan = to_plan(again, "plan_x", NOW + timedelta(1))
    assert visible_plan(create_state(plan)) == visible_plan(state)
    assert prose_of(again, plan) == state.notes.prose
    assert again.revision == state.revision


def test_m7_when_a_plan_was_changed_last_is_read_from_the_file() -> None:
    text = "# Plan\n\n- [ ] ○ one\n\n---\n*Last updated: 2026-01-14T10:30:00.000Z*\n"
    made = to_plan(parse(text), "plan_1", NOW)
    assert made.updated_at == made.created_at == datetime(2026, 1, 14, 10, 30, tzinfo=UTC)
    assert to_plan(parse(text.replace("01-14", "99-99")), "plan_1", NOW).updated_at is None
    assert to_plan(parse("- [ ] one\n"), "plan_1", NOW).updated_at is None


def test_m7_the_largest_id_of_a_file_leaves_room_for_later_ones() -> None:
    largest = 2**52 - 1
    text = "# Plan\n\n- [ ] ○ **{}** a\n- [ ] ○ **3** b\n"
    assert [one[0] for one in tasks(text.format(largest))] == [largest, 3]
    assert [one[0] for one in tasks(text.format(largest + 1))] == [4, 3], "it is no id"
