"""How an orchestrator works: with how many agents at a time, and with whom it talks."""

from __future__ import annotations

from msgspec import Struct

from outlast.config.settings import Unattended


class OrchestratorOptions(Struct, frozen=True):
    """Options of an orchestrator run.

    `parallel` is the highest number of tasks at a time. Without a model (`has_model`) the plan is
    carried out as it is, and checks alone decide. With `plan_only` the goal is planned, and nothing
    is carried out. `read_only` agents never collide. With `review` a person approves a change of
    the plan before it is made. After `attempts` failed ones a person is asked about a task; if
    nobody answers, an `unattended` run leaves the task waiting, or aborts the plan. If all tasks
    `share_session`, they are carried out one after another in a single session of the agent.
    """

    parallel: int = 1
    has_model: bool = True
    read_only: bool = False
    review: bool = False
    plan_only: bool = False
    most_replans: int = 5
    attempts: int = 3
    unattended: Unattended = "wait"
    share_session: bool = False
