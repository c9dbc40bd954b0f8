"""The small job of `outlast demo`: its files, and the script that plays the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.system.workspace_root import HOME

if TYPE_CHECKING:
    from outlast.texts import Language

RESULT: Final = "REPORT.md"
_HERE: Final = Path(__file__).parent
_KEPT_AS: Final = ".txt"  # or else they would count as code of ours


def lay_out(where: Path) -> None:
    """Put the files of the job into a directory, which keeps its plan even within a checkout."""
    (where / HOME).mkdir(mode=0o700)
    for kept in sorted((_HERE / "project").iterdir()):
        name = kept.name.removesuffix(_KEPT_AS)
        (where / name).write_bytes(kept.read_bytes())


def script(language: Language) -> str:
    """Return the name of the model that plays the job from a script."""
    return f"script:{_HERE / f'script.{language}.yaml'}"
