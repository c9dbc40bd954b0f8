"""Two terminals and an editor on one plan: what is lost? Nothing.

Three processes work on one plan at the same time. An agent completes one task after the other. A
person edits task_plan.md as an editor does: reads it, thinks, puts another file in its place, and
knows nothing of what happened meanwhile. A third claims tasks with `outlast claim` and gives them
back. At the end all that they were told, or wrote, is looked for in the plan.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outlast import Check, Plan, create_plan, open_plan
from outlast.changes import TaskCompleted
from outlast.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "handbook"
CHAPTERS = 20
LAST = "Send it to the printer"
PATIENCE = 60  # seconds after which an edit counts as lost
OUTLAST = (sys.executable, "-m", "outlast")


# The agent


def agent(where: str) -> None:
    """Do what there is to do, until all is done, also what ends it."""
    with open_plan(where, KEY, actor="agent") as plan:
        while not ended(plan):
            try:
                task = plan.start()
            except Refused:  # nothing can be started just now
                time.sleep(0.05)
                continue
            time.sleep(0.2)  # this is the work
            Path(where, f"{task.id}.md").write_text(f"# {task.name}\n", encoding="utf-8")
            plan.complete(task.id, "written")
            say("agent", f"completed {task.id} {task.name}")


def ended(plan: Plan) -> bool:
    return plan.status == "completed" and any(task.name == LAST for task in plan.tasks())


# The person, who has nothing but an editor


def person(where: str) -> None:
    """Make one edit after the other, each on what the file said a while ago."""
    path = Path(where, ".outlast", "plans", KEY, "task_plan.md")
    for what, change, shown in EDITS:
        text = read(path)
        time.sleep(0.6)  # the plan goes on, and the file is rendered again
        saved = change(text)
        replace(path, saved)
        say("person", f"saved: {what}")
        wait_until_it_is_read(path, saved)
        say("person", "obeyed" if shown in read(path) else f"ignored: {what}")


def rename(text: str) -> str:
    return text.replace(f"chapter {CHAPTERS}\n", "the last chapter\n")


def move_up(text: str) -> str:
    """Put the last chapter, a line and that of its check, before the one before it."""
    lines = text.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if f"**{CHAPTERS}** " in line)
    return "".join(lines[: at - 2] + lines[at : at + 2] + lines[at - 2 : at] + lines[at + 2 :])


def write_a_line(text: str) -> str:
    return text.replace("\n---\n", "\n---\n\nAsk Kim about the pictures.\n", 1)


def add(line: str) -> Callable[[str], str]:
    return lambda text: text.replace("\n---\n*Last", f"{line}\n\n---\n*Last")


EDITS: tuple[tuple[str, Callable[[str], str], str], ...] = (
    ("another name for the last chapter", rename, "Write the last chapter\n"),
    ("the last chapter before the one before it", move_up, "Write the last chapter\n"),
    ("a line of my own", write_a_line, "Ask Kim about the pictures."),
    ("a task that I have done myself", add("- [x] Choose the paper"), "** Choose the paper"),
    ("the task that ends it", add(f"- [ ] {LAST}"), f"** {LAST}\n"),
)


def read(path: Path) -> str:
    while True:
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:  # it is being replaced at this moment
            time.sleep(0.01)


def replace(path: Path, text: str) -> None:
    """Save a file as most editors do: another one takes its place."""
    draft = path.with_name(".task_plan.md.swp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def wait_until_it_is_read(path: Path, saved: str) -> None:
    """Wait until Outlast has rendered the file again."""
    began = time.monotonic()
    while read(path) == saved and time.monotonic() - began < PATIENCE:
        time.sleep(0.05)


# The third, who uses the command line


def third(where: str) -> None:
    """Claim what can be had, and give it back a moment later."""
    with open_plan(where, KEY) as plan:
        while not ended(plan):
            claimed = outlast(where, "claim", "--seconds", "30")
            if not claimed["ok"]:
                time.sleep(0.1)
                continue
            task, token = (str(claimed["lease"][name]) for name in ("task", "token"))
            say("third", f"claimed {task} with token {token}")
            time.sleep(0.2)
            given = outlast(where, "release", task, "--token", token)
            say("third", f"gave back {task}" if given["ok"] else f"cannot give back {task}")
            time.sleep(0.4)


def outlast(where: str, *arguments: str) -> dict[str, Any]:
    command = [*OUTLAST, *arguments, "--plan", KEY, "--as", "third", "--json"]
    done = subprocess.run(command, check=False, cwd=where, stdout=subprocess.PIPE)  # noqa: S603 - our own
    return dict(json.loads(done.stdout))


# The process that begins the three, writes down what they say, and looks whether all is there


def main() -> int:
    where = tempfile.mkdtemp(prefix="outlast-")
    with create_plan(where, "Write the handbook", KEY, actor="human") as plan:
        for number in range(1, CHAPTERS + 1):
            plan.add(f"Write chapter {number}", checks=[Check("file", f"{number}.md")])
    print(f"Three processes on one plan in {where}\n", flush=True)
    said = transcript(where)
    print("\nWhat is there at the end")
    verdicts = verify(where, said)
    for what, holds in verdicts.items():
        print(f"  {'yes' if holds else 'NO '}  {what}")
    lost = sum(not holds for holds in verdicts.values())
    print(f"\n{lost or 'Nothing'} lost")
    return 1 if lost else 0


def transcript(where: str) -> list[str]:
    """Let the three work; return what they said, in the order in which they said it."""
    began = time.monotonic()
    source, sink = os.pipe()
    started = [
        subprocess.Popen([sys.executable, __file__, name, where], stdout=sink)  # noqa: S603 - this file
        for name in PARTS
    ]
    os.close(sink)
    said = []
    with os.fdopen(source, encoding="utf-8") as lines:
        for line in lines:
            said.append(line.strip())
            print(f"{time.monotonic() - began:5.1f} s  {said[-1]}", flush=True)
    return said + [f"{n} ended with {p.wait()}" for n, p in zip(PARTS, started, strict=True)]


def say(who: str, what: str) -> None:
    """Print a line in one piece: three processes share the output."""
    print(f"{who:6}  {what}\n", end="", flush=True)


def verify(where: str, said: list[str]) -> dict[str, bool]:
    """Compare what was said with what the plan, its history and its file hold."""
    with open_plan(where, KEY) as plan:
        plan.files.render()
        tasks, commits = plan.tasks(), plan.history.commits(10_000)
        labels = [plan.checks.proof(task.id).label for task in tasks]
        revision = plan.revision
    changes = [change for commit in commits for change in commit.changes]
    completed = Counter(change.id for change in changes if isinstance(change, TaskCompleted))
    told = {int(line.split()[2]) for line in said if line.startswith("agent   completed")}
    names = [task.name for task in tasks]
    file = read(Path(where, ".outlast", "plans", KEY, "task_plan.md"))
    claims, returns = (sum(word in line for line in said) for word in ("claimed", "gave back"))
    return {
        f"all {len(tasks)} tasks are completed, each once": set(completed.values()) == {1}
        and set(completed) == {task.id for task in tasks},
        f"also the {len(told)} that the agent was told are completed": told <= set(completed),
        f"the {CHAPTERS} with a check are proved": labels.count("proved") == CHAPTERS,
        f"the {len(EDITS)} edits of the person were obeyed": said.count("person  obeyed")
        == len(EDITS),
        "the renamed task stands where it was moved to": names.index("Write the last chapter") + 1
        == names.index(f"Write chapter {CHAPTERS - 1}"),
        "the file holds the person's own line": "\nAsk Kim about the pictures.\n" in file,
        f"the file shows the newest revision, {revision}": f"<!-- outlast r{revision} " in file,
        f"the {claims} claims were given back, and nothing is held": claims == returns
        and not any(task.status == "in_progress" for task in tasks),
        f"no revision up to {revision} was given twice": len({c.revision for c in commits})
        == len(commits),
        "no process ended with an error": said[-3:] == [f"{n} ended with 0" for n in PARTS],
        "outlast doctor finds everything in order": outlast(where, "doctor")["ok"],
    }


PARTS = {"agent": agent, "person": person, "third": third}

if __name__ == "__main__":
    if sys.argv[1:]:
        PARTS[sys.argv[1]](sys.argv[2])
    else:
        sys.exit(main())
