"""The outcome of a tool call."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from outlast.redact.text_fields import Text


class Todo(Struct, frozen=True, rename={"active_form": "activeForm"}):
    """One line of the model's own to-do list."""

    content: Text
    status: Literal["pending", "in_progress", "completed"]
    active_form: Text = ""


class Outcome(Struct, frozen=True):
    """The answer to the model; `code` is the error code if the call was refused.

    `todos` is the model's own todo list, if the call has set it.
    """

    text: str
    code: str = ""
    todos: tuple[Todo, ...] | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the call was refused."""
        return bool(self.code)
