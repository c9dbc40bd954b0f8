"""R1.10: where the mailbox of a workspace is, by its settings."""

from pathlib import Path

import pytest

from outlast.agent.permissions import PlanPermissions, merge_permissions
from outlast.agent.work import AgentSetup
from outlast.config.settings import MailboxSettings
from outlast.errors import StoreError
from outlast.orchestrator.agents.mailbox.agent import MailboxAgent
from outlast.orchestrator.agents.mailbox.mailbox import locate_mailbox, open_mailbox
from outlast.orchestrator.agents.mailbox.mailbox_files import CommandFile
from outlast.orchestrator.known_agents import find_agent
from outlast.system.clock import new_uuid, now


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        (MailboxSettings(), ".outlast/mailbox"),
        (MailboxSettings(layout="volumes"), "volumes"),
        (MailboxSettings("post", "volumes"), "post"),
        (MailboxSettings("../post"), "../post"),
    ],
)
def test_r1_10_a_mailbox_is_where_its_settings_or_its_layout_say(
    tmp_path: Path, settings: MailboxSettings, place: str
) -> None:
    located = locate_mailbox(settings, str(tmp_path))
    assert Path(located.directory) == (tmp_path / place).resolve()
    assert locate_mailbox(located, "/elsewhere") == located, "a full path stays"


def test_r1_02_the_layout_decides_about_the_headings(tmp_path: Path) -> None:
    for layout, heading in (("outlast", "## Constraints"), ("volumes", "## 约束条件")):
        settings = locate_mailbox(MailboxSettings(layout=layout), str(tmp_path))  # type: ignore[arg-type]
        box = open_mailbox(settings, str(tmp_path))
        sent = box.send(CommandFile(f"task-{new_uuid()}", now(), "写信"))
        assert heading in Path(sent).read_text()
        assert (Path(settings.directory) / ".gitignore").read_text() == "*\n"


def test_r1_10_the_agent_mailbox_is_found_with_and_without_settings(tmp_path: Path) -> None:
    setup = AgentSetup(str(tmp_path), timeout=3.0)
    usual = find_agent("mailbox", setup)
    assert isinstance(usual, MailboxAgent)
    assert usual.own_directories == (str(tmp_path / ".outlast" / "mailbox"),)
    chosen = locate_mailbox(MailboxSettings(layout="volumes"), str(tmp_path))
    assert find_agent("mailbox", setup, chosen).own_directories == (  # type: ignore[attr-defined]
        str(tmp_path / "volumes"),
    )


def test_a10_a_link_that_the_project_brings_along_is_no_mailbox(tmp_path: Path) -> None:
    (tmp_path / "volumes").symlink_to("/tmp")  # noqa: S108 - never followed
    located = locate_mailbox(MailboxSettings(layout="volumes"), str(tmp_path))
    with pytest.raises(StoreError, match="symbolic links"):
        open_mailbox(located, str(tmp_path))


def test_u3_the_mailbox_is_remembered_with_its_agent() -> None:
    before = PlanPermissions(agent="mailbox", level="edit", mailbox="/box", layout="volumes")
    allowed = PlanPermissions(calls=("bash:ls",))
    assert merge_permissions(before, allowed).mailbox == "/box"
    other = PlanPermissions(agent="shell", level="full")
    assert merge_permissions(before, other) == other
