"""A10: of each setting it is decided what a project of a stranger may do with it."""

from typing import Literal, get_args

import pytest

from outlast.config.load import is_allowed_in_project
from outlast.config.parse import KEYS

Power = Literal["none", "lower", "model", "any"]
# What a project's file may do: nothing with what runs code or commands, reads a place of the
# user's, spends money or concerns the user alone; of a limit it may only lower the user's.
NOTHING = """
    assistant.directory assistant.reminders assistant.review assistant.time_zone hooks.python
    mailbox.directory notify.command orchestrator.agent orchestrator.permissions
    orchestrator.review permissions.allow prices search.file search.provider search.timeout
    search.url tools.enabled tools.pass_env
"""
ONLY_LOWER = """
    assistant.max_steps assistant.most_failures budget.money budget.model_calls budget.replans
    budget.time budget.tokens budget.tool_calls limits.lock_seconds limits.max_tokens
    limits.model_seconds limits.output_characters limits.reply_characters limits.tool_seconds
    limits.tries loop.max_iterations orchestrator.attempt_seconds orchestrator.attempts
    orchestrator.parallel orchestrator.replans
"""
ANYTHING = """
    assistant.skip_replans auto_create_plan cleanup.auto_cleanup cleanup.retention_days enabled
    hooks.on_error hooks.on_stop hooks.post_tool_use hooks.pre_compact hooks.pre_tool_use
    hooks.session_start hooks.user_prompt language layout loop.ask_unattended loop.brief_tokens
    loop.context_characters loop.least_iterations loop.most_iterations loop.plan_tools loop.policy
    loop.words mailbox.commands mailbox.layout mailbox.poll_seconds mailbox.reports
    orchestrator.preflight orchestrator.sessions orchestrator.unattended rules.action_threshold
    rules.critical_tools rules.error_strike_limit rules.stop_limit rules.strict rules.view_tools
    rules.write_tools sync_to_todo_write
"""
POWERS: dict[str, Power] = {
    **dict.fromkeys(NOTHING.split(), "none"),
    **dict.fromkeys(ONLY_LOWER.split(), "lower"),
    **dict.fromkeys(ANYTHING.split(), "any"),
    "loop.model": "model",
}


def test_a10_it_is_decided_of_every_setting_what_a_project_may_do_with_it() -> None:
    """Who adds a setting decides it here, and in `config/load.py` if it is not `any`."""
    assert {*POWERS} == {*KEYS}
    assert {*POWERS.values()} == {*get_args(Power)}


@pytest.mark.parametrize("key", KEYS)
def test_a10_a_project_has_the_power_that_was_decided_and_no_more(key: str) -> None:
    user = {key: 5}
    allowed = [is_allowed_in_project(key, value, user) for value in (4, 5, 6)]
    match POWERS[key]:
        case "none" | "model":
            assert allowed == [False] * 3
        case "lower":
            assert allowed == [True, True, False]
            assert is_allowed_in_project(key, 6, {}), "where the user has set no limit"
        case "any":
            assert allowed == [True] * 3
