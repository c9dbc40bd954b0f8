"""`report`: what was done on a plan, by whom and with what proof, as a document to pass on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.console.call import Answer, Call
from outlast.console.document_file import STANDARD, write_document
from outlast.console.render.json import work_json
from outlast.console.render.overview import load_proof_labels
from outlast.errors import WrongUsage
from outlast.language import visible
from outlast.model.history.work_record import WorkRecord, collect_work
from outlast.orchestrator.report import html as html_page
from outlast.orchestrator.report import markdown
from outlast.orchestrator.report.words import ReportWords
from outlast.plan.core import holder_state

if TYPE_CHECKING:
    from outlast.plan.plan import Plan


def report(
    plan: Plan, call: Call, *, md: str | None = None, html: str | None = None, yes: bool = False
) -> Answer:
    """Report what was done, as Markdown or as one HTML page, in a file or on standard output."""
    if md is not None and html is not None:
        raise WrongUsage("report_two_files")
    form, file = ("html", html) if html is not None else ("markdown", md or STANDARD)
    record = _collect_work(plan, call)
    words = ReportWords(record, call.language)
    document = html_page.render(words) if form == "html" else markdown.render(words)
    is_printed = file == STANDARD
    kept = None if is_printed else write_document(file, document.encode(), overwrite=yes)

    def as_text() -> str:
        if is_printed:
            return document.removesuffix("\n")
        facts = {"file": visible(file), "headline": words.headline()}
        if kept is None:
            return call.text("say_report_written", **facts)
        return call.text("say_report_over", kept=visible(kept), **facts)

    content = {
        "format": form,
        "file": None if is_printed else file,
        "kept": kept,
        "content": document if is_printed else None,
    }
    return Answer(lambda: {**content, "report": work_json(record)}, as_text, bare=is_printed)


def _collect_work(plan: Plan, call: Call) -> WorkRecord:
    labels, now = load_proof_labels(plan, call), plan.core.now()
    history = plan.core.store.history  # read page by page: it need not fit into memory
    return plan.core.read(lambda state: collect_work(state, history(), labels, now, holder_state))
