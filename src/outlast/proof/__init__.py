"""Whether done is proved: checks, labels, baselines, approval."""
