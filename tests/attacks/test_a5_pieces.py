"""A5: secrets between the events of a lane, and in the log."""

import logging

import pytest

from outlast.agent.events import Event, Said, Streamed
from outlast.redact.secrets import redact
from outlast.system.logs import LOG
from tests.agent.runtime.middleware.fakes import new_lane
from tests.attacks.leaky_agent import CANARY, KEY, LEAKS, NAMED


def test_a5_what_is_held_back_comes_before_what_happens_next() -> None:
    events: list[Event] = []
    lane = new_lane(listener=events.append)
    for event in (Streamed("with "), Streamed(NAMED), Said(NAMED)):
        lane.emit(event)
    assert events == [Streamed("with "), Streamed(redact(NAMED)), Said(redact(NAMED))]


def test_a5_the_log_holds_no_secret_and_steers_no_terminal(
    caplog: pytest.LogCaptureFixture,
) -> None:
    try:
        raise ValueError(f"{LEAKS}\x1b[2J")  # noqa: TRY301 - it is caught here
    except ValueError:
        with caplog.at_level(logging.WARNING, "outlast"):
            LOG.exception("it said %s", f"{KEY}\x1b]0;x\x07")
    assert CANARY not in caplog.text
    assert "\x1b" not in caplog.text
    assert "ValueError: export API_KEY=[redacted]" in caplog.text
    assert caplog.records[0].exc_info is None
