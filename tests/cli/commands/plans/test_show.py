"""U5: one task can be looked at."""

import re
from pathlib import Path

import pytest

from outlast import Budget, Check, Plan, PlanManager, create_plan, open_plan
from outlast.console.call import Call
from outlast.console.render.task_page import TaskPage
from outlast.errors import StoreError
from outlast.language.columns import text_width
from outlast.model import commands as c
from outlast.model.budget import NOTHING, Spend
from outlast.model.execute import return_commit
from outlast.testing import FixedClock
from tests.cli.processes import json_of, outlast, stdout_of
from tests.cli.terminals import Terminal
from tests.making import make_plan

EN = Call("show", {}, {"lang": "en"})
ZH = Call("show", {}, {"lang": "zh"})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with create_plan(str(tmp_path), "Ship it", "ship", actor="human") as plan:
        plan.add("Read")
        plan.add_phase("Later")
    stdout_of(tmp_path, "add", "Write", "-d", "In euros.\nOne page.", "--needs", "1")
    stdout_of(tmp_path, "edit", "2", "--check", "file: out.txt", "--phase", "Later")
    return tmp_path


def without_times(text: str) -> list[str]:
    return [line.partition("human (mira)  ")[2] or line for line in text.splitlines()]


@pytest.mark.parametrize("command", [(), ("show",)], ids=["outlast", "outlast show"])
def test_u2_a_paused_plan_is_shown_with_the_way_on(
    workspace: Path, command: tuple[str, ...]
) -> None:
    assert "outlast resume" not in stdout_of(workspace, *command)
    stdout_of(workspace, "pause")
    assert stdout_of(workspace, *command).endswith("\nContinue with: outlast resume\n")


def test_u5_a_task_is_shown_in_full(workspace: Path) -> None:
    assert without_times(stdout_of(workspace, "show", "2")) == [
        "○ 2 Write  pending",
        "  phase Later",
        "  description:",
        "    In euros.",
        "    One page.",
        "  needs: ○ 1 Read",
        "  checks:",
        "    ○ file: out.txt",
        "  history:",
        "added",
        "changed (checks); moved",
    ]
    assert "\n  needed by: ○ 2 Write\n" in stdout_of(workspace, "show", "1")
    stdout_of(workspace, "done", "1", "-m", "all of it")
    (workspace / "out.txt").write_text("one")
    stdout_of(workspace, "done", "2", "-m", "first\nsecond")
    shown = stdout_of(workspace, "show", "step_2", "--plan", "ship", "--lang", "zh")
    assert "● 2 Write  已完成、" in shown
    assert "    ✔ file: out.txt  通过\n" in shown
    assert "  说明：\n    In euros.\n    One page.\n  依赖：● 1 Read\n" in shown
    assert "  结果：\n    first\n    second\n" in shown
    assert re.search(r"\n  检查（\d{4}-\d\d-\d\d \d\d:\d\d）：\n", shown)


def test_u5_several_tasks_are_shown_one_after_the_other(workspace: Path) -> None:
    both = stdout_of(workspace, "show", "1", "2")
    first, second = (stdout_of(workspace, "show", number) for number in "12")
    assert both == f"{first}\n{second}"
    answer = json_of(workspace, "show", "2", "1", "2")
    assert [each["task"]["id"] for each in answer["tasks"]] == [2, 1]
    assert answer["plan"]["key"] == "ship"
    done = outlast(workspace, "show", "1", "9")
    assert (done.returncode, done.stderr) == (1, "outlast: There is no task 9; tasks: 1-2\n")


def test_u5_the_checks_of_a_task_that_was_only_started_are_shown(workspace: Path) -> None:
    stdout_of(workspace, "edit", "1", "--check", "echo red; exit 3")
    stdout_of(workspace, "start")
    lines = stdout_of(workspace, "show", "1").splitlines()
    at = lines.index("    ✖ echo red; exit 3  exited with code 3")
    assert lines[at + 1] == "        red"
    assert json_of(workspace, "show", "1")["proof"]["evidence"][0]["says"] == "exit 3"


def test_u5_a_task_is_shown_as_it_was_and_as_json(workspace: Path) -> None:
    assert "checks:" not in stdout_of(workspace, "show", "2", "--at", "r4")
    answer = json_of(workspace, "show", "2")
    assert answer["task"]["description"] == "In euros.\nOne page."
    assert answer["task"]["blocked_by"] == [1]
    assert answer["plan"]["key"] == "ship"
    assert answer["phase"]["title"] == "Later"
    assert answer["needs"] == [{"id": 1, "name": "Read", "status": "pending"}]
    assert answer["proof"] == {"task": 2, "proof": "", "at": None, "evidence": []}
    assert answer["cost"]["tokens"] == 0
    added, changed = answer["history"]
    assert (added["text"], added["author"]) == ("added", "human")
    assert changed["text"] == "changed (checks); moved"
    assert json_of(workspace, "show", "1")["needed_by"][0]["name"] == "Write"


def test_u5_a_task_is_found_by_its_name_and_an_unknown_one_names_those_there_are(
    workspace: Path,
) -> None:
    stdout_of(workspace, "add", "Write again")
    for words in (("write",), ("Write", "again"), ("wRITE AG",), ("读",)):
        shown = outlast(workspace, "show", *words)
        expected = {"write": "○ 2 Write  ", "Write": "○ 3 Write again  ", "wRITE AG": "○ 3 "}
        assert shown.stdout.startswith(expected.get(words[0], ""))
        assert (shown.returncode == 0) == (words[0] in expected)
    for word, hint in (
        ("9", "There is no task 9; tasks: 1-3"),
        ("nothing\x1b", "There is no task nothing\\x1b; tasks: 1-3"),
        ("wr", "2 tasks match “wr”: 2 Write, 3 Write again; use the number"),
    ):
        refused = outlast(workspace, "show", word)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == f"outlast: {hint}\n"


def test_u5_a_task_of_an_archived_plan_is_shown(workspace: Path) -> None:
    with open_plan(workspace, "ship", actor="human") as plan:
        for number in range(12):
            plan.update(2, name=f"Write {number}")
        plan.abort()
    name = json_of(workspace, "archive", "ship")["name"]
    shown = stdout_of(workspace, "show", "2", "--archived", name)
    assert shown.startswith("○ 2 Write 11  pending\n")
    assert f"    (4 more: outlast show 2 --archived {name} --all)\n" in shown
    assert "  added\n" in stdout_of(workspace, "show", "2", "--archived", name, "--all")
    assert json_of(workspace, "show", "2", "--archived", name)["task"]["name"] == "Write 11"


LONG = "Every invoice of the year needs a number, a date and a sum. " * 3
LONG_ZH = "每张发票都要有编号、日期和金额，少一样都不行。" * 5


@pytest.mark.parametrize("columns", [60, 100])
def test_u5_a_page_fits_the_terminal(workspace: Path, columns: int) -> None:
    description = f"{LONG}\n{LONG_ZH}\n{'x' * 150}\n\x1b[2J"
    stdout_of(workspace, "add", f"{LONG[:90]}发票", "-d", description, "--needs", "1,2")
    for language in ("en", "zh"):
        terminal = Terminal(workspace, "show", "3", "--lang", language, columns=columns)
        assert terminal.end() == 0
        lines = terminal.shown.replace("\r", "").splitlines()
        assert max(map(text_width, lines)) <= columns
        assert "".join(line.strip() for line in lines).count(LONG_ZH) == 1
        assert "    \\x1b[2J" in lines
        assert len(lines) > 10


def worked_plan() -> Plan:
    plan = make_plan("a", "b")
    plan.budget.set(Budget(tokens=900))
    plan.budget.set(Budget(tokens=50, model_calls=3), task=1)
    plan.update(1, reasoning="r", run="make", files=["x", "y"], protect=["z"])
    plan.start(1)
    do = plan.core.commit
    do((c.BeginAttempt(1, "think", "3 messages"),), return_commit)
    spent = Spend(model_calls=1, tokens=5, money=0.25, time=1.5)
    do((c.EndAttempt("1#1", "done", spent=spent),), return_commit)
    do((c.BeginAttempt(1, "act", 'bash {"command":"make\\ttest"}'),), return_commit)
    failed = Spend(tool_calls=1, time=2.0)
    do((c.EndAttempt("1#2", "failed", note="exit 2\nline\x1b", spent=failed),), return_commit)
    do((c.BeginAttempt(1, "act", 'fetch {"url":"x"}'),), return_commit)
    do((c.EndAttempt("1#3", "lost", "person", spent=NOTHING),), return_commit)
    do((c.BeginAttempt(1, "act", "fetch"),), return_commit)
    for _ in range(2):
        plan.notes.add_error("bash", "exit 2\nmore")
    plan.notes.add_finding("issue", "The discount", "It is in percent")
    plan.questions.ask("Which?", task=1)
    plan.set_progress(1, 1, 2)
    return plan


def page(plan: Plan, call: Call, task: int, *, whole: bool = False) -> str:
    return TaskPage(plan, call, task, whole=whole).as_text()


def test_u5_what_was_tried_and_what_it_cost_is_shown() -> None:
    plan = worked_plan()
    shown = page(plan, EN, 1)
    for line in ("reasoning: r", "run: make", "files: x, y", "protect: z", "progress: 1/2"):
        assert f"\n  {line}\n" in shown
    used = "1 model call, 5 tokens, $0.2500, 3.5 s, 1 tool call"
    assert f"\n  used: {used}\n  model and tool calls:\n" in shown
    for line in (
        "✔ model call (5 tokens, $0.2500, 1.5 s)",
        "✖ make test (failed, 2.0 s): exit 2",
        "✖ fetch x (lost, settled by a person)",
        "◐ fetch (not ended)",
    ):
        assert f"  {line}\n" in shown
    assert "\n  budget used: 1 of 3 model calls; 5 of 50 tokens\n" in shown
    assert "\n  findings: 1 The discount\n  errors: bash: exit 2 (2 times)\n" in shown
    assert '\n  Question 1: Which?\n    outlast answer 1 "…" --lang en\n' in shown
    assert "由人判定" in page(plan, ZH, 1)
    whole = page(plan, EN, 1, whole=True)
    assert "): exit 2 line\\x1b\n" in whole
    assert "errors: bash: exit 2 more (2 times)\n" in whole
    answer = TaskPage(plan, EN, 1).as_json()
    assert [attempt["outcome"] for attempt in answer["attempts"]] == [
        "done",
        "failed",
        "lost",
        None,
    ]
    assert answer["attempts"][1]["what"] == "make test"
    assert (answer["errors"][0]["count"], answer["findings"][0]["title"]) == (2, "The discount")
    assert (answer["budget"]["tokens"], answer["used"]["tokens"]) == (50, 5)
    assert answer["questions"][0]["text"] == "Which?"
    plan.fail(1, "no luck\x1b")
    assert "\n  error: no luck\\x1b\n  retries: 1/3\n" in page(plan, EN, 1)


def test_u5_what_was_noted_before_and_after_it_was_current_is_another_task_s() -> None:
    plan = make_plan("a", "b")
    plan.notes.add_finding("issue", "Early", "before")
    plan.start(1)
    plan.notes.add_finding("issue", "Now", "meanwhile")
    plan.complete(1, "ok")
    plan.start(2)
    plan.notes.add_error("bash", "late")
    assert "\n  findings: 2 Now\n" in page(plan, EN, 1)
    assert "late" not in page(plan, EN, 1)
    assert "\n  errors: bash: late\n" in page(plan, EN, 2)


def test_u5_the_history_is_in_words_that_people_use() -> None:
    clock = FixedClock()
    plan = make_plan("a", clock=clock)
    plan.start(1)
    clock.advance(90)
    plan.set_progress(1, 1, 2)
    plan.fail(1, "no luck\nat all")
    plan.start(1)
    plan.fail(1, "none at all", retry=False)
    plan.reopen(1)
    plan.skip(1, "not needed")
    assert [words.split("  ")[-1] for words in page(plan, EN, 1).splitlines()[-8:]] == [
        "added",
        "started",
        "progress recorded (1/2)",
        "failed, will be retried (no luck)",
        "started",
        "failed for good (none at all)",
        "reopened",
        "skipped (not needed)",
    ]


def test_u5_the_time_of_a_task_is_shown() -> None:
    clock = FixedClock()
    plan = make_plan("a", "b", clock=clock)
    plan.start(1)
    assert re.search(r"\n  time: since \S+ \S+\n", page(plan, EN, 1))
    clock.advance(90)
    plan.complete(1, "ok")
    assert re.search(r"\n  time: \S+ \S+ → \S+ \S+ \(1 min 30 s\)\n", page(plan, EN, 1))
    plan.complete(2, "ok")
    assert re.search(r"\n  time: \S+ \S+\n", page(plan, EN, 2))


def test_u5_a_claim_is_shown_with_its_end() -> None:
    clock = FixedClock()
    plan = make_plan("a", clock=clock)
    plan.acting_as("ada").claim(1, 60)
    assert "\n  claimed by ada until " in page(plan, EN, 1)
    assert TaskPage(plan, EN, 1).as_json()["claim"]["is_live"] is True
    clock.advance(61)
    assert "\n  claimed by ada, expired " in page(plan, EN, 1)


def test_u5_of_a_long_history_the_newest_part_is_shown() -> None:
    plan = worked_plan()
    for number in range(12):
        plan.update(2, name=f"b{number}")
    lines = page(plan, ZH, 2).splitlines()
    assert "  修改（名称：b10 → b11）" in lines[-1]
    assert "    （另有 3 条：outlast show 2 --all --lang zh）" in lines
    assert len(page(plan, ZH, 2, whole=True).splitlines()) == len(lines) + 2
    plan.update(2, description="\n".join(map(str, range(30))))
    assert "\n    9\n    (20 more: outlast show 2 --all --lang en)\n" in page(plan, EN, 2)
    assert "\n    29\n" in page(plan, EN, 2, whole=True)
    plan.abort()
    plan.initialize("Next", [c.NewTask("other"), c.NewTask("new")])
    assert "b11" not in page(plan, ZH, 2)


def test_m1_a_description_stands_below_its_label_and_checks_without_proof_are_open() -> None:
    plan = make_plan("a")
    plan.add_phase("Later")
    plan.add("z", phase="later", description="one\n\ntwo\x1b\n", checks=[Check("person", "look")])
    shown = page(plan, ZH, 2)
    assert (
        "\n  阶段 Later\n  说明：\n    one\n\n    two\\x1b\n  检查：\n    ○ person: look\n" in shown
    )


def test_u5_a_plan_without_a_past_shows_the_task_alone() -> None:
    with PlanManager(goal="g").plan as plan:
        plan.add("a")
        assert page(plan, EN, 1).splitlines()[0] == "○ 1 a  pending"


class Unreadable(Plan):
    """A plan whose proofs cannot be read."""

    @property
    def checks(self) -> "Unreadable":  # type: ignore[override]
        return self

    def proof(self, _task: int) -> None:
        raise StoreError("proofs_unreadable")


def test_u5_a_task_whose_proof_cannot_be_read_is_shown_with_a_notice() -> None:
    call = Call("show", {}, {"lang": "en"})
    answer = TaskPage(Unreadable(worked_plan().core), call, 1).as_json()
    assert answer["proof"]["proof"] == ""
    assert call.notices == [("proofs_unreadable", {})]
