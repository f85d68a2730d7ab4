"""Values of CSS: whether they are valid, numbers, colours, shapes. Read `valid_values.py` first."""
