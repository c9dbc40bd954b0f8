"""Every word that a model is shown by our own loops.

What did not come from our own texts is data: it is escaped here, cut, and never has the system
role. What tools return stands in messages of their own, whose role says where it comes from.
"""
