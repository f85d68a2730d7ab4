"""The engine's settings: SRD §5 as frozen models that clamp, complete and check themselves.

`configuration.py` fills them from the environment and a file; a test fills them from a dict.
"""

import logging
import os
import re
import tempfile
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    model_validator,
)

from fetcher.clock import zone_named
from fetcher.codes import ReadingMode, Toggle

log = logging.getLogger(__name__)

MIB = 1024 * 1024


class ConfigurationError(Exception):
    """Settings with which the application must not start."""


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a number")  # pydantic collects ValueErrors
    return value


def _clamped(low: int, high: int) -> Any:
    """An integer that is pulled into its range, as SRD §5.4 wants."""
    return AfterValidator(lambda value: min(max(value, low), high))


def expanded(value: str) -> str:
    """Expands `$NAME`, `${NAME}` and `~`; `${TEMP}` is the system's temporary directory everywhere.

    A variable that is not set or a home that is not known is an error: the path would lead elsewhere.
    """

    def value_of(found: re.Match[str]) -> str:
        name = found[1] or found[2] or ""
        if name == "TEMP":
            return tempfile.gettempdir()
        if name not in os.environ:
            raise ValueError(f"the variable {name} is not set")  # pydantic collects ValueErrors
        return os.environ[name]

    path = re.sub(r"\$(?:\{([^{}]*)\}|([A-Za-z_][A-Za-z0-9_]*))", value_of, value).strip()
    at_home = os.path.expanduser(path)  # noqa: PTH111 - pathlib's raises something else
    if at_home.startswith("~"):
        raise ValueError(f"the home directory {path.partition('/')[0]} is not known")
    return at_home


def _absolute(value: str) -> str:
    """An expanded path, made absolute; empty stays empty (SRD FR-WF-CFG-03a)."""
    path = expanded(value)
    return str(Path(path).absolute()) if path else ""


def _header_safe(value: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?", value):
        raise ValueError("must be printable ASCII without surrounding spaces")
    return value


def _network(value: Any) -> IPv4Network | IPv6Network:
    if not isinstance(value, str | IPv4Network | IPv6Network):
        raise ValueError("must be a network in CIDR notation")  # pydantic collects ValueErrors
    return ip_network(value)


Number = Annotated[int, BeforeValidator(_no_boolean)]
Port = Annotated[Number, Field(ge=1, le=65535)]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(_network)]
ExpandedPath = Annotated[str, AfterValidator(_absolute)]


class SettingsGroup(BaseModel):
    """A table of settings: unknown keys are errors, values are final."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class HttpSettings(SettingsGroup):
    use_system_proxy: bool = False


class RobotsSettings(SettingsGroup):
    fail_open: bool = False
    user_agent_token: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")] | None = None
    max_robots_bytes: Annotated[Number, _clamped(1024, 100 * MIB)] = 512 * 1024


class BrowserSettings(SettingsGroup):
    enabled: bool = True
    chromium_path: ExpandedPath = ""
    network_idle_ms: Annotated[Number, _clamped(1000, 120_000)] = 20_000
    max_rendered_dom_bytes: Annotated[Number, _clamped(1024, 100 * MIB)] = 5 * MIB
    max_total_subresource_bytes: Annotated[Number, _clamped(MIB, 500 * MIB)] = 20 * MIB
    block_resources: tuple[str, ...] = ("image", "font", "media")
    sandbox: bool = True
    """Off where the system has no user namespaces, such as AWS Lambda."""


class SecuritySettings(SettingsGroup):
    block_private_ips: bool = True
    block_loopback: bool = True
    block_link_local: bool = True
    block_reserved: bool = True
    allowed_ports: Annotated[tuple[Port, ...], AfterValidator(lambda ports: ports or (80, 443))] = ()
    additional_blocked_cidrs: tuple[Network, ...] = ()
    exempt_cidrs: tuple[Network, ...] = ()
    """Blocked ranges opened by name, e.g. a fake-IP proxy's; never metadata addresses."""
    max_dns_attempts: Annotated[Number, _clamped(1, 10)] = 2
    allow_insecure_overrides: bool = False

    @property
    def opened(self) -> frozenset[Toggle]:
        """The switches that are off."""
        return frozenset(toggle for toggle in Toggle if not getattr(self, toggle))

    @property
    def overrides(self) -> tuple[str, ...]:
        """Everything here that weakens the protection, as it was set."""
        off = [f"{toggle}=false" for toggle in Toggle if toggle in self.opened]
        exempt = [f"exempt_cidrs={[str(cidr) for cidr in self.exempt_cidrs]}"] if self.exempt_cidrs else []
        return (*off, *exempt)

    def log_overrides(self) -> None:
        """Warn of the protections that are off (SRD FR-WF-05b), where a program starts."""
        if names := [override.partition("=")[0] for override in self.overrides]:
            fields = {"event": "ssrf_protection_disabled"}
            log.warning("SSRF protection disabled for: %s", ", ".join(names), extra={"fields": fields})

    @model_validator(mode="after")
    def _refuse_silent_insecurity(self) -> "SecuritySettings":
        """SRD FR-WF-SEC-OVR-01."""
        if self.overrides and not self.allow_insecure_overrides:
            raise ConfigurationError(
                "Configuration error: SSRF protection cannot be disabled without "
                "allow_insecure_overrides=true\n"
                f"Affected settings: {', '.join(self.overrides)}"
            )
        return self


class RenderingSettings(SettingsGroup):
    js_heavy_domains: tuple[str, ...] = ()
    spa_fallback_enabled: bool = True
    min_extracted_chars: Annotated[Number, _clamped(0, 10_000)] = 400


class ExtractionSettings(SettingsGroup):
    mode: ReadingMode = ReadingMode.SRD


class ReaderSettings(SettingsGroup):
    """The processes that parse what comes from outside."""

    processes: Annotated[Number, _clamped(2, 64)] = 2
    memory_mb: Annotated[Number, _clamped(128, 16_384)] = 400


class DocumentSettings(SettingsGroup):
    """PDF, Office and other documents, which are larger than pages and take longer."""

    max_bytes: Annotated[Number, _clamped(1024, 100 * MIB)] = 20 * MIB
    timeout_seconds: Annotated[Number, _clamped(1, 300)] = 30


class WebFetchSettings(SettingsGroup):
    """`[tools.webfetch]` of SRD §5.3."""

    enabled: bool = False
    user_agent: Annotated[str, AfterValidator(_header_safe)] = "forge-webfetch/1.0"
    timeout_seconds: Annotated[Number, _clamped(1, 300)] = 20
    max_redirects: Annotated[Number, _clamped(0, 20)] = 5
    default_max_chunk_tokens: Annotated[Number, _clamped(128, 2048)] = 600
    cache_dir: ExpandedPath = f"${{TEMP}}/forge-webfetch-{os.getuid() if hasattr(os, 'getuid') else 0}"
    """The SRD's name and the user's id: a directory has one owner, and a machine several users."""
    cache_ttl_days: Annotated[Number, _clamped(1, 365)] = 7
    cache_query_ttl_hours: Annotated[Number, _clamped(0, 8760)] = 8760
    """For URLs with a query, whose pages are mostly made for it, at most as long as others; 0 keeps none."""
    cache_forget_withdrawn: bool = False
    """Whether a page goes when its site now answers 401, 403, 404, 410 or 451, or robots.txt forbids it."""
    max_cache_entries: Annotated[Number, _clamped(0, 1_000_000)] = 10_000
    max_cache_bytes: Annotated[Number, _clamped(MIB, MIB * MIB)] = 1024 * MIB
    max_download_bytes: Annotated[Number, _clamped(1024, 100 * MIB)] = 5 * MIB
    robots_cache_entries: Annotated[Number, _clamped(0, 100_000)] = 1024
    robots_cache_ttl_hours: Annotated[Number, _clamped(1, 720)] = 24
    allow_auto_execution: bool = False

    http: HttpSettings = HttpSettings()
    robots: RobotsSettings = RobotsSettings()
    browser: BrowserSettings = BrowserSettings()
    security: SecuritySettings = SecuritySettings()
    rendering: RenderingSettings = RenderingSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    reader: ReaderSettings = ReaderSettings()
    documents: DocumentSettings = DocumentSettings()


class ApprovalSettings(SettingsGroup):
    mode: Literal["auto", "prompt", "deny"] = "auto"
    allowlist: tuple[str, ...] = ()
    """Tools that need no approval, by their exact names."""


class ToolDefinition(BaseModel):
    """One of `[[tools.definitions]]`: a tool that is advertised by configuration alone."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str


class Settings(SettingsGroup):
    """The `[tools]` table: settings of all tools, and those of `web_fetch`."""

    mode: Literal["enabled", "parse_only", "disabled"] = "enabled"
    approval: ApprovalSettings = ApprovalSettings()
    definitions: tuple[ToolDefinition, ...] = ()
    webfetch: WebFetchSettings = WebFetchSettings()

    def with_web_defaults(self, **values: Any) -> Self:
        """The same settings, with other values of `web_fetch` for those that were not set."""
        unset = {name: value for name, value in values.items() if name not in self.webfetch.model_fields_set}
        return self.model_copy(update={"webfetch": self.webfetch.model_copy(update=unset)})

    @property
    def switched_off_by(self) -> str | None:
        """The setting that keeps `web_fetch` from running (SRD §5.2); settings of all tools come first."""
        switches = {
            "tools.mode": self.mode != "enabled",
            "tools.approval.mode": self.approval.mode == "deny",
            "tools.webfetch.enabled": not self.webfetch.enabled,
        }
        return next((name for name, off in switches.items() if off), None)

    def advertises(self, tool: str) -> bool:
        """Whether the model is told of a tool (SRD FR-WF-CFG-PREC-01 to -03)."""
        if self.mode == "parse_only":
            return any(definition.name == tool for definition in self.definitions)
        return self.mode == "enabled" and self.webfetch.enabled

    @property
    def approval_required_by(self) -> str | None:
        """The setting by which a person must approve each page (SRD FR-WF-OP-02)."""
        if self.webfetch.allow_auto_execution or "web_fetch" in self.approval.allowlist:
            return None
        is_prompt = self.approval.mode == "prompt"
        return "tools.approval.mode=prompt" if is_prompt else "tools.webfetch.allow_auto_execution=false"

    def for_unattended(self) -> Self:
        """These settings for a program that reads pages by itself: what was not set is set for that.

        `tools.approval.mode=prompt` would do nothing if pages were read without a question by default.
        """
        auto = self.approval.mode != "prompt"
        return self.with_web_defaults(enabled=True, allow_auto_execution=auto, cache_query_ttl_hours=24)

    def require_unattended(self) -> None:
        """Raises ConfigurationError if a person must approve each page: an agent has no person to ask."""
        if self.approval_required_by and not self.switched_off_by:
            raise ConfigurationError(
                f"Configuration error: {self.approval_required_by} wants a person to approve each page, and "
                "the agent reads pages without a person to ask. Set WEBFETCH_ALLOW_AUTO_EXECUTION=true, or "
                "WEBFETCH_APPROVAL_MODE=deny to read none. `python -m fetcher fetch URL` asks on a terminal."
            )


def _known_zone(name: str) -> str:
    zone_named(name)
    return name


TimeZone = Annotated[str, AfterValidator(_known_zone)]
"""A time zone of the IANA's database."""

Domain = Annotated[str, Field(pattern=r"^(?:\*?\.)?[^\s./:@*][^\s/:@*]*$")]
"""A host, or `.host` for all hosts below it."""


SearchLanguage = Literal["ja", "en", "ko", "zh"]


def _header_safe_secret(value: SecretStr) -> SecretStr:
    secret = value.get_secret_value().strip()
    if re.search(r"[^\x21-\x7e]", secret):
        raise ValueError(
            "must be one line of ASCII without spaces: copy it again, without quotes or dots around it"
        )
    return SecretStr(secret)


HeaderSecret = Annotated[SecretStr, AfterValidator(_header_safe_secret)]
"""A secret that a header can carry."""


def _with_scheme(url: str) -> str:
    if url and not url.startswith(("https://", "http://")):
        raise ValueError("must begin with https:// or http://")
    return url


class AgentBounds(SettingsGroup):
    """Bounds of a question that no operator sets: a caller in Python and tests may pass others."""

    model_timeout_seconds: Annotated[float, Field(gt=0)] = 60
    """How long the model may be silent."""
    model_max_retries: Number = 2
    agent_max_turns: Number = 8
    """Calls of the model."""
    agent_max_fetches: Number = 8
    agent_thinking: Literal["", "adaptive", "between_tools", "disabled"] = ""
    """Empty: as the model does by itself."""
    agent_max_output_tokens: Number = 16_000
    """Of each call; thoughts count."""
    agent_max_input_tokens: Number = 150_000
    agent_max_history_tokens: Number = 20_000
    agent_page_chars: Number = 42_000
    """How much of a page, or of the pages that are read before the first call, the model is shown at once."""
    agent_max_page_parts: Number = 8
    """Parts of a long page of which the model makes notes, each in a call of its own."""
    agent_prefetch_links: Number = 3
    """Links of the newest message that are read before the first call."""
    agent_max_url_chars: Number = 2000
    agent_max_files: Number = 5
    agent_max_file_bytes: Number = 5 * MIB
    agent_file_types: tuple[str, ...] = (
        "text/csv",
        "application/json",
        "text/plain",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    )
    agent_scan_bytes: Number = 20 * MIB
    """Of all pages without text that a question may send to the model."""
    search_results: Number = 5
    """Links that a search brings."""


class AgentSettings(AgentBounds):
    """How questions are answered: which model, and within which bounds."""

    anthropic_api_key: HeaderSecret = SecretStr("")
    anthropic_model: str = "claude-sonnet-5-5"
    anthropic_base_url: Annotated[str, AfterValidator(_with_scheme)] = ""
    model_provider: Literal["", "anthropic", "bedrock", "offline"] = ""
    bedrock_model_id: str = ""
    aws_region_name: str = ""
    agent_timeout_seconds: Annotated[Number, _clamped(5, 900)] = 180
    agent_effort: Literal["", "low", "medium", "high", "xhigh", "max"] = "medium"
    """How much the model thinks and writes; empty: as much as it does by itself."""
    timezone: TimeZone = "Asia/Tokyo"
    """Whose day "today" is."""
    agent_allowed_domains: tuple[Domain, ...] = ()
    agent_blocked_domains: tuple[Domain, ...] = ()
    agent_scan_pages: Annotated[Number, _clamped(0, 100)] = 20
    """Pages without text that a question may send to the model; 0: none."""

    search_provider: Literal["", "brave", "tavily", "anthropic"] = ""
    """Who searches the web for questions without a link; empty: no searches."""
    search_api_key: HeaderSecret = SecretStr("")
    search_base_url: Annotated[str, AfterValidator(_with_scheme)] = ""
    search_languages: Annotated[tuple[SearchLanguage, ...], Field(min_length=1)] = ("ja",)
    """Each is a search of its own."""

    @model_validator(mode="after")
    def _know_how_to_search(self) -> "AgentSettings":
        if self.search_provider in ("brave", "tavily") and not self.search_api_key.get_secret_value():
            raise ConfigurationError(
                f"Configuration error: SEARCH_PROVIDER={self.search_provider} needs SEARCH_API_KEY"
            )
        if self.search_provider == "anthropic" and self.provider != "anthropic":
            raise ConfigurationError(
                "Configuration error: SEARCH_PROVIDER=anthropic searches with the Claude API, and another "
                "provider of the model is set. Set brave or tavily instead."
            )
        return self

    @property
    def provider(self) -> Literal["anthropic", "bedrock", "offline"]:
        """The model's provider: as named, else Bedrock by its model id, else Claude by its key, else none."""
        if self.model_provider:
            return self.model_provider
        if self.bedrock_model_id:
            return "bedrock"
        return "anthropic" if self.anthropic_api_key.get_secret_value() else "offline"
