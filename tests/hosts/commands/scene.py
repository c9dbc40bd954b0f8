"""A home and a project of their own, to set coding agents up in."""

from __future__ import annotations

import json
import os
import stat
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path  # noqa: TC003 - the type of a field
from typing import Any, NamedTuple

from outlast.__main__ import main

HOSTS = ("claude-code", "codex", "gemini")
SCOPES = ("--user", "--project")
DIRECTORIES = {"claude-code": ".claude", "codex": ".codex", "gemini": ".gemini"}
_SETTINGS = {"claude-code": "settings.json", "codex": "hooks.json", "gemini": "settings.json"}

Snapshot = dict[str, tuple[int, bytes | str | None]]


class Scene(NamedTuple):
    """The directories of one test."""

    home: Path
    project: Path

    @property
    def variables(self) -> dict[str, str]:
        return {"HOME": str(self.home), "XDG_STATE_HOME": str(self.home.parent / "state")}

    def settings(self, host: str, scope: str) -> Path:
        """Return the file that gets the hooks of an agent."""
        place = (self.home if scope == "--user" else self.project) / DIRECTORIES[host]
        is_local = host == "claude-code" and scope == "--project"
        return place / ("settings.local.json" if is_local else _SETTINGS[host])

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run `outlast init` in this process; return its exit code, and what it prints."""
        kept, streams = dict(os.environ), (TextIOWrapper(BytesIO()), TextIOWrapper(BytesIO()))
        os.environ.update(self.variables)
        try:
            with chdir(self.project), redirect_stdout(streams[0]), redirect_stderr(streams[1]):
                code = main(["init", *arguments])
        finally:
            os.environ.clear()
            os.environ.update(kept)
        printed, complained = (stream.buffer.getvalue().decode() for stream in streams)
        return code, printed, complained

    def init(self, *arguments: str) -> str:
        """Set up an agent, or remove the setup; return what is printed."""
        code, printed, complained = self.run(*arguments, "--yes")
        assert (code, complained) == (0, "")
        return printed

    def init_json(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        done, printed, _ = self.run(*arguments, "--json")
        assert done == code
        return dict(json.loads(printed))

    def refusal(self, *arguments: str, code: int) -> str:
        """Return why a call is refused."""
        done, _, complained = self.run(*arguments)
        assert done == code, complained
        return complained

    def snapshot(self) -> Snapshot:
        """Return all that is in both directories."""
        taken: Snapshot = {}
        for top in (self.home, self.project):
            for path in (top, *top.rglob("*")):
                status = path.lstat()
                content: bytes | str | None = None
                if stat.S_ISREG(status.st_mode):
                    content = path.read_bytes()
                elif stat.S_ISLNK(status.st_mode):
                    content = str(path.readlink())
                taken[str(path)] = status.st_mode, content
        return taken


def make_scene(place: Path) -> Scene:
    """Make a home with the directories of all agents, and a project in git."""
    scene = Scene(place / "home", place / "project")
    for directory in (*(scene.home / name for name in DIRECTORIES.values()), scene.project):
        directory.mkdir(parents=True)
    info = scene.project / ".git" / "info"
    info.mkdir(parents=True)
    (info / "exclude").write_text("*.swp\n")
    return scene
