"""Reader processes: foreign bytes are parsed in programs of their own, which may crash, hang or swell.

`pool.py` is the front door: bytes and what is known about them in, a `Reading` out. `child.py` is the program
that does the reading; `process.py` is one running child, seen from outside. Between them go frames
(`frames.py`) of a small head in JSON and plain UTF-8 (`messages.py`); what a child answers is checked like
anything else that comes from outside (`answers.py`).
"""
