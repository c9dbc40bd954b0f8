"""A process that runs the loop on the plan of a directory, to be killed from outside."""

import sys
from pathlib import Path

from outlast.system.disk import Disk
from tests.agent.runtime.scene import Scene


class GatedDisk(Disk):
    """The real file system; it reports each sync and waits for permission to continue."""

    def sync(self, fd: int) -> None:
        super().sync(fd)
        sys.stdout.write("sync\n")
        sys.stdout.flush()
        sys.stdin.readline()


if __name__ == "__main__":
    Scene(Path(sys.argv[1]), new=False, shared=True).go(GatedDisk())
