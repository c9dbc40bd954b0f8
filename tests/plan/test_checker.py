"""How long a check may take is a setting, and a bad one is refused before anything is done."""

from contextlib import chdir
from pathlib import Path

import pytest

from outlast import Check, create_plan
from outlast.errors import InvalidArgument, StoreError
from outlast.plan.checker import SECONDS, check_seconds
from tests.cli.processes import outlast, stdout_of


def test_x2_the_time_of_a_check_is_a_setting() -> None:
    assert check_seconds({}) == check_seconds({"OUTLAST_CHECK_SECONDS": ""}) == SECONDS
    assert check_seconds({"OUTLAST_CHECK_SECONDS": "7"}) == 7
    for bad in ("0", "-1", "1.5", "ten", "86401", "9" * 99, "٣", " 7"):
        with pytest.raises(InvalidArgument):
            check_seconds({"OUTLAST_CHECK_SECONDS": bad})


@pytest.mark.parametrize(
    "command", ["start", "add two --check true", "done 1", "new other --key o"]
)
def test_x2_a_bad_setting_is_refused_before_anything_is_done(tmp_path: Path, command: str) -> None:
    with create_plan(tmp_path, "Make it", "k") as plan:
        plan.add("one", checks=[Check("command", "true")])
    before = stdout_of(tmp_path, "show"), stdout_of(tmp_path, "list")
    told = outlast(tmp_path, *command.split(), OUTLAST_CHECK_SECONDS="soon")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("outlast: OUTLAST_CHECK_SECONDS: expected a whole number")
    assert (stdout_of(tmp_path, "show"), stdout_of(tmp_path, "list")) == before


def test_x2_a_directory_that_is_gone_is_said(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    with chdir(tmp_path / "gone"):
        (tmp_path / "gone").rmdir()
        plan = create_plan("memory:", "Make it")
        plan.add("one", checks=[Check("command", "true")])
        assert plan.start(1).status == "in_progress"
        with pytest.raises(StoreError):
            plan.complete(1)
    assert plan.task(1).status == "in_progress"


def test_a17_a_check_gets_no_secrets_but_those_that_the_user_lets_pass(tmp_path: Path) -> None:
    work, config = tmp_path / "work", tmp_path / "config"
    work.mkdir()
    (config / "outlast").mkdir(parents=True)
    with create_plan(work, "Make it", "k", actor="human") as plan:
        plan.add("one", checks=[Check("command", 'env > seen; test -n "$DB_PASSWORD"')])
    secrets = {"DB_PASSWORD": "first", "OTHER_TOKEN": "second"}
    user = {**secrets, "XDG_CONFIG_HOME": str(config)}

    def seen(**variables: str) -> set[str]:
        outlast(work, "check", "1", **variables)
        names = {line.partition("=")[0] for line in (work / "seen").read_text().splitlines()}
        return names & secrets.keys()

    assert seen(**user) == set()
    (work / "outlast.toml").write_text('[tools]\npass_env = ["DB_PASSWORD", "OTHER_TOKEN"]\n')
    assert seen(**user) == set(), "a project cannot let anything pass"
    (config / "outlast/config.toml").write_text('[tools]\npass_env = ["DB_PASSWORD"]\n')
    assert seen(**user) == {"DB_PASSWORD"}
    by_variable = {"OUTLAST_TOOLS__PASS_ENV": "OTHER_TOKEN"}
    assert seen(**user, **by_variable) == {"OTHER_TOKEN"}
