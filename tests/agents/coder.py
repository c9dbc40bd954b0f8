"""A model for real coding agents: it has the commands of a task run, and reports what they said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import json

from outlast.context.chat_model import Call, Reply, Usage
from tests.fake_model import FakeModel

if TYPE_CHECKING:
    from outlast.context.chat_model import Message
    from tests.fake_model import ModelRequest

USAGE: Final = Usage(1_000, 10)
_REPORT_TOOL: Final = "StructuredOutput"  # of Claude Code, when it is to answer by a schema
_GEMINI_SHELL: Final = "run_shell_command"
_COMMAND: Final = re.compile(r"^\$ (.+)$", re.MULTILINE)
_TRIAL: Final = re.compile(r"Write the word (\S+) into the file (\S+),")


class Coder(FakeModel):
    """Runs each line `$ command` of the prompt, one in a reply; then it reports their output.

    A prompt without such a line is answered with what the whole session has seen. The trial before
    the first task is passed.
    """

    async def reply(self, request: ModelRequest) -> Reply:
        commands, (_, since) = self.commands(request), last_prompt(request)
        done = sum(len(message.calls) for message in since)
        if done < len(commands):
            return Reply("Working.", (_shell(request, commands[done]),), USAGE)
        seen = since if commands else request.messages
        output = [message.text for message in seen if message.role == "tool"]
        return report(request, "SUCCESS", "\n".join(output))

    def commands(self, request: ModelRequest) -> list[str]:
        """Return the commands to run for the last prompt."""
        prompt = last_prompt(request)[0]
        trial = [f"echo {word} > {file}" for word, file in _TRIAL.findall(prompt)]
        return trial or _COMMAND.findall(prompt)


def last_prompt(request: ModelRequest) -> tuple[str, tuple[Message, ...]]:
    """Return what the agent was told last, and the messages since then.

    What begins with a tag is added by the agent's program.
    """
    at = max(
        number
        for number, message in enumerate(request.messages)
        if message.role == "user" and not message.text.startswith("<")
    )
    return request.messages[at].text, request.messages[at + 1 :]


def report(request: ModelRequest, status: str, results: str) -> Reply:
    """Return the report of an agent, in the way that its program asks for."""
    answer = {"status": status, "results": results, "pitfalls": "", "next_steps": ""}
    if any(tool.name == _REPORT_TOOL for tool in request.tools):
        return Reply("", (Call(_REPORT_TOOL, answer),), USAGE)
    return Reply(json.encode(answer).decode(), (), USAGE)


def is_claude(request: ModelRequest) -> bool:
    """Return whether Claude Code asks; Codex is the other one."""
    return any(tool.name == "Bash" for tool in request.tools)


def _shell(request: ModelRequest, command: str) -> Call:
    if is_claude(request):
        return Call("Bash", {"command": command, "description": "Run a command"})
    if any(tool.name == _GEMINI_SHELL for tool in request.tools):
        return Call(_GEMINI_SHELL, {"command": command, "description": "Run a command"})
    return Call("exec_command", {"cmd": command})
