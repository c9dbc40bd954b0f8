"""The command `outlast`; its commands are listed in `outlast.cli.tables`."""

from __future__ import annotations

import os
import sys

_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code. Without arguments, run `sys.argv` and exit."""
    is_process = arguments is None
    try:
        if is_process:
            _remove_project_from_path()
            from outlast.system.startup import start_quickly

            start_quickly()
        from outlast.cli.main import run

        code = run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    if is_process:
        # Everything is written and closed; a shutdown would cost as much as the start.
        os._exit(code)
    return code


def _remove_project_from_path() -> None:
    """Remove the current directory from `sys.path`: `python -m` would import from it first."""
    if sys.path and sys.path[0] in ("", _current_directory()):
        del sys.path[0]


def _current_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - as the interpreter spells it
    except OSError:  # it was deleted; commands that need it report that
        return ""


if __name__ == "__main__":
    sys.exit(main())
