"""Run an agent from the command line: options, driver, dry run, result."""
