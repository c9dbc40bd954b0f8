"""X2: the evidence of command checks, within limits."""

from pathlib import Path
from threading import Timer

import pytest

from outlast.errors import CheckFailed, CheckNotApproved
from outlast.language import check_result
from outlast.model.model import Check
from tests.proof.checks.scene import NOW, PLAN, Scene, make_task

CANARY = "Zk7canaryQ9xv2"


def test_x2_a_command_is_green_if_it_ends_with_0(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    green, red = (
        scene.run_check("command", "echo fine"),
        scene.run_check("command", "echo OK; exit 1"),
    )
    assert (green.ok, green.says, green.code, green.tail) == (True, "passed", 0, "fine\n")
    assert (red.ok, red.says, red.code, red.tail) == (False, "exit 1", 1, "OK\n")
    assert green.digest.startswith("sha256:")
    assert green.digest != red.digest


def test_x2_it_runs_in_the_workspace(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.write("here")
    assert scene.run_check("command", "test -f here").ok


def test_f38_what_one_that_takes_too_long_would_show_is_unknown(tmp_path: Path) -> None:
    shown = Scene(tmp_path, seconds=0.3).run_check("command", "echo >>runs; sleep 60")
    assert (tmp_path / "work" / "runs").read_text() == "\n\n", "it is repeated once"
    assert (shown.ok, shown.says) == (None, "timeout 0.3")
    assert check_result(shown.says) == "did not finish within 0.3 s"


@pytest.mark.parametrize("number", [1, 2, 9, 10, 15])
@pytest.mark.parametrize("whom", ["the shell", "its last program"])
def test_f38_what_one_that_is_killed_would_show_is_unknown(
    tmp_path: Path, number: int, whom: str
) -> None:
    """The shell itself, or the last program that it runs, as the system does for lack of memory."""
    kill = f"kill -{number} $$; sleep 60"
    if whom != "the shell":
        kill = f"sh -c 'kill -{number} $$; sleep 60'; exit $?"
    rule = f"echo >>runs; {kill}"
    shown = Scene(tmp_path).run_check("command", rule)
    assert (tmp_path / "work" / "runs").read_text() == "\n\n", "it is repeated once"
    assert shown.ok is None
    assert shown.says in (f"signal {number}", f"exit {128 + number}")


def test_f38_a_check_that_is_killed_once_counts_as_it_ends_then(tmp_path: Path) -> None:
    rule = "[ -e killed ] || { touch killed; kill -9 $$; }; test -e mail"
    assert Scene(tmp_path).run_check("command", rule).ok is False
    (tmp_path / "work" / "killed").unlink()
    (tmp_path / "work" / "mail").touch()
    assert Scene(tmp_path).run_check("command", rule).ok is True


@pytest.mark.parametrize(
    "rule", ["exit 1", "exit 127", "no-such-command", "kill -SEGV $$", "kill -ABRT $$"]
)
def test_f38_a_program_that_fails_by_itself_is_red(tmp_path: Path, rule: str) -> None:
    shown = Scene(tmp_path).run_check("command", f"echo >>runs; {rule}")
    assert shown.ok is False
    assert (tmp_path / "work" / "runs").read_text() == "\n", "once"


def test_f38_what_one_that_cannot_be_started_would_show_is_unknown(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.root.rmdir()
    for rule in ("true", "true\0"):
        shown = scene.run_check("command", rule)
        assert shown.ok is None
        assert shown.says.startswith("not_started ")


def test_f12_long_output_is_truncated_to_its_end(tmp_path: Path) -> None:
    shown = Scene(tmp_path).run_check("command", "seq 200000; printf '\\377'; exit 1")
    assert len(shown.tail) == 2000
    assert shown.tail.endswith("200000\n\N{REPLACEMENT CHARACTER}")


def test_a5_secrets_in_the_output_are_not_kept(tmp_path: Path) -> None:
    rule = f"echo password={CANARY[:4]}{CANARY[4:]}; seq 500; echo token ghp_{CANARY}{CANARY}"
    shown = Scene(tmp_path).run_check("command", rule)
    assert CANARY not in shown.tail
    assert "[redacted]" in shown.tail


def test_a5_a_secret_whose_name_is_cut_off_is_not_kept(tmp_path: Path) -> None:
    rule = f"printf 'password=%s' {CANARY}; head -c 1990 /dev/zero | tr '\\0' ' '"
    shown = Scene(tmp_path).run_check("command", rule)
    assert "ryQ9xv2" not in shown.tail
    assert shown.tail.startswith("[redacted]")


def test_a10_an_unapproved_check_is_not_run(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    task = make_task(Check("command", "touch ran"), Check("file", "here"))
    with pytest.raises(CheckNotApproved) as caught:
        scene.checker.run(PLAN, task, "done", actor="human", confirmed=(), baseline=None, now=NOW)
    assert caught.value.details == {"task_id": 1, "checks": ["touch ran", "here"]}
    assert not (scene.root / "ran").exists()


def test_stopped_checks_show_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    timer = Timer(0.3, scene.checker.stop)
    timer.start()
    with pytest.raises(CheckFailed) as caught:
        scene.run_check("command", "sleep 60")
    timer.join()
    assert caught.value.text == "check_stopped"
