"""Plans for agents built with other frameworks."""
