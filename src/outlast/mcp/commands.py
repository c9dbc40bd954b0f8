"""`mcp`: serve the plan to a coding agent or another client of the Model Context Protocol."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from outlast.console.call import Answer, Call
from outlast.console.render.output import print_notices, write
from outlast.errors import ExtraMissing, InvalidArgument
from outlast.mcp.served_plans import ServedPlans
from outlast.mcp.service import Service
from outlast.system.caller import may_be_run_by_model

if TYPE_CHECKING:
    from outlast.mcp.http import AccessToken
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
    is_persons_client = http is None and not may_be_run_by_model()
    service = Service(version("outlast"), tools, plans, call.language, is_persons_client)
    try:
        if http is None:
            from outlast.mcp.stdio import serve_stdio

            serve_stdio(service)
            return Answer(dict, str)
        _serve_http(call, service, http)
    finally:
        plans.close()
    return Answer(lambda: {"served": True}, lambda: call.text("mcp_ended"))


def _serve_http(call: Call, service: Service, where: str) -> None:
    try:
        from outlast.mcp import http
    except ModuleNotFoundError as error:
        problem = str(error)
        raise ExtraMissing(
            "extra_missing", module="outlast mcp --http", extra="mcp", problem=problem
        ) from error

    address, token = http.ListenAddress.parse(where), http.take_token_from_environment()
    if token is None:
        if not address.is_loopback:
            host = address.host
            raise InvalidArgument(
                "mcp_token_needed", argument="--http", host=host, count=http.SHORTEST
            )
        token = http.load_or_create_token()
    with address.listen() as listener:
        print_notices(call)
        serves = call.text("mcp_serves", url=http.address_of(listener))
        write(f"{serves}\n{_describe_token(call, token)}", sys.stderr)
        http.serve_http(service, listener, token.value, address.host)


def _describe_token(call: Call, token: AccessToken) -> str:
    """Return where the token is; a new one is shown, this once."""
    if token.is_new:
        return call.text("mcp_token_new", path=token.path, token=token.value)
    return call.text("mcp_token_kept" if token.path else "mcp_token_given", path=token.path)
