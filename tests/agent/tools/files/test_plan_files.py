"""M1, R0.02, R4.02: what the files of a plan say about descriptions, results and ordinary work."""

import asyncio
import json
from pathlib import Path

import pytest

from outlast import AgentLoop, create_plan, open_plan
from outlast.context.chat_model import Call, Reply
from outlast.documents.markdown.merge.edits import MergeResult
from outlast.documents.sync.composition import waiting_file
from outlast.documents.waiting_edits import decode_edits, encode_edits
from outlast.model.commands import CreatePlan
from outlast.model.model import Question
from outlast.plan.plans import Plans
from outlast.store.port import EditedView, Layout
from outlast.system.clock import new_plan_id, now
from tests.agent.runtime.poke_tool import Poke
from tests.agent.tools.files.edited_files import change
from tests.agent.tools.files.test_task_plan_file import LAYOUTS, begin, troubles
from tests.fake_model import FakeModel

POKE = (Call("poke", {}, "p"),)


@pytest.mark.parametrize(
    ("layout", "title"), [("outlast", "主要任务"), ("code-agent", "Main Tasks"), ("sessions", "")]
)
def test_r4_02_the_first_phase_has_a_title_in_the_language_of_the_plan(
    layout: Layout, title: str, tmp_path: Path
) -> None:
    command = CreatePlan(new_plan_id(), "做饭")
    Plans.of_project(str(tmp_path)).create(command, "x", layout=layout, language="zh").close()
    with open_plan(tmp_path, "x") as plan:
        assert [phase.title for phase in plan.phases] == [title or "Main Tasks"]
        plan.add("买菜")
        files = plan.files.paths()
    assert f"## ○ Phase: {title}\n" in Path(files[0]).read_text("utf-8") or not title
    with open_plan(tmp_path, "x") as plan:
        assert plan.notices == []


def test_m1_a_description_goes_through_the_file_and_back(tmp_path: Path) -> None:
    file = begin(tmp_path, "one", "two")
    change(file, "one\n", "one\nUse euros,\nnot dollars.\n\n  - and so on\n")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(1).description == "Use euros,\nnot dollars.\n\n- and so on"
        plan.update(2, description="- [x] fake\n## Phase: fake")
        assert troubles(plan) == []
    text = file.read_text("utf-8")
    assert "**1** one\n  Use euros,\n  not dollars.\n\n  - and so on\n- [ ]" in text
    change(file, "fake\n", "real\n")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(2).description == "- [x] real\n## Phase: fake"
        assert [task.name for task in plan.tasks()] == ["one", "two"]
        change(file, "  - and so on\n", "  - and so on, mine\n")
        with open_plan(tmp_path, "x") as other:
            other.complete(1, "five links\na\nb")
    change(file, "five links …", "six links …")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(1).result == "six links\na\nb"
        assert plan.task(1).description.endswith("- and so on, mine")


def test_m1_what_the_form_of_code_agent_has_no_place_for_is_not_lost(tmp_path: Path) -> None:
    file = begin(tmp_path, "one", "two", layout="code-agent")
    with open_plan(tmp_path, "x") as plan:
        plan.update(1, description="about it")
        plan.start(1)
        plan.complete(1, "five links", how="assumed")
    text = file.read_text("utf-8")
    assert "- [x] ● one\n- [ ] ○ two\n" in text
    change(file, "● one\n- [ ] ○ two\n", "● one\nmine\n- [ ] ○ second\n")
    with open_plan(tmp_path, "x") as plan:
        task = plan.task(1)
        assert (task.description, task.result, task.how) == ("about it", "five links", "assumed")
        assert troubles(plan) == []
    assert "- [x] ● one\nmine\n- [ ] ○ second\n" in file.read_text("utf-8")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_m1_a_file_of_somebody_else_may_have_descriptions(layout: str, tmp_path: Path) -> None:
    file = tmp_path / LAYOUTS[layout] / "task_plan.md"
    file.parent.mkdir(parents=True)
    file.write_text("# Plan\n\n- [ ] one\n  about it\n- [ ] two\n", "utf-8")
    with open_plan(tmp_path, "x") as plan:
        assert plan.task(1).description == ("about it" if layout == "outlast" else "")
        plan.complete(1)
    assert "one" in file.read_text("utf-8")
    assert file.read_text("utf-8").count("about it") == 1


def test_m6_deleting_a_line_confirms_a_completion_and_ends_the_plan(tmp_path: Path) -> None:
    file = begin(tmp_path, "one")
    with open_plan(tmp_path, "x") as plan:
        plan.start(1)
        plan.complete(1, "guessed", how="assumed")
        assert plan.status == "running"
    change(file, "  - status: assumed\n", "")
    with open_plan(tmp_path, "x") as plan:
        assert (plan.status, plan.task(1).how, plan.task(1).result) == (
            "completed",
            "reported",
            "guessed",
        )


def test_x7_an_edited_result_is_undone_like_any_change(tmp_path: Path) -> None:
    file = begin(tmp_path, "one", "two")
    with open_plan(tmp_path, "x") as plan:
        plan.complete(1, "five links")
    change(file, "five", "six")
    with open_plan(tmp_path, "x", actor="human") as plan:
        assert plan.task(1).result == "six links"
        plan.undo()
        assert (plan.task(1).result, plan.task(1).status) == ("five links", "completed")
    assert "  - result: five links\n" in file.read_text("utf-8")


def test_r0_02_the_loop_writes_plan_json_without_an_extension(tmp_path: Path) -> None:
    replies = [Reply("[Step] One\n[Step] Two", POKE), Reply("[Done]", POKE), Reply("", POKE)]
    agent = AgentLoop(
        model=FakeModel(replies),
        tools=[Poke()],
        workdir=tmp_path,
        key="k",
        layout="sessions",
        max_iterations=3,
    )
    asyncio.run(agent.run("Sort the reports"))
    document = json.loads((tmp_path / ".sessions/k/plan.json").read_text("utf-8"))
    assert [step["status"] for step in document["steps"]] == ["completed", "running"]
    assert not [each for each in (document, *document["steps"]) if "outlast" in each]
    assert all(len(step["started_at"]) == len("2026-01-02T12:00:00Z") for step in document["steps"])


def test_r0_02_a_description_is_in_the_extension_of_plan_json(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Goal", "x", layout="sessions") as plan:
        plan.add("one", description="about\nit")
    document = json.loads((tmp_path / ".sessions/x/plan.json").read_text("utf-8"))
    (step,) = document["steps"]
    assert (step["description"], step["outlast"]) == ("one", {"description": "about\nit"})


def test_a13_a_file_that_waits_for_a_person_keeps_its_form() -> None:
    edit = EditedView("task_plan.md", "", 3, "key", 0, bare=True, during="bash")
    waiting = waiting_file(edit, MergeResult(needs_confirmation=True))
    question = Question(1, "?", now(), kind="edit", about=encode_edits(waiting))
    assert decode_edits(question) == waiting
    assert waiting.bare
