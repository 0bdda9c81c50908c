"""The command `ragloop`."""
