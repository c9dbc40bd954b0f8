"""What can be done with plans, independent of stores and interfaces."""
