"""Reads `Settings` from the environment and from the file that `WEBFETCH_CONFIG` names.

The environment wins over the file. An unknown key is an error in both.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource

from fetcher.settings import AgentSettings, ConfigurationError, Settings, WebFetchSettings, expanded
from fetcher.startup import environment

PREFIX = "WEBFETCH_"
FILE = "WEBFETCH_CONFIG"
OUR_AGENT = ("AGENT_MAX_", "AGENT_TIMEOUT_", "AGENT_ALLOWED_", "AGENT_BLOCKED_", "AGENT_FILE_")
"""Beginnings of this program's names; other programs have agents too."""
ALL_TOOLS = {"WEBFETCH_TOOLS_MODE": ("mode",), "WEBFETCH_APPROVAL_MODE": ("approval", "mode")}
"""Variables that stand for settings outside `[tools.webfetch]`."""


def load(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process; raises ConfigurationError with everything that is wrong."""
    tools: Any = {}
    if name := environ.get(FILE, ""):
        try:
            content = tomllib.loads(Path(expanded(name)).read_text("utf-8"))
        except (OSError, ValueError) as error:  # not UTF-8, not TOML, or an unknown variable
            raise ConfigurationError(f"Configuration error: {name} cannot be read: {error}") from error
        environment.refuse_unknown(content.keys() - {"tools"})
        tools = content.get("tools", {})
        if not isinstance(tools, dict):
            raise ConfigurationError("Configuration error: tools: must be a table")
    ours = [name for name in environ if name.upper().startswith(PREFIX) and name not in {FILE, *ALL_TOOLS}]
    # pydantic-settings would ignore them.
    unknown = (name for name in ours if not _known(WebFetchSettings, _path(name)))
    environment.refuse_unknown(unknown, [FILE, *ALL_TOOLS, *_names(WebFetchSettings)])
    for name, path in ALL_TOOLS.items():
        if name in environ:
            value: Any = environ[name]
            for key in reversed(path):
                value = {key: value}
            tools = _merged(tools, value)
    web = _GivenEnvironment(environ)()
    try:
        return Settings.model_validate(_merged(tools, {"webfetch": web}) if web else tools)
    except ValidationError as error:
        raise ConfigurationError(environment.explained(error, _Names(environ).of)) from error


def load_unattended(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of a program that reads pages by itself: `web_fetch` is on unless they say otherwise."""
    return load(environ).for_unattended()


def load_agent(environ: Mapping[str, str] = os.environ) -> AgentSettings:
    """The agent's settings, each from the variable of its name; empty variables count as unset."""
    names = {name.upper() for name in AgentSettings.model_fields}
    unknown = (name for name in environ if name.startswith(OUR_AGENT) and name not in names)
    environment.refuse_unknown(unknown, names)
    return environment.read(AgentSettings, environ)


class _Names:
    """Names of settings for error messages: the variable that sets it, else its place in the file."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        ours = (name for name in environ if name.upper().startswith(PREFIX))
        self._variables = {ALL_TOOLS.get(name) or ("webfetch", *_path(name)): name for name in ours}

    def of(self, place: environment.Place) -> str:
        for end in range(len(place), 0, -1):
            if variable := self._variables.get(tuple(map(str, place[:end]))):
                return ".".join([variable, *map(str, place[end:])])
        return ".".join(["tools", *map(str, place)])


class _FromEnvironment(WebFetchSettings, BaseSettings):  # type: ignore[misc]  # their configurations merge
    """The same fields, as pydantic-settings wants them to look environment names up."""


class _GivenEnvironment(EnvSettingsSource):
    """An environment that is an argument, not the process's own."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = {name.lower(): value for name, value in environ.items()}
        super().__init__(_FromEnvironment, case_sensitive=False, env_prefix=PREFIX, env_nested_delimiter="__")

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self._environ

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        try:
            return super().decode_complex_value(field_name, field, value)
        except ValueError as error:
            named = (name.upper() for name, given in self._environ.items() if given == value)
            variable = next(name for name in named if name.startswith(PREFIX))
            raise ConfigurationError(f"Configuration error: {variable}: not valid JSON") from error


def _path(name: str) -> list[str]:
    return name[len(PREFIX) :].lower().split("__")


def _known(model: type[BaseModel], path: list[str]) -> bool:
    field = model.model_fields.get(path[0])
    if field is None or len(path) == 1:
        return field is not None
    inner = field.annotation
    return isinstance(inner, type) and issubclass(inner, BaseModel) and _known(inner, path[1:])


def _names(model: type[BaseModel], prefix: str = PREFIX) -> Iterator[str]:
    """The variable of every setting, those of inner tables included."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _names(inner, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}"


def _merged(under: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Two trees of tables as one; the second wins."""
    result = dict(under)
    for name, value in over.items():
        if not isinstance(value, Mapping) or name not in result:
            result[name] = value
        elif isinstance(result[name], dict):
            result[name] = _merged(result[name], value)
        else:
            raise ConfigurationError(f"Configuration error: {name}: must be a table")
    return result
