"""What the model meant where it called a tool by another spelling, or with arguments too many."""

import re
from collections.abc import Iterable, Mapping
from typing import Any


def understood(name: str, known: Iterable[str]) -> str | None:
    """The known name that a name unmistakably means, in any case, with any marks; None if there is none."""

    def bare(text: str) -> str:
        return re.sub(r"[^a-z0-9]", "", text.casefold())

    names = list(known)
    alike = [one for one in names if one == name] or [one for one in names if bare(one) == bare(name)]
    return alike[0] if len(alike) == 1 else None


def known_fields(arguments: Any, properties: Mapping[str, Any]) -> Any:
    """The arguments that a tool has, under their own names; what it does not have is left out."""
    if not isinstance(arguments, Mapping):
        return arguments
    exact = {field: value for field, value in arguments.items() if field in properties}
    meant = {understood(str(field), properties): value for field, value in arguments.items()}
    return {name: value for name, value in meant.items() if name} | exact
