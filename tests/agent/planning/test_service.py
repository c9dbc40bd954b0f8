"""`PlanningService` (R4.01): a session's plan, errors and findings in a directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from outlast import create_plan, open_plan
from outlast.agent.planning.session_plan import TaskPhase, TaskStep
from outlast.config.settings import Cleanup, Rules
from outlast.errors import InvalidArgument, StoreError
from outlast.hooks import HookResult
from outlast.plan.archive import list_archived
from outlast.plan.plan_list import list_plans
from outlast.sessions import PlanningService
from outlast.settings import Settings

PHASES = (TaskPhase("Do", (TaskStep("one"),)),)
CANARIES = ("hunter2", "tok-1a2b3c4d5e", "sk-live0123456789abcdef")


def test_r4_01_nothing_is_written_before_there_is_something_to_keep(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "s") as service:
        assert service.get_plan_directory() == str(tmp_path / ".outlast" / "plans" / "s")
        assert service.plan.read() is None
        assert service.errors.recent() == service.findings.all() == ()
        assert service.findings.by_category("code") == ()
        assert service.errors.count("bash", "x") == service.errors.clear() == 0
        assert service.findings.summary() == ""
        assert service.cleanup() == []
    assert not list(tmp_path.iterdir())


def test_r4_01_initialize_makes_the_directory(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "s") as service:
        service.initialize()
        service.initialize()
        assert (tmp_path / ".outlast" / "plans" / "s" / "journal.jsonl").exists()
        assert service.plan.read() is None


def test_r4_01_the_documents_directory_is_a_layout(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "session-1", layout="code-agent") as service:
        service.plan.create("Ship", "Ship it", PHASES)
        service.errors.log("bash", "exit 1")
        service.findings.add("code", "t", "c")
        place = tmp_path / ".code-agent" / "plans" / "session-1"
        assert service.get_plan_directory() == str(place)
        assert service.plan.plan_path == str(place / "task_plan.md")
    assert (place / "task_plan.md").read_text().startswith("# Ship\n\n> **Objective:** Ship it\n")
    assert "<!--" not in (place / "task_plan.md").read_text()
    assert (place / "errors.md").exists()
    assert (place / "findings.md").exists()
    assert not (place / "deliverable.md").exists()


def test_r4_01_a_plan_of_another_layout_is_served_where_it_is(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "s") as service:
        service.plan.create("Ship", "Ship it", PHASES)
    with PlanningService(tmp_path, "s", layout="code-agent") as service:
        assert service.plan.read() is not None
        assert service.plan.plan_path == str(tmp_path / ".outlast" / "plans" / "s" / "task_plan.md")


def test_r4_01_a_session_begins_with_a_clean_up_if_that_is_wanted(tmp_path: Path) -> None:
    with create_plan(tmp_path, "Long ago", "old") as old, create_plan(tmp_path, "Open", "open"):
        old.add("one")
        old.complete(1)
    with PlanningService(tmp_path, "s") as service:
        service.initialize()
    assert [plan.key for plan in list_plans(str(tmp_path))] == ["old", "open", "s"]
    settings = Settings(cleanup=Cleanup(auto_cleanup=True, retention_days=0))
    with PlanningService(tmp_path, "s", settings=settings) as service:
        service.initialize()
    assert [plan.key for plan in list_plans(str(tmp_path))] == ["open", "s"]
    assert [plan.key for plan in list_archived(str(tmp_path))] == ["old"]


def test_r4_01_two_services_of_a_session_share_everything(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "s") as one, PlanningService(tmp_path, "s") as other:
        one.errors.log("bash", "exit 1")
        other.errors.log("bash", "exit 2")
        assert one.errors.count("bash", "exit 3") == 2
        other.findings.add("issue", "t", "c")
        assert [found.title for found in one.findings.by_category("issue")] == ["t"]
        one.plan.create("t", "o", PHASES)
        assert other.plan.read() == one.plan.read()
        assert [error.count for error in other.errors.recent("bash")] == [2]
        assert "- t\n" in other.findings.summary()
        assert one.errors.clear() == 1


def test_r4_01_a_service_needs_a_directory_a_key_and_a_layout(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        PlanningService(tmp_path / "nowhere", "s")
    for key, layout in (("", "outlast"), ("s", "elsewhere")):
        with pytest.raises(InvalidArgument):
            PlanningService(tmp_path, key, layout=layout)  # type: ignore[arg-type]


def test_r4_09_files_are_there_only_when_they_have_content(tmp_path: Path) -> None:
    place = tmp_path / ".outlast" / "plans" / "s"
    with PlanningService(tmp_path, "s") as service:
        service.plan.create("t", "o", PHASES)
        service.errors.log("bash", "exit 1")
    assert (place / "errors.md").exists()
    assert not (place / "findings.md").exists()
    with PlanningService(tmp_path, "s") as service:
        service.errors.clear()
        service.plan.update_step_status("do", "1", "completed")
    assert not (place / "errors.md").exists()
    assert (place / "deliverable.md").read_text().startswith("# t\n")


def take_out_all_errors(file: Path) -> None:
    """Leave the title and the last line, which tells that the file is whole."""
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[0] + lines[-1])


def test_r4_09_what_people_write_into_the_files_is_taken_in(tmp_path: Path) -> None:
    place = tmp_path / ".outlast" / "plans" / "s"
    with PlanningService(tmp_path, "s") as service:
        service.plan.create("t", "o", PHASES)
        service.findings.add("code", "old", "content")
        service.errors.log("bash", "exit 1", {"a": 1})
    findings = place / "findings.md"
    findings.write_text(
        findings.read_text().replace("content", "changed").replace("\n", "\r\n")
        + "## Issue\r\n### new\r\nby hand\r\n"
    )
    take_out_all_errors(place / "errors.md")
    with PlanningService(tmp_path, "s") as service:
        assert [(one.title, one.content) for one in service.findings.all()] == [
            ("old", "changed"),
            ("new", "by hand"),
        ]
        assert service.errors.recent() == ()
    assert "## Issue\n\n### new\n\nby hand\n\n<!-- outlast r" in findings.read_text()
    assert not (place / "errors.md").exists()


def test_r4_09_what_cannot_be_taken_in_is_told_and_kept(tmp_path: Path) -> None:
    place = tmp_path / ".outlast" / "plans" / "s"
    with PlanningService(tmp_path, "s") as service:
        service.findings.add("code", "old", "content")
    findings = place / "findings.md"
    edited = findings.read_text() + "## Gossip\n\n### rumour\n\nheard\n"
    findings.write_text(edited)
    with open_plan(tmp_path, "s") as plan:
        told = [(key, details["line"]) for key, details in plan.notices if "line" in details]
        assert told == [("note_category_unknown", 12), ("note_line_unknown", 14)]
        assert [one.title for one in plan.notes.findings()] == ["old"]
    assert "Gossip" not in findings.read_text()
    assert [path.read_text() for path in place.glob("findings.md.*")] == [edited]


def test_a5_no_file_of_a_service_has_a_secret_in_it(tmp_path: Path) -> None:
    password, token, key = CANARIES
    with PlanningService(tmp_path, "s") as service:
        service.plan.create("t", "o", PHASES)
        params = {"password": password, "argv": ["--token", token], "deep": [{"k": key}]}
        service.errors.log("bash", f"token={token} refused", params, f"api_key={key}\n" * 3)
        service.findings.add("code", f"password={password}", f"uses {key}", f"http://u:{token}@h/")
    with open_plan(tmp_path, "s", actor="agent") as plan:
        plan.complete(1, f"logged in with password={password}")
        plan.notes.deliver(f"Use token={token}.")
    findings = tmp_path / ".outlast" / "plans" / "s" / "findings.md"
    findings.write_text(findings.read_text() + f"### mine\n\npassword={password}\n")
    with open_plan(tmp_path, "s") as plan:
        assert len(plan.notes.findings()) == 2
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 6
    for path in files:
        assert not [one for one in CANARIES if one.encode() in path.read_bytes()], path
        assert path.stat().st_mode & 0o077 == 0


def test_r4_01_the_hooks_of_a_session_work_on_its_plan(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "s") as service:
        assert service.hooks.on_session_start() == HookResult()
        assert service.hooks.pre_tool_use("bash").inject_context == ""
        assert not list(tmp_path.iterdir())
        service.plan.create("Ship", "Ship it", PHASES)
        service.plan.update_step_status("do", "1", "in_progress")
        assert "Phase: Do\nStep: one" in service.hooks.pre_tool_use("bash").inject_context
        service.hooks.on_error("bash", OSError("exit 1"), {"command": "make"})
        assert service.errors.recent()[0].message == "exit 1"
        assert not service.hooks.on_stop().should_continue
        service.plan.update_step_status("do", "1", "completed")
        assert service.hooks.on_stop().notification == "Plan completed: 1/1 steps"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"settings": {}}, "settings: expected Settings, got dict"),
        ({"hooks": 3}, "hooks: expected list, got int"),
        ({"hooks": ["my_module:my_hook"]}, "hooks: expected hook, got str"),
    ],
)
def test_r4_01_what_no_service_can_be_made_of_is_refused(
    tmp_path: Path, wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidArgument, match=said):
        PlanningService(tmp_path, "s", **wrong)


def test_r4_01_the_hooks_speak_the_language_of_the_settings(tmp_path: Path) -> None:
    with PlanningService(tmp_path, "s", settings=Settings(language="zh")) as service:
        service.plan.create("Ship", "Ship it", PHASES)
        assert service.hooks.on_session_start().notification == "发现已有计划：Ship"


def test_r4_07_a_person_who_takes_an_error_out_of_its_file_allows_the_call_again(
    tmp_path: Path,
) -> None:
    settings, call = Settings(rules=Rules(strict=True)), {"command": "make"}
    for refused in (False, True):
        with PlanningService(tmp_path, "s", settings=settings) as service:
            assert service.hooks.pre_tool_use("bash", call).should_continue is not refused
            for _ in range(3):
                service.hooks.on_error("bash", OSError("exit 1"), call)
            errors = Path(service.get_plan_directory(), "errors.md")
    take_out_all_errors(errors)
    with PlanningService(tmp_path, "s", settings=settings) as service:
        assert service.hooks.pre_tool_use("bash", call).should_continue
        assert service.errors.recent() == ()
