"""Options of the replan loop."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from outlast.context.chat_model import ToolSpec
from outlast.language import Language
from outlast.model.replan_position import STEP_LIMIT

MOST_FAILURES: Final = 3


class ReplanOptions(Struct, frozen=True):
    """How the loop works.

    `moment` is the time with its zone. A task may take `step_limit` steps, and as many again each
    time that a person `continues` it at the limit. After `most_failures` tool runs in a row that
    failed, the item must end or a person be asked. With `skips_replans` nothing is replanned after
    an item that brought nothing new, with `review` a person approves each change of the plan.
    `in_chat`: its answers are read where slash commands can be typed. With `plan_only` the goal is
    planned, and nothing is carried out.
    """

    tools: tuple[ToolSpec, ...]
    moment: str
    language: Language = "en"
    step_limit: int = STEP_LIMIT
    most_failures: int = MOST_FAILURES
    skips_replans: bool = False
    review: bool = False
    continues: bool = False
    in_chat: bool = True
    plan_only: bool = False
