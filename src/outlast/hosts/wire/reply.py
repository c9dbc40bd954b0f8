"""Write the answer to a hook as a coding agent reads it: one line of JSON, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.json import encode

if TYPE_CHECKING:
    from outlast.hosts.wire.events import HostAnswer, HostName, Moment

_NAMES: Final[dict[Moment, str]] = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "post-tool": "PostToolUse",
    "tool-failure": "PostToolUseFailure",
    "batch": "PostToolBatch",
    "stop": "Stop",
    "subagent-stop": "SubagentStop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}
# What each agent calls the moments that it has. Gemini's PreCompress is left out: it comes before
# every request, compressed or not.
EVENT_NAMES: Final[dict[HostName, dict[Moment, str]]] = {
    "claude-code": _NAMES,
    "codex": {
        moment: name for moment, name in _NAMES.items() if moment not in ("tool-failure", "batch")
    },
    "gemini": {
        "session-start": "SessionStart",
        "prompt": "BeforeAgent",
        "pre-tool": "BeforeTool",
        "post-tool": "AfterTool",
        "stop": "AfterAgent",
        "session-end": "SessionEnd",
    },
}
_TAKES_CONTEXT: Final[tuple[Moment, ...]] = (
    "session-start",
    "prompt",
    "pre-tool",
    "post-tool",
    "tool-failure",
    "batch",
)
_NOT_PASSED_ON: Final = {("gemini", "pre-tool")}
_LARGEST: Final = 9_000  # characters: agents cut a text of 10 000
_PLAIN: Final = {("claude-code", "pre-compact")}  # its text is appended to the instructions


def write_answer(host: HostName, moment: Moment, answer: HostAnswer) -> str:
    """Return what the hook prints, with a line break; empty if there is nothing to say.

    Text for the model is left out where the agent has no place for it.
    """
    context = answer.context if len(answer.context) <= _LARGEST else f"{answer.context[:_LARGEST]}…"
    if (host, moment) in _PLAIN:
        return f"{context}\n" if context else ""
    document: dict[str, Any] = {}
    if answer.reason:
        document |= _refusal(host, moment, answer.reason)
    if context and moment in _TAKES_CONTEXT and (host, moment) not in _NOT_PASSED_ON:
        own = document.setdefault("hookSpecificOutput", {})
        own |= {"hookEventName": _event_name(host, moment), "additionalContext": context}
    if answer.notice:
        document["systemMessage"] = answer.notice
    return f"{encode(document).decode()}\n" if document else ""


def _event_name(host: HostName, moment: Moment) -> str:
    """Return what an agent calls a moment; one that it does not know is a tool that has run."""
    return EVENT_NAMES[host].get(moment, EVENT_NAMES[host]["post-tool"])


def _refusal(host: HostName, moment: Moment, reason: str) -> dict[str, Any]:
    if moment == "pre-tool" and host != "gemini":
        own = {
            "hookEventName": _event_name(host, moment),
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
        return {"hookSpecificOutput": own}
    return {"decision": "block" if host != "gemini" else "deny", "reason": reason}
