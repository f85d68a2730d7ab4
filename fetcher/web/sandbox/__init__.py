"""Reader processes: bytes from outside are parsed in separate programs, which may crash or hang.

Read `pool.py` first: it takes bytes and their `ReadingContext`, and returns a `Reading`. `child.py` is the
program that reads; `process.py` is a running child, seen from this process. They exchange frames
(`frames.py`) of a small head in JSON and plain UTF-8 (`messages.py`). A child's answer is checked like all
other data from outside (`answers.py`).
"""
