"""A process that uses OpenTelemetry: it runs an agent and prints its spans."""

import asyncio
import json
import sys
import tempfile
from contextlib import suppress
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from outlast import Check, create_plan, run
from outlast.model.model import PERSON
from outlast.models import Call
from outlast.system import tracer
from outlast.testing import ScriptedModel, Turn
from tests.agent.runtime.poke_tool import POKE, Poke

SECRET = "a word that nobody else may read"  # noqa: S105 - made up


def main() -> None:
    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    trace.set_tracer_provider(provider)
    done = Call("complete_task", {"task": 1, "result": SECRET})
    turns = (Turn("Progress: 1/1", SECRET), Turn("poked", calls=(done,)), Turn(calls=(POKE,)))
    broken = Poke(error=ZeroDivisionError(SECRET))
    with create_plan(tempfile.mkdtemp(), SECRET, actor=PERSON) as plan:
        plan.add(SECRET, checks=[Check("command", "true")])
        asyncio.run(run(SECRET, plan=plan, model=ScriptedModel(turns), tools=[Poke()]))
        asyncio.run(run(SECRET, model=ScriptedModel([turns[2]]), tools=[broken], max_iterations=1))
    with suppress(ZeroDivisionError), tracer.span("outlast.failing"):
        raise ZeroDivisionError(SECRET)
    found = [as_dict(span) for span in memory.get_finished_spans()]
    json.dump(found, sys.stdout)


def as_dict(span: Any) -> dict[str, Any]:
    parent = None if span.parent is None else span.parent.span_id
    events = [dict(event.attributes) for event in span.events]
    about = {**span.attributes, "id": span.context.span_id, "parent": parent, "events": events}
    about |= {"said": span.status.description, "status": span.status.status_code.name}
    return {"name": span.name, **about}


if __name__ == "__main__":
    main()
