"""Models filled from the environment, each field from the variable of its name."""

import difflib
import json
import logging
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from fetcher.settings import ConfigurationError

log = logging.getLogger(__name__)

M = TypeVar("M", bound=BaseModel)

Place = tuple[str | int, ...]
"""Where in a model something is wrong."""


FOREIGN = frozenset({"SLACK_API_TOKEN", "APP_STATE", "AWS_STAGE", "ACCESS_CODE"})
"""Variables of other programs that resemble ours: the first, of many Slack tools, is near SLACK_APP_TOKEN."""


def load_dotenv() -> None:
    """Put the variables of `.env` in this directory into the environment, where they are not set."""
    import dotenv
    from dotenv.parser import parse_stream

    file = Path(".env")
    if not os.access(file, os.F_OK) or file.is_dir():  # also where this directory may not be searched
        return
    try:
        text = file.read_text("utf-8-sig")
        # Dotenv would leave these lines out: a misspelt protection does not protect.
        wrong = [
            str(row.original.line + row.original.string[: -len(row.original.string.lstrip())].count("\n"))
            for row in parse_stream(StringIO(text))
            if row.error or (row.key and not re.fullmatch(r"[A-Za-z_][\w.-]*", row.key, re.ASCII))
        ]
        if not wrong:
            dotenv.load_dotenv(stream=StringIO(text))
    except OSError as error:
        advice = "Let this user read it, or start in another directory"
        raise ConfigurationError(f".env cannot be read ({error.strerror}). {advice}.") from error
    except ValueError as error:  # saved as Shift_JIS or UTF-16
        raise ConfigurationError(f".env cannot be read ({error}). Save it as UTF-8.") from error
    if wrong:
        raise ConfigurationError(
            f".env, line {', '.join(wrong)}: not NAME=value. Close every quote, and write = in half width."
        )


def settable(model: type[BaseModel]) -> list[str]:
    """The fields that operators may set: a model's own. What it inherits is fixed, and tests may pass it."""
    return [name for name in model.model_fields if name in model.__annotations__]


def read(model: type[M], environ: Mapping[str, str]) -> M:
    """The model; empty variables count as unset. Raises ConfigurationError with everything that is wrong."""
    names = settable(model)
    refuse_misspelt(environ, [name.upper() for name in names])
    given: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        text = environ.get(name.upper(), "").strip()
        if text and name not in names:
            log.warning(
                "setting_ignored", extra={"fields": {"setting": name.upper(), "fixed_at": field.default}}
            )
            continue
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
    return "\n".join(
        [
            "Configuration error:",
            *(f"{named(row['loc'])}: {row['msg'].removeprefix('Value error, ')}" for row in rows),
        ]
    )


def refuse_unknown(names: Iterable[str], known: Collection[str] = ()) -> None:
    """Raises ConfigurationError if there are any: a misspelt protection does not protect."""
    told = []
    for name in sorted(names):
        meant = difflib.get_close_matches(name.upper(), known, 1, 0.8)
        told.append(f"{name} (did you mean {meant[0]}?)" if meant else name)
    if told:
        raise ConfigurationError(f"Configuration error: unknown settings: {', '.join(told)}")


def refuse_misspelt(environ: Mapping[str, str], names: Collection[str]) -> None:
    """Raises ConfigurationError for variables that are near misses of these names, and set.

    Other programs have variables too: one that only begins or ends like a name of ours is theirs.
    """
    known, compound = set(names), [name for name in names if "_" in name]
    told = []
    for variable in sorted(name for name, value in environ.items() if value.strip()):
        given = variable.upper().replace("-", "_")
        if variable in known or variable in FOREIGN:
            continue
        near = [given] if given in known else difflib.get_close_matches(given, compound, 1, 0.9)
        if near and not given.startswith(f"{near[0]}_") and not given.endswith(f"_{near[0]}"):
            told.append(f"{variable} is not a setting. Did you mean {near[0]}?")
    if told:
        raise ConfigurationError("\n".join(["Configuration error:", *told]))


def from_json(value: Any) -> Any:
    """For fields whose variable holds JSON."""
    return json.loads(value) if isinstance(value, str) else value  # pydantic collects ValueErrors
