"""Plans from files and into files: `import` and `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.domain.model import PERSON
from outlast.errors import Unconfirmed
from outlast.formats import plan_document
from outlast.interfaces.cli.plan_context import here
from outlast.interfaces.cli.render.json import plan_shape
from outlast.interfaces.cli.render.output import Answer
from outlast.texts import visible
from outlast.wiring.transfer import STANDARD, import_document, write_document

if TYPE_CHECKING:
    from outlast.application.plan.plan import Plan
    from outlast.formats.markdown.document import Unread
    from outlast.interfaces.cli.call import Call
    from outlast.interfaces.cli.render.output import Json


def take(call: Call, *, file: str, form: str | None = None, key: str | None = None) -> Answer:
    """Begin a plan from a file; its checks have been approved by nobody."""
    named = call.plan if key is None else key
    plan, found = import_document(here(), file, form, named, actor=call.actor)
    with plan:
        shape = plan.read(plan_shape)

    def words() -> str:
        said = {name: visible(shape[name]) for name in ("key", "title")}
        head = call.say("say_imported", count=shape["total"], **said)
        return "\n".join([head, *(_not_read(call, one) for one in found.unread)])

    unread = [{"line": one.line, "text": one.text} for one in found.unread]
    return Answer(lambda: {"plan": shape, "format": found.form, "not_read": unread}, words)


def _not_read(call: Call, one: Unread) -> str:
    return call.say("say_line_not_read", line=one.line, said=visible(one.text))


def give(
    plan: Plan, call: Call, *, file: str = STANDARD, form: str | None = None, yes: bool = False
) -> Answer:
    """Write the plan as a document, to a file that is not there yet or to the standard output."""
    form = form or _form(file)
    made = plan.read(lambda state: plan_document.write(state, form))
    if file == STANDARD:
        return _printed(made, form)
    if yes and call.actor != PERSON:
        raise Unconfirmed("only_people", command=f"{call.command} --yes", actor=visible(call.actor))
    kept = write_document(file, made, replace_it=yes)

    def words() -> str:
        said = {"file": visible(file), "form": form}
        if kept is None:
            return call.say("say_exported", **said)
        return call.say("say_exported_over", kept=visible(kept), **said)

    return Answer(lambda: {"format": form, "file": file, "kept": kept, "content": None}, words)


def _form(file: str) -> str:
    return plan_document.PLAN_JSON if file.lower().endswith(".json") else plan_document.MARKDOWN


def _printed(made: bytes, form: str) -> Answer:
    """Answer with the document itself; on a terminal it could do what it likes."""
    text = made.decode(errors="backslashreplace").removesuffix("\n")

    def shape() -> Json:
        return {"format": form, "file": None, "kept": None, "content": f"{text}\n"}

    return Answer(shape, lambda: _safe(text))


def _safe(text: str) -> str:
    import sys

    if sys.stdout and sys.stdout.isatty():
        return "\n".join(visible(line) for line in text.split("\n"))
    return text
