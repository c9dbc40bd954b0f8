"""A10: which directory is the workspace, in git and outside, whatever files are there."""

import os
import subprocess
from pathlib import Path

import pytest

from outlast.system.workspace_root import default_workspace_root, find_workspace_root

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
CLEAN = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def git(where: Path, *words: str) -> None:
    where.mkdir(parents=True, exist_ok=True)
    allow = ("-c", "protocol.file.allow=always")
    subprocess.run([*GIT, *allow, *words], cwd=where, env=CLEAN, check=True, capture_output=True)  # noqa: S603 - words written out below


def make_repository(where: Path) -> Path:
    git(where, "init", "-q")
    git(where, "commit", "-q", "--allow-empty", "-m", "first")
    return where


def make_home(where: Path) -> str:
    (where / ".outlast").mkdir(parents=True)
    return str(where)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def test_outside_git_nothing_looks_higher_than_the_start(place: Path) -> None:
    home = make_home(place)
    inner = place / "a" / "b"
    inner.mkdir(parents=True)
    assert find_workspace_root(home) == home
    assert find_workspace_root(str(inner)) is None
    assert default_workspace_root(str(inner)) == str(inner)


def test_inside_git_the_nearest_one_up_to_the_root_is_found(place: Path) -> None:
    make_home(place)
    root = make_repository(place / "r")
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    assert find_workspace_root(str(inner)) is None
    assert default_workspace_root(str(inner)) == str(root)
    make_home(root)
    assert find_workspace_root(str(inner)) == str(root)
    near = make_home(root / "a")
    assert find_workspace_root(str(inner)) == near
    assert find_workspace_root(str(root)) == str(root)
    assert find_workspace_root(str(inner), ".sessions") is None


def test_a_start_may_be_a_link_or_not_be_there_yet(place: Path) -> None:
    root = make_repository(place / "r")
    home = make_home(root)
    (root / "a").mkdir()
    (place / "link").symlink_to(root / "a")
    assert find_workspace_root(str(place / "link")) == home
    assert find_workspace_root(str(root / "not" / "yet")) == home
    assert default_workspace_root(str(root / "not" / "yet")) == home


@pytest.mark.parametrize("relative", [False, True])
def test_x6_a_worktree_uses_the_plans_of_the_main_checkout(place: Path, relative: bool) -> None:  # noqa: FBT001 - a parameter
    main = make_repository(place / "main")
    tree = place / "elsewhere" / "tree"
    git(main, "worktree", "add", "-q", str(tree))
    if relative:
        (tree / ".git").write_text("gitdir: ../../main/.git/worktrees/tree\n")
        back = main / ".git" / "worktrees" / "tree" / "gitdir"
        back.write_text("../../../../elsewhere/tree/.git\n")
    inner = tree / "a" / "b"
    inner.mkdir(parents=True)
    assert find_workspace_root(str(inner)) is None
    assert default_workspace_root(str(inner)) == str(main)
    home = make_home(main)
    assert find_workspace_root(str(inner)) == find_workspace_root(str(tree)) == home
    deeper = make_home(main / "a")
    assert find_workspace_root(str(inner)) == deeper
    assert find_workspace_root(str(tree)) == home
    own = make_home(tree)
    assert find_workspace_root(str(inner)) == own


def test_a_worktree_inside_its_main_checkout_is_one_too(place: Path) -> None:
    main = make_repository(place / "main")
    git(main, "worktree", "add", "-q", "trees/one")
    home = make_home(main)
    assert find_workspace_root(str(main / "trees" / "one")) == home
    assert default_workspace_root(str(main / "trees" / "one")) == home


@pytest.mark.parametrize("name", ["bare.git", "project/.git"])
def test_a_worktree_of_a_bare_repository_is_its_own_root(name: str, place: Path) -> None:
    make_repository(place / "first")
    git(place, "clone", "-q", "--bare", "first", name)
    tree = place / "trees" / "one"
    git(place / name, "worktree", "add", "-q", str(tree))
    make_home(place / "project")
    assert find_workspace_root(str(tree)) is None
    assert default_workspace_root(str(tree)) == str(tree)


def test_a_submodule_is_its_own_root(place: Path) -> None:
    make_repository(place / "part")
    whole = make_repository(place / "whole")
    git(whole, "submodule", "add", "-q", str(place / "part"), "sub")
    make_home(whole)
    assert (whole / "sub" / ".git").is_file()
    assert find_workspace_root(str(whole / "sub")) is None
    assert default_workspace_root(str(whole / "sub")) == str(whole / "sub")


@pytest.mark.parametrize("kind", ["file", "link", "fifo"])
def test_a10_what_only_looks_like_plans_is_passed_by(kind: str, place: Path) -> None:
    root = make_repository(place / "r")
    make_home(place / "other")
    odd = root / ".outlast"
    if kind == "file":
        odd.touch()
    elif kind == "link":
        odd.symlink_to(place / "other" / ".outlast")
    else:
        os.mkfifo(odd)
    assert find_workspace_root(str(root)) is None


def test_a10_a_world_writable_directory_is_no_project(place: Path) -> None:
    shared = place / "tmp"
    make_home(shared)
    (shared / ".git").mkdir()
    mine = shared / "mine"
    mine.mkdir()
    assert default_workspace_root(str(mine)) == str(shared)
    shared.chmod(0o1777)
    assert find_workspace_root(str(mine)) is None
    assert default_workspace_root(str(mine)) == str(mine)
    assert find_workspace_root(str(shared)) == str(shared)


def make_worktree(place: Path) -> tuple[Path, Path, Path]:
    """Make a main checkout and a worktree by hand; return both roots and the private git part."""
    main, tree = place / "main", place / "tree"
    private = main / ".git" / "worktrees" / "tree"
    private.mkdir(parents=True)
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {private}\n")
    (private / "commondir").write_text("../..\n")
    (private / "gitdir").write_text(f"{tree}/.git\n")
    make_home(main)
    return main, tree, private


def test_a_worktree_made_by_hand_is_one(place: Path) -> None:
    main, tree, _ = make_worktree(place)
    assert find_workspace_root(str(tree)) == default_workspace_root(str(tree)) == str(main)


BROKEN = [
    *(
        b"",
        b"\n",
        b"gitdir:",
        b"gitdir: \n",
        b"gitdir: .",
        b"gitdir: .git",
        b"gitdir: ../tree/.git",
    ),
    *(b"gitdir: /", b"gitdir: /dev/zero", b"gitdir: ../../../../../..", b"GITDIR: ../main/.git"),
    *(b"\x00" * 50, b"gitdir: a\x00b", b"\xff\xfe\x80", b"gitdir: \xff\xfe", b"x" * 1_000_000),
    *(b"gitdir: " + b"a/" * 4000, b"gitdir: " + b"y" * 1_000_000, b"gitdir: loop/worktrees/x"),
    *(b"gitdir: ../main/.git", b"gitdir: ../main/.git/worktrees", b"gitdir: ../main/.git/x/tree"),
    *(b"gitdir: ../main/.git/worktrees/other", b"ref: refs/heads/main\n"),
]


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_a10_a_broken_git_file_makes_a_root_of_its_own(content: bytes, place: Path) -> None:
    _, tree, _ = make_worktree(place)
    (tree / "loop").symlink_to("loop")
    (tree / ".git").write_bytes(content)
    inner = tree / "a"
    inner.mkdir()
    assert find_workspace_root(str(inner)) is None
    assert default_workspace_root(str(inner)) == str(tree)


@pytest.mark.parametrize("name", ["commondir", "gitdir"])
@pytest.mark.parametrize(
    "content", [b"", b"/", b".", b"\x00", b"../../..", b"\xff", b"z" * 100_000]
)
def test_a10_a_checkout_that_does_not_know_the_worktree_is_not_used(
    name: str, content: bytes, place: Path
) -> None:
    _, tree, private = make_worktree(place)
    (private / name).write_bytes(content)
    assert default_workspace_root(str(tree)) == str(tree)


def test_a10_forged_git_files_lead_to_no_other_project(place: Path) -> None:
    victim, tree, _ = make_worktree(place)
    hostile = place / "hostile"
    private = hostile / "x" / ".git" / "worktrees" / "w"
    private.mkdir(parents=True)
    (hostile / ".git").write_text("gitdir: x/.git/worktrees/w")
    (private / "gitdir").write_text(f"{hostile}/.git")
    (private / "commondir").write_text(f"{victim}/.git")
    assert default_workspace_root(str(hostile)) == str(hostile)
    (hostile / ".git").write_text(f"gitdir: {victim}/.git/worktrees/tree")
    assert default_workspace_root(str(hostile)) == str(hostile)
    assert default_workspace_root(str(tree)) == str(victim)


@pytest.mark.parametrize("kind", ["fifo", "link", "dangling", "device"])
def test_a10_an_odd_git_neither_hangs_nor_leads_away(kind: str, place: Path) -> None:
    _, tree, _ = make_worktree(place)
    (tree / ".git").rename(tree / "real")
    if kind == "fifo":
        os.mkfifo(tree / ".git")
    else:
        ends = {"link": "real", "dangling": "nowhere", "device": "/dev/zero"}
        (tree / ".git").symlink_to(ends[kind])
    assert default_workspace_root(str(tree)) == str(tree)
    assert find_workspace_root(str(tree)) is None


@pytest.mark.parametrize("name", ["commondir", "gitdir"])
@pytest.mark.parametrize("kind", ["fifo", "directory", "gone"])
def test_a10_odd_files_of_the_checkout_do_not_hang(name: str, kind: str, place: Path) -> None:
    _, tree, private = make_worktree(place)
    (private / name).unlink()
    if kind == "fifo":
        os.mkfifo(private / name)
    elif kind == "directory":
        (private / name).mkdir()
    assert default_workspace_root(str(tree)) == str(tree)
