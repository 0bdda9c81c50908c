"""What the nodes share. All of it is JSON: strings, numbers, booleans, lists and objects."""
