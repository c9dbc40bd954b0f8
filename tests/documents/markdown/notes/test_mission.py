"""R1.08: `MISSION.md` shows goal, plan with state, decisions with reasons, open questions."""

import pytest

from outlast.documents.markdown.notes import deliverable
from outlast.documents.markdown.notes.mission import render
from outlast.model.commands import NoteDecision, NoteFootprint, RememberRun, Start
from outlast.model.model import LastRun
from tests.making import make_plan, state_of
from tests.orchestrator.report.nights import Night, bad_night


def test_r1_08_a_plan_that_no_agent_worked_on_has_no_mission() -> None:
    plan = make_plan("a")
    plan.complete(1)
    assert render(state_of(plan)) == ""


def test_r1_08_the_mission_has_goal_plan_questions_and_decisions() -> None:
    lines = render(state_of(bad_night().plan)).split("\n")
    assert lines[0] == "# Mission: Ship it"
    assert lines[4:9] == ["## Goal", "", "```text", "Ship it", "by dawn"]
    assert "## Plan (3/6)" in lines
    assert "- [x] 1 parse (proved, codex reports SUCCESS)" in lines
    assert any(line.startswith("- [!] 3 serve (failed, ") for line in lines)
    assert "- [~] 4 deploy (in progress)" in lines
    assert "- [ ] 5 announce (pending)" in lines
    assert "- [-] 6 rest (skipped)" in lines
    assert "**Question 1, about task 4**" in lines
    decisions = [line for line in lines if line.startswith("- Task ")]
    assert decisions[-1] == "- Task 1: try again, by gpt: half of it"
    assert decisions[0].startswith("- Task 3: give up, by human"), "the newest first"


def test_r1_08_the_mission_names_files_that_a_task_changed_beside_its_own() -> None:
    [line] = [
        line
        for line in render(state_of(bad_night().plan)).split("\n")
        if line.startswith("- [!] 3")
    ]
    assert "changed files that it does not name: " in line
    assert ".env, 12 files more" in line.replace("&#8203;", "")


def test_r1_08_a_file_that_another_task_may_have_changed_is_told_so() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    night.do(NoteFootprint(night.work(1, 5), "", "", ("x",), 1, shared=True))
    text = render(state_of(night.plan))
    assert "files changed meanwhile that no task names: x" in text


def test_a1_nothing_in_the_mission_is_taken_for_markdown() -> None:
    text = render(state_of(bad_night().plan))
    outside = "".join(text.split("````")[::2])
    for danger in ("<script", "![", "@team", "#12", "http://", "\x1b", "\u202e"):
        assert danger not in outside
    assert "\x1b" not in text
    assert "<script" in text, "inside a fence it stands as it was written"


def test_r1_08_the_mission_speaks_the_language_of_the_run() -> None:
    night = bad_night()
    night.do(RememberRun(LastRun("m", "agent", "zh", 9)))
    text = render(state_of(night.plan))
    assert text.startswith("# 任务总览：Ship it\n")
    assert "任务 1：重试，由 gpt 决定" in text


@pytest.mark.parametrize("count", [50, 53])
def test_r1_08_only_the_last_decisions_are_shown(count: int) -> None:
    night = Night("a")
    night.plan.add("b", [1])
    night.do(Start("agent", 1))
    attempt = night.begin(1)
    for number in range(count):
        night.do(NoteDecision(attempt, "retry", f"reason {number}", "outlast"))
    lines = render(state_of(night.plan)).split("\n")
    assert sum(line.startswith("- Task 1:") for line in lines) == 50
    assert ("- 3 earlier decisions not shown" in lines) == (count == 53)
    assert "- [ ] 2 b (pending, Needs: 1)" in lines
    assert lines[lines.index("## Open questions") + 2] == "None"


def test_r1_08_a_report_alone_is_a_mission_without_decisions() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    night.work(1, 5)
    lines = render(state_of(night.plan)).split("\n")
    assert lines[lines.index("## Decisions") + 2] == "None"


def test_r1_09_an_aborted_plan_that_agents_worked_on_has_a_summary_too() -> None:
    night = bad_night()
    night.plan.notes.deliver("")
    assert deliverable.render(state_of(night.plan)) == ""
    night.wait(3_600)
    night.plan.abort("enough")
    text = deliverable.render(state_of(night.plan))
    assert text.startswith("# Ship it\n")
    assert "- serve (failed)" in text
    alone = make_plan("a")
    alone.abort("enough")
    assert deliverable.render(state_of(alone)) == "", "nobody waits for a report"
