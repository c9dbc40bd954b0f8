"""`outlast` alone and `list`: all plans of the workspace."""

from __future__ import annotations

import re
import shlex
from time import sleep
from typing import TYPE_CHECKING

import pytest

from outlast import create_plan, open_plan
from outlast.language.columns import text_width
from outlast.model.budget import Spend
from outlast.model.commands import AskQuestion, BeginAttempt, Charge, ClaimPlan, RequireApproval
from outlast.model.execute import return_commit
from outlast.model.model import PLAN
from tests.cli.processes import json_of, outlast, stdout_of
from tests.cli.terminals import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.model.commands import Command
    from outlast.model.model import QuestionKind

TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
CODES = re.compile(r"\x1b\[[\d;]*m")
LONG = "Write the notes for everybody who reads them, which takes a very long time indeed"


def commit(where: Path, key: str, *commands: Command) -> None:
    with open_plan(where, key) as plan:
        plan.core.commit(commands, return_commit)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Make two open plans, a finished and an aborted one."""
    for key in ("old", "gone"):
        create_plan(tmp_path, f"The {key} one", key, actor="human").close()
    stdout_of(tmp_path, "add", "x", "--plan", "old")
    stdout_of(tmp_path, "done", "1", "--plan", "old")
    stdout_of(tmp_path, "abort", "--plan", "gone")
    with create_plan(tmp_path, "Publish version 1.2", "release", actor="human") as plan:
        for name in ("Run the tests", LONG, "Upload it"):
            plan.add(name)
        plan.complete(1)
        plan.acting_as("ada").start(2)
    stdout_of(tmp_path, "new", "写一首关于雨的诗，越长越好，给所有喜欢诗的人看", "--key", "诗")
    return tmp_path


def test_u2_without_a_plan_outlast_says_how_to_create_one(tmp_path: Path) -> None:
    start = stdout_of(tmp_path)
    assert 'outlast new "Your goal"' in start
    assert stdout_of(tmp_path, "list") == "There are no plans here.\n"
    assert json_of(tmp_path)["plan"] is None


def test_u2_one_open_plan_is_shown_with_its_tree_and_its_key(here: Path) -> None:
    stdout_of(here, "drop", "诗")
    shown = stdout_of(here)
    assert shown == stdout_of(here, "show")
    assert shown.startswith("Publish version 1.2  1/3 running  [release]\n")
    assert json_of(here)["plan"]["key"] == "release"
    terminal = Terminal(here)
    assert terminal.end() == 0
    head = CODES.sub("", terminal.shown).splitlines()[0]
    assert head == "Publish version 1.2  1/3 running  [release]"
    assert "\x1b[" not in shown


def test_u2_of_several_plans_there_is_an_overview(here: Path) -> None:
    overview = TIME.sub("TIME", stdout_of(here))
    assert overview == (
        "▸ 诗  写一首关于雨的诗，越长越好，给所有喜欢诗的人看\n"
        "  ░░░░░░░░░░ 0/0  idle · TIME\n"
        "  release  Publish version 1.2\n"
        f"  ███░░░░░░░ 1/3  running · 2 {LONG} · ada, <1 min\n"
        "2 finished plans: outlast list\n"
        "Show one: outlast show --plan 诗\n"
        "Switch to another: outlast use release\n"
    )
    for line in overview.splitlines()[-3:]:
        stdout_of(here, *shlex.split(line.partition("outlast ")[2]))
    assert stdout_of(here).startswith("▸ release  Publish version 1.2\n")
    assert stdout_of(here, "--lang", "zh").endswith(
        "2 个已结束的计划：outlast list --lang zh\n"
        "查看：outlast show --plan release --lang zh\n"
        "切换到另一个：outlast use 诗 --lang zh\n"
    )
    assert stdout_of(here, "--plan", "rel") == stdout_of(here, "show", "--plan", "release")


def test_u2_list_has_all_plans_the_current_one_first_then_those_changed_last(here: Path) -> None:
    rows = TIME.sub("TIME", stdout_of(here, "list")).splitlines()
    assert rows[::2] == [
        "▸ 诗  写一首关于雨的诗，越长越好，给所有喜欢诗的人看",
        "  release  Publish version 1.2",
        "  gone  The gone one",
        "  old  The old one",
    ]
    assert rows[5::2] == ["  ░░░░░░░░░░ 0/0  aborted · TIME", "  ██████████ 1/1  completed · TIME"]
    stdout_of(here, "note", "x", "--plan", "old")
    stdout_of(here, "use", "release")
    plans = json_of(here, "list")["plans"]
    assert [plan["key"] for plan in plans] == ["release", "old", "诗", "gone"]
    assert plans == json_of(here)["plans"]


def test_u2_a_row_says_who_works_what_it_cost_and_what_waits_for_an_answer(here: Path) -> None:
    question = "Which currency should\nthe price have?"
    spend = Charge(Spend(model_calls=3, tokens=11172, money=0.1234))
    commit(here, "release", spend, AskQuestion(question), AskQuestion("Where?"))
    commit(here, "诗", Charge(Spend(model_calls=1, tokens=2000)))
    with open_plan(here, "release", actor="agent") as plan, plan.core.claim_plan(600):
        overview = TIME.sub("TIME", stdout_of(here))
        [row] = [row for row in json_of(here)["plans"] if row["key"] == "release"]
    assert overview.splitlines()[1:6] == [
        "  ░░░░░░░░░░ 0/0  idle · 2,000 tokens · TIME",
        "  release  Publish version 1.2",
        f"  ███░░░░░░░ 1/3  running · 2 {LONG} · agent at work, <1 min · $0.1234",
        "  ? Which currency should the price have?  (+1)",
        '    outlast answer 1 "…" --plan release',
    ]
    assert (row["goal"], row["worker"], row["actor"]) == ("Publish version 1.2", "agent", "ada")
    assert (row["current"], row["next"]) == ({"id": 2, "name": LONG}, None)
    assert (row["since"][:2], row["is_current"], row["problem"]) == ("20", False, "")
    assert row["spent"] == {
        "model_calls": 3,
        "tool_calls": 0,
        "tokens": 11172,
        "money": 0.1234,
        "time": 0.0,
        "replans": 0,
    }
    assert row["questions"] == [{"id": 1, "text": question}, {"id": 2, "text": "Where?"}]
    command = shlex.split(overview.splitlines()[5].partition("outlast ")[2])
    stdout_of(here, *[word.replace("…", "euro") for word in command])
    after = stdout_of(here)
    assert '? Where?\n    outlast answer 2 "…" --plan release\n' in after
    assert "ada, <1 min" in after


def test_u2_a_plan_that_nobody_works_on_any_more_says_so_and_how_to_go_on(here: Path) -> None:
    """A run was killed, another plan waits for approval: in every view, with the command."""
    commit(here, "诗", RequireApproval())
    with open_plan(here, "release", actor="ada") as plan:
        plan.core.commit((ClaimPlan("ada", 1),), return_commit)
        while plan.core.read(lambda state: state.ledger.leases[PLAN].is_live(plan.core.now())):
            sleep(0.05)
    for arguments in ((), ("list",)):
        rows = TIME.sub("TIME", stdout_of(here, *arguments)).splitlines()
        assert rows[1:6] == [
            "  ░░░░░░░░░░ 0/0  needs approval · TIME",
            "    outlast resume --plan 诗",
            "  release  Publish version 1.2",
            f"  ███░░░░░░░ 1/3  interrupted · 2 {LONG} · TIME",
            "    outlast resume --plan release",
        ]
    assert [row["condition"] for row in json_of(here)["plans"][:2]] == [
        "needs_approval",
        "interrupted",
    ]
    shown = stdout_of(here, "--plan", "release")
    assert shown.startswith("Publish version 1.2  1/3 interrupted  [release]\n")
    assert shown.endswith("Continue with: outlast resume --plan release\n")
    used = stdout_of(here, "use", "release", "--lang", "zh").splitlines()
    assert used[0].endswith("1/3 已中断")
    assert used[1] == "继续：outlast resume --plan release --lang zh"
    assert json_of(here, "use", "release")["plan"]["condition"] == "interrupted"
    head, how = stdout_of(here, "use", "诗").splitlines()
    assert head.endswith("0/0 needs approval")
    assert how.endswith("to give it: outlast resume --plan 诗")
    before = stdout_of(here, "show", "--plan", "release", "--at", "5").splitlines()[1]
    assert before.endswith("1/3 running  [release]")


def test_u2_aborted_and_paused_plans_are_called_so_everywhere(here: Path) -> None:
    assert stdout_of(here, "use", "gone").startswith(
        "Now on plan gone: The gone one  0/0 aborted\n"
    )
    plan = json_of(here, "use", "gone")["plan"]
    assert (plan["status"], plan["condition"], plan["is_aborted"]) == ("failed", "aborted", True)
    assert stdout_of(here).startswith("▸ ")  # of an open plan
    stdout_of(here, "pause", "--plan", "诗")
    assert stdout_of(here, "use", "诗").endswith(
        "0/0 paused\nContinue with: outlast resume --plan 诗\n"
    )
    stdout_of(here, "add", "x", "--plan", "诗")
    assert stdout_of(here, "rm", "1").endswith("Paused; go on with: outlast resume --plan 诗\n")


def test_u2_the_mark_is_on_the_plan_that_next_is_about(here: Path) -> None:
    stdout_of(here, "use", "gone")
    for chosen in ("", "release"):
        plans = json_of(here, "list", OUTLAST_PLAN=chosen)["plans"]
        [marked] = [row["key"] for row in plans if row["is_current"]]
        assert json_of(here, "next", OUTLAST_PLAN=chosen)["plan"]["key"] == marked
    assert stdout_of(here, "list", OUTLAST_PLAN="release").startswith("▸ release")
    assert "▸" not in stdout_of(here, "list", OUTLAST_PLAN="missing")


def test_u2_the_command_below_a_question_fits_its_kind(here: Path) -> None:
    questions: dict[QuestionKind, tuple[str, list[str]]] = {
        "settle": ("Did it finish?", ["done", "not done"]),
        "permit": ("May I?", ["no"]),  # a yes counts only where the agent runs
        "goal": ("Change the goal?", ["yes", "no"]),
    }
    commit(here, "release", BeginAttempt(2, "act", "bash {}"))
    for number, (kind, (question, answers)) in enumerate(questions.items(), 1):
        about = "2#1" if kind == "settle" else "x"
        with open_plan(here, "release", actor="human") as plan:
            plan.questions.ask(question, kind=kind, about=about)
        lines = [f"    outlast answer {number} {answer} --plan release" for answer in answers]
        assert "\n".join([f"  ? {question}", *lines, ""]) in stdout_of(here)
        stdout_of(here, *shlex.split(lines[-1])[1:])


def test_u2_a_plan_that_cannot_be_read_is_listed_with_the_reason(here: Path) -> None:
    (here / ".outlast/plans/诗/journal.jsonl").write_text("no journal\n")
    listed = outlast(here)
    assert listed.returncode == 0
    head, problem, other, *_ = listed.stdout.splitlines()
    assert (head, problem[:4], other) == ("▸ 诗", "  ! ", "  release  Publish version 1.2")
    assert [bool(row["problem"]) for row in json_of(here, "list")["plans"]].count(True) == 1


@pytest.mark.parametrize("columns", [80, 60])
def test_u2_rows_fit_a_terminal_and_are_coloured_only_there(here: Path, columns: int) -> None:
    question = AskQuestion("Which currency should the price have in the end, and why")
    commit(here, "release", question, Charge(Spend(tokens=1_234_567)))
    printed = {}
    for name, no_colour in (("colour", ""), ("plain", "1")):
        for arguments in ((), ("list",)):
            terminal = Terminal(here, *arguments, columns=columns, NO_COLOR=no_colour)
            assert terminal.end() == 0
            printed[name, arguments] = terminal.shown.replace("\r", "")
    for arguments in ((), ("list",)):
        coloured, plain = printed["colour", arguments], printed["plain", arguments]
        assert CODES.sub("", coloured) == plain != coloured
        rows = [line for line in plain.splitlines() if "outlast " not in line]
        assert max(map(text_width, rows)) <= columns
        assert "▸ 诗  写一首关于雨的诗，越长越好，给所有喜欢诗的人看" in plain
        assert "2 Write the n" in plain
        assert "ada, <1 min" in plain  # what does not fit is in the next line
        assert "1,234,567 tokens" in plain
        assert "? Which currency should the price have in the end" in plain
