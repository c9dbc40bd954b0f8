"""The resources: a plan, and its brief, findings, errors and graph, under `plan://` addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import quote as encode
from urllib.parse import unquote

from msgspec import Struct

from outlast.context.details import Topic, topic_pages
from outlast.context.escape import quote
from outlast.errors import PlanNotFound
from outlast.language import Language, text, visible
from outlast.plan.plan import Plan
from outlast.plan.tools.plan_read import plan_read

if TYPE_CHECKING:
    from outlast.mcp.json_rpc import Json
    from outlast.mcp.served_plans import ServedPlans

SCHEME: Final = "plan://"
CURRENT: Final = "current"
_LISTED_PLANS: Final = 50
_ADDRESS_CHARACTERS: Final = 2_000


class Part(Struct, frozen=True):
    """One resource of a plan: the end of its address, its kind, what it is about, what it shows."""

    path: str
    mime_type: str
    about: str
    render: Callable[[Plan, Language], str]


class ResourceAddress(Struct, frozen=True):
    """A parsed address; the key is None for the plan that the server is about."""

    key: str | None
    part: Part


def _read_plan(plan: Plan, _language: Language) -> str:
    return plan_read(plan, include_completed=True)


def _read_brief(plan: Plan, language: Language) -> str:
    return plan.context(language, brief=True)


def _pages(topic: Topic) -> Callable[[Plan, Language], str]:
    def read(plan: Plan, language: Language) -> str:
        pages = plan.core.read(lambda state: topic_pages(state, topic, language))
        shown = "\n".join(page.text for page in pages)
        name = text(f"details_about_{topic}", language)
        return shown or text("details_none", language, about=name)

    return read


def _read_graph(plan: Plan, language: Language) -> str:
    return plan.graph("mermaid", language)


PARTS: Final = {
    part.path: part
    for part in (
        Part("", "text/markdown", "mcp_resource_plan", _read_plan),
        Part("brief", "text/markdown", "mcp_resource_brief", _read_brief),
        Part("findings", "text/plain", "mcp_resource_findings", _pages("findings")),
        Part("errors", "text/plain", "mcp_resource_errors", _pages("errors")),
        Part("graph", "text/vnd.mermaid", "mcp_resource_graph", _read_graph),
    )
}


def parse_address(uri: str) -> ResourceAddress:
    """Read the address of a resource. Raises `PlanNotFound` for one that no plan can have."""
    place, _, path = uri.removeprefix(SCHEME).partition("/")
    key = unquote(place)
    if not uri.startswith(SCHEME) or len(uri) > _ADDRESS_CHARACTERS or path not in PARTS or not key:
        shown = visible(uri[:_ADDRESS_CHARACTERS])
        raise PlanNotFound("resource_unknown", uri=shown, candidates=[])
    return ResourceAddress(None if place == CURRENT else key, PARTS[path])


def read_resource(plans: ServedPlans, uri: str, language: Language) -> str:
    """Return what a resource shows now, escaped. Raises `PlanNotFound` if there is none."""
    address = parse_address(uri)
    plan = plans.find(address.key)
    if plan is None:
        said = (text("no_plan_to_read", language), plans.describe_unattached(language))
        return "\n".join(filter(None, said))
    shown = address.part.render(plan, language)
    return shown if address.part.path == "brief" else quote(shown, len(shown))


def resource_listing(plans: ServedPlans) -> list[Json]:
    """Return the resources of the plan that the server is about, and all plans beside it."""
    listing = [_describe(part, _uri(CURRENT, part), "") for part in PARTS.values()]
    whole = PARTS[""]
    for key in plans.keys()[:_LISTED_PLANS]:
        listing += [_describe(whole, _uri(encode(key, safe=""), whole), key)]
    return listing


def template_listing() -> list[Json]:
    """Return the templates of the addresses of any plan."""
    return [
        {
            "uriTemplate": _uri("{key}", part),
            "name": f"plan-{part.path}" if part.path else "plan",
            "description": text(part.about),
            "mimeType": part.mime_type,
        }
        for part in PARTS.values()
    ]


def _describe(part: Part, uri: str, key: str) -> Json:
    name = visible(key) if key else "-".join(filter(None, (CURRENT, part.path)))
    return {
        "uri": uri,
        "name": quote(name, len(name)),
        "description": text(part.about),
        "mimeType": part.mime_type,
    }


def _uri(place: str, part: Part) -> str:
    return f"{SCHEME}{place}/{part.path}" if part.path else f"{SCHEME}{place}"
