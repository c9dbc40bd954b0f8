"""Editors of seven habits, and a person who changes a plan in one of them.

A habit saves in steps and yields the seconds between them, so that one process can act in the
middle of a save, on a real clock or on a simulated one.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path
    from random import Random

    from tests.faults.oracle import Meaning, Wish
    from tests.store.simulated_disk import Inode, SimulatedDisk

    Write = Callable[[bytes], object]

TASK = re.compile(r"\s*- \[(.)\] ")
TOKEN = re.compile(r"[hpa]\d+[hpa]")
ENDING = re.compile(r"<!-- outlast r\d+.*-->\s*\Z")
WORDS = ("部署", "Deploy", "Café crème", "写第一章", "Überprüfung", "修复登录 bug", "résumé 更新")
SHORT = 0.03, 0.15  # seconds between two pieces of a save, within the quiet time
LONG = 0.3, 0.9  # and of a save that stalls
STALLS = 0.1  # how many do
ODD = 0.2  # how many editors write a byte order mark, or other ends of lines


class Folder(Protocol):
    """The directory of a plan, as an editor uses it."""

    def read(self) -> bytes | None:
        """Return the file's content; None if it is not there."""

    def replace(self, content: bytes) -> None:
        """Write another file and rename it over this one."""

    def truncate(self) -> AbstractContextManager[Write]:
        """Open the file and truncate it; yield what writes to it."""

    def set_backup(self) -> None:
        """Rename the file to its backup."""

    def remove_backup(self) -> None:
        """Remove the backup."""


class RealFolder:
    """A directory of the file system."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None

    def replace(self, content: bytes) -> None:
        other = self._path.with_name(".task_plan.md.swp")
        other.write_bytes(content)
        other.replace(self._path)

    @contextmanager
    def truncate(self) -> Iterator[Write]:
        with self._path.open("wb", buffering=0) as file:
            yield file.write

    def set_backup(self) -> None:
        if self._path.exists():
            self._path.replace(self._path.with_name("task_plan.md~"))

    def remove_backup(self) -> None:
        self._path.with_name("task_plan.md~").unlink(missing_ok=True)


class SimulatedFolder:
    """A directory of a simulated disk."""

    def __init__(self, disk: SimulatedDisk, path: str) -> None:
        self._disk = disk
        self._path = path

    def read(self) -> bytes | None:
        inode = self._disk.files.get(self._path)
        return None if inode is None else bytes(inode.content)

    def replace(self, content: bytes) -> None:
        self._disk.put(self._path, content)

    @contextmanager
    def truncate(self) -> Iterator[Write]:
        inode = self._disk.files.get(self._path)
        if inode is None:
            self._disk.put(self._path, b"")
            inode = self._disk.files[self._path]
        self._do(inode, 0)
        written = 0

        def write(data: bytes) -> None:
            nonlocal written
            self._do(inode, (written, data))
            written += len(data)

        yield write

    def _do(self, inode: Inode, step: tuple[int, bytes] | int) -> None:
        inode.do(step)
        inode.written_at = inode.changed_at = self._disk.time_ns

    def set_backup(self) -> None:
        if self._path in self._disk.files:
            self._disk.rename(self._path, f"{self._path}~")

    def remove_backup(self) -> None:
        if f"{self._path}~" in self._disk.files:
            self._disk.remove(f"{self._path}~")


class Habit:
    """How an editor saves, and whether it shows what others wrote."""

    reloads: ClassVar = True
    in_place: ClassVar = False  # a save that breaks off leaves a half-written file

    def __init__(self, random: Random) -> None:
        self.random = random
        self.has_stalled = False

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        """Save in steps; yield the seconds to the next one."""
        raise NotImplementedError

    def pause(self) -> float:
        """Return the seconds between two pieces; now and then the editor stalls."""
        if self.random.random() < STALLS:
            self.has_stalled = True
            return self.random.uniform(*LONG)
        return self.random.uniform(*SHORT)


class RenameOver(Habit):
    """Writes another file and renames it over the old one."""

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        folder.replace(content)
        yield 0


class TruncateAndWrite(Habit):
    """Truncates the file and writes it in one call, a moment later."""

    in_place = True

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        with folder.truncate() as write:
            yield self.random.uniform(0.0001, 0.03)
            write(content)
        yield 0


class TwoWrites(Habit):
    """Writes in place, in two pieces."""

    in_place = True

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        cut = self.random.randrange(1, len(content))  # in a Chinese plan often in a character
        with folder.truncate() as write:
            write(content[:cut])
            yield self.pause()
            write(content[cut:])
        yield 0


class Chunks(Habit):
    """Writes in place, in blocks of a fixed size."""

    in_place = True

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        size = self.random.choice((61, 128, 333))
        with folder.truncate() as write:
            for start in range(0, len(content), size):
                write(content[start : start + size])
                yield self.random.uniform(0.001, 0.02)


class BackupThenWrite(Habit):
    """Renames the old file to a backup, writes a new one, removes the backup."""

    in_place = True

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        folder.set_backup()
        yield self.random.uniform(0.0001, 0.05)
        with folder.truncate() as write:
            yield self.random.uniform(0.0001, 0.05)
            write(content)
        yield self.random.uniform(0.0001, 0.05)
        folder.remove_backup()
        yield 0


class AutosaveWithoutReload(Habit):
    """Saves after every edit, and never shows what others wrote."""

    reloads = False

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        folder.replace(content)
        yield 0


class FormatOnSave(Habit):
    """Saves, then strips trailing spaces, adds a final newline, and saves again."""

    def save(self, folder: Folder, content: bytes) -> Iterator[float]:
        folder.replace(content)
        yield self.pause()
        stripped = b"\n".join(line.rstrip(b" \t") for line in content.split(b"\n"))
        folder.replace(stripped.rstrip(b"\n") + b"\n")
        yield 0


HABITS = (
    *(RenameOver, TruncateAndWrite, TwoWrites, Chunks, BackupThenWrite),
    *(AutosaveWithoutReload, FormatOnSave),
)


@dataclass(frozen=True)
class Encoding:
    """What an editor does to the bytes of a text."""

    crlf: bool = False
    bom: bool = False
    form: str = "NFC"

    def encode(self, lines: list[str]) -> bytes:
        """Return the bytes of a buffer."""
        text = unicodedata.normalize(self.form, "\n".join(lines))  # type: ignore[arg-type]
        return (
            (("\ufeff" if self.bom else "") + text)
            .replace("\n", "\r\n" if self.crlf else "\n")
            .encode()
        )


def random_encoding(random: Random) -> Encoding:
    """Return what one of many editors does."""
    form = random.choice(("NFC", "NFD"))
    return Encoding(random.random() < ODD, random.random() < ODD, form)


class Person:
    """A person with a plan open in an editor."""

    def __init__(
        self, habit: Habit, folder: Folder, meaning: Meaning, encoding: Encoding, random: Random
    ) -> None:
        self.habit = habit
        self.folder = folder
        self.meaning = meaning
        self.encoding = encoding
        self.random = random
        self.lines: list[str] = []
        self._shown = b""
        self._typed: tuple[Wish, str] | None = None  # a name that is not typed to its end

    def load(self) -> bool:
        """Show the file, if it is whole; return whether it is."""
        content = self.folder.read()
        if content is None:
            return False
        text = content.decode(errors="replace")
        if not ENDING.search(text):
            return False
        self.lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        self._shown, self._typed = content, None
        return True

    def reload(self) -> None:
        """Show what others wrote since, as editors with auto-reload do."""
        if self.habit.reloads and self.folder.read() != self._shown:
            self.load()

    def save(self) -> Iterator[float]:
        """Save the buffer; what was meant counts once all of it is written."""
        content = self.encoding.encode(self.lines)
        yield from self.habit.save(self.folder, content)
        self._shown = self.folder.read() or b""
        self.meaning.save()

    # Edits

    def edit(self) -> None:
        """Change something that the buffer shows."""
        if self._typed is not None:
            self._type_on(*self._typed)
            return
        places = self._places()
        if len(places) < 3:
            self.add(places[0] if places else len(self.lines) - 3)
            return
        edits = self.add, self.begin_name, self.rename, self.tick, self.delete, self.describe
        self.random.choice((*edits, self.add, self.rename, self.move))(self.random.choice(places))

    def _places(self) -> list[int]:
        """Return the lines that show a task."""
        lines = enumerate(self.lines)
        return [at for at, line in lines if TASK.match(line) and TOKEN.search(line)]

    def _wish(self, at: int) -> Wish:
        """Return what is meant with the task on a line."""
        line = self.lines[at]
        token = TOKEN.findall(line)[0]
        return self.meaning.find(token)

    def add(self, at: int) -> None:
        wish = self.meaning.add(self.random.choice(WORDS))
        self.lines.insert(at, f"- [ ] {wish.name}")

    def begin_name(self, at: int) -> None:
        """Begin to type the name of a new task."""
        wish = self.meaning.add(self.random.choice(WORDS))
        full = wish.name
        self.meaning.rename(wish, wish.token)
        self.lines.insert(at, f"- [ ] {wish.token}")
        self._typed = wish, full

    def _type_on(self, wish: Wish, full: str) -> None:
        """Type a few characters more of a name."""
        at = next((at for at, line in enumerate(self.lines) if wish.token in line), None)
        if at is None:  # a reload shows that the line has gone
            self._typed = None
            return
        shown = next(
            length for length in range(len(full), 0, -1) if full[:length].rstrip() in self.lines[at]
        )
        longer = full[: shown + 3].rstrip()
        self.lines[at] = self.lines[at].replace(full[:shown].rstrip(), longer)
        self.meaning.rename(wish, longer)
        self._typed = None if longer == full else (wish, full)

    def rename(self, at: int) -> None:
        wish = self._wish(at)
        name = self.meaning.new_name(wish, self.random.choice(WORDS))
        box, _, rest = self.lines[at].partition(wish.token)
        comment = rest[rest.find(" <!--") :] if " <!--" in rest else ""
        self.lines[at] = f"{box}{name}{comment}"
        self.meaning.rename(wish, name)

    def tick(self, at: int) -> None:
        if "- [ ]" in self.lines[at]:
            self.meaning.tick(self._wish(at))
            self.lines[at] = self.lines[at].replace("- [ ]", "- [x]", 1)

    def delete(self, at: int) -> None:
        self.meaning.delete(self._wish(at), shown_finished="- [ ]" not in self.lines[at])
        end = at + 1
        while end < len(self.lines) and self.lines[end].startswith("  "):
            end += 1
        del self.lines[at:end]

    def describe(self, at: int) -> None:
        word = self.meaning.describe(self._wish(at))
        self.lines.insert(at + 1, f"  关于 {word}")

    def move(self, at: int) -> None:
        """Move a task that has only one line to the place of another."""
        if not self.lines[at + 1].startswith("  "):
            line = self.lines.pop(at)
            self.lines.insert(self.random.choice(self._places()), line)
