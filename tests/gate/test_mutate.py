"""`./dev mutate` plants faults, and tells which of them the tests do not find."""

import re
from pathlib import Path

import pytest

from scripts.mutate import main

SOURCE = '''"""Sums."""

def larger(one, other):
    if one > other:
        return one
    return other


def count_down(count):
    while count > 0:
        count -= 1
    return 7
'''
TESTS = """
from tiny.sums import count_down, larger

def test_the_larger_one():
    assert larger(2, 1) == 2

def test_it_comes_to_an_end():
    assert count_down(3) == 7
"""
BROKEN = """
from tiny.sums import larger

def test_that_always_fails():
    assert larger(1, 1) == 2
"""
EQUIVALENT = """
[[fault]]
file = "sums.py"
was = "if one > other:"
becomes = "if (one >= other):"
reason = "two equal numbers are the same number"
"""
ROW = re.compile(r"(?P<state>found|hang|survived|no \w+) +(?P<place>\S+:\d+)  (?P<kind>[^ ].*?)  ")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {
        "src/tiny/__init__.py": "",
        "src/tiny/sums.py": SOURCE,
        "tests/test_sums.py": TESTS,
        "scripts/equivalent_faults.toml": EQUIVALENT,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def results(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    main(["--seed", "1", "--hang", "2", *options], root)
    printed = capsys.readouterr().out
    assert (root / "src/tiny/sums.py").read_text() == SOURCE, "the source was changed"
    return printed.splitlines()


def states(lines: list[str]) -> list[tuple[str, str, str]]:
    """Return state, place and kind of each fault."""
    rows = (ROW.match(line) for line in lines)
    return sorted((row["state"], row["place"], row["kind"]) for row in rows if row)


@pytest.mark.slow
def test_what_no_test_notices_survives_and_the_rest_is_found(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = results(root, capsys, "--count", "9")
    assert states(lines) == [
        ("found", "sums.py:12", "constant"),
        ("found", "sums.py:12", "return"),
        ("found", "sums.py:5", "return"),
        ("survived", "sums.py:10", "compare"),
        ("survived", "sums.py:10", "constant"),
        ("survived", "sums.py:11", "constant"),
        ("survived", "sums.py:6", "return"),
    ]
    at = next(number for number, line in enumerate(lines) if "sums.py:6 " in line)
    assert lines[at + 1 : at + 3] == ["    - return other", "    + return None"]
    assert lines[-1].split() == ["all", "3", "4", "43%"]


@pytest.mark.slow
def test_a_line_can_be_named_and_a_test_that_hangs_has_found_the_fault(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "src/tiny/sums.py").write_text(SOURCE.replace("count -= 1", "count = count - 1"))
    main(["--hang", "2", "--only", "src/tiny/sums.py:11"], root)
    found = states(capsys.readouterr().out.splitlines())
    assert ("hang", "sums.py:11", "arithmetic") in found
    assert {place for _, place, _ in found} == {"sums.py:11"}


@pytest.mark.slow
def test_a_test_that_fails_without_the_fault_finds_nothing(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "tests/test_sums_broken.py").write_text(BROKEN)
    assert states(results(root, capsys, "--only", "sums:6")) == [
        ("survived", "sums.py:6", "return")
    ]


@pytest.mark.slow
def test_too_few_faults_found_is_a_failure(root: Path) -> None:
    assert main(["--only", "sums:5", "--least", "92"], root) == 0
    assert main(["--only", "sums:6", "--least", "92"], root) == 1
