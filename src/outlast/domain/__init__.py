"""The domain: values, commands, changes and the rules between them. Pure, without I/O."""
