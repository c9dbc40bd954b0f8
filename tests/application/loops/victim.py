"""A process that runs the loop on a plan of a directory, to be killed from outside."""

import sys
from pathlib import Path

from outlast.system.disk import Disk
from tests.application.loops.scene import Scene


class Slow(Disk):
    """The real file system, which says when it has renamed or synced something."""

    def sync(self, fd: int) -> None:
        super().sync(fd)
        sys.stdout.write("sync\n")
        sys.stdout.flush()


if __name__ == "__main__":
    Scene(Path(sys.argv[1]), new=False, shared=True).go(Slow())
