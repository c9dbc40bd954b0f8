"""The page on slash commands lists what there is."""

from pathlib import Path

from outlast.assistant.agenda.items import TODO_VIEWS
from outlast.assistant.slash.forms import FORMS

PAGE = (Path(__file__).parents[2] / "docs/reference/slash-commands.md").read_text(encoding="utf-8")


def test_r3_10_the_reference_has_the_usage_of_every_slash_command() -> None:
    usages = (form.usage.replace("|", "\\|") for form in FORMS)
    assert [usage for usage in usages if f"| `{usage}` |" not in PAGE] == []


def test_r3_10_the_reference_has_every_view() -> None:
    assert [view for view in TODO_VIEWS if f"| `{view}` |" not in PAGE] == []
