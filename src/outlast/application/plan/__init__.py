"""`Plan`, the public handle on a plan, and the groups of verbs that it is made of."""
