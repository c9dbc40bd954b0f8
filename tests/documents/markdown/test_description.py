"""M1, R4.02: the plain lines below a task are its description."""

from __future__ import annotations

import pytest

from outlast.documents.markdown.description import description_lines
from outlast.documents.markdown.parse import parse
from outlast.documents.markdown.render import render
from outlast.documents.markdown.to_plan import prose_of, to_plan
from outlast.model import commands as c
from outlast.model.execute import execute
from outlast.model.model import Phase, Prose, Task
from tests.documents.markdown.plan_texts import NOW, create_state, small
from tests.documents.markdown.test_lossless import assert_lossless


def read(below: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the description and the prose that lines below a task are."""
    item = next(parse(f"## P\n- [ ] a\n{below}\n- [ ] b\n").items())
    return item.description, item.prose


def described(text: str) -> str:
    """Return the lines below a task with this description."""
    state = create_state(c.CreatePlan("plan_x", "g", tasks=(Task(1, "a", description=text),)))
    return render(state).partition("**1** a\n")[2].partition("\n---\n")[0].removesuffix("\n")


@pytest.mark.parametrize(
    ("below", "description"),
    [
        ("  text", "text"),
        ("text", "text"),
        (" text", "text"),
        ("\ttext", "text"),
        ("    code", "  code"),
        ("  one\ntwo\n  three  ", "one\ntwo\nthree"),
        ("  one\n\n\n  two", "one\n\n\ntwo"),
        ("\n  text", "text"),
        ("  - item\n  1. item\n  > q\n  ### Sub\n  ---", "- item\n1. item\n> q\n### Sub\n---"),
        (
            "  - see https://x\n  - colour: red\n  - http://x",
            "- see https://x\n- colour: red\n- http://x",
        ),
        ("  one\n  - run: x\n  two", "one\ntwo"),
        ("  one\n<!-- comment -->\n  two", "one\ntwo"),
        (
            "  ```\n  - [x] fake\n\n  - needs: 1\nleft\n  ```",
            "```\n- [x] fake\n\n- needs: 1\nleft\n```",
        ),
        ("  &#45; [x] fake &amp;", "- [x] fake &amp;"),
    ],
)
def test_m1_plain_lines_below_a_task_are_its_description(below: str, description: str) -> None:
    assert read(below)[0] == description


@pytest.mark.parametrize(
    ("below", "description", "prose"),
    [
        ("\ntext", "", ("", "text")),
        ("  one\n\ntext\n  two", "one", ("", "text", "  two")),
        ("\ntext\n- note", "", ("", "text", "- note")),
        ("> quoted\n<!-- a -->", "", ("> quoted", "<!-- a -->")),
        ("### Sub\n  text", "", ("### Sub", "  text")),
        ("> quoted", "", ("> quoted",)),
        ("* * *", "", ("* * *",)),
        ("```\n  code\n```", "", ("```", "  code", "```")),
        ("  one\n\n```\ncode\n```", "one", ("", "```", "code", "```")),
        ("<!-- a -->\n  <!-- b\n  c -->", "", ("<!-- a -->", "  <!-- b", "  c -->")),
        ("\n<!-- a -->\ntext", "", ("", "<!-- a -->", "text")),
        ("  - chek: x\n  text", "text", ("  - chek: x",)),
        ("<<<<<<< ours", "", ("<<<<<<< ours",)),
        ("  one\n", "one", ("",)),
    ],
)
def test_r4_02_what_markdown_has_outside_of_the_task_stays_prose(
    below: str, description: str, prose: tuple[str, ...]
) -> None:
    assert read(below) == (description, prose)


def test_r4_02_a_description_stands_indented_above_the_other_lines() -> None:
    task = Task(1, "a", description="one\n\n  two", run="make", status="completed", result="done")
    state = create_state(
        c.CreatePlan("plan_x", "g", tasks=(task,)),
        c.KeepProse((Prose("task:1", ("mine", "- mine")),)),
    )
    assert (
        render(state)
        .partition("**1** a\n")[2]
        .startswith("  one\n\n    two\n  - run: make\n  - result: done\nmine\n- mine\n")
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("- [x] fake", "  &#45; [x] fake"),
        ("## P", "  &#35;# P"),
        ("# Heading\n### Sub\n---\n> q", "  # Heading\n  ### Sub\n  ---\n  > q"),
        ("- needs: 1\n- Results: x\n- as: x", "  &#45; needs: 1\n  &#45; Results: x\n  - as: x"),
        ("<!-- x -->\nx <!-- t7 -->", "  &#60;!-- x -->\n  x &#60;!-- t7 -->"),
        ("```\n- [x] fake\n```", "  ```\n  - [x] fake\n  ```"),
        ("```\nnever closed", "  &#96;``\n  never closed"),
        ("\n\na \n", "  &#10;&#10;a &#10;"),
        ("\n", "  &#10;"),
        ("a\tb\r\nc\x1b", "  a\tb&#13;\n  c&#27;"),
        ("*Last updated: 2026-01-14T10:30:00Z*", "  &#42;Last updated: 2026-01-14T10:30:00Z*"),
        ("> **Objective:** x", "  &#62; **Objective:** x"),
    ],
)
def test_a3_a_description_is_escaped_only_where_it_would_be_misread(text: str, lines: str) -> None:
    assert described(text) == lines
    task = Task(1, "a", "p", description=text)
    for more in ((), (Task(2, "b", "p", description=f"{text}\n{text}"),)):
        command = c.CreatePlan("plan_x", "g", phases=(Phase("p", "P"),), tasks=(task, *more))
        assert_lossless(create_state(command), ids=True)
        assert_lossless(create_state(command), ids=False)


def test_a3_a_fence_that_a_person_left_open_is_not_closed_by_a_description() -> None:
    state = small("a", "b", "c")
    execute(state, (c.KeepProse((Prose("task:1", ("- x", "```")),)),), NOW)
    execute(state, (c.EditTask(3, description="```\ncode\n```"),), NOW)
    assert [item.name for item in parse(render(state)).items()] == ["a", "b", "c"]
    assert [item.description for item in parse(render(state)).items()][2] == "```\ncode\n```"


def test_r4_02_the_documents_form_has_no_place_for_descriptions() -> None:
    task = Task(1, "a", description="text", status="completed", result="r", how="assumed")
    text = render(create_state(c.CreatePlan("plan_x", "g", tasks=(task,))), bare=True)
    assert "- [x] ● a\n\n---\n" in text
    document = parse(
        text.replace("● a\n", "● a\nmine\n  - result: x\n  - colour: red\n"), bare=True
    )
    (item,) = document.items()
    assert (item.description, item.result, item.assumed) == (None, None, None)
    assert item.prose == ("mine", "  - result: x", "  - colour: red")
    assert [line.line for line in document.unread] == [13, 14]


def test_m1_a_plan_is_created_with_its_descriptions() -> None:
    document = parse(
        "- [ ] a\n  about a\n\n  more\n\nremark\n- [x] b\n  - status: assumed\n  - result: r\n"
    )
    made = to_plan(document, "plan_x", NOW)
    assert [task.description for task in made.tasks] == ["about a\n\nmore", ""]
    assert (made.tasks[1].result, made.tasks[1].how) == ("r", "assumed")
    assert prose_of(document, made) == (Prose("task:1", ("", "remark")),)


def test_m1_a_description_without_text_has_no_lines() -> None:
    assert description_lines("") == []


@pytest.mark.parametrize(
    ("text", "end", "phases"),
    [
        ("- [ ] a\n\n## Notes\n\nmine\n- more\n", ("## Notes", "", "mine", "- more"), 1),
        ("- [ ] a\n## Notes\nmine\n## Links\n  x\n", ("## Notes", "mine", "## Links", "  x"), 1),
        ("- [ ] a\n## Notes\n- x\n---\n- y\n", ("## Notes", "- x", "---", "- y"), 1),
        ("- [ ] a\n## Notes\nx\n# T\n\n> **Objective:** g\ny\n", ("## Notes", "x", "", "y"), 1),
        ("## Notes\nmine\n", (), 1),
        ("- [ ] a\n## Deploy\n\n", (), 2),
        ("- [ ] a\n## Deploy\n<!-- later -->\n", (), 2),
        ("- [ ] a\n## Deploy\n> notes of the phase\n", (), 2),
        ("- [ ] a\n## ○ Later\nmine\n", (), 2),
        ("- [ ] a\n## Phase: Later\nmine\n", (), 2),
        ("- [ ] a\n## Notes\nmine\n## Next\n- [ ] b\n", (), 3),
    ],
)
def test_r4_02_a_section_of_text_at_the_end_is_no_phase(
    text: str, end: tuple[str, ...], phases: int
) -> None:
    for footer in ("", "\n---\n*Last updated: 2026-01-14T10:30:00.000Z*\n"):
        document = parse(text + footer)
        assert (document.end, len(document.sections)) == (end, phases)
    if end:
        made = to_plan(document, "plan_x", NOW)
        state = create_state(made, c.KeepProse(prose_of(document, made)))
        again = parse(render(state))
        assert (again.end, len(again.sections)) == (end, phases)


def test_r4_02_a_section_of_text_below_the_last_line_stays_there() -> None:
    document = parse("- [ ] a\n\n---\n*Last updated: 2026-01-14T10:30:00.000Z*\n\n## Notes\nmine\n")
    assert (document.after, document.end) == (("## Notes", "mine"), ())
