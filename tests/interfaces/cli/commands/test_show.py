"""U5: one task can be looked at."""

from pathlib import Path

import pytest

from outlast import Budget, Check, Plan, PlanManager, create_plan
from outlast.domain import commands as c
from outlast.domain.budget import Spend
from outlast.domain.execute import return_commit
from outlast.errors import StoreError
from outlast.interfaces.cli.call import Call
from outlast.interfaces.cli.render.task_page import task_page, task_page_json
from tests.interfaces.cli.processes import json_of, outlast, stdout_of
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
    return [line.partition("human  ")[2] or line for line in text.splitlines()]


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
        "",
        "changed 2 Write (checks); moved 2 Write",
        "added 2 Write",
    ]
    stdout_of(workspace, "done", "1", "-m", "all of it")
    (workspace / "out.txt").write_text("one")
    stdout_of(workspace, "done", "2")
    shown = stdout_of(workspace, "show", "step_2", "--plan", "ship", "--lang", "zh")
    assert "● 2 Write  已完成、" in shown
    assert "    ✔ file: out.txt  通过\n" in shown
    assert "  说明：\n    In euros.\n    One page.\n" in shown


def test_u5_a_task_is_shown_as_it_was_and_as_json(workspace: Path) -> None:
    assert "checks:" not in stdout_of(workspace, "show", "2", "--at", "r4")
    answer = json_of(workspace, "show", "2")
    assert answer["task"]["description"] == "In euros.\nOne page."
    assert answer["task"]["blocked_by"] == [1]
    assert answer["proof"] == {"task": 2, "proof": "", "at": None, "evidence": []}
    assert answer["cost"]["tokens"] == 0
    refused = outlast(workspace, "show", "9")
    assert (refused.returncode, refused.stdout) == (1, "")


def worked_plan() -> Plan:
    plan = make_plan("a", "b")
    plan.budget.set(Budget(tokens=900))
    plan.core.commit((c.Charge(Spend(tokens=5), 1),), return_commit)
    plan.set_progress(1, 1, 2)
    plan.fail(1, "no luck\x1b")
    plan.update(1, reasoning="r", run="make", files=["x", "y"], protect=["z"])
    return plan


def test_u5_what_was_tried_and_what_it_cost_is_shown() -> None:
    page = task_page(worked_plan(), EN, 1)
    for line in ("reasoning: r", "run: make", "files: x, y", "protect: z", "progress: 1/2"):
        assert f"\n  {line}\n" in page
    assert "\n  error: no luck\\x1b\n  retries: 1/3\n" in page
    assert "5 tokens" in page


def test_u5_of_a_long_history_the_newest_part_is_shown() -> None:
    plan = worked_plan()
    for number in range(12):
        plan.update(2, name=f"b{number}")
    lines = task_page(plan, ZH, 2).splitlines()
    assert "修改 2 b10（名称：b10 → b11）" in lines[2]
    assert lines[-1] == "另有更早的 3 次提交"
    plan.abort()
    plan.initialize("Next", [c.NewTask("other"), c.NewTask("new")])
    assert "b11" not in task_page(plan, ZH, 2)


def test_m1_a_description_stands_below_its_label_and_checks_without_proof_are_open() -> None:
    plan = make_plan("a")
    plan.add_phase("Later")
    plan.add("z", phase="later", description="one\n\ntwo\x1b\n", checks=[Check("person", "look")])
    page = task_page(plan, ZH, 2)
    assert (
        "\n  阶段 Later\n  说明：\n    one\n\n    two\\x1b\n  检查：\n    ○ person: look\n" in page
    )


def test_u5_a_plan_without_a_past_shows_the_task_alone() -> None:
    with PlanManager(goal="g").plan as plan:
        plan.add("a")
        assert task_page(plan, EN, 1).splitlines()[0] == "○ 1 a  pending"


class Unreadable(Plan):
    """A plan whose proofs cannot be read."""

    @property
    def checks(self) -> "Unreadable":  # type: ignore[override]
        return self

    def proof(self, _task: int) -> None:
        raise StoreError("proofs_unreadable")


def test_u5_a_task_whose_proof_cannot_be_read_is_shown_with_a_notice() -> None:
    call = Call("show", {}, {"lang": "en"})
    answer = task_page_json(Unreadable(worked_plan().core), call, 1)
    assert answer["proof"]["proof"] == ""
    assert call.notices == [("proofs_unreadable", {})]
