"""The lines that a person typed in earlier chats."""

from pathlib import Path
from stat import S_IMODE
from threading import Thread

import pytest

from outlast.assistant.chat.terminal_lines import TypedLines
from outlast.errors import StoreError
from outlast.system.disk import Disk
from outlast.system.state_home import StateHome


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "outlast" / "chat" / "history"


@pytest.fixture
def typed(tmp_path: Path) -> TypedLines:
    return TypedLines(StateHome(str(tmp_path)))


def test_typed_lines_are_there_again_in_the_next_chat(tmp_path: Path, typed: TypedLines) -> None:
    assert typed.load() == []
    for line in ("/todo list", "买牛奶", "two\nlines", "half a \ud83d pair"):
        typed.add(line)
    again = TypedLines(StateHome(str(tmp_path)))
    assert again.load() == ["/todo list", "买牛奶", "two\nlines", "half a ? pair"]


def test_typed_lines_are_private(file: Path, typed: TypedLines) -> None:
    typed.add("my secret")
    assert S_IMODE(file.stat().st_mode) == 0o600
    assert S_IMODE(file.parent.stat().st_mode) == 0o700
    file.parent.chmod(0o777)
    with pytest.raises(StoreError):
        typed.load()
    with pytest.raises(StoreError):
        typed.add("more")


def test_a_line_that_was_half_written_is_left_out(file: Path, typed: TypedLines) -> None:
    typed.add("whole")
    with file.open("a") as stream:
        stream.write('"hal')
    assert typed.load() == ["whole"]


def test_a_line_that_is_typed_while_another_chat_cuts_the_history_is_kept(
    tmp_path: Path, file: Path, typed: TypedLines
) -> None:
    adding = Thread(target=typed.add, args=("meanwhile",))

    class Busy(Disk):
        """A disk on which somebody else writes before a file is replaced."""

        def rename(self, old: str, new: str) -> None:
            adding.start()
            adding.join(0.1)
            super().rename(old, new)

    typed.add("first")
    with file.open("a") as stream:
        stream.writelines(f'"{number}"\n' for number in range(2_000))
    TypedLines(StateHome(str(tmp_path), Busy())).load()
    adding.join()
    assert typed.load()[-1] == "meanwhile"


def test_the_newest_lines_are_kept_and_very_long_ones_are_not(
    file: Path, typed: TypedLines
) -> None:
    typed.add("first")
    typed.add("x" * 4_001)
    assert typed.load() == ["first"]
    with file.open("a") as stream:
        stream.writelines(f'"{number}"\n' for number in range(2_000))
    assert typed.load()[0] == "1000"
    assert len(file.read_text().splitlines()) == 1_000
