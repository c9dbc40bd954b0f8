"""R2.10: the dependencies as pictures and words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast import Plan
from outlast.errors import InvalidArgument
from tests.making import make_plan


def diamond() -> Plan:
    plan = make_plan("Open", goal="Buy a keyboard")
    plan.add("Search", [1])
    plan.add("Log in", [1])
    plan.add('Buy "it" <now> #1', [2, 3])
    plan.complete(1)
    plan.start()
    return plan


def test_r2_10_mermaid() -> None:
    assert diamond().graph("mermaid") == (
        "graph TD\n"
        '    t1["1: Open"]:::completed\n'
        '    t2["2: Search"]:::in_progress\n'
        '    t3["3: Log in"]:::pending\n'
        '    t4["4: Buy #quot;it#quot; #lt;now#gt; #35;1"]:::pending\n'
        "    t1 --> t2\n"
        "    t1 --> t3\n"
        "    t2 --> t4\n"
        "    t3 --> t4\n"
        "    classDef pending fill:#eeeeee\n"
        "    classDef in_progress fill:#cfe2ff\n"
        "    classDef completed fill:#d1e7dd\n"
    )


def test_r2_10_dot() -> None:
    plan = make_plan('say "\\"')
    plan.add("b", [1])
    assert plan.graph("dot") == (
        "digraph plan {\n"
        '    node [shape=box, style="rounded,filled"];\n'
        '    t1 [label="1: say \\"\\\\\\"", fillcolor="#eeeeee"];\n'
        '    t2 [label="2: b", fillcolor="#eeeeee"];\n'
        "    t1 -> t2;\n"
        "}\n"
    )


def test_r2_10_ascii_prints_each_task_once() -> None:
    assert diamond().graph("ascii") == (
        '● 1 Open\n├─ ◐ 2 Search\n└─ ○ 3 Log in\n   └─ ○ 4 Buy "it" <now> #1 (needs 2, 3)\n'
    )
    assert "#1（需先完成 2、3）\n" in diamond().graph("ascii", "zh")
    assert make_plan().graph("ascii") == ""


def test_r2_10_ascii_indents_only_so_far() -> None:
    plan = make_plan("t1")
    for number in range(2, 200):
        plan.add(f"t{number}", [number - 1])
    lines = plan.graph("ascii").splitlines()
    assert len(lines) == 199
    assert max(map(len, lines)) < 60
    assert lines[12].startswith(" " * 33 + "└─ ○ 13")
    assert lines[-1] == " " * 33 + "└⋯ ○ 199 t199 (needs 198)"


def test_r2_10_ascii_draws_branches() -> None:
    plan = make_plan("a")
    for name, needs in (("b", [1]), ("c", [2]), ("d", [1]), ("e", [4]), ("f", [4])):
        plan.add(name, needs)
    assert plan.graph("ascii") == (
        "○ 1 a\n├─ ○ 2 b\n│  └─ ○ 3 c\n└─ ○ 4 d\n   ├─ ○ 5 e\n   └─ ○ 6 f\n"
    )


def parents_by_drawing(lines: list[str]) -> dict[int, int]:
    """Follow each branch up to the task that it hangs from; 0 is the margin."""
    parents = {}
    for row, line in enumerate(lines):
        column = next(place for place, mark in enumerate(line) if mark not in "│├└─⋯ ")
        task = int(line[column:].split()[1])
        if "⋯" in line[:column]:
            parents[task] = int(line[line.rindex("(needs ") + 7 : -1].split(", ")[-1])
            continue
        fork, above = column - 3, row - 1
        if fork < 0:
            parents[task] = 0
            continue
        while lines[above][fork] in "├│":  # a gap in the line would end at the wrong task
            above -= 1
        parents[task] = int(lines[above][fork:].split()[1])
    return parents


@given(steps=st.lists(st.integers(0, 3), min_size=1, max_size=40), wide=st.booleans())
def test_r2_10_every_branch_leads_to_a_need(*, steps: list[int], wide: bool) -> None:
    plan = make_plan("t1")
    for number, step in enumerate(steps, 2):
        need = step if wide else number - 1 - step
        plan.add(f"t{number}", [need] if 0 < need < number else [])
    lines = plan.graph("ascii").splitlines()
    needs = {task.id: sum(task.needs) for task in plan.tasks()}
    assert parents_by_drawing(lines) == needs
    for row, line in enumerate(lines[1:], 1):  # └ ends its line, ├ goes on
        for column, mark in enumerate(line[: line.find("○")]):
            if mark in "│├└" and line[column + 1] != "⋯":
                assert lines[row - 1][column] in "├│○"


def test_r2_10_an_unknown_form_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="form: expected one of mermaid, dot, ascii"):
        diamond().graph("png")  # type: ignore[arg-type]


def test_r2_10_the_dependencies_as_a_prompt() -> None:
    plan = diamond()
    plan.complete(2)
    assert plan.graph("words") == (
        "Goal: Buy a keyboard\n"
        "Progress: 2/4\n"
        "1. [completed] Open\n"
        "2. [completed] Search (needs 1)\n"
        "3. [pending] Log in (needs 1)\n"
        '4. [blocked] Buy "it" <now> #1 (needs 2, 3) (waiting for 3)\n'
        "Ready now: 3\n"
    )
    assert plan.graph("words", "zh") == (
        "目标：Buy a keyboard\n"
        "进度：2/4\n"
        "1. [completed] Open\n"
        "2. [completed] Search（需先完成 1）\n"
        "3. [pending] Log in（需先完成 1）\n"
        '4. [blocked] Buy "it" <now> #1（需先完成 2、3）（正在等待 3）\n'
        "现在可以开始：3\n"
    )
    assert make_plan().graph("words").endswith("Ready now: none\n")


def test_r2_10_control_characters_are_spelled_out() -> None:
    plan = make_plan("red \x1b[31m\u202e")
    for form in ("mermaid", "dot", "ascii"):
        assert "\x1b" not in plan.graph(form)
        assert "\\x1b[31m" in plan.graph(form).replace("\\\\", "\\")
    assert "\\x1b[31m\\u202e" in plan.graph("words")


def test_r2_10_parallel_groups_and_critical_path() -> None:
    plan = diamond()
    assert plan.parallel_groups() == ((1,), (2, 3), (4,))
    path = plan.critical_path()
    assert (path[0], path[-1], len(path)) == (1, 4, 3)
    assert plan.parallel_groups() is plan.parallel_groups()
    plan.add("Apart")
    assert plan.parallel_groups() == ((1, 5), (2, 3), (4,))
    assert make_plan().critical_path() == ()


def test_r2_10_in_a_sequence_nothing_runs_side_by_side() -> None:
    plan = make_plan("a", "b", order="sequential")
    assert plan.parallel_groups() == ((1,), (2,))
    assert plan.critical_path() == (1, 2)
