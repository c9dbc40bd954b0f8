"""Commands about whole plans."""
