"""`python -m ragloop.cli` is the command `ragloop`."""

from .main import main

main()
