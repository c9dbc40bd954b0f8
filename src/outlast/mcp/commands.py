"""`mcp`: serve the plan to a coding agent or another client of the Model Context Protocol."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from outlast.console.render.output import Answer, print_notices, write
from outlast.errors import ExtraMissing, InvalidArgument
from outlast.mcp.catalog import Catalog
from outlast.mcp.served_plans import ServedPlans

if TYPE_CHECKING:
    from outlast.console.call import Call
    from outlast.mcp.access_token import AccessToken
    from outlast.plan.tools.server_sets import ServerSet


def mcp(
    call: Call,
    *,
    http: str | None = None,
    tools: ServerSet = "default",
    workspace: str | None = None,
) -> Answer:
    """Serve on the standard streams until the client leaves, or over HTTP until Ctrl-C."""
    plans = ServedPlans(workspace, call.plan, call.named_actor, call.language)
    catalog = Catalog(version("outlast"), tools)
    try:
        if http is None:
            from outlast.mcp.stdio import serve_stdio

            serve_stdio(catalog, plans, call.language)
            return Answer(dict, str)
        _serve_http(call, catalog, plans, http)
    except ModuleNotFoundError as error:
        problem = str(error)
        raise ExtraMissing(
            "extra_missing", module="outlast mcp", extra="mcp", problem=problem
        ) from error
    finally:
        plans.close()
    return Answer(lambda: {"served": True}, lambda: call.text("mcp_ended"))


def _serve_http(call: Call, catalog: Catalog, plans: ServedPlans, where: str) -> None:
    from outlast.mcp.access_token import SHORTEST, load_or_create_token, take_token_from_environment
    from outlast.mcp.http import ListenAddress, address_of, serve_http

    address, token = ListenAddress.parse(where), take_token_from_environment()
    if token is None:
        if not address.is_loopback:
            host = address.host
            raise InvalidArgument("mcp_token_needed", argument="--http", host=host, count=SHORTEST)
        token = load_or_create_token()
    with address.listen() as listener:
        print_notices(call)
        serves = call.text("mcp_serves", url=address_of(listener))
        write(f"{serves}\n{_describe_token(call, token)}", sys.stderr)
        serve_http(catalog, plans, call.language, listener, token.value, address.host)


def _describe_token(call: Call, token: AccessToken) -> str:
    """Return where the token is; a new one is shown, this once."""
    if token.is_new:
        return call.text("mcp_token_new", path=token.path, token=token.value)
    return call.text("mcp_token_kept" if token.path else "mcp_token_given", path=token.path)
