"""What commands of the command line are made of: a call, an answer, the plan meant."""
