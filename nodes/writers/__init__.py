"""Writers: a draft from a question and its evidence."""
