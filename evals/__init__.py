"""Measuring: data sets, scores, judges, runs, curves, reports."""
