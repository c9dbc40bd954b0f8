"""View files: rendered from the plan, replaced atomically, watched for edits."""
