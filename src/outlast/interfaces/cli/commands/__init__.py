"""The commands, by what they are about. Their modules do not import each other."""
