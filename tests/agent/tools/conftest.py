"""A workspace next to files that no tool may reach."""

from pathlib import Path

import pytest


@pytest.fixture
def work(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return made
