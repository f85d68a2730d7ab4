"""Models filled from the environment, each field from the variable of its name."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from fetcher.settings import ConfigurationError

M = TypeVar("M", bound=BaseModel)

Place = tuple[str | int, ...]
"""Where in a model something is wrong."""


def read(model: type[M], environ: Mapping[str, str]) -> M:
    """The model; empty variables count as unset. Raises ConfigurationError with everything that is wrong."""
    given: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        text = environ.get(name.upper(), "").strip()
        if text and get_origin(field.annotation) is not tuple:
            given[name] = text
        elif text.startswith("["):  # a list in JSON; other lists have commas between their items
            try:
                given[name] = json.loads(text)
            except ValueError:
                raise ConfigurationError(f"Configuration error: {name.upper()}: not valid JSON") from None
        elif text:
            given[name] = [item.strip() for item in text.split(",") if item.strip()]
    try:
        return model.model_validate(given)
    except ValidationError as error:
        # A mistake is told by the variable that people set, and its place in the variable's value.
        message = explained(error, lambda at: ".".join([str(at[0]).upper(), *map(str, at[1:])] if at else []))
        raise ConfigurationError(message) from None  # its text quotes the values


def explained(error: ValidationError, named: Callable[[Place], str]) -> str:
    """Every mistake on a line of its own; values stay out, since some are secrets."""
    rows = error.errors(include_url=False, include_input=False)
    return "\n".join(["Configuration error:", *(f"{named(row['loc'])}: {row['msg']}" for row in rows)])


def refuse_unknown(names: Iterable[str]) -> None:
    """Raises ConfigurationError if there are any: a misspelt protection does not protect."""
    if unknown := sorted(names):
        raise ConfigurationError(f"Configuration error: unknown settings: {', '.join(unknown)}")


def from_json(value: Any) -> Any:
    """For fields whose variable holds JSON."""
    return json.loads(value) if isinstance(value, str) else value  # pydantic collects ValueErrors
