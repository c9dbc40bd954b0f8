"""Set up a coding agent, or remove the setup: what changes in which files, then the change."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from outlast.errors import InvalidDocument, StoreError
from outlast.hosts.settings.file_kinds import ExcludeFile, JsonSettings, TomlSettings, WholeFile
from outlast.hosts.settings.files import FileChange, SettingsFiles
from outlast.hosts.settings.setup_files import (
    PROGRAMS,
    Installation,
    Places,
    SetupFile,
    guide_file,
    host_files,
    plugin_files,
)
from outlast.hosts.wire.events import HOST_NAMES
from outlast.store.port import Notice
from outlast.system.disk import Disk
from outlast.system.git import exclude_file, is_tracked
from outlast.system.state_home import StateHome, state_home
from outlast.system.workspace_root import find_git_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outlast.hosts.settings.files import HostFile
    from outlast.hosts.settings.setup_files import Scope
    from outlast.hosts.wire.events import HostName
    from outlast.language import Language

_SCRIPT: Final = "hosts/hook/hook.sh"
_TEMPORARY: Final = ("/.cache/uv/", "/archive-v0/", "/pipx/.cache/", "/tmp/", "/var/tmp/")  # noqa: S108 - only compared


class Setup(Struct, frozen=True):
    """What is to change, and what is left alone. `backups` are where the old contents go."""

    changes: tuple[FileChange, ...]
    notices: tuple[Notice, ...] = ()
    backups: dict[str, str] = {}
    is_removal: bool = False

    @property
    def pending(self) -> list[FileChange]:
        """The files that change."""
        return [change for change in self.changes if change.is_needed]


def this_installation(version: str) -> Installation:
    """Return the script and the Python of this Outlast."""
    package = Path(__file__).absolute().parents[2]
    return Installation(str(package / _SCRIPT), sys.executable, version)


def is_temporary_python(python: str) -> bool:
    """Return whether a Python is one that a tool made for one call, such as `uvx`."""
    return any(part in python for part in _TEMPORARY)


def has_mcp_sdk() -> bool:
    """Return whether the MCP server can run in this Python."""
    return find_spec("mcp") is not None


def installed_hosts(places: Places) -> list[HostName]:
    """Return the agents whose program is on the path, or that have settings."""
    return [
        host
        for host in HOST_NAMES
        if which(PROGRAMS[host]) or Path(places.home(host, "user")).is_dir()
    ]


def user_places(start: str) -> Places:
    """Return where the settings of this user are, and of the project of a directory."""
    start = os.path.realpath(start)
    return Places(os.environ, find_git_root(start) or start)


def prepare_host(  # noqa: PLR0913 - one keyword for each choice
    host: HostName,
    scope: Scope,
    places: Places,
    own: Installation,
    language: Language,
    *,
    mcp: bool = False,
    remove: bool = False,
) -> Setup:
    """Return what the setup of an agent, or its removal, changes. Nothing is changed yet."""
    files = _settings_files()
    parts = host_files(host, scope, places, own, language, mcp=mcp)
    if not mcp and _has_server(files, parts):
        parts = host_files(host, scope, places, own, language, mcp=True)
    if scope == "project":
        parts += _exclusions(files, host, parts, places, remove=remove)
        return _prepare(files, parts, places.project, remove=remove)
    return _prepare(files, parts, remove=remove)


def prepare_guide(places: Places, language: Language, *, remove: bool = False) -> Setup:
    """Return what the lines for agents without hooks change."""
    guide = guide_file(places.project, language)
    return _prepare(_settings_files(), [guide], places.project, remove=remove)


def prepare_plugin(
    directory: str,
    own: Installation,
    language: Language,
    *,
    mcp: bool = False,
    remove: bool = False,
) -> Setup:
    """Return the files of a plugin, in a directory that has nothing else."""
    files, directory = _settings_files(), str(Path(directory).absolute())
    parts = plugin_files(directory, own, language)
    manifest = files.read(parts[0].path)
    is_ours = manifest.is_known or (manifest.text is not None and '"outlast"' in manifest.text)
    place = Path(directory)
    if not is_ours and (place.exists() and (not place.is_dir() or any(place.iterdir()))):
        raise StoreError("plugin_foreign", where=directory)
    if not mcp and not remove and files.read(parts[-1].path).text is None:
        del parts[-1]  # the server
    return _prepare(files, parts, remove=remove)


def apply_setup(setup: Setup) -> None:
    """Change the files; raise `StoreError` without a change if one cannot be."""
    _settings_files().apply(setup.changes, remove=setup.is_removal)


def read_settings(path: str) -> str | None:
    """Return a file of a coding agent; None if there is none."""
    return _settings_files().read_text(path)


def _settings_files() -> SettingsFiles:
    disk = Disk()
    return SettingsFiles(disk, StateHome(state_home(), disk))


def _has_server(files: SettingsFiles, parts: Iterable[SetupFile]) -> bool:
    """Return whether settings that have everything in one file have our server."""
    for part in parts:
        if isinstance(part.kind, JsonSettings) and not part.optional:
            text = files.read(part.path).text
            with naming_file(part.path):
                if text is not None and part.kind.find(text).server:
                    return True
    return False


def _exclusions(
    files: SettingsFiles,
    host: HostName,
    parts: Iterable[SetupFile],
    places: Places,
    *,
    remove: bool,
) -> list[SetupFile]:
    """Return git's list of what it ignores here, with the files that `init` creates.

    Raises `StoreError` if git has one of the files that get paths of this machine.
    """
    root = places.project
    if not Path(root, ".git").exists():
        return []
    names = list[str]()
    for part in parts:
        name = os.path.relpath(part.path, root)
        if name.startswith(".."):
            continue
        file, is_new = files.read(part.path), not remove and not part.optional
        if is_new and part.machine_paths and is_tracked(root, name):
            raise StoreError("settings_tracked", where=part.path, host=host)
        created = (file.before if file.is_known else file.text) is None
        if remove or (created and is_new):
            names.append(f"/{name}")
    kind = ExcludeFile(tuple(names))
    return [SetupFile(exclude_file(root), kind, is_private=False)]


def _prepare(
    files: SettingsFiles, parts: Iterable[SetupFile], project: str = "", *, remove: bool
) -> Setup:
    """Return the changes of some files; those of a `project` must really be in it."""
    changes, notices = list[FileChange](), list[Notice]()
    for part in parts:
        file = files.read(part.path)
        if _is_inside(part.path, project) and not _is_inside(file.target, project):
            raise StoreError("settings_elsewhere", where=part.path, target=file.target)
        with naming_file(part.path):
            base = _without_us(part, file)
            before = file.before if file.is_untouched else base
            after = base if remove else _with_us(part, file, base, notices)
        changes.append(FileChange(file, after, before, part.is_private))
        if remove and isinstance(part.kind, WholeFile) and after:
            notices.append(("init_left_file", {"where": part.path}))
    backups = {
        change.file.path: files.backup_path(change.file)
        for change in changes
        if change.is_needed and change.before is not None
    }
    return Setup(tuple(changes), tuple(notices), backups, remove)


def _is_inside(path: str, directory: str) -> bool:
    return bool(directory) and Path(path).is_relative_to(directory)


def _without_us(part: SetupFile, file: HostFile) -> str | None:
    """Return what a file holds without us, byte for byte as before where nothing else changed."""
    if file.text is None:
        return None
    kind = part.kind
    if isinstance(kind, WholeFile) and file.is_untouched:
        return file.before
    stripped = kind.strip(file.text, file.before)
    created = file.is_known and file.before is None
    if (created or isinstance(kind, WholeFile)) and kind.is_empty(stripped):
        return None
    if file.is_untouched and file.before is not None and kind.is_same(stripped, file.before):
        return file.before
    return stripped


def _with_us(
    part: SetupFile, file: HostFile, base: str | None, notices: list[Notice]
) -> str | None:
    kind = part.kind
    if part.optional and base == file.text:
        return file.text
    # Our server there keeps what the user has set for it.
    merged = kind.merge((file.text if isinstance(kind, TomlSettings) else base) or "")
    for key in merged.left_alone:
        if isinstance(kind, WholeFile):
            notices.append(("init_left_file", {"where": part.path}))
        else:
            notices.append(("init_left_alone", {"where": part.path, "key": key}))
    if file.text is not None and kind.entries(file.text) == kind.entries(merged.text):
        return file.text
    if merged.text == base and file.text is None:  # nothing to add to a file that is not there
        return None
    return merged.text


@contextmanager
def naming_file(path: str) -> Iterator[None]:
    """Say of which file an error is."""
    try:
        yield
    except InvalidDocument as error:
        raise InvalidDocument("settings_refused", where=path, problem=error) from error
