"""Labels of tabs and accordions become the headings of their panels. Read `headings.py` first."""
