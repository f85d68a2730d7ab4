"""Models filled from the environment, each field from the variable of its name."""

import difflib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from fetcher.settings import ConfigurationError

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
    if not file.exists() or file.is_dir():
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
    except (OSError, ValueError) as error:  # ValueError: saved as Shift_JIS or UTF-16
        raise ConfigurationError(f".env cannot be read ({error}). Save it as UTF-8.") from error
    if wrong:
        raise ConfigurationError(
            f".env, line {', '.join(wrong)}: not NAME=value. Close every quote, and write = in half width."
        )


def read(model: type[M], environ: Mapping[str, str]) -> M:
    """The model; empty variables count as unset. Raises ConfigurationError with everything that is wrong."""
    refuse_misspelt(environ, [name.upper() for name in model.model_fields])
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
    listing = {_letters(name.removesuffix("_IDS")): name for name in names if name.endswith("_IDS")}
    by_letters = listing | {_letters(name): name for name in names if "_" in name}
    by_capitals = {name.upper(): name for name in names}
    told = []
    for variable in sorted(name for name, value in environ.items() if value.strip()):
        if variable in by_capitals or variable in FOREIGN:
            continue
        meant = by_capitals.get(variable.upper().replace("-", "_")) or next(
            (name for letters, name in by_letters.items() if _is_near(variable, name, letters)), None
        )
        if meant:
            told.append(f"{variable} is not a setting. Did you mean {meant}?")
    if told:
        raise ConfigurationError("\n".join(["Configuration error:", *told]))


def _is_near(variable: str, name: str, letters: str) -> bool:
    """Whether at most one letter is wrong, missing, too many or swapped, however words are separated."""
    given = variable.upper()
    if given.startswith(f"{name}_") or given.endswith(f"_{name}") or given.rstrip("0123456789") == name:
        return False
    found = _letters(given)
    if abs(len(found) - len(letters)) > 1:
        return False
    pairs = enumerate(zip(found, letters, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(found), len(letters)))
    one, other = found[first:], letters[first:]
    is_swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return one[1:] in (other[1:], other) or one == other[1:] or is_swapped


def _letters(name: str) -> str:
    """A name without the differences that are easily missed: separators, plurals, doubled letters."""
    words = re.split("[_-]+", name.upper())
    return re.sub(r"(.)\1+", r"\1", "".join(word.removesuffix("S") for word in words))


def from_json(value: Any) -> Any:
    """For fields whose variable holds JSON."""
    return json.loads(value) if isinstance(value, str) else value  # pydantic collects ValueErrors
