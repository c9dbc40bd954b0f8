"""F7: the replaced file with a person's edits is kept."""

from pathlib import Path

from outlast.documents.views.file import ViewCopies, ViewFile
from outlast.documents.views.registry import OUTLAST
from outlast.system.stable_read import checksum
from tests.store.observed_disk import RecordingDisk


def test_f2_the_only_copy_of_an_edit_survives_a_power_cut(tmp_path: Path) -> None:
    disk = RecordingDisk()
    file = ViewFile(str(tmp_path), disk, OUTLAST.views[0], ViewCopies(disk), [])
    path, copy = tmp_path / OUTLAST.views[0].name, tmp_path / "kept.md"
    path.write_bytes(b"a person's words")
    assert file.replace(b"new", {checksum(b"a person's words")}, 0o600, str(copy))
    assert (path.read_bytes(), copy.read_bytes()) == (b"new", b"a person's words")
    kept = next(at for at, call in enumerate(disk.calls) if call[-1] == str(copy))
    assert ("sync directory", str(tmp_path)) in disk.calls[kept:]
