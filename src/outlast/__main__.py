"""The command `outlast`; its table of commands is in `outlast.interfaces.cli.parser.table`."""

from __future__ import annotations

import gc
import os
import sys

_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit code. Without arguments, be the process that was started."""
    if arguments is not None:
        return _run(arguments)
    _leave_the_project_out()
    gc.disable()  # a process that lives for a moment has nothing to gain from it
    code = _run(sys.argv[1:])
    # All is written and closed. Tearing the interpreter down would cost as much as starting it.
    os._exit(code)


def _leave_the_project_out() -> None:
    """Load nothing from the directory we are in: `python -m` would look there first."""
    if sys.path and sys.path[0] in ("", _here()):
        del sys.path[0]


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - as the interpreter spells it
    except OSError:  # it was taken away; the command says so if that matters
        return ""


def _run(arguments: list[str]) -> int:
    try:
        from outlast.interfaces.cli.main import run

        return run(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
