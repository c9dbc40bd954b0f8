"""The runtime: executes the effects of a loop behind a pipeline of middleware; see README.md."""
