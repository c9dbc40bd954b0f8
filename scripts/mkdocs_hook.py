"""A hook of MkDocs: shows the pages at the root of the repository inside the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = {"architecture.md": "ARCHITECTURE.md", "changelog.md": "CHANGELOG.md"}
_OUTSIDE: Final = re.compile(r"\[([^]]+)\]\((?!docs/|https?:|#)[^)]+\)")


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:  # noqa: ANN401 - a page of MkDocs
    """Return the page at the root, with links that lead to pages of the documentation only."""
    source = PAGES.get(page.file.src_uri)
    if source is None:
        return markdown
    text = (ROOT / source).read_text(encoding="utf-8")
    return _OUTSIDE.sub(r"\1", text).replace("](docs/", "](")
