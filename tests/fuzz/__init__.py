"""Fuzzing with coverage feedback: bytes that nobody thought of, and what must hold for them all the same.

Each target is a module with one function, `check(data)`, that raises where a promise is broken. Atheris
(libFuzzer) calls it with ever new bytes that reach ever more code: `make fuzz`. The bytes that are worth
keeping lie in `corpus/<target>/`, and every test run checks them again, without Atheris.
"""
