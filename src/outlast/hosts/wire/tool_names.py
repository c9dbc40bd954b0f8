"""The tools of coding agents: which of ours they correspond to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outlast.hosts.wire.events import HostName

TOOL_NAMES: Final[dict[HostName, dict[str, str]]] = {
    "claude-code": {
        "Bash": "bash",
        "Write": "write_file",
        "Edit": "edit_file",
        "MultiEdit": "edit_file",
        "NotebookEdit": "edit_file",
        "Read": "read_file",
        "Glob": "glob",
        "Grep": "grep",
        "LS": "list_directory",
        "WebFetch": "web_fetch",
        "WebSearch": "web_fetch",
    },
    "codex": {"Bash": "bash", "apply_patch": "edit_file"},
    "gemini": {
        "run_shell_command": "bash",
        "write_file": "write_file",
        "replace": "edit_file",
        "read_file": "read_file",
        "read_many_files": "read_file",
        "glob": "glob",
        "search_file_content": "grep",
        "list_directory": "list_directory",
        "web_fetch": "web_fetch",
        "google_web_search": "web_fetch",
    },
}
PLAN_MODE: Final = "ExitPlanMode"


def our_tool_name(host: HostName, tool: str) -> str:
    """Return our name of an agent's tool; its own where we have none."""
    return TOOL_NAMES[host].get(tool, tool)


def host_tools(host: HostName, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return an agent's names of some of our tools."""
    return tuple(name for name, ours in TOOL_NAMES[host].items() if ours in kinds)
