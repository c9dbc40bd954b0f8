"""`run`, `resume`, `answer`, `say`: an agent in a process of its own, on real files."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import open_plan
from outlast.plan.plan_list import list_plans
from tests.cli.agent_scripts import (
    CHINESE,
    GOAL,
    LETTERS,
    LOOK,
    call,
    events,
    isolated_environment,
    isolated_home,
    isolated_json,
    model,
    turn,
)
from tests.cli.processes import outlast, stdout_of

LIMIT = "Paused at the limit of model calls per run (1/2 tasks done)"
CANARY = "sk-ant-api03-" + "Zq7" * 30


def test_without_a_model_it_says_how_to_set_one(here: Path) -> None:
    done = outlast(here, "run", GOAL, **isolated_home(here))
    assert (done.returncode, done.stdout) == (2, "")
    assert "outlast models" in done.stderr
    assert "outlast demo" in done.stderr
    assert f"{isolated_home(here)['XDG_CONFIG_HOME']}/outlast/config.toml" in done.stderr
    assert not (here / ".outlast").exists()


def test_an_agent_does_not_work_in_the_name_of_a_person(here: Path) -> None:
    done = outlast(here, "run", GOAL, "--as", "human", "--model", "script:x", **isolated_home(here))
    assert (done.returncode, "--as human" in done.stderr) == (2, True)


def test_r4_11_a_pattern_that_allows_nothing_is_refused(here: Path) -> None:
    home = isolated_home(here)
    for language, words in (("en", '"git push" allows nothing'), ("zh", "“git push”不起作用")):
        options = ("--model", "script:x", "--allow", "bash", "--allow", "git push")
        done = outlast(here, "run", GOAL, *options, "--lang", language, **home)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert "bash:" in done.stderr
        assert "path:/" in done.stderr
    assert not (here / ".outlast").exists()


def test_u2_a_run_on_a_task_that_a_person_does_says_whose_it_is(here: Path) -> None:
    home, options = isolated_home(here), ("--model", model(here, LETTERS))
    stdout_of(here, "new", GOAL, "--key", "two", **home)
    stdout_of(here, "add", "first letter", **home)
    stdout_of(here, "add", "second letter", "--needs", "1", **home)
    stdout_of(here, "start", **home)
    done = outlast(here, "run", *options, **home)
    assert done.returncode == 1
    head, *shown = done.stdout.splitlines()
    assert head == "1 first letter is being done by human; nothing else can start"
    assert "  ◐ 1 first letter  @human" in shown
    assert shown[-2:] == [
        (
            "When 1 is done: outlast done 1 --plan two; if nobody works on it any more: "
            "outlast release 1 --plan two"
        ),
        "Then continue: outlast resume --plan two",
    ]
    answer = outlast(here, "resume", "--json", **home).stdout
    assert '"why":"waiting"' in answer
    assert head in answer
    stdout_of(here, "release", "1", "--plan", "two", **home)
    assert "Both are written." in stdout_of(here, "resume", "--plan", "two", **home)


def test_resume_without_an_agent_ends_the_pause(here: Path) -> None:
    stdout_of(here, "new", "By hand", "--key", "hand", **isolated_home(here))
    stdout_of(here, "add", "a", **isolated_home(here))
    stdout_of(here, "pause", **isolated_home(here))
    shown = stdout_of(here, "resume", **isolated_home(here), OUTLAST_MODEL="script:no-such-file")
    assert shown == "Plan hand resumed (0/1)\nNext: 1 a; start it with: outlast start --plan hand\n"


@pytest.mark.slow
def test_r0_03_an_agent_works_through_a_plan_of_its_own(here: Path) -> None:
    done = outlast(here, "run", GOAL, "--model", model(here, LETTERS), **isolated_home(here))
    assert (done.returncode, done.stderr) == (0, "")
    assert (here / "2.txt").read_text(encoding="utf-8") == "letter 2\n"
    lines = done.stdout.splitlines()
    for line in (
        *("✔ list_directory .", "◐ [0/2] first letter", "  I write letter 1."),
        *("✔ write_file 1.txt", "✔ complete_task 1", "◐ [1/2] second letter"),
        *("  Both are written.", "  ● 1 first letter  → written"),
    ):
        assert line in lines
    assert "\x1b" not in done.stdout
    cost = stdout_of(here, "show", "--cost", **isolated_home(here))
    assert re.search(r"^Used: 5 model calls, \d[\d,]* tokens, ", cost, re.MULTILINE)
    assert re.search(r"^  1 first letter: 1 model call, \d[\d,]* tokens, ", cost, re.MULTILINE)
    assert re.search(r"^Of what was used, planning itself: \d[\d,]* tokens, ", cost, re.MULTILINE)
    costs = isolated_json(here, "show")["costs"]
    assert costs["used"]["tool_calls"] == 6
    assert costs["forecast"] is None
    assert "Used: " in stdout_of(here, "log", **isolated_home(here))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turns", "lang", "go_on", "limit"),
    [
        (LETTERS, "en", "continue", LIMIT),
        (CHINESE, "zh", "继续", "已达到单次运行的模型调用上限，计划暂停（已完成 1/2 个任务）"),
    ],
)
def test_r0_08_it_pauses_at_its_limit_and_resumes(
    here: Path, turns: list[dict[str, object]], lang: str, go_on: str, limit: str
) -> None:
    options = ("--lang", lang)
    limited = ("--model", model(here, turns), "--max-iterations", "3", *options)
    first = outlast(here, "run", GOAL, *limited, **isolated_home(here))
    assert (first.returncode, first.stderr) == (1, "")
    assert limit in first.stdout.splitlines()
    assert first.stdout.splitlines()[-1].endswith(
        f"outlast resume --plan write-two-letters --lang {lang}"
    )
    assert not (here / "2.txt").exists()
    with open_plan(here) as plan:
        assert (plan.status, plan.iteration_count) == ("paused", 3)
    second = outlast(here, "resume", go_on, *options, **isolated_home(here))
    assert (second.returncode, second.stderr) == (0, "")
    assert (here / "2.txt").exists()
    assert "write_file 1.txt" not in second.stdout


@pytest.mark.slow
def test_the_same_goal_once_more_goes_on_with_its_plan(here: Path) -> None:
    options = ("--model", model(here, LETTERS))
    outlast(here, "run", GOAL, "--max-iterations", "3", *options, **isolated_home(here))
    again = outlast(here, "run", GOAL, *options, **isolated_home(here))
    assert (again.returncode, again.stderr) == (0, "")
    assert len(isolated_json(here, "list")["plans"]) == 1


@pytest.mark.slow
def test_x4_a_budget_holds_and_can_be_raised(here: Path) -> None:
    options = ("--model", model(here, LETTERS), "--json")
    first = outlast(
        here,
        "run",
        GOAL,
        "--budget",
        "model_calls=3,tool_calls=50",
        *options,
        **isolated_home(here),
    )
    *_, last = events(first.stdout)
    assert (first.returncode, last["ok"], last["why"]) == (1, False, "budget")
    costs = isolated_json(here, "show")["costs"]
    assert (costs["used"]["model_calls"], costs["left"]["model_calls"]) == (3, 0)
    shown = stdout_of(here, "show", **isolated_home(here))
    assert "Left: 0 of 3 model calls; 46 of 50 tool calls" in shown
    second = outlast(here, "resume", "--budget", "model_calls=20", *options, **isolated_home(here))
    assert (second.returncode, events(second.stdout)[-1]["why"]) == (0, "finished")
    assert isolated_json(here, "show")["costs"]["budget"]["tool_calls"] == 50


@pytest.mark.slow
def test_r4_11_the_stream_has_one_end_for_each_start(here: Path) -> None:
    done = outlast(
        here, "run", GOAL, "--model", model(here, LETTERS), "--json", **isolated_home(here)
    )
    stream = events(done.stdout)
    began = [one["call"] for one in stream if one.get("type") == "tool_call_start"]
    ends = [one for one in stream if one.get("type") == "tool_call_end"]
    ended = [one["call"] for one in ends]
    assert began == ended
    result = {"tool_call_id", "success", "output", "error", "duration"}
    assert all(result < one.keys() and one["tool_call_id"] == one["call"]["id"] for one in ends)
    assert len(began) == 6
    assert [one["type"] for one in stream[:-1]].count("stopped") == 1
    assert stream[-1]["ok"] is True
    assert stream[-1]["plan"]["status"] == "completed"


@pytest.mark.slow
def test_m8_a_question_waits_for_its_answer(here: Path) -> None:
    which = call("ask_user", question="Which colour?\x1b[2J")
    asking = [
        turn("red, please", say="So be it: red."),
        turn("- Current step: 1.", say="?", calls=(which,)),
        turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": "paint"}]),)),
        LOOK,
    ]
    options, home = ("--model", model(here, asking)), isolated_home(here)
    allowed = {**home, "OUTLAST_LOOP__ASK_UNATTENDED": "true"}
    first = outlast(here, "run", "Paint it", *options, **allowed)
    assert first.returncode == 1
    assert "Question 1: Which colour?\\x1b[2J" in first.stdout.splitlines()
    [question] = isolated_json(here, "show")["questions"]
    assert (question["id"], question["kind"]) == (1, "ask")
    asked_again = outlast(here, "resume", *options, **isolated_home(here))
    assert (asked_again.returncode, "? 1  Which colour?" in asked_again.stdout) == (1, True)
    assert isolated_json(here, "show")["questions"] == [question]
    answered = stdout_of(here, "answer", "1", "red, please", **isolated_home(here))
    assert (
        answered.splitlines()[-1]
        == "Let the agent continue with it: outlast resume --plan paint-it"
    )
    second = outlast(here, "resume", *options, **isolated_home(here))
    assert "  So be it: red." in second.stdout.splitlines()


@pytest.mark.slow
def test_r0_12_a_scratch_plan_is_reported_once(here: Path) -> None:
    (here / ".outlast").mkdir()
    (here / ".outlast" / "plans").touch()
    options = ("--key", "x", "--model", model(here, [turn("here.txt", say="So."), LOOK]))
    (here / "here.txt").touch()
    done = outlast(here, "run", GOAL, *options, "--lang", "zh", **isolated_home(here))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("/.outlast/plans") == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_f5_a_run_reports_an_output_that_cannot_be_written(here: Path) -> None:
    run = ("run", GOAL, "--max-iterations", "2", "--model", model(here, LETTERS), "--json")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "outlast", *run],
            check=False,
            cwd=here,
            encoding="utf-8",
            env=isolated_environment(here),
            stderr=subprocess.PIPE,
            stdout=full,
        )
    assert done.stderr == f"outlast: {os.strerror(errno.ENOSPC)}\n"


@pytest.mark.slow
def test_a_message_is_read_at_the_next_step(here: Path) -> None:
    heard = [turn("Use blue ink", say="Blue it is."), *LETTERS]
    options = ("--model", model(here, heard))
    outlast(here, "run", GOAL, "--max-iterations", "2", *options, **isolated_home(here))
    answered = stdout_of(here, "say", "Use", "blue", "ink", **isolated_home(here))
    assert answered == "No agent is running; the next run reads it\n"
    second = outlast(here, "resume", "--max-iterations", "1", *options, **isolated_home(here))
    assert "  Blue it is." in second.stdout.splitlines()


@pytest.mark.slow
def test_x3_a_run_killed_after_its_plan_was_completed_is_not_repeated(here: Path) -> None:
    options = ("--model", model(here, LETTERS))
    outlast(here, "run", GOAL, *options, **isolated_home(here))
    [key] = [one.key for one in list_plans(str(here))]
    with open_plan(here, key) as plan:
        spent = plan.budget.cost()
    claim = f"from outlast import open_plan; open_plan({str(here)!r}, {key!r}).core.claim_plan(1)"
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", f"{claim}; {killed}"], check=False)  # noqa: S603 - our own
    (here / "2.txt").unlink()
    done = outlast(here, "run", GOAL, *options, **isolated_home(here))
    assert (done.returncode, "2/2 completed" in done.stdout) == (0, True)
    assert not (here / "2.txt").exists()
    with open_plan(here, key) as plan:
        assert plan.budget.cost() == spent
    outlast(here, "run", GOAL, *options, **isolated_home(here))
    assert len(list_plans(str(here))) == 2, "said once more, it is meant once more"


@pytest.mark.slow
def test_the_command_of_notify_is_really_run(here: Path) -> None:
    settings = Path(isolated_home(here)["XDG_CONFIG_HOME"], "outlast", "config.toml")
    settings.parent.mkdir(parents=True)
    log = here.parent / "told.txt"
    settings.write_text(f'[notify]\ncommand = "echo told >> {log}"\n', encoding="utf-8")
    options = ("--model", model(here, LETTERS))
    outlast(here, "run", GOAL, "--max-iterations", "3", *options, **isolated_home(here))
    assert log.read_text(encoding="utf-8").count("told") == 1
    outlast(here, "resume", *options, **isolated_home(here))
    assert log.read_text(encoding="utf-8").count("told") == 2


@pytest.mark.slow
def test_a5_a_secret_in_a_call_is_written_and_shown_nowhere(here: Path) -> None:
    leaking = [
        turn(after_tool="bash", say=f"The key {CANARY} is used."),
        turn(say="x", calls=(call("bash", command=f"echo {CANARY} token={CANARY}; false"),)),
    ]
    script = model(here, leaking)
    done = outlast(here, "run", GOAL, "--model", script, "--json", **isolated_home(here))
    assert events(done.stdout)[-1]["why"] == "answered"
    assert CANARY not in done.stdout + done.stderr
    written = [path for path in here.rglob("*") if path.is_file()]
    assert len(written) > 3
    assert [path for path in written if CANARY.encode() in path.read_bytes()] == []


@pytest.mark.slow
def test_leaving_the_workspace_is_refused_unless_allowed(here: Path) -> None:
    outside = here.parent / "outside.txt"
    leaving = [
        turn(after_tool="write_file", say="I tried."),
        turn(say="x", calls=(call("write_file", path=str(outside), content="x"),)),
    ]
    options = ("--model", model(here, leaving))
    refused = outlast(here, "run", "Leave", "--key", "a", *options, **isolated_home(here))
    assert "there is no one to ask" in refused.stdout
    assert not outside.exists()
    allowed = ("--allow", f"path:{here.parent}")
    outlast(here, "run", "Leave", "--key", "b", *options, *allowed, **isolated_home(here))
    assert outside.exists()
