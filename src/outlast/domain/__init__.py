"""The plan itself: values, commands, changes and the rules between them. Pure."""
