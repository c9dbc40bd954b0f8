"""What an agent's run may need; imported with `AgentLoop`, before an event loop could wait for it.

That takes a fifth of a second, in which a program that does more than run agents would stand still.
"""

from __future__ import annotations

from typing import Final

from outlast.language import load_topics
from outlast.plan import ahead

_TOPICS: Final = ("tools", "loop", "context", "replan", "run", "models", "settings")
_OURS: Final = {
    "agent": (
        *("agent_run", "context.patch", "effects", "loop_agent", "plan_locator", "resources"),
        *("people.permission_file", "tools.choice", "tools.function"),
    ),
    "agent.loops": ("chat", "replan_loop.loop", "session"),
    "agent.runtime": (
        *("driver", "lane", "lease_holder", "pipeline", "run", "workspace"),
        *("middleware.attempts", "middleware.budget", "middleware.hooks", "middleware.limits"),
        *("middleware.permission", "middleware.repeated_calls", "middleware.traces"),
        *("middleware.workspace",),
    ),
    "context": ("brief", "plan_block"),
    "documents.contracts": ("lenient_json",),
    "hooks": ("engine",),
    "plan": ("memory_plans", "plan_view", "tools.dispatch", "tools.tool_sets"),
    "plan.home": ("database", "workspace"),
    "store": ("transcript",),
    "system": ("tracer",),
}

ahead.import_modules(_OURS)
load_topics(*_TOPICS)
