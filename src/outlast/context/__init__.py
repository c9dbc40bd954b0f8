"""A plan in the words for a model, and other texts that models are shown.

Text that did not come from Outlast itself is data: it is escaped and truncated here, and never has
the system role. Tool results are messages of their own, whose role shows where they come from.
"""
