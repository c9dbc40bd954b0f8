"""U7: who acts, and what only a person may do, in processes of their own."""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from outlast import Budget, Check, create_plan
from outlast.console.command_index import load_commands
from outlast.system.caller import MARK
from tests.cli.agent_scripts import GOAL, LETTERS, call, isolated_home, isolated_json, model, turn
from tests.cli.processes import json_of, outlast, stdout_of
from tests.orchestrator.agents.programs import fake_program

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "actors.md"
PUBLISH = call("complete_task", task=3, result="published")
REPORT = call("submit_report", status="SUCCESS", results="published")
ACCEPT = '{"decision": "next", "reason": "it is published", "advice": null}'
HELLO = [
    turn("# Task\nPublish it", calls=(REPORT,)),
    turn("You evaluate", say=ACCEPT),
    turn("You write the closing summary", say="It is published."),
    turn("- Progress: 3/3", say="It is published."),
    turn("- Current step: 3.", calls=(PUBLISH,)),
    turn(say="Hello."),
]

# The columns of the tables: what is added to the command, and the environment it runs in.
SITUATIONS: Final[dict[str, tuple[tuple[str, ...], dict[str, str]]]] = {
    "person": ((), {}),
    "agent": (("--as", "bot"), {}),
    "`OUTLAST_ACTOR=codex`": ((), {"OUTLAST_ACTOR": "codex"}),
    "coding agent": ((), {"CLAUDECODE": "1"}),
    "tool": ((), {f"{MARK}0a1b": "1"}),
}


class Case(NamedTuple):
    """One cell of a table."""

    line: str
    situation: str
    is_allowed: bool


def cases(table: int) -> list[Case]:
    """Return the cells of a table of the page."""
    page = PAGE.read_text("utf-8")
    header = "| command | " + " | ".join(SITUATIONS) + " |\n"
    rows = page.split(header)[table + 1].split("\n\n")[0].splitlines()[1:]
    found = []
    for row in rows:
        form = r"\| `(.+?)`.*? \|" + r" (yes|no) \|" * len(SITUATIONS)
        line, *cells = re.fullmatch(form, row).groups()  # type: ignore[union-attr]
        found += [
            Case(line, situation, cell == "yes")
            for situation, cell in zip(SITUATIONS, cells, strict=True)
        ]
    return found


def prepare(root: Path) -> dict[str, str]:
    """Create the plan of the tables; return what stands for their words in capitals."""
    root.mkdir()
    with create_plan(root, "Ship it", "ship", actor="human") as plan:
        plan.acting_as("bot").add("Build", checks=[Check("command", "true")])
        plan.add("Look", checks=[Check("person", "it looks right")])
        task = plan.add("Publish")
        plan.budget.set(Budget(tokens=50_000), task.id)
        plan.budget.set(Budget(tokens=50_000))
        plan.questions.ask("Which port?")
        plan.update(task.id, name="Publish it")
        revision = plan.revision
    (root / "old.md").write_text("mine")
    (root / "bin").mkdir()
    fake_program(root / "bin" / "claude", [])
    return {"REVISION": str(revision), "MODEL": model(root, HELLO)}


def journal(root: Path) -> bytes:
    return (root / ".outlast/plans/ship/journal.jsonl").read_bytes()


def try_case(case: Case, root: Path, words: dict[str, str]) -> str:
    """Run one cell on a copy of the plan; return what is wrong with it."""
    more, variables = SITUATIONS[case.situation]
    arguments = [words.get(word, word) for word in shlex.split(case.line)[1:]]
    before = journal(root)
    path = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    ended = outlast(root, *arguments, *more, PATH=path, **variables, **isolated_home(root))
    if (ended.returncode == 0) is not case.is_allowed:
        return f"{case}: {ended.returncode} {ended.stdout}{ended.stderr}"
    if not case.is_allowed and journal(root) != before:
        return f"{case}: it is recorded"
    return ""


def run_table(table: int, tmp_path: Path, change: Callable[[Path], object] | None = None) -> None:
    words = prepare(tmp_path / "ship")
    if change is not None:
        change(tmp_path / "ship")

    def run(numbered: tuple[int, Case]) -> str:
        number, case = numbered
        root = tmp_path / str(number)
        shutil.copytree(tmp_path / "ship", root)
        return try_case(case, root, words)

    with ThreadPoolExecutor(4) as pool:
        problems = [*filter(None, pool.map(run, enumerate(cases(table))))]
    assert "\n".join(problems) == ""


@pytest.mark.slow
def test_u7_only_a_person_may_do_what_the_page_reserves(tmp_path: Path) -> None:
    run_table(0, tmp_path)


@pytest.mark.slow
def test_u7_a_coding_agent_starts_runs_and_permits_nothing(tmp_path: Path) -> None:
    def leave_one_task(root: Path) -> None:
        for words in (("answer", "8080"), ("skip", "1"), ("skip", "2")):
            stdout_of(root, *words)

    run_table(1, tmp_path, leave_one_task)


@pytest.mark.slow
def test_r2_08_while_the_plan_is_paused_only_people_finish_tasks(tmp_path: Path) -> None:
    run_table(2, tmp_path, lambda root: stdout_of(root, "pause"))


def test_u7_a_coding_agent_is_refused_with_the_reason_and_nothing_is_recorded(
    tmp_path: Path,
) -> None:
    prepare(tmp_path / "w")
    here = tmp_path / "w"
    before = journal(here)
    forced = outlast(here, "done", "1", "--force", CLAUDECODE="1")
    assert (forced.returncode, forced.stdout) == (1, "")
    assert forced.stderr == (
        "outlast: Only a person may use outlast done --force, and claude-code runs this "
        "(CLAUDECODE is set); ask a person to type it in their own terminal\n"
    )
    refused = json_of(here, "done", "3", "--as", "human", code=2, CODEX_THREAD_ID="0199")["error"]
    assert refused["code"] == "INVALID_ARGUMENT"
    assert refused["message"].startswith("--as: codex runs this (CODEX_THREAD_ID is set), and ")
    chinese = outlast(here, "done", "3", OUTLAST_ACTOR="human", GEMINI_CLI="1", OUTLAST_LANG="zh")
    assert chinese.stderr.startswith("outlast: OUTLAST_ACTOR：此进程由 gemini-cli 运行")
    named = outlast(here, "reset", "--yes", OUTLAST_ACTOR="bot")
    assert "and bot runs this (OUTLAST_ACTOR is set); ask a person to type it" in named.stderr
    named = outlast(here, "reset", "--yes", "--as", "bot")
    assert named.stderr.endswith("and bot is an agent; ask a person to do it\n")
    human = outlast(here, "done", "1", "--force", "--as", "human", OUTLAST_ACTOR="bot")
    assert "--as: bot runs this (OUTLAST_ACTOR is set), and an agent cannot" in human.stderr
    for budget in ("tokens=90k", "none"):
        raised = outlast(here, "edit", "3", "--budget", budget, "--as", "bot")
        assert "Only a person may use outlast edit --budget, and bot is an agent" in raised.stderr
    assert journal(here) == before
    stdout_of(here, "edit", "3", "--budget", "tokens=10", "--as", "bot")
    stdout_of(here, "start", "3", CLAUDECODE="1")
    assert json_of(here, "log", "-n", "1")["commits"][0]["author"] == "claude-code"


def test_u7_no_agent_is_named_like_a_person(tmp_path: Path) -> None:
    prepare(tmp_path / "w")
    here = tmp_path / "w"
    before = journal(here)
    inside = {"CLAUDECODE": "1"}
    attempts: list[tuple[tuple[str, ...], dict[str, str]]] = [
        (("--as", "Human"), {}),
        (("--as", "human (mira)"), inside),
        ((), {"OUTLAST_ACTOR": "ｈｕｍａｎ\u200b"}),
        (("--as", "Ada"), {"OUTLAST_NAME": "ada", **inside}),
        (("--as", "al"), {"LOGNAME": "al", "OUTLAST_NAME": "", **inside}),
        (("--as", "al"), {"LOGNAME": "al", "OUTLAST_ACTOR": "bot"}),
    ]
    for more, variables in attempts:
        refused = outlast(here, "add", "Test", *more, **variables)
        assert (refused.returncode, refused.stdout) == (2, "")
        argument = "--as" if more else "OUTLAST_ACTOR"
        assert refused.stderr.startswith(f"outlast: {argument}: "), refused.stderr
        assert "reads like a person; give the agent a name of its own" in refused.stderr
    run = outlast(
        here, "run", "--as", "HUMAN", "--model", model(here, HELLO), **isolated_home(here)
    )
    assert (run.returncode, "HUMAN reads like a person" in run.stderr) == (2, True)
    assert journal(here) == before
    stdout_of(here, "add", "Test", "--as", "ada", OUTLAST_NAME="ada")  # a person names an agent


def test_u7_a_persons_name_is_recorded_and_shown(tmp_path: Path) -> None:
    stdout_of(tmp_path, "new", "Ship it", "--key", "s", OUTLAST_NAME="Ada 五")
    stdout_of(tmp_path, "add", "Build", "Publish", OUTLAST_NAME="")
    stdout_of(tmp_path, "done", "1", "--as", "bot")
    file = tmp_path / ".outlast/plans/s/task_plan.md"
    file.write_text(file.read_text().replace("[ ] ○ **2** Publish", "[x] ● **2** Publish"))
    authors = [
        (commit["author"], commit["person"]) for commit in json_of(tmp_path, "log")["commits"]
    ]
    assert authors == [("human", ""), ("bot", ""), ("human", ""), ("human", "Ada 五")]
    assert "  human (Ada 五)  created the plan: Ship it" in stdout_of(
        tmp_path, "log", "--plan", "s"
    )
    stdout_of(tmp_path, "reopen", "2")
    stdout_of(tmp_path, "done", "2")
    assert "\n  by: human (mira)\n" in stdout_of(tmp_path, "show", "2", "--plan", "s")
    assert "  human（mira）  " in stdout_of(tmp_path, "show", "2", "--plan", "s", "--lang", "zh")


def test_r2_08_a_person_finishes_a_paused_plan(tmp_path: Path) -> None:
    for words in (("new", "Ship", "--key", "s"), ("add", "A", "B", "C"), ("pause",)):
        stdout_of(tmp_path, *words)
    file = tmp_path / ".outlast/plans/s/task_plan.md"
    file.write_text(file.read_text().replace("[ ] ○ **1** A", "[x] ● **1** A"))
    paused = "Done: 2 B (2/3)\nPaused; go on with: outlast resume\n"
    done = outlast(tmp_path, "done", "2")
    assert (done.returncode, done.stdout) == (0, paused)
    assert json_of(tmp_path, "next")["plan"]["status"] == "paused"
    assert stdout_of(tmp_path, "done", "3") == (
        "Done: 3 C (3/3)\nPlan s is complete: 3 tasks finished\n"
    )


def test_u7_a_run_acts_as_the_coding_agent_that_starts_it(tmp_path: Path) -> None:
    here = tmp_path / "w"
    here.mkdir()
    home = isolated_home(here)
    options = ("--model", model(here, LETTERS), "--max-iterations")
    human = outlast(here, "run", GOAL, *options, "2", "--as", "human", CLAUDECODE="1", **home)
    assert (human.returncode, "an agent cannot act as a person" in human.stderr) == (2, True)
    limited = outlast(here, "run", GOAL, *options, "2", CLAUDECODE="1", **home)
    assert (limited.returncode, limited.stderr) == (1, "")
    authors = {commit["author"] for commit in isolated_json(here, "log")["commits"]}
    assert authors == {"claude-code"}, "the message is not a person's either"
    by_person = outlast(here, "resume", *options, "2", OUTLAST_ACTOR="human", **home)
    assert by_person.stderr == ""
    assert isolated_json(here, "log", "-n", "1")["commits"][0]["author"] == "claude-code", (
        "it goes on with the tasks of the last run"
    )


def test_u7_the_page_has_every_command_and_option_that_only_a_person_may_use() -> None:
    listed = {case.line for table in range(2) for case in cases(table)}
    reserved = [
        [command.name, *flags]
        for command in load_commands().values()
        for flags in (
            *([[]] if command.person_only else []),
            *([option.flags[-1]] for option in command.options if option.person_only),
        )
    ]
    assert [
        words for words in reserved if not any(set(words) <= set(line.split()) for line in listed)
    ] == []
