"""Judges: one typed question to a model, or to the offline judge."""
