"""`import` and `export`: plans from documents, and documents from plans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.console.call import Answer, Call, Json
from outlast.console.document_file import STANDARD, unread_notice, write_document
from outlast.console.plan_context import switch_to
from outlast.console.render.json import plan_json
from outlast.errors import WrongUsage
from outlast.language import visible
from outlast.system.workspace_root import current_directory
from outlast.transfer import plan_document
from outlast.transfer.command_table import DOCUMENTS
from outlast.transfer.plan_import import import_document

if TYPE_CHECKING:
    from outlast.plan.plan import Plan
    from outlast.store.port import Layout

_FORMS: Final = {
    ".json": plan_document.PLAN_JSON,
    **dict.fromkeys(("", ".md", ".markdown", ".txt"), plan_document.MARKDOWN),
}


def import_plan(
    call: Call,
    *,
    file: str,
    form: str | None = None,
    key: str | None = None,
    layout: Layout | None = None,
) -> Answer:
    """Create a plan from a file. Its checks are not approved."""
    named = call.common.get("plan") if key is None else key
    plan, document = import_document(
        current_directory(), file, form, named, layout=layout, actor=call.actor, person=call.person
    )
    with plan:
        content = plan_json(plan)
        call.notices.extend(plan.notices)
    switch_to(call, content["key"])

    def as_text() -> str:
        facts = {name: visible(content[name]) for name in ("key", "title")}
        head = call.text("say_imported", count=content["total"], **facts)
        said = [head]
        for line in document.unread:
            key, facts_of_line = unread_notice(line)
            said.append(call.text(key, **facts_of_line))
        return "\n".join(said)

    unread = [
        {"line": line.line, "text": line.text, "why": line.why, "file": line.file or None}
        for line in document.unread
    ]
    return Answer(lambda: {"plan": content, "format": document.form, "not_read": unread}, as_text)


def export_plan(
    plan: Plan, call: Call, *, file: str = STANDARD, form: str | None = None, yes: bool = False
) -> Answer:
    """Write the plan as a document to a new file, or to the standard output."""
    form = form or _form(file)
    document = plan.core.read(lambda state: plan_document.write(state, form))
    if file == STANDARD:
        return _print_document(document, form)
    backup = write_document(file, document, overwrite=yes)

    def as_text() -> str:
        facts = {"file": visible(file), "form": form}
        if backup is None:
            return call.text("say_exported", **facts)
        return call.text("say_exported_over", kept=visible(backup), **facts)

    return Answer(lambda: {"format": form, "file": file, "kept": backup, "content": None}, as_text)


def _form(file: str) -> str:
    """Return the form that a file's ending stands for; without an ending it is Markdown."""
    ending = Path(file).suffix
    form = _FORMS.get(ending.lower())
    if form is None:
        forms = "|".join(DOCUMENTS)
        raise WrongUsage("export_ending", file=visible(file), ending=visible(ending), forms=forms)
    return form


def _print_document(document: bytes, form: str) -> Answer:
    """Answer with the document itself, with control characters made visible on a terminal."""
    text = document.decode(errors="backslashreplace").removesuffix("\n")

    def as_json() -> Json:
        return {"format": form, "file": None, "kept": None, "content": f"{text}\n"}

    return Answer(as_json, lambda: _terminal_safe(text), bare=True)


def _terminal_safe(text: str) -> str:
    import sys

    if sys.stdout and sys.stdout.isatty():
        return "\n".join(visible(line) for line in text.split("\n"))
    return text
