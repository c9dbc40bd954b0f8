"""Run checks on this machine; approvals, seals and digests make their proof trustworthy."""
