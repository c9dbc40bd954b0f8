"""Where plans are kept: a workspace directory or a database."""
