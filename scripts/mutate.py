"""Plant faults in the package one at a time, and say which of them no test finds.

    python -m scripts.mutate [--seed N] [--count N] [--only ROOM ...]

A fault is planted in a copy of the tree, never in place. The tests of the module's own folder and
those that import the module run until one fails, without slow ones. A test that only fails with
the fault has found it; so has one that hangs. `equivalent_faults.toml` beside this script names
faults that change nothing, each with the reason.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Literal

from scripts.planted_faults import Fault, equivalents, find_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parent.parent
_ELSEWHERE: Final = ("testing", "integrations")
"""Not part of the program: fakes, and bridges to frameworks that take seconds to import."""
_WANTED: Final = re.compile(r"^(?:.*?src/[^/]+/)?(?P<name>.*?)(?:\.py)?(?::(?P<line>\d+))?$")
_MEMORY: Final = 4 << 30
_MEMORY_DISK: Final = "/dev/shm"  # noqa: S108 - a directory of our own is made in it
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+)", re.MULTILINE)
_LEFT_BEHIND: Final = shutil.ignore_patterns(".*", "site", "__pycache__")

State = Literal["found", "hang", "survived", "no time", "no tests"]


@dataclass(frozen=True)
class Result:
    """How a fault fared: the test that found it, and the seconds it took."""

    fault: Fault
    state: State
    test: str
    seconds: float

    @property
    def is_found(self) -> bool:
        """Whether a test noticed the fault."""
        return self.state in {"found", "hang"}


class Copy:
    """A copy of the tree, and a virtual environment that imports the package from there."""

    def __init__(self, root: Path, place: Path, hang: int) -> None:
        self.root = root
        self.hang = hang
        self.place = place
        shutil.copytree(root, place, ignore=_LEFT_BEHIND, symlinks=True)
        self._make_environment(Path(sys.prefix), place / ".venv")
        self._run(["-m", "compileall", "-qq", "--invalidation-mode", "checked-hash", "src"], 600)

    def _make_environment(self, real: Path, made: Path) -> None:
        (made / "bin").mkdir(parents=True)
        shutil.copy(real / "pyvenv.cfg", made)
        for program in (real / "bin").iterdir():
            ours = made / "bin" / program.name
            head, _, rest = b"", b"", b""
            if program.is_file() and not program.is_symlink():
                head, _, rest = program.read_bytes().partition(b"\n")
            if head.startswith(f"#!{real}/bin/python".encode()):
                ours.write_bytes(f"#!{made}/bin/python\n".encode() + rest)
                ours.chmod(0o755)
            else:
                target = Path(sys.executable).resolve() if "python" in program.name else program
                ours.symlink_to(target)
        packages = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
        (made / packages).mkdir(parents=True)
        (made / packages / "first.pth").write_text(f"{self.place}/src\n{real}/{packages}\n")

    def try_fault(self, fault: Fault, tests: Sequence[str], limit: float) -> Result:
        """Run the tests with the fault in the copy, which is as before when this returns."""
        file = self.place / fault.file.relative_to(self.root)
        sound = file.read_bytes()
        started = time.monotonic()
        unsound: list[str] = []
        while True:
            left = limit - (time.monotonic() - started)
            file.write_bytes(fault.apply(sound))
            try:
                state, test = self._test(tests, unsound, left)
            finally:
                file.write_bytes(sound)
            if state == "found" and test and self._test([test], [], limit)[0] != "survived":
                unsound.append(test)  # it fails without the fault as well
                continue
            return Result(fault, state, test, time.monotonic() - started)

    def _test(
        self, tests: Sequence[str], without: Sequence[str], limit: float
    ) -> tuple[State, str]:
        options = ["-qx", "--tb=no", "-rfE", "-pno:cacheprovider", "-mnot slow and not agents"]
        options += ["-ofaulthandler_exit_on_timeout=1", f"-ofaulthandler_timeout={self.hang}"]
        options += [f"--deselect={one}" for one in without]
        if (self.place / "tests/conftest.py").exists():
            options.append("--hypothesis-profile=fast")
        code, output = self._run(["-m", "pytest", *options, *tests], limit)
        failed = _FAILED.search(output)
        match code:
            case None:
                return "no time", ""
            case 0:
                return "survived", ""
            case 5:
                return "no tests", ""
            case _ if failed:
                return "found", failed[1]
            case _:
                return "hang" if "Timeout (" in output else "found", ""

    def _run(self, arguments: Sequence[str], limit: float) -> tuple[int | None, str]:
        """Return the exit status of a python, none if it took too long, and what it printed."""
        python = self.place / ".venv/bin/python"
        environment = {**os.environ, "PYTHONPATH": str(self.place / "src")}
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter
                [python, *arguments],
                cwd=self.place,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
            try:
                code = process.wait(max(limit, 1))
            except subprocess.TimeoutExpired:
                code = None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            output.seek(0)
            return code, output.read()


class Tests:
    """Which tests are near to a module."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files = sorted((root / "tests").rglob("*.py"))
        self._imports = {self._name(file): set(self._imported(file)) for file in self._files}

    def _name(self, file: Path) -> str:
        parts = file.relative_to(self._root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _imported(self, file: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    def near(self, module: Path) -> list[str]:
        """Return the tests of the module's own folder and those that import it, nearest first."""
        name = self._name(module).removeprefix("src.")
        folder = self._root / "tests" / Path(*name.split(".")[1:-1])
        if module.name == "__init__.py":
            folder = self._root / "tests" / Path(*name.split(".")[1:])
        while not folder.is_dir():
            folder = folder.parent
        ranked = []
        for file in self._files:
            is_ours = folder in file.parents
            imports = name in self._reached(self._name(file))
            if file.name.startswith("test_") and (is_ours or imports):
                is_named_so = file.stem.startswith(f"test_{module.stem}")
                is_beside = file.parent == folder
                rank = (not is_named_so, not (is_ours and imports), not is_beside, not imports)
                ranked.append((rank, file.relative_to(self._root).as_posix()))
        return [file for _, file in sorted(ranked)]

    def _reached(self, name: str) -> set[str]:
        """Return what a test imports itself and through helpers of the tests."""
        reached: set[str] = set()
        left = [name]
        while left:
            for each in self._imports.get(left.pop(), ()):
                if each not in reached:
                    reached.add(each)
                    left.append(each)
        return reached


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Plant, print, and return 1 if fewer than wanted were found."""
    options = _options(arguments)
    (package,) = (path.parent for path in (root / "src").glob("*/__init__.py"))
    ignored = equivalents(root / "scripts/equivalent_faults.toml")
    faults = _choose(package, options, ignored)
    print(f"{len(faults)} faults, seed {options.seed}", flush=True)
    near = Tests(root)
    results: list[Result] = []
    memory = _MEMORY_DISK if os.access(_MEMORY_DISK, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="mutate-", dir=memory) as scratch:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(min(options.jobs, len(faults))):
            copies.put(Copy(root, Path(scratch) / str(number), options.hang))

        def try_one(fault: Fault) -> Result:
            copy = copies.get()
            try:
                return copy.try_fault(fault, near.near(fault.file), options.limit)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(options.jobs) as pool:
            for result in pool.map(try_one, faults):
                results.append(result)
                _print_one(package, result)
    return _print_all(package, results, options.least)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev mutate", description="Plant faults, see what finds them."
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))  # noqa: S311 - no secret
    parser.add_argument("--count", type=int, default=50, help="how many faults (50)")
    only = "agent/loops, store/log.py; with a line, store/log.py:80, every fault of it"
    parser.add_argument("--only", nargs="+", default=[], metavar="ROOM", help=only)
    parser.add_argument("--limit", type=float, default=180, help="seconds for one fault (180)")
    parser.add_argument("--hang", type=int, default=60, help="seconds for one test (60)")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once (1)")
    parser.add_argument("--least", type=int, default=0, help="percent to find, else exit status 1")
    return parser.parse_args(arguments)


def _choose(
    package: Path, options: argparse.Namespace, ignored: set[tuple[str, str, str]]
) -> list[Fault]:
    """Return the faults to plant: rooms and kinds of faults take turns."""
    only = [match.group("name", "line") for each in options.only if (match := _WANTED.match(each))]
    rooms: dict[str, list[Fault]] = defaultdict(list)
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).with_suffix("").as_posix()
        room = name.partition("/")[0]
        lines = [line for each, line in only if f"{name}/".startswith(f"{each}/")]
        if lines or (not only and room not in _ELSEWHERE):
            faults = find_faults(file)
            rooms[room] += [each for each in faults if not any(lines) or str(each.line) in lines]
    picker = random.Random(options.seed)  # noqa: S311 - no secret
    turns = {room: _in_turns(faults, picker) for room, faults in rooms.items() if faults}
    count = sum(map(len, rooms.values())) if any(line for _, line in only) else options.count
    taken: list[Fault] = []
    while turns and len(taken) < count:
        for room, left in list(turns.items()):
            fault = next((each for each in left if _is_fit(each, package, ignored)), None)
            if fault is None:
                del turns[room]
            elif len(taken) < count:
                taken.append(fault)
    return taken


def _in_turns(faults: list[Fault], picker: random.Random) -> Iterator[Fault]:
    kinds: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        kinds[fault.kind].append(fault)
    while kinds:
        for kind in picker.sample(sorted(kinds), len(kinds)):
            yield kinds[kind].pop(picker.randrange(len(kinds[kind])))
            if not kinds[kind]:
                del kinds[kind]


def _is_fit(fault: Fault, package: Path, ignored: set[tuple[str, str, str]]) -> bool:
    """Return whether a fault leaves Python, and is not known to change nothing."""
    source = fault.file.read_bytes()
    try:
        compile(fault.apply(source), str(fault.file), "exec")
    except SyntaxError:
        return False
    return (fault.file.relative_to(package).as_posix(), *fault.lines(source)) not in ignored


def _print_one(package: Path, result: Result) -> None:
    fault = result.fault
    place = f"{fault.file.relative_to(package).as_posix()}:{fault.line}"
    print(
        f"{result.state:9} {place}  {fault.kind}  {result.test}  {result.seconds:.0f} s", flush=True
    )
    if not result.is_found:
        before, after = fault.lines(fault.file.read_bytes())
        print(f"    - {before}\n    + {after}", flush=True)


def _print_all(package: Path, results: Sequence[Result], least: int) -> int:
    """Print a table of the rooms, and return the exit status."""
    rooms: dict[str, Counter[bool]] = defaultdict(Counter)
    for result in results:
        rooms[result.fault.file.relative_to(package).parts[0]][result.is_found] += 1
        rooms["all"][result.is_found] += 1
    print(f"\n{'room':14} found  survived  percent")
    for room, counts in sorted(rooms.items(), key=lambda each: (each[0] == "all", each[0])):
        percent = 100 * counts[True] / counts.total()
        print(f"{room.removesuffix('.py'):14} {counts[True]:5}  {counts[False]:8}  {percent:6.0f}%")
    return int(100 * rooms["all"][True] < least * len(results))


if __name__ == "__main__":
    sys.exit(main())
