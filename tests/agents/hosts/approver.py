"""An MCP server whose only tool answers for the user: it accepts or refuses what is asked.

With the argument `refuse` it refuses. Claude Code asks it by `--permission-prompt-tool`.
"""

import json
import sys
from typing import Any

TOOL = "approve"
SCHEMA = {"type": "object", "properties": {"tool_name": {"type": "string"}, "input": {}}}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; None for an unknown method."""
    match method:
        case "initialize":
            version = params["protocolVersion"]
            info = {"name": "user", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            tool = {"name": TOOL, "description": "Ask the user", "inputSchema": SCHEMA}
            return {"tools": [tool]}
        case "tools/call":
            allowed = {"behavior": "allow", "updatedInput": params["arguments"]["input"]}
            refused = {"behavior": "deny", "message": "Not like this."}
            said = refused if "refuse" in sys.argv else allowed
            return {"content": [{"type": "text", "text": json.dumps(said)}]}
    return None


def main() -> None:
    """Serve until the standard input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = answer(request["method"], request.get("params", {}))
        known = {"result": result} if result else {"error": {"code": -32601, "message": "unknown"}}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **known}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
