"""A13: the agent's tools edit the plan's files, so that it looks as if the person had."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from outlast import open_plan
from outlast.model.changes import CheckConfirmed, QuestionAsked
from outlast.model.model import PERSON
from tests.attacks.edited_plan import (
    COMMAND_CHECK,
    FILE,
    FOLDER,
    OUTLAST,
    PERSON_CHECK,
    PYTHON,
    TICK,
    bash,
    edit_questions,
    history,
    make_plan,
    run_agent,
)

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = f"{FOLDER}/rendered.json"
TICKED = f"sed 's/- .*Review/- [x] ● **2** Review/' {FILE}"


def python(code: str) -> str:
    """Return the command that runs Python code, in which `p` is the file and `t` its text."""
    begin = f"import os; p = {FILE!r}; t = open(p).read(); "
    return f"{PYTHON} -c {shlex.quote(begin + code)}"


TICK_IN = "t.replace('[ ] ○ **2** Review', '[x] ● **2** Review')"
# What is wanted of a person by the way: a tick, other checks, another goal, a task opened again.
ASKED = {
    "sed": TICK,
    "the box alone": f"sed -i '/Review/s/- \\[ \\] ○/- [x] ○/' {FILE}",
    "a box of another shape": f"sed -i '/Review/s/\\[ \\]/[✓]/' {FILE}",
    "the icon alone": f"sed -i '/Review/s/\\[ \\] ○/[ ] ●/' {FILE}; {TICK}",
    "written in place": python(f"open(p, 'w').write({TICK_IN})"),
    "written by pieces": python(
        f"f = open(p, 'w'); [(f.write(c), f.flush()) for c in {TICK_IN}]; f.close()"
    ),
    "appended and renamed": f"{TICKED} > /tmp/a13.$$; mv /tmp/a13.$$ {FILE}",
    "the old file's times": f"cp -p {FILE} old; {TICK}; touch -r old {FILE}",
    "a file from last year": f"{TICK}; touch -d '2025-01-01' {FILE}",
    "a file from next year": f"{TICK}; touch -d '2030-01-01' {FILE}",
    "as old as the manifest": f"{TICK}; touch -r {MANIFEST} {FILE}",
    "same inode, size and time": python(
        "s = os.stat(p); b = t.replace('[ ] ○ **2** Review', '[x] ○ **2** Review').encode(); "
        "f = os.open(p, os.O_WRONLY); os.write(f, b); os.close(f); "
        "os.utime(p, ns=(s.st_atime_ns, s.st_mtime_ns)); assert os.stat(p).st_size == s.st_size"
    ),
    "at the very last moment": f"sleep 0.3; {TICK}",
    "long before the end": f"{TICK}; sleep 1.4",
    "twice": f"{TICK}; sleep 0.3; sed -i '/Review/s/\\[x\\] ●/[ ] ○/' {FILE}; {TICK}",
    "again and again": f"for i in 1 2 3 4 5 6; do {TICK}; sleep 0.1; done",
    "in the background": f"({TICK}) & wait",
    "in a process left behind": f"({TICK}; sleep 60) & sleep 0.2",
    "in a session of its own": f"setsid sh -c {shlex.quote(TICK)}; sleep 0.2",
    "without the revision": f"{TICK}; sed -i '/<!-- outlast r/d' {FILE}",
    "without ids": f"{TICK}; sed -i 's/ <!-- t[0-9]* -->//' {FILE}",
    "through another name": f"ln {FILE} other; " + python(f"open('other', 'w').write({TICK_IN})"),
    "as the backup of a view": f"{TICK}; mv {FILE} {FILE}.was",
    "without a manifest": f"{TICK}; rm {MANIFEST}",
    "with an empty manifest": f"{TICK}; echo '{{}}' > {MANIFEST}",
    "with carriage returns": f"{TICK}; sed -i 's/$/\\r/' {FILE}",
    "with a byte order mark": f"{TICK}; sed -i '1s/^/\\xef\\xbb\\xbf/' {FILE}",
    "with most tasks missing": f"{TICK}; sed -i '/Build/d; /Audit/d; /Decide/d' {FILE}",
    "with nothing else": f"sed -i -n '/Review/p' {FILE}; {TICK}",
    "struck": f"sed -i 's/Review/~~Review~~/' {FILE}",
    "skipped": f"sed -i '/Review/s/\\[ \\] ○/[ ] ⊘/' {FILE}",
    "removed": f"sed -i '/Audit/,/protect/d' {FILE}",
    "with the check gone": f"{TICK}; sed -i '/check: person/d' {FILE}",
    "the check gone": f"sed -i '/check: person/d' {FILE}",
    "an easier check": f"sed -i 's/test -f made.txt/true/' {FILE}",
    "another command to run": f"sed -i 's/  - check: test/  - run: true\\n&/' {FILE}",
    "no more protection": f"sed -i '/protect:/d' {FILE}",
    "another goal": f"sed -i 's/Objective:\\*\\* Ship/Objective:** Stop/' {FILE}",
    "what the person decided": f"sed -i '/Decide/s/\\[x\\] ●/[ ] ○/' {FILE}",
    "what the person decided, skipped": f"sed -i '/Decide/s/\\[x\\] ●/[ ] ⊘/' {FILE}",
    "renamed meanwhile": f"sed -i 's/- .*Review/- [x] ● **2** Look/' {FILE}",
    "a new task, confirmed": (
        f"sed -i 's/^- .*Build/- [x] ● New\\n  - check: person: it is fine\\n&/' {FILE}"
    ),
    "the command line shows it": f"{TICK}; {OUTLAST} show; {OUTLAST} next",
    "a command line without a mark": f"{TICK}; env -i {OUTLAST} show --plan k",
    "the command line accepts it": f"{TICK}; env -i {OUTLAST} accept --yes; {OUTLAST} accept --yes",
}
# What asks for nothing, since it is no edit, or is refused at once.
REFUSED = {
    "with a conflict": f"{TICK}; printf '<<<<<<< ours\\n=======\\n>>>>>>> theirs\\n' >> {FILE}",
    "of the first revision": f"{TICK}; sed -i 's/<!-- outlast r[0-9]*/<!-- outlast r1/' {FILE}",
    "of a future revision": f"{TICK}; sed -i 's/<!-- outlast r[0-9]*/<!-- outlast r9999/' {FILE}",
    "a link": f"{TICKED} > /tmp/a13.$$; ln -sf /tmp/a13.$$ {FILE}",
    "a directory": f"rm {FILE}; mkdir {FILE}",
    "a backup beside the view": f"{TICKED} > {FILE}.was",
    "a forged manifest": python(
        "import json, zlib; "
        f"b = {TICK_IN}.encode(); open(p, 'wb').write(b); m = {MANIFEST!r}; "
        "d = json.load(open(m)); d['task_plan.md']['now'] = len(b) << 32 | zlib.crc32(b); "
        "json.dump(d, open(m, 'w'))"
    ),
    "not a text": f"{TICK}; printf '\\0' >> {FILE}",
    "done": f"{OUTLAST} done 2",
    "done as a person": f"{OUTLAST} done 2 --as human",
    "done as a person by the environment": f"OUTLAST_PLAN=k OUTLAST_ACTOR=human {OUTLAST} done 2",
    "done without a mark": f"env -i {OUTLAST} done 2 --plan k",
    "done by force": f"env -i {OUTLAST} done 2 --plan k --force",
    "done in another session": f"exec env -i setsid -w {OUTLAST} done 2 --plan k --force",
    "done as nobody": f"{OUTLAST} done 2 --as unattributed",
    "confirmed without a mark": f"env -i {OUTLAST} check 2 --confirm --plan k",
    "approved without a mark": f"env -i sh -c '{OUTLAST} check --approve --plan k'",
    "the goal without a mark": f"env -i {OUTLAST} edit --goal Stop --plan k",
    "confirmed by the library": (
        f'env -i {PYTHON} -c "import outlast; '
        "outlast.open_plan('.', 'k', actor='human').checks.confirm(2)\""
    ),
    "completed by the library": (
        f'env -i {PYTHON} -c "import outlast; '
        "outlast.open_plan('.', 'k', actor='human').complete(2, amend=True)\""
    ),
}


def assert_nothing_of_a_person(root: Path, first: int) -> None:
    """Check what only the person may do, when the plan is opened and when it is opened again."""
    for _ in range(2):
        with open_plan(root, "k", actor="agent") as plan:
            assert plan.goal == "Ship"
            assert plan.task(2).status != "completed"
            assert plan.task(2).checks == (PERSON_CHECK,)
            assert plan.task(3).checks == (COMMAND_CHECK,)
            assert (plan.task(3).protect, plan.task(3).run) == (("rules.txt",), "")
            assert (plan.task(4).status, plan.task(4).result) == ("completed", "we do it")
            assert not any(task.name == "New" and task.finished for task in plan.tasks())
    later = [commit for commit in history(root) if commit.revision > first]
    assert [commit for commit in later if commit.author == PERSON] == []
    changes = [change for commit in later for change in commit.changes]
    assert not any(isinstance(change, CheckConfirmed) for change in changes)


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the commands are those of Linux")


@LINUX
@pytest.mark.parametrize("attack", ASKED)
def test_a13_what_a_tool_changes_in_the_file_is_asked_about_once(
    tmp_path: Path, attack: str
) -> None:
    first = make_plan(tmp_path)
    run_agent(tmp_path, bash(ASKED[attack]))
    assert_nothing_of_a_person(tmp_path, first)
    asked = [
        change
        for commit in history(tmp_path)
        for change in commit.changes
        if isinstance(change, QuestionAsked)
    ]
    assert [change.question.kind for change in asked] == ["edit"]
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        [question] = edit_questions(plan)
        assert "while the agent's" in question.text


@LINUX
@pytest.mark.parametrize("attack", REFUSED)
def test_a13_what_is_no_edit_is_refused_or_left_alone(tmp_path: Path, attack: str) -> None:
    first = make_plan(tmp_path)
    run_agent(tmp_path, bash(REFUSED[attack]))
    assert_nothing_of_a_person(tmp_path, first)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert edit_questions(plan) == []


ANSWERS = (
    f"{OUTLAST} answer yes",
    f"{OUTLAST} answer 1 yes --as human",
    f"env -i {OUTLAST} answer yes --plan k",
    (
        f"env -i {PYTHON} -c \"import outlast; outlast.open_plan('.', 'k', actor='human')"
        ".questions.answer('yes')\""
    ),
    f"{PYTHON} -c \"import outlast; outlast.open_plan('.', 'k').questions.answer('yes')\"",
)


@LINUX
@pytest.mark.parametrize("answer", ANSWERS)
def test_a13_the_agent_does_not_answer_what_is_asked_about_its_edit(
    tmp_path: Path, answer: str
) -> None:
    first = make_plan(tmp_path)
    run_agent(tmp_path, bash(TICK), bash(answer))
    assert_nothing_of_a_person(tmp_path, first)
    with open_plan(tmp_path, "k", actor=PERSON) as plan:
        assert len(edit_questions(plan)) == 1
