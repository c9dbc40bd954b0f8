"""A5: secrets in the environment, settings, hooks and calls of an agent on the command line."""

from pathlib import Path

import pytest

from tests.attacks.leaky_agent import CANARY, GOAL, KEY, LEAKS, NAMED, PEM
from tests.cli.agent_scripts import call, isolated_home, model, turn
from tests.cli.processes import outlast

pytestmark = pytest.mark.slow

HOOKS = f"""
def leak(context, plan):
    raise ValueError({LEAKS!r})

def leak_later(context, plan):
    if context.point != "pre_tool_use":
        leak(context, plan)
"""
SETTINGS = f"""
[hooks]
python = ["leaky:leak_later"]
[notify]
command = "cat >> '$TOLD'; # {NAMED}"
[loop]
ask_unattended = true
[permissions]
allow = ["bash:echo {KEY}"]
"""
TASKS = call("add_tasks", tasks=[{"name": f"use {KEY}"}])
TURNS = [
    turn("Only plan for now", say=f"{NAMED}\n{PEM}\n{KEY} " + "long " * 20_000),
    turn("- Progress: 1/1", say=f"{NAMED}\n{PEM}\n{KEY} " + "long " * 20_000),
    turn(
        "- Current step: 1.",
        say=f"{NAMED} then {KEY}",
        calls=(
            call("bash", command=f"env; cat secrets.txt; echo {KEY}; false"),
            call("write_file", path=f"../{KEY}", content=LEAKS),
            call("ask_user", question=f"Is it {KEY}?"),
        ),
        unless=["Is it [redacted]?"],
    ),
    turn("- Current step: 1.", calls=(call("complete_task", task=1, result=LEAKS),)),
    turn("- Progress: 0/0", calls=(TASKS,)),
    turn(calls=(call("read_file", path="secrets.txt"),)),
]
LOOKS = ("show", "show --cost", "log", "config", "models", "show --json", "log --json", "notes")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """All that the commands have printed, by the command, and each file by its path."""
    place = tmp_path_factory.mktemp("a5")
    here = place / "here"
    here.mkdir()
    (here / "secrets.txt").write_text(LEAKS)
    (place / "leaky.py").write_text(HOOKS)
    variables = {
        **isolated_home(here),
        "PYTHONPATH": str(place),
        "ANTHROPIC_API_KEY": KEY,
        "MY_PASSWORD": CANARY,
        "DATABASE": f"postgres://u:{CANARY}@db/x",
        "TOLD": str(place / "told.txt"),
    }
    settings = Path(variables["XDG_CONFIG_HOME"], "outlast", "config.toml")
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS)
    script = model(here, TURNS)
    sources = {settings, place / "leaky.py", here / "secrets.txt", Path(script[7:])}
    found: dict[str, str] = {}

    def look(*arguments: str) -> None:
        done = outlast(here, *arguments, **variables)
        found[f"$ {arguments[0]} {len(found)}"] = done.stdout + done.stderr

    look("run", GOAL, "--model", script)
    look("say", f"It is {KEY}")
    look("answer", f"Yes, {KEY}, {NAMED}")
    look("resume", "--model", script, "--json")
    for one in LOOKS:
        look(*one.split())
    look("run", f"Else {KEY}", "--model", script, "--dry-run", "--json", "--key", "dry")
    settings.write_text(SETTINGS.replace("leak_later", 'leak", "no_such_module:x'))
    look("run", f"Denied {KEY}", "--model", script, "--key", "denied")
    for path in place.rglob("*"):
        if path.is_file() and path not in sources and path.parent.name != "__pycache__":
            found[str(path)] = path.read_text(errors="replace")
    return found


def test_a5_the_commands_did_something(written: dict[str, str]) -> None:
    assert "[redacted]" in written["$ run 0"]
    assert '"why":"finished"' in written["$ resume 3"].replace(" ", "")
    assert '"why":"planned"' in written[f"$ run {4 + len(LOOKS)}"].replace(" ", "")
    assert any(name.endswith("transcript.jsonl") for name in written)


def test_a5_no_command_prints_or_writes_a_secret(written: dict[str, str]) -> None:
    leaks = {
        name: said[max(0, said.find(CANARY) - 200) : said.find(CANARY) + 20]
        for name, said in written.items()
        if CANARY in said
    }
    assert leaks == {}
