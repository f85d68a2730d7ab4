"""Stories: the block of their paragraphs, what leads to it and what follows it."""
