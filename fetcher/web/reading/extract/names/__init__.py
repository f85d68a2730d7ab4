"""What the classes and ids of blocks say, and the rules that leave blocks out by it."""
