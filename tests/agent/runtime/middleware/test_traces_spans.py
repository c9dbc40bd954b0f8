"""OpenTelemetry spans of model calls, tool calls and checks, in a process that uses them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from outlast.system.tracer import find_tracer
from tests.agent.runtime.middleware.spans_process import SECRET

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def printed() -> str:
    command = [sys.executable, "-m", "tests.agent.runtime.middleware.spans_process"]
    return subprocess.check_output(command, cwd=ROOT, encoding="utf-8")  # noqa: S603 - our own


def test_r4_11_thoughts_acts_and_checks_are_spans(printed: str) -> None:
    spans: list[dict[str, Any]] = json.loads(printed)
    names = [span["name"] for span in spans]
    assert names.count("outlast.think") == 4
    assert names.count("outlast.act") == 3
    checks = [span for span in spans if span["name"] == "outlast.check"]
    assert [one["outlast.outcome"] for one in checks if one["outlast.stage"] == "done"] == [
        "passed"
    ]
    think = next(span for span in spans if span["name"] == "outlast.think")
    assert think["outlast.model"] == "scripted"
    assert think["outlast.tokens.input"] > think["outlast.tokens.output"] > 0
    assert think["outlast.outcome"] == "done"


def test_r4_11_a_check_belongs_to_the_call_that_asked_for_it(printed: str) -> None:
    spans: list[dict[str, Any]] = json.loads(printed)
    calls = {span["id"]: span for span in spans if span["name"] == "outlast.act"}
    done = next(span for span in spans if span.get("outlast.stage") == "done")
    assert calls[done["parent"]]["outlast.tool"] == "complete_task"
    assert calls[done["parent"]]["outlast.task"] == 1
    attempts = {span["outlast.tool"]: span["outlast.attempt"] for span in calls.values()}
    assert attempts["complete_task"] == "", "a call of the plan's own tools is no attempt"
    assert attempts["poke"].startswith("0#")
    outcomes = [span["outlast.outcome"] for span in calls.values()]
    assert outcomes == ["done", "done", "failed"]


def test_r4_11_what_has_failed_is_an_error_in_any_viewer(printed: str) -> None:
    spans: list[dict[str, Any]] = json.loads(printed)
    failed = [
        (span["name"], span["outlast.outcome"]) for span in spans if span["status"] != "UNSET"
    ]
    assert failed == [("outlast.act", "failed"), ("outlast.failing", "ZeroDivisionError")]
    assert {span["status"] for span in spans} == {"UNSET", "ERROR"}


def test_a5_no_span_has_any_content_in_it(printed: str) -> None:
    assert SECRET not in printed
    assert {"outlast.think", "outlast.act"} <= {span["name"] for span in json.loads(printed)}


def test_r4_11_a_process_that_does_not_use_it_does_not_load_it() -> None:
    code = "import sys, outlast.system.tracer as t; assert t.find_tracer() is None"
    subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", f"{code}; assert 'opentelemetry' not in sys.modules"], check=True
    )
    assert find_tracer() is None or "opentelemetry" in sys.modules
