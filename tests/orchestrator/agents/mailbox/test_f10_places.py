"""F10: what is no plain text file of a reasonable size is refused at once, and never waited for."""

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from outlast.errors import InvalidDocument, StoreError
from outlast.orchestrator.agents.mailbox.folder import LARGEST_FILE, Folder
from outlast.orchestrator.agents.mailbox.mailbox import Mailbox
from tests.orchestrator.agents.mailbox.boxes import GOOD, ID, names, work

READS = int(os.environ.get("OUTLAST_F10", "2000"))
OUTSIDE = "what is in another file"


@pytest.fixture
def mailbox(tmp_path: Path) -> Mailbox:
    return Mailbox(str(tmp_path))


def link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def huge(path: Path) -> None:
    with path.open("w") as file:
        file.truncate(100 * LARGEST_FILE)


def directory(path: Path) -> None:
    path.mkdir()


def unix_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # its address must be short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def binary(path: Path) -> None:
    path.write_bytes(b"---\nstatus: \xff\n---\n")


@pytest.mark.parametrize("make", [link, pipe, huge, directory, unix_socket, binary])
def test_f10_what_is_no_plain_text_file_is_refused_and_the_loop_goes_on(
    mailbox: Mailbox, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    result = work(mailbox, tmp_path, lambda reports: make(reports / f"report-{ID}.md"))
    assert result.report is None
    assert f"report-{ID}.md" in result.error
    assert names(tmp_path / "reports" / "pending") == []
    assert f"report-{ID}.md" in names(tmp_path / "reports" / "quarantine")


def test_f10_a_report_as_large_as_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * LARGEST_FILE)
    (tmp_path / "b").write_bytes(b"x" * (LARGEST_FILE + 1))
    folder = Folder(str(tmp_path), ())
    assert len(folder.read("a").data) == LARGEST_FILE
    with pytest.raises(InvalidDocument, match="larger"):
        folder.read("b")


class Swapper(threading.Thread):
    """Swaps the file and its directory for other things, again and again."""

    def __init__(self, place: Path, name: str, outside: Path) -> None:
        super().__init__()
        self.place, self.name_, self.outside = place, name, outside
        self.stopped = threading.Event()

    def run(self) -> None:
        away = self.place.with_name("away")
        while not self.stopped.is_set():
            for make in (self.pipe, self.link, self.plain):
                new = self.place / ".swap"
                make(new)
                new.replace(self.place / self.name_)
            self.stopped.wait(0.001)
            self.place.rename(away)
            with suppress(FileExistsError):  # the reader has created it meanwhile
                self.place.symlink_to(self.outside)
                self.place.unlink()
            while away.exists():
                with suppress(OSError):
                    self.place.rmdir()
                with suppress(OSError):
                    away.rename(self.place)

    def plain(self, path: Path) -> None:
        path.write_text(GOOD)

    def link(self, path: Path) -> None:
        path.symlink_to(self.outside / self.name_)

    def pipe(self, path: Path) -> None:
        os.mkfifo(path)


def test_f10_no_read_leaves_the_mailbox_or_hangs_while_everything_is_swapped(
    tmp_path: Path,
) -> None:
    outside, place = tmp_path / "outside", tmp_path / "box" / "pending"
    outside.mkdir()
    place.mkdir(parents=True)
    (outside / "report.md").write_text(OUTSIDE)
    folder, swapper = (
        Folder(str(tmp_path), ("box", "pending")),
        Swapper(place, "report.md", outside),
    )
    swapper.start()
    texts = list[str]()
    try:
        for _ in range(READS):
            with suppress(FileNotFoundError, InvalidDocument, StoreError):
                texts.append(folder.read("report.md").text("report.md"))
    finally:
        swapper.stopped.set()
        swapper.join()
    assert OUTSIDE not in texts
    assert GOOD in texts
    assert set(texts) <= {GOOD, ""}, "an empty one has just been created"
