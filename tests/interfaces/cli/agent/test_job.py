"""What an agent that only plans may do."""

from outlast.interfaces.cli.agent.job import planning_only_hook
from outlast.ports.hook import HookContext, HookResult


def test_an_agent_that_only_plans_ends_no_task_under_any_tool_name() -> None:
    hook = planning_only_hook(("read_file",), "en")

    def allowed(tool: str) -> bool:
        result = hook(HookContext("pre_tool_use", tool, {}), None)
        assert result is None or isinstance(result, HookResult)
        return result is None or result.should_continue

    assert all(map(allowed, ("read_file", "add_tasks", "plan_read", "findings_write", "ask_user")))
    work = ("complete_task", "completeTask", "todo_write", "skip_task", "write_file", "bash", "x")
    assert not any(map(allowed, work))
    assert hook(HookContext("on_stop"), None) is None
