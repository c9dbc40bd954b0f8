"""A5: nobody else reads plans unless they are shared, and no secret is written into them."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outlast import Plan, PlanManager, create_plan, open_plan
from outlast.store.port import Layout
from tests.plan.places import names

CANARY = "Zk7canaryQ9xv2"
SECRETS = [
    f"the call failed: api_key={CANARY}",
    f"postgres://admin:{CANARY}@db.example.org/app",
    f"Authorization: Bearer {CANARY}",
    f"token ghp_{CANARY}{CANARY}",
    f'{{"password": "{CANARY}"}}',
    f"密码：{CANARY}",
]
PLAIN = [
    "Five tables found",
    "done",
    "the key was rotated, see docs/keys.md",
    "well-known_thing: it's here; 密码 was changed",
    "x" * 60_000,
    "",
]


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def modes(home: Path) -> dict[str, int]:
    """Return the permissions of everything below a directory, and its own."""
    return {
        str(path.relative_to(home.parent)): stat.S_IMODE(path.stat().st_mode)
        for path in [home, *home.rglob("*")]
    }


def live(workspace: Path, layout: Layout, *, shared: bool = False) -> Path:
    """Let every kind of file come into being; return the directory of all plans."""
    with create_plan(workspace, "Ship it", "ship", layout=layout, shared=shared) as plan:
        plan.add("a", reasoning="why " * 16_000)
        plan.add("b", reasoning="why " * 16_000)
    [home] = workspace.iterdir()
    [journal] = home.rglob("journal.jsonl")
    with journal.open("ab") as file:
        file.write(b"torn")
    if layout == "sessions":
        (journal.parent / "plan.json").write_bytes(b"mine")
    with open_plan(workspace, "ship") as plan:
        plan.add("c", reasoning="why " * 16_000)
        plan.add("d", reasoning="why " * 16_000)
    return home


@pytest.mark.parametrize("layout", ["outlast", "sessions"])
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a5_files_are_private_whatever_the_umask(layout: Layout, mask: int, tmp_path: Path) -> None:
    with umask(mask):
        home = live(tmp_path, layout)
    for name, mode in modes(home).items():
        is_put_aside = ".bad-" in name  # somebody else's own file, as it was
        assert is_put_aside or mode == (0o700 if (tmp_path / name).is_dir() else 0o600), name
    assert any(".torn-" in name for name in modes(home))


@pytest.mark.parametrize("layout", ["outlast", "sessions"])
@pytest.mark.parametrize("mask", [0o002, 0o022, 0o077])
def test_a5_a_shared_plan_is_as_the_umask_wants(layout: Layout, mask: int, tmp_path: Path) -> None:
    with umask(mask):
        home = live(tmp_path, layout, shared=True)
    for name, mode in modes(home).items():
        assert mode == (0o777 if (tmp_path / name).is_dir() else 0o666) & ~mask, name


def written(workspace: Path) -> bytes:
    """Return everything there is below a directory."""
    return b"".join(path.read_bytes() for path in sorted(workspace.rglob("*")) if path.is_file())


def speak(plan: Plan, text: str) -> None:
    """Say something at every place where a result, an error or a reason can be said."""
    plan.add_all([])
    first = plan.add("a").id
    plan.complete(first, text)
    plan.reopen(first, text)
    plan.start(first)
    plan.return_task(first, text)
    plan.fail(first, text)
    plan.fail(first, text, retry=False)
    plan.reopen(first)
    plan.skip(first, text)
    plan.add("b")
    plan.pause(text)
    plan.resume()
    plan.abort(text)


@pytest.mark.parametrize("text", SECRETS)
def test_a5_no_secret_is_ever_written(text: str, tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "x", layout="sessions") as plan:
        speak(plan, text)
        assert CANARY not in str(plan.history.commits(100))
    assert b"[redacted]" in written(tmp_path)
    assert CANARY.encode() not in written(tmp_path)


@pytest.mark.parametrize("text", SECRETS)
def test_a5_nor_by_the_functions_for_a_model(text: str, tmp_path: Path) -> None:
    manager = PlanManager(create_plan(tmp_path, "Ship it", "x", layout="sessions"))
    for name in "abcd":
        manager.addTask(name)
    answers = [
        manager.completeTask(1, text),
        manager.failTask(2, text),
        manager.skipTask(3, text),
        manager.getTaskList(),
    ]
    assert all(answer["success"] for answer in answers)
    assert CANARY not in str(answers[-1]) + str(manager.to_dict())
    manager.plan.close()
    assert CANARY.encode() not in written(tmp_path)


@pytest.mark.parametrize("text", PLAIN, ids=range(len(PLAIN)))
def test_a5_ordinary_texts_stay_as_they_are(text: str, tmp_path: Path) -> None:
    with create_plan(tmp_path, "Ship it", "x") as plan:
        plan.add("a")
        assert plan.complete(1, text).result == text
        plan.add("b")
        assert plan.fail(2, text or "?", retry=False).error == (text or "?")


def test_a5_the_ignoring_file_of_somebody_else_stays(tmp_path: Path) -> None:
    home = tmp_path / ".sessions"
    home.mkdir()
    (home / ".gitignore").write_text("*.log\n")
    create_plan(tmp_path, "Ship it", "x", layout="sessions").close()
    assert (home / ".gitignore").read_text() == "*.log\n"
    assert names(home) == [".gitignore", "x"]
