"""What an MCP server serves: the plans of a workspace, and its access token."""
