"""How a loop works, as far as that can be chosen."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Policy = Literal["auto", "words", "explicit"]


class LoopOptions(Struct, frozen=True):
    """What a conversation may be told; the defaults are those of the settings.

    `max_iterations` is the allowance of one run. `policy`, `words`, `least_iterations` and
    `most_iterations` decide when a task counts as done that nobody has said to be. A conversation
    longer than `context_characters` is begun anew from a summary. `stop_limit` is how often a model
    that wants to stop too early is held up.
    """

    max_iterations: int = 20
    policy: Policy = "auto"
    words: tuple[str, ...] = ()
    least_iterations: int = 2
    most_iterations: int = 10
    auto_create_plan: bool = True
    context_characters: int = 200_000
    enable_planning: bool = True
    stop_limit: int = 3
