"""R4.08: when the stop of a coding agent is blocked, and what its last message completes."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from outlast import Check, Plan
from outlast.config.settings import Hooks, Rules, Settings
from outlast.errors import CheckFailed, CheckNotApproved
from outlast.hosts.session_record import SessionRecord
from outlast.hosts.stop import (
    DONE_WORDS,
    Refusal,
    StopDecision,
    complete_marked,
    decide_stop,
    judge_work,
)
from outlast.hosts.wire.events import HostEvent
from outlast.model.commands import NoteProof
from outlast.model.execute import return_commit
from tests.making import make_plan
from tests.proof.proven import ASKS, RUNS, Pair, begin

RECORD = SessionRecord("claude-code", "s1", "/x", "k", "plan_1")
GUARDED = replace(RECORD, guard=True)
RED = (Refusal(1, CheckFailed("check_failed"), "tree:1"),)
UNAPPROVED = (Refusal(1, CheckNotApproved("check_failed")),)


def stop(message: str = "I stop here.", *, blocked: bool = False) -> HostEvent:
    return HostEvent("stop", "s1", "/x", last_message=message, was_blocked=blocked)


def decide(  # noqa: PLR0913 - one keyword per option
    plan: Plan,
    record: SessionRecord = RECORD,
    event: HostEvent | None = None,
    refusals: tuple[Refusal, ...] = (),
    *,
    is_on: bool = True,
    is_refused: bool = False,
    limit: int = Rules().stop_limit,
) -> StopDecision:
    event = event or stop()
    settings = Settings(hooks=Hooks(on_stop=is_on), rules=Rules(stop_limit=limit))
    return decide_stop(plan, record, event, refusals, settings, is_refused=is_refused)


def test_r4_08_a_stop_is_advisory() -> None:
    plan = make_plan("one")
    assert decide(plan) == StopDecision(RECORD)
    assert decide(plan, refusals=UNAPPROVED) == StopDecision(RECORD)
    assert decide(plan, GUARDED, is_on=False) == StopDecision(GUARDED)


@pytest.mark.parametrize("blocked", [False, True])
def test_r4_08_red_blocks_once_for_a_task_and_content(blocked: bool) -> None:  # noqa: FBT001
    plan, event = make_plan("one", "two"), stop(blocked=blocked)
    first = decide(plan, event=event, refusals=RED)
    assert first.is_blocked
    assert not decide(plan, first.record, event, RED).is_blocked
    for other in (replace(RED[0], content="tree:2"), replace(RED[0], task=2)):
        assert decide(plan, first.record, event, (other, *RED)).is_blocked
    assert not decide(plan, event=stop("May I go on?"), refusals=RED).is_blocked


def test_r4_08_what_was_held_is_forgotten_after_many_others() -> None:
    plan, record = make_plan("one"), RECORD
    for number in range(60):
        red = (replace(RED[0], content=f"tree:{number}"),)
        record = decide(plan, record, refusals=red, limit=100).record
    assert len(record.held) == 50
    assert record.held[-1] == "1 tree:59"


@pytest.mark.parametrize("refusals", [(), RED])
def test_r4_08_a_hook_blocks_once(refusals: tuple[Refusal, ...]) -> None:
    plan = make_plan("one")
    assert decide(plan, refusals=refusals, is_refused=True).is_blocked
    held = replace(RECORD, held=tuple(red.key for red in refusals))
    for event in (stop(blocked=True), stop("May I go on?")):
        decision = decide(plan, held, event, refusals, is_refused=True)
        assert decision == StopDecision(held)


@pytest.mark.parametrize("record", [GUARDED, RECORD])
def test_r4_08_no_reason_blocks_more_than_three_times_without_progress(
    record: SessionRecord,
) -> None:
    plan, refused = make_plan("one", "two"), not record.guard
    for _ in range(3):
        decision = decide(plan, record, is_refused=refused)
        assert decision.is_blocked
        record = decision.record
    decision = decide(plan, record, is_refused=refused)
    assert (decision.is_blocked, decision.is_let_go) == (False, True)
    plan.complete(1)
    assert decide(plan, record, is_refused=refused).is_blocked


def test_r4_08_a_hook_may_ask_for_something_at_the_end_of_a_plan() -> None:
    plan = make_plan("one")
    plan.complete(1)
    assert decide(plan, GUARDED).is_completed
    assert decide(plan, is_refused=True).is_blocked
    assert not decide(plan, is_refused=True, event=stop(blocked=True)).is_blocked
    spent = replace(RECORD, blocked_stops=3, finished=1)
    assert decide(plan, spent, is_refused=True) == StopDecision(spent, is_completed=True)


@pytest.mark.parametrize("limit", [0, 1, 4])
def test_r4_08_how_often_a_stop_is_blocked_is_a_setting(limit: int) -> None:
    plan, record = make_plan("one"), GUARDED
    for _ in range(limit):
        decision = decide(plan, record, limit=limit)
        assert decision.is_blocked
        record = decision.record
    assert decide(plan, record, limit=limit) == StopDecision(record, is_let_go=True)


def test_r4_08_a_paused_plan_blocks_nothing() -> None:
    plan = make_plan("one")
    plan.pause()
    assert not decide(plan, GUARDED, refusals=RED, is_refused=True).is_blocked


# What the work is judged by


RUNS_LOG = "runs.log"
COUNTED = Check("command", f"echo . >> .outlast/{RUNS_LOG}; test -f made.txt")


def started(tmp_path: Path, *checks: Check) -> Pair:
    """Return a plan whose task in progress has checks that a person gave it."""
    pair = begin(tmp_path, *checks)
    pair.agent.start()
    return pair


def count_runs(pair: Pair) -> int:
    """Return how often the check has run."""
    return len((pair.root / ".outlast" / RUNS_LOG).read_text().splitlines())


def forget_durations(pair: Pair) -> None:
    """Let it be unknown how long the checks take, as in a plan of an older version."""
    pair.person.update(
        1, checks=(*pair.person.task(1).checks, Check("file", "made.txt")), amend=True
    )


def judge(pair: Pair, message: str = "I stop here.") -> tuple[Refusal, ...]:
    return judge_work(pair.agent, stop(message))


def test_x2_a_run_of_a_check_records_how_long_it_took_and_on_what(tmp_path: Path) -> None:
    pair = started(tmp_path, Check("command", "sleep 0.2; false"), ASKS)
    prover = pair.agent.core.prover()
    assert prover is not None
    [run] = prover.runs(1)
    slow, asked = run.evidence
    assert 200 <= (slow.took_ms or 0) < 60_000
    assert asked.took_ms is None
    assert run.took_ms == slow.took_ms
    assert run.content == prover.content_id()
    assert run.content.startswith("tree:")


def test_r4_08_cheap_checks_run_at_a_stop_once_files_have_changed(tmp_path: Path) -> None:
    pair = started(tmp_path, COUNTED)
    assert judge(pair) == ()
    assert count_runs(pair) == 1, "the baseline"
    pair.make("other.txt")
    [refusal] = judge(pair)
    assert (refusal.task, refusal.is_red) == (1, True)
    assert count_runs(pair) == 2
    assert [known.key for known in judge(pair)] == [refusal.key]
    assert count_runs(pair) == 2, "the same content is not checked again"
    pair.make("other.txt", "changed")
    [changed] = judge(pair)
    assert changed.key != refusal.key
    pair.make("other.txt")
    assert judge(pair)
    pair.make()
    assert judge(pair) == ()
    assert count_runs(pair) == 5
    assert pair.agent.task(1).status == "in_progress", "nobody said that it is done"


def test_r4_08_what_a_check_itself_writes_is_no_change(tmp_path: Path) -> None:
    pair = started(tmp_path, Check("command", f"date +%N >> report.txt; {COUNTED.rule}"))
    assert judge(pair) == ()
    pair.make("other.txt")
    assert judge(pair)
    assert judge(pair)
    assert count_runs(pair) == 2
    (tmp_path / "report.txt").write_text("edited")
    assert judge(pair)
    assert count_runs(pair) == 3


def test_x2_only_a_run_that_was_made_here_is_believed(tmp_path: Path) -> None:
    pair = started(tmp_path, COUNTED)
    pair.make("other.txt")
    prover = pair.agent.core.prover()
    assert prover is not None
    [seen] = prover.runs(1)
    green = tuple(replace(evidence, ok=True) for evidence in seen.evidence)
    forged = replace(seen, stage="later", evidence=green, content=prover.content_id())
    pair.agent.core.commit((NoteProof(forged),), return_commit)
    assert [refusal.is_red for refusal in judge(pair)] == [True]
    assert count_runs(pair) == 2


def test_r4_08_a_check_that_takes_long_runs_only_after_a_word(tmp_path: Path) -> None:
    pair = started(tmp_path, Check("command", f"sleep 3.1; {COUNTED.rule}"))
    pair.make("other.txt")
    assert judge(pair, "I have looked at `done.py` and will go on.\n```\ndone\n```") == ()
    assert count_runs(pair) == 1
    assert judge(pair, "It is done.")
    assert count_runs(pair) == 2
    assert judge(pair, "It is done."), "what was seen is known"
    assert count_runs(pair) == 2


def test_r4_08_a_check_whose_duration_is_not_known_counts_as_long(tmp_path: Path) -> None:
    pair = started(tmp_path, COUNTED)
    forget_durations(pair)
    pair.make("other.txt")
    assert judge(pair) == ()
    assert count_runs(pair) == 1
    assert judge(pair, "搞定了")
    assert count_runs(pair) == 2
    pair.make("other.txt", "changed")
    assert judge(pair), "now it is known to be cheap"
    assert count_runs(pair) == 3


def test_r4_08_without_a_baseline_any_content_counts_as_changed(tmp_path: Path) -> None:
    pair = started(tmp_path)
    pair.person.update(1, checks=(RUNS,), amend=True)
    assert judge(pair) == ()
    assert judge(pair, "Done.")


@pytest.mark.parametrize("word", DONE_WORDS)
def test_x2_a_word_completes_only_what_a_check_proves(tmp_path: Path, word: str) -> None:
    pair = started(tmp_path, RUNS)
    pair.make("other.txt")
    [refusal] = judge(pair, f"It is {word.upper()}!")
    assert isinstance(refusal.error, CheckFailed)
    assert pair.agent.task(1).status == "in_progress"
    pair.make()
    assert judge(pair) == ()
    assert pair.agent.task(1).status == "in_progress"
    assert judge(pair, f"It is {word.upper()}!") == ()
    assert pair.agent.task(1).how == "proved"


def test_r4_08_the_list_of_words_is_short() -> None:
    assert len(set(DONE_WORDS)) <= 20


@pytest.mark.parametrize("checks", [(), (ASKS,)])
def test_r4_08_without_a_check_that_runs_nothing_is_judged(
    tmp_path: Path, checks: tuple[Check, ...]
) -> None:
    pair = started(tmp_path, *checks)
    pair.make()
    assert judge(pair, "Done.") == ()


def test_r4_08_a_person_whose_word_is_missing_holds_no_agent(tmp_path: Path) -> None:
    pair = started(tmp_path, RUNS, ASKS)
    pair.make("other.txt")
    assert judge(pair, "Done.")
    pair.make()
    assert judge(pair) == ()
    assert judge(pair, "Done.") == ()
    assert pair.agent.task(1).status == "in_progress"


def test_r4_08_a_task_that_somebody_else_ends_holds_nobody(tmp_path: Path) -> None:
    pair = started(tmp_path, RUNS)
    pair.make("other.txt")
    assert judge(pair)
    pair.person.complete(1, force=True)
    assert judge(pair, "Done.") == ()


@pytest.mark.parametrize(
    ("message", "completed"),
    [
        ("[Done] one", [1]),
        ("It works. [Done]", [1]),
        ("[Done] two", [2]),
        ("[Done] task 2\n[Done] one", [1, 2]),
        ("[Done] task 7", []),
        ("[Step] nobody knows it [Done]", []),
        ("[Done] one\n\nShall I go on?", []),
        ("The task is done.", []),
    ],
)
def test_r4_08_a_marker_completes_the_task_that_it_names(
    message: str, completed: list[int]
) -> None:
    plan = make_plan("one", "two")
    plan.start(1)
    assert complete_marked(plan, RECORD, stop(message)) == ()
    tasks = [task.id for task in plan.tasks() if task.status == "completed"]
    assert tasks == completed


def test_r4_08_what_was_listed_as_completed_is_tried_again(tmp_path: Path) -> None:
    pair = started(tmp_path, RUNS)
    listed = replace(RECORD, refused=(1, 9))
    [refusal] = complete_marked(pair.agent, listed, stop())
    assert refusal.is_red
    pair.make()
    assert complete_marked(pair.agent, listed, stop()) == ()
    assert pair.agent.task(1).how == "proved"
