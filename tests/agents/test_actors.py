"""U7, A13: what a real coding agent runs is the agent's, and what is a person's is refused."""

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec import json

from outlast import create_plan, open_plan
from outlast.model.model import UNATTRIBUTED
from outlast.system.caller import HOSTS
from tests.agents.client import CLIENTS, command, require_client, run_client
from tests.agents.coder import Coder
from tests.agents.scene import Scene, open_scene
from tests.console.test_call_rights import Case, cases, journal, prepare

pytestmark = [pytest.mark.agents, pytest.mark.slow, pytest.mark.xdist_group("agents")]
VARIABLES: Final = {"claude-code": "CLAUDECODE", "codex": "CODEX_THREAD_ID"}
PROMPT: Final = {  # what each of them calls the event
    "claude-code": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "gemini-cli": "BeforeAgent",
}
EXPLAINED: Final = ("outlast done 1 --force", "outlast check 1 --approve", "outlast answer 8080")
AT_ONCE: Final = 4  # cases in one call of the shell, which an agent does not wait for endlessly


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with open_scene(tmp_path, Coder()) as opened:
        yield opened
    assert opened.elsewhere == [], "it talks to its model and to nobody else"


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    require_client(name)
    return name


def run_all(scene: Scene, client: str, lines: list[str]) -> None:
    """Have the agent run some lines of shell, each in a call of its own."""
    done = run_client(scene, client, "Please run:\n" + "\n".join(f"$ {line}" for line in lines))
    assert done.returncode == 0, done.stdout + done.stderr


def root_of(scene: Scene, number: int) -> Path:
    return scene.workspace / str(number)


def line_of(case: Case, words: dict[str, str], root: Path) -> str:
    """Return the shell line that runs a case and leaves its status and its message in a file."""
    arguments = [words.get(word, word) for word in shlex.split(case.line)[1:]]
    called = command(*map(shlex.quote, arguments))
    return f"(cd {root.name}; {called} >said 2>&1; echo $? >status)"


def test_u7_a_real_agent_is_known_and_refused_what_is_a_persons(
    scene: Scene, client: str, tmp_path: Path
) -> None:
    words = prepare(tmp_path / "ship")
    tried = [case for case in cases(0) if case.situation == "coding agent"]
    lines = []
    for number, case in enumerate(tried):
        shutil.copytree(tmp_path / "ship", root_of(scene, number))
        lines.append(line_of(case, words, root_of(scene, number)))
    before = journal(tmp_path / "ship")
    run_all(
        scene, client, ["; ".join(lines[at : at + AT_ONCE]) for at in range(0, len(lines), AT_ONCE)]
    )

    for number, case in enumerate(tried):
        root = root_of(scene, number)
        status, said = (root / "status").read_text().strip(), (root / "said").read_text()
        assert (status == "0") is case.is_allowed, f"{case.line}: {said}"
        if not case.is_allowed:
            assert journal(root) == before, f"{case.line} is recorded"
        if case.line in EXPLAINED:
            assert f"{client} runs this ({VARIABLES.get(client, 'GEMINI_CLI')} is set)" in said
    noted = next(number for number, case in enumerate(tried) if "outlast note" in case.line)
    with open_plan(root_of(scene, noted)) as plan:
        assert plan.history.commits(1)[0].author == client


def test_u7_a_real_agent_cannot_name_a_person_and_is_named_by_its_host(
    scene: Scene, client: str
) -> None:
    run_all(
        scene,
        client,
        [
            f"{command('new', 'Ship', '--key', 'ship')} >new 2>&1",
            f"{command('add', 'Build', '--as', 'human')} >human 2>&1",
            f"{command('add', 'Build', '--as', 'mira')} >mira 2>&1",
            f"OUTLAST_ACTOR=human {command('add', 'Build')} >actor 2>&1",
            f"{command('log', '--json')} >log.json 2>&1",
        ],
    )
    assert "an agent cannot act as a person" in scene.read("human")
    assert "an agent cannot act as a person" in scene.read("actor")
    assert "reads like a person" in scene.read("mira")
    commits = json.decode(scene.read("log.json"))["commits"]
    assert [(commit["author"], commit["person"]) for commit in commits] == [(client, "")]
    assert client in HOSTS.values()


@pytest.mark.parametrize(
    ("client", "start", "actor"),
    [
        ("claude-code", "", "claude-code"),
        ("gemini-cli", "", "gemini-cli"),
        ("codex", "OUTLAST_ACTOR=codex ", "codex"),  # it says nothing to its hooks
    ],
)
def test_u7_a_hook_of_a_real_agent_acts_as_the_agent(
    scene: Scene, client: str, start: str, actor: str
) -> None:
    require_client(client)
    with create_plan(scene.workspace, "Ship it", "ship", actor="human"):
        pass
    run_client(scene, client, "Hello", hooks={PROMPT[client]: start + command("note", "Hello")})
    with open_plan(scene.workspace) as plan:
        assert plan.history.commits(1)[0].author == actor


def test_a13_a_tick_that_a_real_agent_makes_is_nobodys_and_waits_for_a_person(
    scene: Scene, client: str, tmp_path: Path
) -> None:
    prepare(tmp_path / "ship")
    shutil.copytree(tmp_path / "ship", scene.workspace, dirs_exist_ok=True)
    file = ".outlast/plans/ship/task_plan.md"
    tick = r"s/\[ \] ○ \*\*2\*\* Look/[x] ● **2** Look/"
    run_all(scene, client, [f"sed -i '{tick}' {file}", f"{command('status')} >status 2>&1"])
    with open_plan(scene.workspace) as plan:
        assert plan.task(2).status != "completed"
        assert any("- [x] ● Look" in question.text for question in plan.questions.open())
        assert plan.history.commits(1)[0].author == UNATTRIBUTED
