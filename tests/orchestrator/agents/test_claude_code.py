"""R1.11: the agent `claude-code`, with a program that prints what Claude Code prints."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from outlast.agent.work import Permissions, WorkOrder, WorkProgress, WorkResult
from outlast.errors import AgentUnavailable
from outlast.orchestrator.agents.claude_code import ClaudeCodeAgent
from tests.orchestrator.agents.programs import call, fake_program, option, prompt

UUID = "123e4567-e89b-12d3-a456-426614174000"
REPORT = {"status": "SUCCESS", "results": "built", "pitfalls": "", "next_steps": "rest"}
SAID: dict[str, Any] = {
    "type": "assistant",
    "session_id": UUID,
    "message": {
        "content": [{"type": "text", "text": "I build."}, {"type": "tool_use", "name": "Write"}]
    },
}
RESULT = {
    "type": "result",
    "session_id": UUID,
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 5},
    "permission_denials": [],
    "structured_output": REPORT,
    "result": "done",
}


def work(
    tmp_path: Path, lines: list[Any], order: WorkOrder | None = None, code: int = 0, then: str = ""
) -> tuple[WorkResult, str]:
    program, said = fake_program(tmp_path / "claude", lines, code, then), list[str]()
    agent = ClaudeCodeAgent(str(tmp_path), program=program, config=str(tmp_path / "config"))
    order = order or WorkOrder(f"task-{UUID}", 1, "walls", timeout=30)
    return asyncio.run(agent.work(order, WorkProgress(said.append))), "".join(said)


def test_r1_11_a_report_comes_with_session_cost_and_what_was_said(tmp_path: Path) -> None:
    result, said = work(tmp_path, [SAID, RESULT])
    assert result.report is not None
    assert (result.report.status, result.report.results) == ("SUCCESS", "built")
    assert (result.session, result.spent.money, result.spent.tokens) == (UUID, 0.25, 125)
    assert said == "I build.\n▸ Write\n"
    assert (result.exit_code, result.error) == (0, "")


def test_r1_11_a_new_session_has_the_id_of_its_order_and_a_retry_resumes_it(tmp_path: Path) -> None:
    work(tmp_path, [RESULT])
    assert option(call(tmp_path)[0], "--session-id") == UUID
    work(tmp_path, [RESULT], WorkOrder("task-2", 1, "walls", session="s-1", timeout=30))
    arguments, _ = call(tmp_path)
    assert option(arguments, "--resume") == "s-1"
    assert "--session-id" not in arguments


@pytest.mark.parametrize(
    ("permissions", "mode"),
    [("read", "plan"), ("edit", "acceptEdits"), ("full", "bypassPermissions")],
)
def test_r1_11_permissions_are_mapped(tmp_path: Path, permissions: Any, mode: str) -> None:
    work(tmp_path, [RESULT], WorkOrder("task-1", 1, "a", permissions=permissions, timeout=30))
    assert option(call(tmp_path)[0], "--permission-mode") == mode


def test_r1_11_the_order_is_in_the_prompt(tmp_path: Path) -> None:
    order = WorkOrder(
        "task-1",
        1,
        "walls",
        "of brick",
        "no nails",
        "four walls",
        ("make test",),
        files=("src/**",),
        protect=("tests/**",),
        context="A house",
        advice="use screws",
        timeout=30,
    )
    work(tmp_path, [RESULT], order)
    words, sections = prompt(tmp_path), ("walls", "of brick", "no nails", "four walls", "make test")
    for part in (*sections, "src/**", "tests/**", "A house", "use screws"):
        assert part in words


def test_r1_11_an_order_of_any_length_arrives_whole_and_in_no_list_of_processes(
    tmp_path: Path,
) -> None:
    work(tmp_path, [RESULT], WorkOrder("task-1", 1, "walls", "brick " * 50_000, timeout=30))
    assert prompt(tmp_path).count("brick ") == 50_000
    assert "brick" not in " ".join(call(tmp_path)[0])


def test_a10_the_settings_of_a_project_are_not_used_but_its_guidelines_are(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("tabs")
    uses: dict[Permissions, bool] = {"read": False, "edit": False, "full": True}
    for permissions, is_used in uses.items():
        order = WorkOrder("task-1", 1, "a", permissions=permissions, timeout=30)
        work(tmp_path, [RESULT], order)
        arguments = call(tmp_path)[0]
        assert ("--strict-mcp-config" in arguments) is not is_used
        assert ("--setting-sources" in arguments) is not is_used
        assert "CLAUDE.md" in prompt(tmp_path)


def test_a17_the_agent_gets_its_own_key_and_no_other_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "its-own")
    monkeypatch.setenv("GITHUB_TOKEN", "c4n4ry7Q9xZ2")
    work(tmp_path, [RESULT])
    _, environment = call(tmp_path)
    assert environment["ANTHROPIC_API_KEY"] == "its-own"
    assert "GITHUB_TOKEN" not in environment
    assert environment["CLAUDE_CONFIG_DIR"] == str(tmp_path / "config")


def test_r1_06_what_the_agent_was_denied_is_told(tmp_path: Path) -> None:
    denied = {**RESULT, "permission_denials": [{"tool_name": "Bash", "tool_input": {"c": "npm i"}}]}
    result, _ = work(tmp_path, [denied])
    assert result.denied == ("Bash(npm i)",)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["not json", "{", "[1]"],
        [{**RESULT, "structured_output": None, "result": "API Error 400"}],
        [{**RESULT, "structured_output": {"status": "MAYBE"}}],
        [{"type": "assistant", "message": 5}, {"type": "result", "usage": 3}],
        [{"type": "assistant", "message": {"content": [5, {"type": 7}]}}],
    ],
)
def test_f13_garbage_is_an_error_and_never_a_report(tmp_path: Path, lines: list[Any]) -> None:
    result, _ = work(tmp_path, lines, code=1)
    assert result.report is None
    assert "exit code 1" in result.error


def test_f12_an_agent_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    order = WorkOrder("task-1", 1, "a", timeout=0.5)
    said = {**SAID, "message": {**SAID["message"], "id": "m-1", "usage": {"input_tokens": 40}}}
    result, _ = work(tmp_path, [said, said], order, then="time.sleep(60)")
    assert (result.report, result.code) == (None, "TIMED_OUT")
    assert (result.session, result.spent.tokens) == (UUID, 40), "each message once"


def test_f12_an_agent_that_was_killed_says_so(tmp_path: Path) -> None:
    result, _ = work(tmp_path, [SAID], then="os.kill(os.getpid(), 9)")
    assert (result.report, result.exit_code, result.session) == (None, -9, UUID)
    assert "killed (signal 9)" in result.error


def test_r1_06_an_order_for_an_unknown_session_begins_a_new_one(tmp_path: Path) -> None:
    unknown = {"type": "result", "session_id": "gone", "is_error": True}
    unknown["errors"] = ["No conversation found with session ID: gone"]
    program, said, began = tmp_path / "claude", list[str](), list[str]()
    fake_program(
        program,
        [],
        then=f"lines = {[unknown]!r} if '--resume' in sys.argv else {[RESULT]!r}\n"
        "for line in lines: print(json.dumps(line))",
    )
    agent = ClaudeCodeAgent(str(tmp_path), program=str(program))
    order = WorkOrder(f"task-{UUID}", 1, "walls", session="gone", timeout=30)
    result = asyncio.run(agent.work(order, WorkProgress(said.append, began.append)))
    assert result.report is not None
    assert (result.session, began) == (UUID, [UUID])
    assert said == ["claude-code does not know session gone any more; a new one begins\n"]


def test_r1_10_an_agent_that_may_edit_may_run_what_a_person_approved(tmp_path: Path) -> None:
    approved = ("make test", "rm *", "two\nlines")
    rules: dict[Permissions, list[str]] = {"edit": ["Bash(make test)"], "read": [], "full": []}
    for permissions, allowed in rules.items():
        order = WorkOrder("task-1", 1, "a", timeout=30, permissions=permissions, approved=approved)
        work(tmp_path, [RESULT], order)
        arguments = call(tmp_path)[0]
        assert [part for part in arguments if part.startswith("Bash(")] == allowed
        assert ("--allowedTools" in arguments) is bool(allowed)


def retry(status: int, attempt: int) -> dict[str, Any]:
    known = {"type": "system", "subtype": "api_retry", "session_id": UUID, "max_retries": 10}
    return {**known, "attempt": attempt, "error_status": status, "error": "authentication_failed"}


def test_f13_a_wrong_key_is_told_at_once(tmp_path: Path) -> None:
    order = WorkOrder("task-1", 1, "a", timeout=60)
    lines = [retry(401, 1), retry(401, 2)]
    result, said = work(tmp_path, lines, order, then="time.sleep(60)")
    assert (result.report, result.code) == (None, "")
    assert result.error == "Its model returned an error: authentication_failed (401)"
    assert result.error in said


def test_f13_a_busy_model_is_waited_for_and_named(tmp_path: Path) -> None:
    order = WorkOrder("task-1", 1, "a", timeout=0.5)
    result, _ = work(tmp_path, [retry(529, n) for n in range(9)], order, then="time.sleep(60)")
    assert result.code == "TIMED_OUT"
    assert "(529)" in result.error
    result, _ = work(
        tmp_path, [{**retry(0, 3), "error_status": None}], order, then="time.sleep(60)"
    )
    assert "Its model cannot be reached" in result.error


def test_x4_what_is_left_of_the_budget_is_its_limit(tmp_path: Path) -> None:
    used_up: dict[str, Any] = {"type": "result", "session_id": UUID}
    used_up |= {"subtype": "error_max_budget_usd", "errors": ["Reached maximum budget ($0.5)"]}
    order = WorkOrder("task-1", 1, "a", timeout=30, money=0.5)
    result, _ = work(tmp_path, [used_up], order, code=1)
    assert option(call(tmp_path)[0], "--max-budget-usd") == "0.5000"
    assert (result.report, result.code) == (None, "OUT_OF_BUDGET")
    assert "Reached maximum budget" in result.error


def test_x7_the_money_of_a_session_is_counted_once(tmp_path: Path) -> None:
    """Claude Code tells the sum of the session, also of runs in another process."""
    program = fake_program(tmp_path / "claude", [RESULT])
    later = {**RESULT, "total_cost_usd": 0.75, "modelUsage": {"m": {"inputTokens": 375}}}
    again = WorkOrder("task-2", 1, "walls", session=UUID, timeout=30)

    async def spend(agent: ClaudeCodeAgent, order: WorkOrder, line: Any) -> float:
        fake_program(tmp_path / "claude", [line])
        return (await agent.work(order, WorkProgress())).spent.money

    agent, other = (ClaudeCodeAgent(str(tmp_path), program=program) for _ in range(2))
    first = WorkOrder(f"task-{UUID}", 1, "walls", timeout=30)
    assert asyncio.run(spend(agent, first, RESULT)) == 0.25
    assert asyncio.run(spend(agent, again, later)) == 0.5
    assert asyncio.run(spend(other, again, later)) == 0.25, "125 of 375 tokens"
    assert asyncio.run(spend(other, again, {**later, "total_cost_usd": 0.5})) == 0
    asyncio.run(agent.end_session(UUID))
    assert asyncio.run(spend(agent, again, {**RESULT, "total_cost_usd": 0.5})) == 0.5


def test_x3_an_interrupted_order_is_settled_by_its_session(tmp_path: Path) -> None:
    program = fake_program(tmp_path / "claude", [RESULT])
    agent = ClaudeCodeAgent(str(tmp_path), program=program)
    result = asyncio.run(agent.settle(f"task-{UUID}", ""))
    assert result is not None
    assert result.report is not None
    arguments, _ = call(tmp_path)
    assert option(arguments, "--resume") == UUID
    assert option(arguments, "--permission-mode") == "plan", "it changes nothing"


def test_x3_without_the_session_nobody_knows(tmp_path: Path) -> None:
    program = fake_program(tmp_path / "claude", ["No conversation found"], code=1)
    assert asyncio.run(ClaudeCodeAgent(str(tmp_path), program=program).settle("task-1", "")) is None


def test_r1_11_an_agent_that_is_not_installed_is_named(tmp_path: Path) -> None:
    agent = ClaudeCodeAgent(str(tmp_path), program="no-such-claude")
    with pytest.raises(AgentUnavailable, match="no-such-claude is not installed"):
        asyncio.run(agent.work(WorkOrder("task-1", 1, "a"), WorkProgress()))
