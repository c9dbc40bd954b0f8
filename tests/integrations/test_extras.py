"""What a user is told who has not installed the extra of an integration."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from outlast.errors import ExtraMissing

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
PROGRAM = """
import sys
sys.modules[{package!r}] = None
from outlast import OutlastError
try:
    import outlast.integrations.{module}
except ImportError as error:
    assert isinstance(error, OutlastError)
    print(error.code, error)
"""


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("langgraph", "langchain", "langgraph"), ("pydantic_ai", "pydantic_ai", "pydantic-ai")],
)
def test_a_missing_extra_is_named(module: str, package: str, extra: str) -> None:
    program = PROGRAM.format(package=package, module=module)
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith(
        f"EXTRA_MISSING outlast.integrations.{module} needs the extra {extra}; "
        f"in a clone: pip install '.[{extra}]' ("
    )
    assert extra in EXTRAS


def test_a_missing_extra_is_an_import_error() -> None:
    error = ExtraMissing("extra_missing", module="m", extra="x", problem="No module named 'y'")
    assert isinstance(error, ImportError)
    assert str(error) == "m needs the extra x; in a clone: pip install '.[x]' (No module named 'y')"
