"""`Plan`, the handle on a plan: what programs and people can do with it."""
