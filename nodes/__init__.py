"""The steps of the loop: one file a node."""
