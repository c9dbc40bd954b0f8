"""What commits and reads of a plan may need; imported before a program gets its first plan.

A command imports each of these only where it needs it, and so starts quickly. A program lives
longer: it may have threads, whose first commit would hold up all others while it imports, such as
an event loop, and it may fork meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language import load_topics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TOPICS: Final = (
    *("commands", "plan", "proof", "storage", "edits", "history"),
    *("orchestrator", "report"),  # of the mission, which is one of the views
)
_OURS: Final = {
    "config": ("load",),
    "documents": ("graph_text", "waiting_edits"),
    "documents.json": ("plan_parse", "plan_render"),
    "documents.markdown": ("parse", "render", "to_plan", "rejected", "description"),
    "documents.markdown.merge": ("three_way",),
    "documents.markdown.notes": ("deliverable", "errors", "findings", "merge", "mission"),
    "documents.sync": ("composition", "merge_base"),
    "model": ("layers", "markers", "plan_costs", "transaction"),
    "model.decide": (
        *("attempts", "budget", "claims", "conversation", "notes", "phases", "plan", "proof"),
        *("replan", "reports", "runs", "tasks", "work"),
    ),
    "model.history": ("diff", "undo"),
    "plan": (
        *("answers", "budget", "checks", "edit_sync", "files", "history", "notes"),
        *("past_revision", "questions"),
    ),
    "proof": ("prover", "checks.checker"),
    "redact": ("secrets", "truncate", "values"),
    "store": ("commit_pool", "heartbeat", "history", "snapshot", "watcher"),
    "system": ("caller", "process_identity", "state_home"),
}
_STANDARD: Final = (
    *("copy", "difflib", "encodings.ascii", "hashlib", "pwd", "statistics", "threading"),
    *("unicodedata",),
)


def import_modules(ours: Mapping[str, Iterable[str]]) -> None:
    """Import modules of ours, by package."""
    for package, modules in ours.items():
        for name in modules:
            __import__(f"outlast.{package}.{name}")


for _name in _STANDARD:
    __import__(_name)
import_modules(_OURS)
load_topics(*_TOPICS)
