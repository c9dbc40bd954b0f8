"""R1.10, X3: what the ledger knows of reports, sessions and messages."""

from datetime import timedelta

from outlast.model import commands as c
from outlast.model.ledger import Ledger
from outlast.model.model import PERSON, AgentSession, Task, TaskReport
from tests.model.strategies import BEGINNING
from tests.model.timed_plan import TimedPlan


def test_r0_12_the_last_message_read_is_the_one_before_the_first_unread() -> None:
    plan = TimedPlan(1)
    assert plan.state.ledger.conversation.last_taken == 0
    plan.do(c.Interject("one", PERSON))
    plan.do(c.Interject("two", PERSON))
    assert plan.state.ledger.conversation.last_taken == 0
    plan.do(c.TakeInterjections(1))
    assert plan.state.ledger.conversation.last_taken == 1


def test_x3_a_report_from_before_the_present_start_does_not_count() -> None:
    report = TaskReport("1#1", "shell", "SUCCESS", BEGINNING)
    ledger = Ledger(reports={1: report})
    assert ledger.report_since_start(Task(1, "a")) is report
    assert ledger.report_since_start(Task(1, "a", started_at=BEGINNING)) is report
    later = BEGINNING + timedelta(seconds=1)
    assert ledger.report_since_start(Task(1, "a", started_at=later)) is None
    assert ledger.report_since_start(Task(2, "b", started_at=later)) is None


def test_r1_10_the_last_session_is_that_of_the_newest_attempt() -> None:
    sessions = {
        "s1": AgentSession("codex", "1#1"),
        "s2": AgentSession("codex", "1#3"),
        "s3": AgentSession("codex", "2#2"),
        "s4": AgentSession("claude-code", "1#4"),
    }
    ledger = Ledger(sessions=sessions)
    assert ledger.last_session("codex") == "s2"
    assert ledger.last_session("codex", task=2) == "s3"
    assert ledger.last_session("codex", attempt="1#1") == "s1"
    assert ledger.last_session("codex", task=9) == ""
