"""F39: a run imports nothing: an event loop would stand still, a forked child could wait for it."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, sys
imported = []
watched = []
def note(event, names):
    if watched and event == "import":
        imported.append(names[0])
sys.addaudithook(note)
from outlast import AgentLoop
from outlast.context.chat_model import Call, Reply, Usage

class Model:
    name, price, calls = "model", None, 0

    async def think(self, messages, tools, *, max_tokens=None, on_text=None):
        self.calls += 1
        call = Call("look", {"number": self.calls}, f"c{self.calls}")
        return Reply("I look.", (call,) if self.calls < 3 else (), Usage(1, 1))

def look(number: int) -> str:
    "Look a number up."
    return f"It is {number}."

async def main(options):
    watched.append(True)
    agent = AgentLoop(model=Model(), tools=[look], **options)
    result = await agent.run("Sort the reports")
    import colorsys  # this is seen
    print(result.why, *imported)

asyncio.run(main(eval(sys.argv[1])))
"""
WAYS = {
    "memory": "{}",
    "no plan": "dict(enable_planning=False)",
    "files": "dict(workdir=%r)",
    "a key": "dict(workdir=%r, key='k', layout='sessions')",
    "SQLite": "dict(workdir='sqlite:///' + %r + '/plans.db', key='k')",
    "replan": "dict(workdir=%r, loop='replan')",
}


@pytest.mark.parametrize("way", WAYS)
def test_f39_a_run_imports_nothing(way: str, tmp_path: Path) -> None:
    options = WAYS[way].replace("%r", repr(str(tmp_path)))
    run = subprocess.run(  # noqa: S603 - our own lines
        [sys.executable, "-c", PROGRAM, options],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    why, *imported = run.stdout.split()
    assert why == ("unavailable" if way == "replan" else "answered")
    assert imported == ["colorsys"]
