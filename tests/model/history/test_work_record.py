"""R1: what was done for a plan, collected from its commits."""

from datetime import timedelta

from outlast.model.changes import AttemptBegan
from outlast.model.commands import Abort, InitializePlan, NewTask, NoteProof, Return, Start
from outlast.model.history.work_record import collect_work, count_calls
from outlast.model.ledger import DELEGATE
from outlast.model.model import Check, Evidence, Label, Proof
from tests.orchestrator.report.nights import BEGIN, Night, bad_night


def test_r1_unproved_tasks_come_first_and_proved_ones_last() -> None:
    record = bad_night().record()
    found = [(task.task.id, task.worth) for task in record.tasks]
    assert found == [
        *((3, "failed"), (2, "unproved"), (4, "open")),
        *((5, "pending"), (6, "skipped"), (1, "proved")),
    ]
    assert list(record.counts) == ["failed", "unproved", "open", "pending", "skipped", "proved"]


def test_r1_an_attempt_has_its_agent_report_decisions_time_and_cost() -> None:
    [*_, proved] = bad_night().record().tasks
    first, second = proved.orders
    assert (first.agent, first.seconds, first.outcome, first.spent.money) == (
        *("codex", 60, "done", 0.25),
    )
    assert first.report is not None
    assert first.report.status == "PARTIAL_SUCCESS"
    assert [(d.decision, d.by) for d in first.decisions] == [("retry", "gpt")]
    assert [d.decision for d in second.decisions] == ["next"]
    assert (proved.seconds, proved.spent.money, proved.agents) == (105, 0.5, ["codex"])
    assert proved.revision > 0


def test_x2_a_check_shows_how_it_went_from_red_to_green() -> None:
    [*_, proved] = bad_night().record().tasks
    [check] = proved.checks
    assert check.results == (False, True), "red twice counts once"
    assert check.last is not None
    assert (check.last.tail, check.last.code) == ("2 passed", 0)
    assert [run.ok for run in proved.check_runs] == [False, False, True]


def test_x3_an_attempt_that_a_crash_left_open_worked_until_its_run_was_last_seen() -> None:
    night = bad_night()
    [attempt] = next(task for task in night.record().tasks if task.task.id == 4).attempts
    assert (attempt.outcome, attempt.observed, attempt.seconds) == ("", False, 30)
    night.wait(60)
    night.end(attempt.id, "lost", "person", "nobody knows")
    [settled] = next(task for task in night.record().tasks if task.task.id == 4).attempts
    assert (settled.outcome, settled.settled_by, settled.observed) == ("lost", "person", False)
    assert settled.seconds == 30, "not the hours until somebody found out"


def test_x3_an_open_attempt_is_at_work_while_its_run_lives() -> None:
    night = Night("a")
    night.start_run()
    night.do(Start("agent", 1))
    night.begin(1)
    night.wait(10)
    [attempt] = night.record({}).tasks[0].attempts
    assert (attempt.observed, attempt.seconds) == (True, 10)
    night.wait(3_600)
    [attempt] = night.record({}).tasks[0].attempts
    assert (attempt.observed, attempt.seconds) == (False, 0), "its run is dead"


def test_r1_work_for_the_plan_and_for_removed_tasks_is_not_lost() -> None:
    night = Night("a", "b")
    night.do(Start("agent", 1))
    night.end(night.begin(1))
    night.end(night.begin(None, "think"))
    night.do(Return(1))
    night.plan.remove(1)
    record = night.record({})
    assert [attempt.task for attempt in record.other_attempts] == [1, 0]
    assert len(record.attempts) == 2


def test_r1_the_work_on_an_earlier_plan_in_the_same_journal_is_left_out() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    night.end(night.begin(1))
    night.do(Abort())
    night.do(InitializePlan("plan_next", "Another", (NewTask("b"),)))
    assert night.record({}).attempts == []


def test_x2_what_a_completion_is_worth() -> None:
    labels: tuple[Label, ...] = (
        *("proved", "proved (was green)", "stale", "forged", "assumed", ""),
    )
    night = Night(*"abcdef", checks=())
    for task in range(1, 7):
        night.plan.complete(task)
    record = night.record(dict(enumerate(labels, 1)))
    worths = {task.task.id: task.worth for task in record.tasks}
    assert worths == {
        1: "proved",
        2: "weak",
        3: "doubtful",
        4: "doubtful",
        5: "unproved",
        6: "unproved",
    }


def test_x2_an_open_task_with_changed_checks_is_doubtful() -> None:
    night = Night("a")
    [task] = night.record({1: "tampered"}).tasks
    assert (task.worth, task.agents) == ("doubtful", [])


def test_r1_calls_are_counted_by_kind() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    for kind in ("think", "think", "act", DELEGATE):
        night.end(night.begin(1, kind, "bash ls"))
    [task] = night.record({}).tasks
    assert count_calls(task.attempts) == (2, 1)
    assert [attempt.agent for attempt in task.attempts] == ["", "", "", "bash"]
    assert task.attempts[0].began - BEGIN == timedelta(0)


def test_f9_facts_about_an_attempt_that_the_journal_lost_are_no_problem() -> None:
    night = bad_night()
    kept = [
        commit
        for commit in night.plan.core.store.commits_since(0)
        if not any(isinstance(change, AttemptBegan) for change in commit.changes)
    ]
    record = night.plan.core.read(lambda state: collect_work(state, kept, {}, night.clock()))
    assert (len(record.tasks), record.attempts) == (6, [])


def test_x2_the_result_of_a_check_that_was_replaced_does_not_count_for_the_new_one() -> None:
    night = Night("a")
    old = Evidence(Check("command", "true"), ok=True)
    night.do(NoteProof(Proof(1, "later", night.clock(), (old,))))
    [task] = night.record({}).tasks
    assert (task.checks[0].results, task.checks[0].last) == ((), None)
    assert [run.ok for run in task.check_runs] == [True], "it was run, though"


def test_r1_calls_inside_of_an_agents_attempt_are_counted_once() -> None:
    night = Night("a")
    night.do(Start("agent", 1))
    outer = night.begin(1)
    night.wait(5)
    inner = night.begin(1, "act", "sh")
    night.wait(10)
    night.end(inner)
    night.wait(5)
    night.end(outer)
    night.wait(60)
    night.work(1, 4)
    record = night.record()
    assert (record.tasks[0].seconds, record.seconds) == (24, 24)
