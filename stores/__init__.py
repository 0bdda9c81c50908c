"""Where text lives: passages, documents, search."""
