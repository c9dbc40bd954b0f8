"""U3: what a person allowed for a plan, in the user's state directory and nowhere else."""

import stat
import sys
from pathlib import Path
from subprocess import Popen

import pytest
from msgspec.structs import replace

from outlast.agent.people.permission_file import PermissionFiles
from outlast.agent.permissions import NO_PERMISSIONS, PlanPermissions
from outlast.errors import StoreError
from outlast.system.state_home import StateHome
from tests.cli.processes import environment

PLAN = "plan_0a1b"
GIVEN = PlanPermissions(("path:/data/**",), ("bash:rm -rf build",), "script:/m.yaml", 50)


def files(state: Path, workspace: str = "/work", *, is_person: bool = True) -> PermissionFiles:
    return PermissionFiles(StateHome(str(state)), workspace, is_person=is_person)


def test_u3_what_was_allowed_is_read_by_a_later_run_of_the_same_plan(tmp_path: Path) -> None:
    assert files(tmp_path).read(PLAN) == NO_PERMISSIONS
    files(tmp_path).add(PLAN, GIVEN)
    files(tmp_path).add(PLAN, PlanPermissions(("bash:git push",), ("bash:rm -rf build",)))
    both = ("path:/data/**", "bash:git push")
    assert files(tmp_path).read(PLAN) == replace(GIVEN, patterns=both)
    assert files(tmp_path).read("plan_other") == NO_PERMISSIONS
    modes = {str(p.relative_to(tmp_path)): p.stat().st_mode for p in tmp_path.rglob("*")}
    assert {name: stat.S_IMODE(mode) for name, mode in modes.items()} == {
        "outlast": 0o700,
        "outlast/permissions": 0o700,
        "outlast/permissions.lock": 0o600,
        f"outlast/permissions/{PLAN}": 0o600,
    }


def test_u3_a_copy_of_the_project_has_none_of_the_permissions(tmp_path: Path) -> None:
    files(tmp_path, "/work").add(PLAN, GIVEN)
    files(tmp_path, "/copy\udcff").add(PLAN, PlanPermissions(calls=("bash:ls",)))
    assert files(tmp_path, "/elsewhere").read(PLAN) == NO_PERMISSIONS
    assert files(tmp_path, "/work").read(PLAN) == GIVEN
    assert files(tmp_path, "/copy\udcff").read(PLAN).calls == ("bash:ls",)


@pytest.mark.parametrize(
    "plan_id", ["../../evil", "/etc/passwd", "..", "", "a\0b", "五", "x" * 300]
)
def test_a10_a_plan_id_from_a_stranger_stays_in_the_directory(tmp_path: Path, plan_id: str) -> None:
    files(tmp_path).add(plan_id, GIVEN)
    assert files(tmp_path).read(plan_id) == GIVEN
    path = Path(files(tmp_path).path(plan_id))
    own = tmp_path / "outlast"
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == {
        own / "permissions.lock",
        path,
    }
    assert path.parent == own / "permissions"


def test_a13_an_agents_process_reads_permissions_and_adds_none(tmp_path: Path) -> None:
    agent = files(tmp_path, is_person=False)
    agent.add(PLAN, GIVEN)
    assert not [*tmp_path.iterdir()]
    files(tmp_path).add(PLAN, GIVEN)
    agent.add(PLAN, PlanPermissions(("bash",)))
    assert agent.read(PLAN) == GIVEN


def test_a5_what_cannot_be_kept_is_named_without_its_secret(tmp_path: Path) -> None:
    secret = "bash:curl -H 'Authorization: Bearer sk-ant-api03-" + "Zq7" * 30 + "'"
    huge = "path:/" + "x" * 2_000
    with pytest.raises(StoreError, match="Allowed in this run only") as error:
        files(tmp_path).add(PLAN, PlanPermissions((huge,), (secret, "bash:ls")))
    assert error.value.details["what"] == [
        huge[:59] + "…",
        "bash:curl -H 'Authorization: [redacted]'",
    ]
    assert files(tmp_path).read(PLAN) == PlanPermissions(calls=("bash:ls",))
    many = tuple(f"bash:rm {number}" for number in range(201))
    with pytest.raises(StoreError, match="200 are kept already: bash:rm 199, bash:rm 200"):
        files(tmp_path).add(PLAN, PlanPermissions(calls=many))
    assert files(tmp_path).read(PLAN).calls == ("bash:ls", *many[:199])
    files(tmp_path).add(PLAN, PlanPermissions(calls=("bash:ls", *many[:199])))


@pytest.mark.parametrize("content", ["no json", "[1]", '{"/work": {"calls": 5}}', "[" * 99_999])
def test_u3_a_damaged_file_allows_nothing_until_a_person_allows_again(
    tmp_path: Path, content: str
) -> None:
    files(tmp_path).add(PLAN, GIVEN)
    Path(files(tmp_path).path(PLAN)).write_text(content, encoding="utf-8")
    with pytest.raises(StoreError, match="is damaged, so nothing"):
        files(tmp_path).read(PLAN)
    files(tmp_path).add(PLAN, PlanPermissions(calls=("bash:ls",)))
    assert files(tmp_path).read(PLAN) == PlanPermissions(calls=("bash:ls",))


def test_u3_a_file_that_others_could_have_written_allows_nothing(tmp_path: Path) -> None:
    files(tmp_path).add(PLAN, GIVEN)
    path = Path(files(tmp_path).path(PLAN))
    for place, mode in ((path, 0o666), (path.parent, 0o777)):
        before = place.stat().st_mode
        place.chmod(mode)
        with pytest.raises(StoreError, match="other users can write"):
            files(tmp_path).read(PLAN)
        place.chmod(before)
    assert files(tmp_path).read(PLAN) == GIVEN


def test_u3_what_was_allowed_can_be_taken_back_and_the_model_stays(tmp_path: Path) -> None:
    store = files(tmp_path)
    assert not store.forget(PLAN)
    store.add(PLAN, GIVEN)
    assert store.forget(PLAN)
    after = store.read(PLAN)
    assert replace(after, withdrawal="") == PlanPermissions(
        model="script:/m.yaml", max_iterations=50
    )
    assert not store.forget(PLAN)
    assert store.read(PLAN).withdrawal not in ("", after.withdrawal), "for a run at work"
    Path(store.path(PLAN)).write_text("no json", encoding="utf-8")
    assert store.forget(PLAN)
    assert replace(store.read(PLAN), withdrawal="") == NO_PERMISSIONS


ADD = """
import sys
from outlast.agent.people.permission_file import permissions_at
from outlast.agent.permissions import PlanPermissions

store = permissions_at(sys.argv[1])
for number in range(25):
    store.add(sys.argv[2], PlanPermissions((f"bash:{sys.argv[3]} {number}",)))
"""


def test_u3_processes_that_allow_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    variables = environment(XDG_STATE_HOME=str(tmp_path))
    writers = [
        Popen([sys.executable, "-c", ADD, "/work", PLAN, name], env=variables)  # noqa: S603
        for name in "abcd"
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    expected = {f"bash:{name} {number}" for name in "abcd" for number in range(25)}
    assert set(files(tmp_path).read(PLAN).patterns) == expected


def test_u3_what_is_taken_back_does_not_return_with_a_permission_given_meanwhile(
    tmp_path: Path,
) -> None:
    variables = environment(XDG_STATE_HOME=str(tmp_path))
    store = files(tmp_path)
    command = [sys.executable, "-c", ADD, "/work", PLAN, "a"]
    with Popen(command, env=variables) as writer:  # noqa: S603
        while writer.poll() is None:
            store.add(PLAN, PlanPermissions(("bash:rm *",)))
            store.forget(PLAN)
            assert "bash:rm *" not in store.read(PLAN).patterns
    assert writer.returncode == 0
    assert "bash:rm *" not in store.read(PLAN).patterns
