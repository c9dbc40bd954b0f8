"""Python checks: call `module:function` in the workspace, in a process of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from outlast.proof.checks.commands import run_program

if TYPE_CHECKING:
    from outlast.model.model import Check, Evidence
    from outlast.proof.checks.runner import CheckRunner

_SCRIPT: Final = r"""
import importlib, sys
module, _, path = sys.argv[1].partition(":")
function = importlib.import_module(module)
for name in path.split("."):
    function = getattr(function, name)
if function() is False:
    sys.exit("it returned False")
"""


def run(check: Check, runner: CheckRunner) -> Evidence:
    """Run a Python check."""
    return run_program(check, (sys.executable, "-c", _SCRIPT, check.rule), runner)
