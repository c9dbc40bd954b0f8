"""The runtime: executes the effects of a loop through a pipeline of middleware; see README.md."""
