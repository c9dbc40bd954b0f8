"""What an import did not read, as it is reported to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.language import visible

if TYPE_CHECKING:
    from outlast.documents.markdown.document import UnparsedLine

_TEXTS: Final = {
    "task_plan_nested": "say_line_nested",
    "task_plan_box": "say_line_box",
    "import_need": "say_unread_need",
    "import_file": "say_unread_file",
    "import_link": "say_unread_link",
}


def unread_notice(unread: UnparsedLine) -> tuple[str, dict[str, object]]:
    """Return the key of the text for an unread line, and its facts."""
    key = _TEXTS.get(unread.why, "say_line_unparsed")
    if unread.line and key == "say_unread_need":
        key = "say_unread_need_at"
    return key, {"line": unread.line, "line_text": visible(unread.text.strip())}
