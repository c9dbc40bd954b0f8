"""The replan loop: plan once; think, act and observe for each item; replan after each."""
