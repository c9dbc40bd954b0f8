"""A6: whatever an agent, its model and its project say, no raw control byte reaches a terminal."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.agent_scripts import LOOK, call, isolated_home, model, turn
from tests.cli.processes import outlast
from tests.cli.terminals import Terminal
from tests.console.render.test_output import on_a_terminal

pytestmark = pytest.mark.slow

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x08\x7f\x9b31m\u202e\u200b\ufeff[red]b"
DRAWING = re.compile(r"\x1b\[[\d;]*m|\x1b\[\d*[AKG]|\x1b\[2K|\x1b\[\?25[lh]")
HOOKS = f"""
from outlast.hooks.port import HookResult
def say(context, plan):
    return HookResult(inject_context={HOSTILE!r}, notification={HOSTILE!r})
def fail(context, plan):
    if context.point != "pre_tool_use":  # there it would refuse every call
        raise ValueError({HOSTILE!r})
"""
SETTINGS = """
[hooks]
python = ["hostile_hooks:say", "hostile_hooks:fail"]
[notify]
command = "cat > /dev/tty"
"""
NOTE = {"category": "issue", "title": HOSTILE, "content": HOSTILE, "source": HOSTILE}
WORK = (
    call("bash", command=f"printf '{HOSTILE}'"),
    call("bash", command=f"printf '{HOSTILE}' >&2; false"),
    call("read_file", path=HOSTILE),
    call("list_directory", path="."),
    call("findings_write", **NOTE),
    call("todo_write", todos=[{"content": HOSTILE, "status": "pending", "activeForm": HOSTILE}]),
    call(f"no{HOSTILE}", x=HOSTILE),
    call("write_file", path=f"../{HOSTILE}", content="x"),
    call("ask_user", question=f"{HOSTILE}\n{HOSTILE}"),
)
TURNS: list[dict[str, Any]] = [
    turn("- Progress: 1/1", say=HOSTILE),
    turn("Asked: ", say=HOSTILE, calls=(call("complete_task", task=1, result=HOSTILE),)),
    turn("- Current step: 1.", say=HOSTILE, calls=WORK, unless=["mine"]),
    turn("- Current step: 1.", calls=(call("fail_task", task=1, error=HOSTILE),), times=1),
    turn("- Current step: 1.", say="{{none ~ " + HOSTILE + "}}"),
    turn("- Progress: 0/0", calls=(call("add_tasks", tasks=[{"name": HOSTILE}]),)),
    LOOK,
]
LOOKS = (
    *("show", "show --cost", "log", "notes", "config", "models", "list", "doctor", "graph"),
    *("show --json", "log --json", "config --json", "answer x", "say x", "check"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project full of hostile names, with an agent that repeats them."""
    root = tmp_path_factory.mktemp("a6")
    here = root / "here"
    here.mkdir()
    (here / HOSTILE.replace("/", "")).write_text(HOSTILE)
    (root / "hostile_hooks.py").write_text(HOOKS)
    settings = Path(isolated_home(here)["XDG_CONFIG_HOME"], "outlast", "config.toml")
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS)
    return here


@pytest.fixture(scope="module")
def shown(place: Path) -> dict[str, str]:
    """What a terminal is sent by the agent, and by each command afterwards."""
    variables = {"PYTHONPATH": str(place.parent)}
    script = model(place, TURNS)
    found: dict[str, str] = {}
    path = variables["PYTHONPATH"]
    terminal = Terminal(place, "run", HOSTILE, "--model", script, PYTHONPATH=path)
    found["run"] = ""
    for answer in ("no", "mine"):  # to a permission, and to a question
        terminal.until("Answer (")
        terminal.type(f"{answer}\r")
        found["run"] += terminal.shown
        terminal.shown = ""
    terminal.end()
    found["run"] += terminal.shown
    settings = Path(isolated_home(place)["XDG_CONFIG_HOME"], "outlast", "config.toml")
    settings.write_text(SETTINGS.replace("hostile_hooks:fail", "no\\u001b[2J:x"))
    found["hook"] = on_a_terminal(
        place, "resume", "--model", script, **isolated_home(place), **variables
    )
    for one in LOOKS:
        found[one] = on_a_terminal(place, *one.split(), **isolated_home(place), **variables)
    (place / "outlast.toml").write_text('"\\u001b[2J" = 1\n')
    found["broken"] = on_a_terminal(place, "config", **isolated_home(place))
    (place / "outlast.toml").write_text('[notify]\ncommand = "\\u001b[2J"\n')
    found["notice"] = on_a_terminal(place, "config", **isolated_home(place))
    (place / "outlast.toml").write_text('[loop]\npolicy = "\\u001b[2J"\n')
    found["value"] = on_a_terminal(place, "config", **isolated_home(place))
    (place / "outlast.toml").unlink()
    found["model"] = on_a_terminal(
        place, "resume", "--model", f"x{HOSTILE}", **isolated_home(place)
    )
    found["script"] = on_a_terminal(
        place, "resume", "--model", f"script:{HOSTILE}", **isolated_home(place)
    )
    return found


def test_a6_no_field_of_an_agent_reaches_a_terminal_raw(shown: dict[str, str]) -> None:
    for name, said in shown.items():
        plain = DRAWING.sub("", said)
        raw = {c for c in plain if not c.isprintable() and c not in "\r\n"}
        assert raw == set(), (name, plain[:2_000])


def test_a6_what_is_hostile_was_there_to_be_shown(shown: dict[str, str]) -> None:
    spelled = "a\\x1b]0;owned"
    for name in ("run", "show", "log", "notes"):
        assert spelled in shown[name].replace("\r\n", ""), name
    assert "no\\x1b" in shown["hook"].replace("\r\n", "")
    assert "no\\x1b" in shown["config"].replace("\\\\", "\\") or "\\u001b" in shown["config"]


def test_a6_in_a_pipe_it_is_the_same(place: Path, shown: dict[str, str]) -> None:
    assert shown
    for command in ("show", "log", "notes", "config"):
        done = outlast(place, command, **isolated_home(place))
        raw = {c for c in done.stdout + done.stderr if not c.isprintable() and c != "\n"}
        assert raw == set(), command
