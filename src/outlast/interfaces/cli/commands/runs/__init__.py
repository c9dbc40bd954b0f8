"""Commands about runs: start them, answer their questions, watch them, allow their calls."""
