"""The files store: journal, snapshot, locks and recovery in one directory."""
