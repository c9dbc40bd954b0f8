"""Search providers: a JSON search API, and a local file for tests and work offline."""
