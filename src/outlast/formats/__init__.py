"""The forms in which a plan is read and written: views of the one model. Pure."""
