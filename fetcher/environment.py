"""Models filled from the environment, each field from the variable of its name."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from fetcher.settings import ConfigurationError

M = TypeVar("M", bound=BaseModel)


def read(model: type[M], environ: Mapping[str, str]) -> M:
    """The model; empty variables count as unset. Raises ConfigurationError with everything that is wrong."""
    given: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        text = environ.get(name.upper(), "").strip()
        if text:
            given[name] = _list(name, text) if get_origin(field.annotation) is tuple else text
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise ConfigurationError(explained(error)) from None  # its text quotes what it found


def explained(error: ValidationError) -> str:
    """Every mistake on a line of its own; values stay out, since some are secrets."""
    rows = error.errors(include_url=False, include_input=False)
    lines = [f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in rows]
    return "\n".join(["Configuration error:", *lines])


def _list(name: str, text: str) -> Any:
    """A list in JSON, or its items between commas."""
    if not text.startswith("["):
        return [item.strip() for item in text.split(",") if item.strip()]
    try:
        return json.loads(text)
    except ValueError:
        raise ConfigurationError(f"Configuration error: {name}: not valid JSON") from None
