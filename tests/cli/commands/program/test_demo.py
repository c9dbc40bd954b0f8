"""`demo`: a real job, a real signal, another process that resumes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from outlast import open_plan
from tests.cli.agent_scripts import isolated_home
from tests.cli.processes import outlast
from tests.cli.terminals import Terminal

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["en", "zh"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a demo, beside what it printed; it is within a checkout."""
    checkout = tmp_path_factory.mktemp("checkout") / "here"
    (checkout / ".git").mkdir(parents=True)
    done = outlast(checkout, "demo", "shop", "--lang", request.param, **isolated_home(checkout))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    (checkout / "printed.txt").write_text(done.stdout, encoding="utf-8")
    return checkout


def printed(played: Path) -> list[str]:
    return (played / "printed.txt").read_text(encoding="utf-8").splitlines()


def test_x3_a_killed_agent_goes_on_and_repeats_nothing(played: Path) -> None:
    lines = printed(played)
    assert any(re.search(r"[Ss]ignal 9\b|信号 9\b", line) for line in lines)
    assert lines.count("✔ write_file REPORT.md") == 1
    assert lines.count("✔ complete_task 3") == 1
    assert sum(line.startswith("✖ complete_task 2: CHECK_FAILED") for line in lines) == 1
    with open_plan(played / "shop", "demo") as plan:
        assert plan.status == "completed"
        assert [task.how for task in plan.tasks()] == ["reported", "proved", "proved"]


def test_the_demo_leaves_what_it_shows(played: Path) -> None:
    shop = played / "shop"
    report = (shop / "REPORT.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in report if line not in printed(played)] == []
    tests = [sys.executable, "-m", "unittest"]
    assert subprocess.run(tests, check=False, capture_output=True, cwd=shop).returncode == 0  # noqa: S603
    commands = ["  cd shop", *(f"  outlast {one}" for one in ("show 3", "show --cost", "log"))]
    assert printed(played)[-5:-1] == commands
    assert not (played / ".outlast").exists()


def test_the_demo_is_played_in_an_empty_directory_only(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    refused = outlast(tmp_path, "demo", ".", **isolated_home(tmp_path))
    assert (refused.returncode, "is not empty" in refused.stderr) == (2, True)
    nowhere = outlast(tmp_path, "demo", "mine.txt/x", **isolated_home(tmp_path))
    assert (nowhere.returncode, "cannot be used" in nowhere.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    gone = 'mkdir gone && cd gone && rmdir "$PWD" && "$0" -m outlast demo shop'
    lost = subprocess.run(  # noqa: S603 - our own command
        ["/bin/sh", "-c", gone, sys.executable], capture_output=True, check=False, cwd=tmp_path
    )
    assert (lost.returncode, lost.stdout) == (4, b"")


def test_the_demo_with_an_unusable_model_starts_nothing(tmp_path: Path) -> None:
    for name, problem in (("script:none.yaml", "none.yaml"), ("nonsense", "is not a model name")):
        refused = outlast(tmp_path, "demo", "shop", "--model", name, **isolated_home(tmp_path))
        assert (refused.stdout, problem in refused.stderr) == ("", True)
    assert not (tmp_path / "shop").exists()


def test_the_demo_does_not_start_where_nothing_can_be_approved(tmp_path: Path) -> None:
    nowhere = isolated_home(tmp_path) | {"XDG_STATE_HOME": "/dev/null"}
    refused = outlast(tmp_path, "demo", "shop", **nowhere)
    assert (refused.returncode, "✔" in refused.stdout) == (4, False)
    assert refused.stderr.startswith("outlast: /dev/null/outlast: ")


def test_the_demo_says_why_it_failed(tmp_path: Path) -> None:
    for turn, why in (
        ("when: no such words", "The model failed: "),
        ("say: ''", "returned an empty answer"),
    ):
        (tmp_path / "mute.yaml").write_text(f"- {turn}\n", encoding="utf-8")
        given = (why.split()[0], "--model", "script:mute.yaml")
        done = outlast(tmp_path, "demo", *given, **isolated_home(tmp_path))
        assert (done.returncode, why in done.stdout) == (1, True)


def test_the_demo_for_programs_is_a_stream(tmp_path: Path) -> None:
    done = outlast(tmp_path, "demo", "shop", "--json", **isolated_home(tmp_path))
    stream = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["why"] for one in stream if one.get("type") == "stopped"] == [
        "unsettled",
        "finished",
    ]
    assert (stream[-1]["ok"], stream[-1]["done"]) == (True, True)
    assert stream[-1]["result"].startswith("# The mistake in prices.py")


def test_x3_at_a_terminal_the_demo_asks_the_person(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "demo", "shop", NO_COLOR="1", columns=200)
    asked = (
        "? 1  `python3 review.py REPORT.md` (task 3) was running when the agent was killed. "
        "Did it finish? [d]one / [n]ot done\r\nAnswer (leave empty to answer later): "
    )
    for reply in ("dunno", "d"):
        terminal.until(asked)
        _, _, terminal.shown = terminal.shown.partition(asked)
        terminal.type(f"{reply}\n")
    assert terminal.end() == 0
    assert "  $ outlast answer d\r\nAnswered question 1: `python3 review.py" in terminal.shown
