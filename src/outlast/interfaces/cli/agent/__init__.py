"""Run an agent from the command line: options, job, person, result."""
