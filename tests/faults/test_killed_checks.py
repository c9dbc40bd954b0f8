"""F38: a check that is killed never leads to a second try unasked. Real processes."""

import json
from pathlib import Path

import pytest

from tests.faults.test_stopped_runs import RUN, Scene, shell_scene

pytestmark = pytest.mark.slow
WORK = "echo sent >>mail"


def ask(scene: Scene) -> str:
    """Return the one question that waits for a person."""
    with scene.plan() as plan:
        assert plan.task(1).status == "in_progress"
        assert plan.task(1).retry_count == 0
        (question,) = plan.questions.open()
    assert question.task == 1
    return question.text


def test_f38_a_check_that_is_killed_once_is_repeated_and_the_work_is_not(tmp_path: Path) -> None:
    killed = "[ -e killed ] || [ ! -e mail ] || { touch killed; kill -9 $$; }; test -e mail"
    scene = shell_scene(tmp_path, WORK, f"  - check: {killed}")
    code, printed = scene.run(*RUN, "shell")
    assert (code, scene.count("mail")) == (0, 1), printed


@pytest.mark.parametrize("death", ["kill -9 $$", "sh -c 'kill -9 $$'; exit $?"])
def test_f38_a_check_that_is_killed_again_and_again_is_a_question(
    tmp_path: Path, death: str
) -> None:
    check = f"[ ! -e deadly ] || {{ {death}; }}; test -e mail"
    scene = shell_scene(tmp_path, WORK, f"  - check: {check}")
    (scene.here / "deadly").touch()
    code, printed = scene.run(*RUN, "shell")
    assert (code, scene.count("mail")) == (1, 1), printed
    assert "a check gave no result, twice" in ask(scene)
    code, printed = scene.run("resume")
    assert (code, scene.count("mail")) == (1, 1), "it waits for the answer"
    code, printed = scene.run("check", "1", "--json")
    [evidence] = json.loads(printed)["checks"][0]["evidence"]
    assert (code, evidence["ok"]) == (1, None)
    _, shown = scene.run("check", "1")
    assert shown.startswith("? 1 One  could not be checked")
    (scene.here / "deadly").unlink()
    scene.run("answer", "1", "done", "--as", "human")
    code, printed = scene.run("resume")
    assert (code, scene.count("mail")) == (0, 1), printed


def test_f38_a_command_that_is_not_found_is_red(tmp_path: Path) -> None:
    """The control: it fails each time, and is tried again."""
    scene = shell_scene(tmp_path, WORK, "  - check: test -e mail && no-such-command")
    code, printed = scene.run(*RUN, "shell")
    assert (code, scene.count("mail")) == (1, 3), printed
