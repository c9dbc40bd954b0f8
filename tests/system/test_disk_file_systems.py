"""F18: no plan is created where locks do not hold, and the reason is given."""

from pathlib import Path

import pytest

from outlast.errors import UnsuitableFileSystem
from outlast.language import explain
from outlast.system.disk import UNSUITABLE, check_suitable, file_system_of, find_file_system

MOUNTS = (
    r"""22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /proc rw,nosuid shared:12 - proc proc rw
24 22 0:30 / /home rw shared:1 master:2 propagate_from:3 - nfs4 server:/home rw,vers=4.2
25 24 0:31 / /home/ann/local rw - btrfs /dev/sdb rw
26 22 0:32 / /mnt/with\040space\011tab\012line\134back rw - cifs //host/share rw
27 22 0:33 / /mnt/over rw - autofs systemd-1 rw
28 27 0:34 / /mnt/over rw - nfs server:/over rw
29 22 0:35 / /mnt/under rw - nfs server:/under rw
30 29 0:36 / /mnt/under rw - tmpfs tmpfs rw
31 22 0:37 / /mnt/ssh rw - fuse.sshfs ann@host:/ rw
"""
    "32 22 0:38 / /mnt/no\u0085break\u00a0 rw - 9p host rw\n33 22 0:39 / /mnt/\udcff rw - xfs a b"
)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/", "ext4"),
        ("/work", "ext4"),
        ("/proc", "proc"),
        ("/proc/self", "proc"),
        ("/process", "ext4"),
        ("/home", "nfs4"),
        ("/home/ann", "nfs4"),
        ("/home/ann/local/deep/er", "btrfs"),
        ("/home/ann/locals", "nfs4"),
        ("/mnt/with space\ttab\nline\\back/x", "cifs"),
        ("/mnt/with space", "ext4"),
        ("/mnt/over/x", "nfs"),
        ("/mnt/under/x", "tmpfs"),
        ("/mnt/ssh", "fuse.sshfs"),
        ("/mnt/no\u0085break\u00a0/x", "9p"),
        ("/mnt/\udcff/x", "xfs"),
    ],
)
def test_f18_the_deepest_and_latest_mount_counts(path: str, found: str) -> None:
    assert find_file_system(MOUNTS, path) == found


def test_f18_the_root_need_not_come_first() -> None:
    lines = MOUNTS.split("\n")
    assert find_file_system("\n".join([*lines[1:], lines[0]]), "/home/ann") == "nfs4"


@pytest.mark.parametrize("mounts", ["", "\n\n", "nonsense", "1 2 - ext4", "a b c d /x e - nfs"])
def test_f18_what_cannot_be_known_is_not_guessed(mounts: str) -> None:
    assert find_file_system(mounts, "/work") == ""


def test_f18_the_machine_is_asked(tmp_path: Path) -> None:
    if Path("/proc/self/mountinfo").exists():
        assert file_system_of("/proc/self") == "proc"
        (tmp_path / "link").symlink_to("/proc")
        assert file_system_of(str(tmp_path / "link")) == "proc"
        assert file_system_of(str(tmp_path)) not in ("", "proc")
    else:
        assert file_system_of(str(tmp_path)) == ""


@pytest.mark.parametrize("bad", sorted(UNSUITABLE))
def test_f18_an_unsuitable_kind_is_refused_with_the_reason(bad: str) -> None:
    with pytest.raises(UnsuitableFileSystem) as caught:
        check_suitable(bad, "/data")
    assert caught.value.code == "UNSUITABLE_FILE_SYSTEM"
    assert caught.value.details == {"where": "/data", "kind": bad}
    assert f"/data is on a file system ({bad})" in explain(caught.value)
    assert f"（{bad}）" in explain(caught.value, "zh")


@pytest.mark.parametrize(
    "good",
    ["", "ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "f2fs", "apfs", "fuseblk", "virtiofs"],
)
def test_f18_local_and_unknown_file_systems_are_accepted(good: str) -> None:
    check_suitable(good, "/data")
