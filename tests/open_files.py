"""What a process has open."""

from pathlib import Path


def open_files(process: int) -> set[str]:
    """Return the paths of what a process has open; it may close some of them meanwhile."""
    paths = set()
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            paths.add(str(entry.readlink()))
        except FileNotFoundError:
            continue
    return paths
