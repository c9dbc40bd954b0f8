"""The type of file system that a directory is on, and the types on which a plan is not safe.

A plan needs locks that every writer sees, and a sync that is one. Network file systems and folders
that a virtual machine shares with its host promise neither: two machines could get the same lock.
virtiofs is allowed on purpose: it is the root of many containers, all processes of one guest see
each other's locks there, and the guest asks the host to sync.
"""

from __future__ import annotations

import os
import re
from typing import Final

from outlast.errors import UnsuitableFileSystem

_MOUNTS: Final = "/proc/self/mountinfo"
_ESCAPE: Final = r"\\([0-7]{3})"
_MOUNT_POINT: Final = 4

UNSUITABLE: Final = frozenset(
    {
        # between machines
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "ceph", "davfs"),
        *("glusterfs", "lustre", "beegfs", "orangefs", "pvfs2"),
        # between a virtual machine and its host
        *("9p", "vboxsf", "prl_fs", "vmhgfs", "fuse.vmhgfs-fuse"),
        # between machines, by a program
        *("fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.gcsfuse"),
        *("fuse.goofys", "fuse.blobfuse", "fuse.blobfuse2", "fuse.ceph", "fuse.ceph-fuse"),
        *("fuse.curlftpfs", "fuse.davfs", "fuse.davfs2", "fuse.gvfsd-fuse", "fuse.mfs"),
        *("fuse.smbnetfs", "fuse.afpfs", "fuse.fuse_dfs", "fuse.s3ql", "fuse.s3backer"),
        *("fuse.seaweedfs", "fuse.google-drive-ocamlfuse", "fuse.onedriver", "fuse.nfs"),
    }
)


def file_system_of(path: str) -> str:
    """Return the type of file system that an existing path is on; empty if unknown."""
    try:
        with open(_MOUNTS, "rb") as file:
            mounts = os.fsdecode(file.read())
    except OSError:
        return ""
    return find_file_system(mounts, os.path.realpath(path))


def find_file_system(mounts: str, path: str) -> str:
    """Return the type of the mount that holds a real path, from the text of a mountinfo file.

    The deepest mount point counts, and the last one of several on the same point.
    """
    kinds = {}
    for line in mounts.split("\n"):
        head, _, tail = line.partition(" - ")
        fields = head.split(" ")
        if not tail or len(fields) <= _MOUNT_POINT:
            continue
        point = fields[_MOUNT_POINT]
        if "\\" in point:
            point = re.sub(_ESCAPE, _unescape, point)
        kinds[point] = tail.split(" ")[0]
    while path not in kinds and path != "/":
        path = path.rpartition("/")[0] or "/"
    return kinds.get(path, "")


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 8))


def check_suitable(kind: str, where: str) -> None:
    """Raise `UnsuitableFileSystem` for a type on which a plan is not safe."""
    if kind in UNSUITABLE:
        raise UnsuitableFileSystem("unsuitable_file_system", where=where, kind=kind)
