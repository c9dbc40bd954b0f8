"""The project of `outlast demo`: its files, and the script that plays the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.system.workspace_root import PLANS_HOME

if TYPE_CHECKING:
    from outlast.language import Language

RESULT: Final = "REPORT.md"
_HERE: Final = Path(__file__).parent
_STORED_AS: Final = ".txt"  # as .py they would be linted and packaged as our code


def write_project(where: Path) -> None:
    """Write the files of the project; a `.outlast` of its own keeps its plan inside a checkout."""
    (where / PLANS_HOME).mkdir(mode=0o700)
    for source in sorted((_HERE / "project").iterdir()):
        name = source.name.removesuffix(_STORED_AS)
        (where / name).write_bytes(source.read_bytes())


def script(language: Language) -> str:
    """Return the name of the scripted model."""
    return f"script:{_HERE / f'script.{language}.yaml'}"
