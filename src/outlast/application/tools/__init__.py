"""The one table of what a model can do with a plan; every interface is made from it."""
