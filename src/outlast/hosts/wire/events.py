"""One event of a coding agent, and the answer to it, whichever agent it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]
Moment = Literal[
    "session-start",
    "prompt",
    "pre-tool",
    "post-tool",
    "tool-failure",
    "batch",
    "stop",
    "subagent-stop",
    "pre-compact",
    "session-end",
]
MOMENTS: Final[tuple[Moment, ...]] = get_args(Moment)
HostName = Literal["claude-code", "codex", "gemini"]
HOST_NAMES: Final[tuple[HostName, ...]] = get_args(HostName)


class ListedTodo(Struct, frozen=True):
    """A task in the agent's own list; `id` is the agent's, if it gives its tasks any.

    What is empty was left as it is.
    """

    name: str = ""
    status: Literal["", "pending", "in_progress", "completed", "deleted"] = ""
    active_form: str = ""
    id: str = ""
    description: str = ""


class HostEvent(Struct, frozen=True):
    """What happened in a session of a coding agent; only what its moment has is filled in.

    `tool` is our name of the tool, or the agent's own where we have none. `approved_plan` is the
    text of a plan that the user has just accepted. `last_message` is what the agent said before it
    stopped; if it `was_blocked`, a hook has just kept it from that. What happens in a subagent
    `is_inner`.
    """

    moment: Moment
    session: str
    directory: str
    source: str = ""
    prompt: str = ""
    tool: str = ""
    tool_input: Json = {}
    succeeded: bool = True
    error: str = ""
    approved_plan: str = ""
    todos: tuple[ListedTodo, ...] = ()
    last_message: str = ""
    was_blocked: bool = False
    is_inner: bool = False


class HostAnswer(Struct, frozen=True):
    """What to tell an agent: text for the model, a line for its user, whether to hold it up.

    With a `reason` the event does not take its course: a tool does not run, a prompt is answered
    with the reason, an agent that stops goes on.
    """

    context: str = ""
    notice: str = ""
    reason: str = ""


NO_ANSWER: Final = HostAnswer()


def merge_answers(answers: Iterable[HostAnswer]) -> HostAnswer:
    """Return one answer that says what all of them say."""
    given = [answer for answer in answers if answer != NO_ANSWER]
    if not given:
        return NO_ANSWER
    return HostAnswer(
        "\n\n".join(filter(None, (answer.context for answer in given))),
        "\n".join(filter(None, (answer.notice for answer in given))),
        "\n\n".join(filter(None, (answer.reason for answer in given))),
    )
