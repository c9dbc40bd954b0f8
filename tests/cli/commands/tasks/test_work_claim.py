"""`claim` and `release`."""

from pathlib import Path

from tests.cli.processes import json_of, outlast, stdout_of


def test_x6_a_claimed_task_is_ended_with_its_token(workspace: Path) -> None:
    claimed = json_of(workspace, "claim", "1", "--seconds", "60", "--as", "ada")
    lease = claimed["lease"]
    assert (lease["task"], lease["holder"], claimed["task"]["status"]) == (1, "ada", "in_progress")
    token = str(lease["token"])
    for arguments in (["done", "1"], ["fail", "1", "x"], ["edit", "1", "--progress", "1/2"]):
        assert json_of(workspace, *arguments, code=1)["error"]["code"] == "TASK_CLAIMED"
    stdout_of(workspace, "edit", "1", "--progress", "1/2", "--token", token)
    longer = json_of(workspace, "claim", "1", "--token", token, "--seconds", "600", "--as", "ada")
    assert longer["lease"]["until"] > lease["until"]
    assert json_of(workspace, "done", "1", "--token", "99", code=1)["error"]["code"] == "CLAIM_LOST"
    stdout_of(workspace, "done", "1", "--token", token, "--as", "ada")


def test_x6_a_claim_is_released(workspace: Path) -> None:
    answer = stdout_of(workspace, "claim")
    assert answer.startswith("Claimed 1 a until ")
    assert "\n  to give it back:     outlast release 1 --token 1\n" in answer
    assert (
        json_of(workspace, "release", "1", "--token", "2", code=1)["error"]["code"] == "CLAIM_LOST"
    )
    missing = outlast(workspace, "release", "1")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.endswith("\nIf you hold the claim, add --token TOKEN\n")
    assert stdout_of(workspace, "release", "1", "--token", "1").startswith("Released 1 a\n")
    stdout_of(workspace, "done", "1")


def test_u8_a_started_task_can_be_given_back(workspace: Path) -> None:
    stdout_of(workspace, "start", "1")
    refused = outlast(workspace, "rm", "1")
    hint = last_line(refused.stderr)
    assert (refused.returncode, hint) == (1, "Give it back: outlast release 1")
    assert stdout_of(workspace, *hint.split()[4:]).startswith("Released 1 a\n")
    stdout_of(workspace, "rm", "1")


def test_x6_a_claimed_task_fails_with_its_token(workspace: Path) -> None:
    stdout_of(workspace, "claim", "2")
    stdout_of(workspace, "fail", "2", "no luck", "--token", "1")
    assert "○ 2 b  ! no luck" in stdout_of(workspace)


def last_line(text: str) -> str:
    return text.splitlines()[-1]


def test_a_refusal_because_of_a_claim_names_the_token_option(workspace: Path) -> None:
    stdout_of(workspace, "claim", "1")
    refused = outlast(workspace, "done", "1")
    assert last_line(refused.stderr) == "If you hold the claim, add --token TOKEN"
    assert last_line(outlast(workspace, "done", "1", "--lang", "zh").stderr).endswith(
        "--token TOKEN"
    )
