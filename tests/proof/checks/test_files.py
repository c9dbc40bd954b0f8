"""X2: file checks stay in the workspace and never hang."""

import os
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.proof.checks.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_x2_a_file_or_a_directory_has_to_be_there(scene: Scene) -> None:
    assert scene.run_check("file", "docs/a.md").says == "missing"
    scene.write("docs/a.md")
    assert scene.run_check("file", "docs/a.md").ok
    assert scene.run_check("file", "./docs/../docs/a.md").ok
    assert scene.run_check("file", "docs").ok
    assert scene.run_check("file", "docs/a.md/b").says == "missing"


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("total: 3", "passed"),
        ("total", "passed"),
        ("Total", "no_match"),
        (r"^total: \d+$", "passed"),
        ("^3", "no_match"),
        ("(?i)TOTAL", "passed"),
        ("(total", "bad_pattern"),
        ("(?:a{9999}){9999}{9999}", "bad_pattern"),
        ("[[a]]", "no_match"),
    ],
)
def test_x2_a_pattern_has_to_match(scene: Scene, pattern: str, says: str) -> None:
    scene.write("report", "\ufeffhead\r\ntotal: 3\r\n")
    shown = scene.run_check("file", f"report ~ {pattern}")
    assert (shown.says, shown.ok) == (says, says == "passed")


def test_x2_a_file_that_is_no_text_is_searched_all_the_same(scene: Scene) -> None:
    (scene.root / "data").write_bytes(b"\xff\xfe total \x00")
    assert scene.run_check("file", "data ~ tot.l").ok


def test_f38_a_pattern_that_would_take_for_ever_shows_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path, seconds=0.5)
    scene.write("report", "a" * 40 + "!")
    shown = scene.run_check("file", "report ~ ^(a+)+$")
    assert (shown.ok, shown.says) == (None, "slow_pattern 0.5")


def test_x2_too_large_a_file_is_not_searched(scene: Scene) -> None:
    scene.write("report", "a" * (1024 * 1024 + 1))
    assert scene.run_check("file", "report ~ a").says == "large 1048576"
    assert scene.run_check("file", "report").ok


def test_a4_no_path_leads_out_of_the_workspace(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (scene.root / "link").symlink_to(tmp_path / "secret")
    (scene.root / "up").symlink_to("..")
    (scene.root / "chain").symlink_to("up/secret")
    for path in ("../secret", str(tmp_path / "secret"), "link", "up/secret", "chain", "a/../../x"):
        assert scene.run_check("file", path).says == "outside", path
        assert scene.run_check("file", f"{path} ~ secret").says == "outside", path
    assert scene.run_check("file", "nul\0l").says == "outside"


def test_links_within_the_workspace_are_followed(scene: Scene) -> None:
    scene.write("real", "text")
    (scene.root / "link").symlink_to("real")
    assert scene.run_check("file", "link ~ text").ok


def test_f10_pipes_and_devices_are_no_files(scene: Scene) -> None:
    os.mkfifo(scene.root / "pipe")
    assert scene.run_check("file", "pipe").says == "no_file"
    assert scene.run_check("file", "pipe ~ x").says == "no_file"
    scene.write("docs/a")
    assert scene.run_check("file", "docs ~ x").says == "no_file"


def test_f10_a_link_swapped_all_the_time_leads_nowhere(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away/file").write_text("secret")
    scene.write("place/file", "plain")
    place, aside, over = scene.root / "place", scene.root / "aside", Event()

    def swap_link() -> None:
        while not over.is_set():
            place.rename(aside)
            place.symlink_to(tmp_path / "away")
            place.unlink()
            aside.rename(place)

    other = Thread(target=swap_link)
    other.start()
    try:
        seen = {scene.run_check("file", "place/file ~ secret").says.split()[0] for _ in range(500)}
    finally:
        over.set()
        other.join()
    assert seen <= {"no_match", "missing", "outside", "unreadable"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_red(scene: Scene) -> None:
    scene.write("closed").chmod(0)
    assert scene.run_check("file", "closed ~ x").says == "unreadable Permission denied"
