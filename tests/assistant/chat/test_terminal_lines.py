"""Lines that are typed at a terminal that is gone; `test_terminal_chat.py` has a real one."""

import pytest

from outlast.assistant.chat.terminal_lines import TerminalLines
from tests.assistant.chat.test_completion import KNOWLEDGE


def test_a_terminal_that_is_gone_is_neither_prepared_nor_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    lines = TerminalLines("en", KNOWLEDGE, (), colours=False)
    lines.open()
    lines.discard_typed()
    lines.close()
