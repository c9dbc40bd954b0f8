"""The command `outlast`: a table of commands, each loaded when it is called."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit code."""
    from outlast.interfaces.cli.basics import run

    return run(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
