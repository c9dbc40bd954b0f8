"""An agent on a terminal: live view, Ctrl-C, questions, no raw control characters."""

import re
import signal
from pathlib import Path
from typing import Any

import pytest

from outlast import open_plan
from tests.cli.agent_scripts import GOAL, LETTERS, LOOK, call, isolated_home, model, turn
from tests.cli.processes import stdout_of
from tests.cli.terminals import Terminal

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x08\x7f\x9b31m\u202e\u200b\ufeff[red]b"
DRAWING = re.compile(r"\x1b\[[\d;]*m|\x1b\[\d*[AKG]|\x1b\[2K|\x1b\[\?25[lh]")
SLEEP = [
    turn("[Resuming task]", say="I go on."),
    turn("- Current step: 1.", say="I sleep.", calls=(call("bash", command="sleep 60"),)),
    turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": "rest"}]),)),
    LOOK,
]
REST = [
    turn(
        "- Current step: 1.",
        calls=(call("bash", command="sleep 4"), call("complete_task", task=1, result="x")),
    ),
    *SLEEP[2:],
]

pytestmark = pytest.mark.slow


def plain(shown: str) -> str:
    return DRAWING.sub("", shown)


def test_the_live_view_is_for_terminals(here: Path) -> None:
    terminal = Terminal(
        here, "run", GOAL, "--model", model(here, LETTERS), "--budget", "model_calls=9"
    )
    assert terminal.end() == 0
    assert "\x1b[?25l" in terminal.shown  # the cursor is hidden while it is drawn
    assert terminal.shown.rindex("\x1b[?25h") > terminal.shown.rindex("\x1b[?25l")
    shown = plain(terminal.shown)
    assert "━  5 of 9 model calls" in shown
    assert "├── ● 1 first letter  → written" in shown


def test_without_colours_there_are_plain_lines(here: Path) -> None:
    terminal = Terminal(here, "run", GOAL, "--model", model(here, LETTERS), NO_COLOR="1")
    assert terminal.end() == 0
    assert "\x1b" not in terminal.shown
    assert "✔ write_file 1.txt\r\n" in terminal.shown


def test_ctrl_c_pauses_and_says_how_to_go_on(here: Path) -> None:
    terminal = Terminal(here, "run", "Rest", "--model", model(here, SLEEP))
    terminal.until("sleep 60")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert "Continue with: outlast resume --plan rest\r\n" in plain(terminal.shown)
    with open_plan(here) as plan:
        assert plan.status == "paused"
        assert plan.core.read(lambda state: state.ledger.counters.pause_reason) == "cancelled"
        assert plan.core.read(lambda state: state.ledger.leases) == {}


def test_printed_text_stays_when_it_pauses(here: Path) -> None:
    terminal = Terminal(here, "run", "Rest", "--model", model(here, SLEEP))
    terminal.until("sleep 60")
    terminal.type("\x03")
    assert terminal.end() == 130
    _, _, after = terminal.shown.partition("Ctrl-C again")
    below = 0  # lines: what is drawn below may be drawn again before all has ended
    for step in re.findall(r"\n|\x1b\[1A", after.partition("interrupted")[0]):
        below += 1 if step == "\n" else -1
        assert below > 0, "it went up over what stood there"


def test_ctrl_c_at_a_question_leaves_no_drawing(here: Path) -> None:
    asking = [
        turn("- Current step: 1.", calls=(call("ask_user", question="Which colour?"),)),
        turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": "paint"}]),)),
        LOOK,
    ]
    terminal = Terminal(here, "run", "Paint", "--model", model(here, asking))
    terminal.until("leave empty to answer later")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert (
        plain(terminal.shown).rstrip().splitlines()[-1].startswith("Continue with: outlast resume")
    )


def test_a_second_run_of_a_goal_repeats_nothing(here: Path) -> None:
    name = model(here, [turn("- Progress: 1/1", say="Rested."), *REST])
    first = Terminal(here, "run", "Rest", "--model", name)
    first.until("sleep 4")
    second = Terminal(here, "run", "Rest", "--model", name)
    assert (second.end(), first.end()) == (1, 0)
    assert "is working on this plan; wait until it has ended" in second.shown
    assert "sleep 4" not in second.shown


def test_a_second_ctrl_c_ends_at_once(here: Path) -> None:
    slow = [turn("- Current step: 1.", calls=(call("complete_task", task=1, result="x"),)), LOOK]
    stdout_of(here, "new", "Rest", "--key", "rest", **isolated_home(here))
    check = "test -e begun || { touch begun; exit 1; }; trap '' TERM INT; sleep 20"
    stdout_of(here, "add", "rest", "--check", check, **isolated_home(here))
    terminal = Terminal(here, "run", "Rest", "--plan", "rest", "--model", model(here, slow))
    terminal.until("complete_task 1")
    terminal.type("\x03")
    terminal.until("Ctrl-C again")
    terminal.type("\x03")
    assert terminal.end() == 130


@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_person_at_the_terminal_is_asked(here: Path, no_color: str) -> None:
    asking = [
        turn("red, please", say="So be it: red."),
        turn("- Current step: 1.", calls=(call("ask_user", question="Which colour?"),)),
        turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": "paint"}]),)),
        LOOK,
    ]
    options = ("--model", model(here, asking))
    terminal = Terminal(here, "run", "Paint", *options, NO_COLOR=no_color)
    terminal.until("Which colour?")
    terminal.type("red, please\r")
    assert terminal.end() == 1  # what it was for is not done
    assert "So be it: red." in plain(terminal.shown)


def test_a_dry_run_asks_before_it_acts(here: Path) -> None:
    planning = [turn("Only plan for now", say="First this, then that."), *LETTERS]
    planning.insert(0, LETTERS[3])
    terminal = Terminal(here, "run", GOAL, "--dry-run", "--model", model(here, planning))
    terminal.until("[y/N]")
    assert not (here / "1.txt").exists()
    terminal.type("y\r")
    assert terminal.end() == 0
    assert (here / "2.txt").exists()


def test_a6_nothing_that_a_model_says_reaches_the_terminal_raw(here: Path) -> None:
    printed = f"printf '{HOSTILE}'"
    note = {"category": "issue", "title": HOSTILE, "content": HOSTILE, "source": HOSTILE}
    hostile: list[dict[str, Any]] = [
        turn(after_tool="findings_write", say=HOSTILE),
        turn(
            "- Current step: 1.",
            say=HOSTILE,
            calls=(
                call("bash", command=printed),
                call("bash", command=f"{printed}; false"),
                call("findings_write", **note),
            ),
        ),
        turn("- Progress: 0/0", say=HOSTILE, calls=(call("add_tasks", tasks=[{"name": HOSTILE}]),)),
        LOOK,
    ]
    terminal = Terminal(here, "run", HOSTILE, "--model", model(here, hostile))
    terminal.end()
    raw = {c for c in plain(terminal.shown) if not c.isprintable() and c not in "\r\n"}
    assert (raw, "owned" in terminal.shown) == (set(), True)


def test_a_signal_from_elsewhere_pauses_too(here: Path) -> None:
    terminal = Terminal(here, "run", "Rest", "--model", model(here, SLEEP), NO_COLOR="1")
    terminal.until("I sleep.")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
