"""Spending a token budget on what adds information: plain functions, usable alone."""
