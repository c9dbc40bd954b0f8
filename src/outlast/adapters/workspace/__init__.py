"""The workspace: which files it has, and which git commit is checked out."""
