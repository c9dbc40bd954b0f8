"""Which plan `run` works on: a new goal is a new plan, a phrase goes to the current one."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from outlast import create_plan, open_plan
from outlast.model.commands import ClaimPlan
from outlast.model.execute import return_commit
from outlast.plan.plan_list import list_plans
from tests.cli.agent_scripts import (
    GOAL,
    LETTERS,
    LOOK,
    call,
    events,
    isolated_environment,
    isolated_home,
    model,
    turn,
)
from tests.cli.processes import outlast, stdout_of

OTHER = "Write a haiku"
PATIENCE = 60
NOTHING = 'outlast: There is no unfinished plan to work on; start one with: outlast run "GOAL"\n'
ANSWER = [turn(say="I only answer.")]


def run(here: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return outlast(here, "run", *arguments, **isolated_home(here), **variables)


def goals(here: Path) -> dict[str, tuple[str, str]]:
    """Return goal and status of each plan by its key."""
    found: dict[str, tuple[str, str]] = {}
    for listed in list_plans(str(here)):
        with open_plan(here, listed.key) as plan:
            found[listed.key] = (plan.goal, plan.status)
    return found


@pytest.mark.slow
def test_u1_another_goal_is_a_plan_of_its_own_and_the_same_goal_continues_its_plan(
    here: Path,
) -> None:
    options = ("--model", model(here, LETTERS))
    run(here, GOAL, "--max-iterations", "3", *options)
    [first] = goals(here)
    done = run(here, OTHER, "--max-iterations", "3", *options)
    assert done.stderr == ""
    assert set(goals(here).values()) == {(GOAL, "paused"), (OTHER, "paused")}
    again = run(here, f"  {GOAL.replace(' ', '   ')}\n", *options, "--json")
    last = events(again.stdout)[-1]
    assert (again.returncode, last["plan"]["key"]) == (0, first)
    assert set(goals(here).values()) == {(GOAL, "completed"), (OTHER, "paused")}
    third = run(here, GOAL, "--max-iterations", "3", *options)
    assert third.returncode == 1
    assert sorted(goals(here).values()) == [
        (OTHER, "paused"),
        (GOAL, "completed"),
        (GOAL, "paused"),
    ], "a finished plan is not its goal's any more"


def test_u1_composed_and_decomposed_characters_are_the_same_goal(here: Path) -> None:
    create_plan(here, "Ouvrir le café", "cafe").close()
    create_plan(here, "Fermer", "other").close()
    answered = run(here, "Ouvrir le cafe\u0301", "--model", model(here, ANSWER), "--json")
    assert events(answered.stdout)[-1]["plan"]["key"] == "cafe"


@pytest.mark.parametrize("phrase", ["continue", "继续", "cancel", "it is not done", "/plan"])
def test_u1_a_phrase_goes_to_the_current_plan_and_is_never_a_goal(here: Path, phrase: str) -> None:
    options = ("--model", model(here, [LOOK, turn(say="So.")]), "--max-iterations", "1")
    nothing = run(here, phrase, *options)
    expected = (0, "") if phrase == "/plan" else (3, NOTHING)
    assert (nothing.returncode, nothing.stderr) == expected
    assert (run(here, phrase).stderr == NOTHING) is (phrase != "/plan"), "no model is asked for"
    assert goals(here) == {}
    for key in ("a", "b"):
        with create_plan(here, f"Goal {key}", key) as plan:
            plan.add("x")
            plan.pause()
    outlast(here, "use", "a")
    told = run(here, phrase, *options, "--json")
    assert events(told.stdout)[-1]["plan"]["key"] == "a"
    assert goals(here)["b"] == ("Goal b", "paused")
    assert len(goals(here)) == 2


def test_u1_without_a_goal_it_works_on_the_current_plan_or_says_what_to_type(here: Path) -> None:
    options = ("--model", model(here, ANSWER), "--json")
    nothing = run(here)
    assert (nothing.returncode, nothing.stderr) == (3, NOTHING)
    for key in ("a", "b"):
        with create_plan(here, f"Goal {key}", key) as plan:
            plan.add("x")
    outlast(here, "use", "a")
    assert events(run(here, *options).stdout)[-1]["plan"]["key"] == "a"
    assert events(run(here, "--plan", "b", *options).stdout)[-1]["plan"]["key"] == "b"
    assert events(run(here, *options).stdout)[-1]["plan"]["key"] == "b", "it was used last"
    for key in ("a", "b"):
        open_plan(here, key).abort()
    over = run(here, *options)
    assert (over.returncode, events(over.stdout)[-1]["error"]["code"]) == (1, "INVALID_STATUS")


def test_u1_a_named_plan_is_told_the_goal_and_must_exist(here: Path) -> None:
    options = ("--model", model(here, ANSWER), "--json")
    assert "outlast new" in run(here, "Use ink", "--plan", "letters").stderr
    for key in ("letters", "later"):
        create_plan(here, f"Goal {key}", key).close()
    told = run(here, "Use blue ink", "--plan", "let", *options)
    assert events(told.stdout)[-1]["plan"]["key"] == "letters"
    assert set(goals(here)) == {"letters", "later"}
    refused = run(here, "Use ink", "--plan", "leters")
    assert (refused.returncode, refused.stderr) == (
        3,
        (
            "outlast: There is no plan leters (plans here: later, letters); to create it: "
            'outlast run "GOAL" --key leters\n'
        ),
    )
    taken = run(here, "Use ink", "--key", "letters", *options)
    assert events(taken.stdout)[-1]["error"]["code"] == "PLAN_EXISTS"


def test_u1_only_the_option_makes_a_goal_a_message_and_a_key_always_makes_a_plan(
    here: Path,
) -> None:
    options = ("--model", model(here, LETTERS), "--max-iterations", "2")
    create_plan(here, "Goal nest", "nest").close()
    for number, named in enumerate(("nest", "gone")):
        made = run(here, f"Sub job {number}", *options, OUTLAST_PLAN=named)
        assert (made.returncode, made.stderr) == (1, "")
        assert made.stdout.endswith(f"outlast resume --plan sub-job-{number}\n")
    run(here, "Sub job", "--key", "sub", "--plan", "nest", *options, OUTLAST_PLAN="nest")
    assert set(goals(here)) == {"nest", "sub-job-0", "sub-job-1", "sub"}
    with open_plan(here, "nest") as plan:
        assert plan.core.read(lambda state: not state.ledger.conversation.interjections)
    phrase = run(here, "continue", *options, "--json", OUTLAST_PLAN="nest")
    assert events(phrase.stdout)[-1]["plan"]["key"] == "nest"
    failed = run(here, "Never", "--model", model(here, [], "none.yaml"), OUTLAST_PLAN="nest")
    assert "--plan nest" not in failed.stdout + failed.stderr
    assert run(here, "--key", "x", *options).returncode == 2
    assert run(here, "continue", OUTLAST_PLAN="gone").returncode == 3


def test_u1_an_ended_plan_gets_no_new_goal(here: Path) -> None:
    with create_plan(here, "Review it", "my rev") as plan:
        plan.abort()
    head = "Plan 'my rev' has ended; look at it: outlast show --plan 'my rev'"
    for arguments, new in {
        ("run", "Use blue"): "'Use blue'",
        ("run", "Review it"): "'Review it'",
        ("run", "continue"): '"GOAL"',
        ("run",): '"GOAL"',
        ("resume",): '"GOAL"',
    }.items():
        refused = outlast(here, *arguments, "--plan", "my", **isolated_home(here))
        line = f"outlast: {head}; a new goal is a new plan: outlast run {new}\n"
        assert (refused.returncode, refused.stderr) == (1, line)
    assert goals(here) == {"my rev": ("Review it", "failed")}


def test_u2_what_spends_never_goes_over_to_another_plan(here: Path) -> None:
    for key in ("cheap", "dear", "huge"):
        with create_plan(here, f"Goal {key}", key) as plan:
            plan.add("x")
            plan.pause()
    several = "outlast: No plan is the current one; open plans: huge, dear, cheap; go on with one: "
    assert run(here).stderr == f"{several}outlast resume --plan huge\n"
    open_plan(here, "huge").abort()
    for arguments in (("use", "cheap"), ("abort",)):
        stdout_of(here, *arguments)
    spend = (("resume",), ("run",), ("run", "continue"), ("resume", "Use blue"))
    for arguments in spend:
        refused = outlast(here, *arguments, **isolated_home(here))
        line = "Plan cheap has ended; open plans: dear; go on with one: outlast resume --plan dear"
        assert (refused.returncode, refused.stderr) == (3, f"outlast: {line}\n")
    assert goals(here)["dear"] == ("Goal dear", "paused")
    stdout_of(here, "drop", "cheap")
    resumed = stdout_of(here, "resume", **isolated_home(here))
    assert resumed.startswith("[dear] "), "there is no current plan, and only one is unfinished"


@pytest.mark.parametrize("words", [("run", "cancel"), ("run", "/cancel"), ("resume", "取消")])
def test_u2_a_run_at_work_is_not_cancelled_by_a_phrase_and_a_person_learns_how_to_stop_it(
    here: Path, words: tuple[str, str]
) -> None:
    with create_plan(here, GOAL, "letters") as plan:
        plan.core.commit((ClaimPlan("agent", 3600),), return_commit)
    refused = outlast(here, *words, "--model", model(here, ANSWER), **isolated_home(here))
    stop = "outlast abort --stop --plan letters"
    line = f"agent is at work on plan letters; a person can stop it and end the plan: {stop}"
    assert (refused.returncode, refused.stderr) == (1, f"outlast: {line}\n")
    stdout_of(here, *stop.split()[1:])
    assert goals(here) == {"letters": (GOAL, "failed")}


def test_u2_after_a_message_to_a_paused_plan_the_answer_tells_how_to_resume_it(here: Path) -> None:
    with create_plan(here, GOAL, "letters") as plan:
        plan.add("x")
        plan.pause()
    told = run(here, "Use blue ink", "--plan", "letters", "--model", model(here, ANSWER))
    hint = "The plan is still paused; to let the agent work on it: outlast resume --plan letters\n"
    assert told.stdout.endswith(hint)


def scribe(name: str) -> list[dict[str, Any]]:
    """Return a script that works on one task and meets another run in the middle of it."""
    command = (
        f"touch {name}.at_work; while [ ! -e go ]; do sleep 0.05; done; "
        f'outlast note "noted by {name}"; echo "$OUTLAST_PLAN" > {name}.plan'
    )
    return [
        turn("- Progress: 1/1", say="Done."),
        turn(
            "- Current step: 1.",
            calls=(call("bash", command=command), call("complete_task", task=1, result=name)),
        ),
        turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": name}]),)),
        LOOK,
    ]


def start(here: Path, name: str) -> subprocess.Popen[str]:
    options = ("--model", model(here, scribe(name), f"{name}.yaml"), "--json")
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "outlast", "run", f"Work on {name}", *options],
        cwd=here,
        env=isolated_environment(here),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_for(path: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_u2_two_runs_at_once_work_on_their_own_plans(here: Path) -> None:
    current = here / ".outlast" / "current"
    with start(here, "first") as first:
        wait_for(here / "first.at_work")
        assert current.read_text() == "work-on-first\n"
        with start(here, "second") as second:
            wait_for(here / "second.at_work")
            assert current.read_text() == "work-on-second\n"
            (here / "go").touch()
            answers = [process.communicate(timeout=PATIENCE)[0] for process in (first, second)]
    for name, answer in zip(("first", "second"), answers, strict=True):
        key = f"work-on-{name}"
        last = events(answer)[-1]
        assert (last["plan"]["key"], last["plan"]["status"]) == (key, "completed")
        assert (here / f"{name}.plan").read_text() == f"{key}\n"
        with open_plan(here, key) as plan:
            [finding] = plan.notes.findings()
            assert (plan.goal, finding.content) == (f"Work on {name}", f"noted by {name}")
    assert current.read_text() == "work-on-second\n", "programs of a run do not switch plans"
