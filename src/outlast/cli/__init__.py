"""The command `outlast`: it collects the commands of all packages."""
