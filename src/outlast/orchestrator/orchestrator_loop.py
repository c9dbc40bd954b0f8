"""`OrchestratorLoop`: agents carry out the tasks of a plan; the model only plans and judges."""

# ruff: noqa: TC001 - public signatures are read at run time
from __future__ import annotations

from typing import Any

from outlast.agent.agent_loop import AgentLoop
from outlast.agent.work import Agent, Permissions
from outlast.config.parse import check_settings
from outlast.config.settings import MailboxSettings, Settings
from outlast.context.chat_model import Model
from outlast.orchestrator.known_agents import Orchestrate


class OrchestratorLoop(AgentLoop):
    """Lets an agent carry out the tasks of a stored plan, `parallel` of them at a time.

    Without a model the plan is carried out as it is; with `plan_only` it is only made. An attempt
    may take `timeout` seconds. What is None is taken from the settings. `mailbox` is the one behind
    the agent, for later runs of the plan. `options` are keywords of `AgentLoop`.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice
        self,
        *,
        agent: Agent,
        model: Model | str | None = None,
        parallel: int | None = None,
        permissions: Permissions | None = None,
        timeout: float | None = None,
        review: bool | None = None,
        plan_only: bool = False,
        mailbox: MailboxSettings | None = None,
        **options: Any,  # noqa: ANN401 - the keywords of another class
    ) -> None:
        """Validate the options; nothing is opened, created or called yet."""
        settings = options.get("settings")
        if settings is not None:
            check_settings(settings)
        options["loop"] = Orchestrate.from_settings(
            settings or Settings(),
            agent,
            parallel=parallel,
            permissions=permissions,
            timeout=timeout,
            has_model=model is not None,
            review=review,
            plan_only=plan_only,
            mailbox=mailbox,
        )
        super().__init__(model="" if model is None else model, **options)
