"""A process that runs the loop on a plan of a directory, to be killed from outside."""

import sys
from pathlib import Path

from outlast.system.disk import Disk
from tests.application.loops.scene import Scene


class Gated(Disk):
    """The real file system, which says when it has synced something and asks to go on."""

    def sync(self, fd: int) -> None:
        super().sync(fd)
        sys.stdout.write("sync\n")
        sys.stdout.flush()
        sys.stdin.readline()


if __name__ == "__main__":
    Scene(Path(sys.argv[1]), new=False, shared=True).go(Gated())
