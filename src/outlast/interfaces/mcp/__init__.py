"""The MCP server: the plan as tools and resources for any client of the protocol."""
