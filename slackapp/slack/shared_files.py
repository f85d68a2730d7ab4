"""Files that people share in Slack: what a message says of them, and how they are downloaded.

The bot's token goes only to the hosts in `FILE_HOSTS`, and to the host of the Web API, which gets it anyway.
Slack's page "File object" (docs.slack.dev/reference/objects/file-object) has the fields, the modes, and the
bearer token. That files of Enterprise Grid come by a redirect to `files-origin.slack.com` is seen in
NousResearch/hermes-agent#114483; that `url_private` of a PDF redirects elsewhere, and `url_private_download`
does not, in curie-eng/curie#2718. A sign-in page instead of the file is seen in slackapi/bolt-js#2585.
In Slack Connect a message has only the id of a file, and `check_file_info`: this is recorded in
MercuryTechnologies/slack-web, tests/golden/SlackWebhookEvent/message_file_share_slack_connect.json.
A canvas comes as HTML in one `div`, despite its type: stablyai/agent-slack#19, rusq/slackdump#401,
shaharia-lab/slackcli#32.
"""

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from slack_sdk import WebClient

from fetcher.codes import AgentCode
from fetcher.text import well_formed
from slackapp.slack.client import NoFence, fenced, waiting_once
from slackapp.slack.errors import SLACK_FAILURES, PostError, SlackDown, post_error_from
from slackapp.slack.http_client import Download, get_bytes

if TYPE_CHECKING:
    from fetcher.agent import AttachedFile

log = logging.getLogger(__name__)

FILE_HOSTS = frozenset({"https://files.slack.com", "https://files-origin.slack.com"})
MOST_FILES = 10
"""Of a conversation, the newest; a message of Slack has at most so many."""
MOST_HOPS = 3
_FIELDS = ("id", "name", "title", "mode", "file_access", "mimetype", "size", "is_external", "permalink")
_ADDRESS = "url_private_download"
CHECK = "check_file_info"
"""The access of a file of which a message has only the id, as in Slack Connect."""
CANVAS, CANVAS_BEGINS = "application/vnd.slack-docs", b'<div class="quip-canvas-content"'
"""The type of a canvas, and the beginning of its HTML, which a page to sign in does not have."""
_MODES = {
    "tombstone": AgentCode.FILE_GONE,
    "hidden_by_limit": AgentCode.FILE_HIDDEN,
    "external": AgentCode.FILE_EXTERNAL,
}
_ACCESS = {"access_denied": AgentCode.FILE_ACCESS_DENIED, "file_not_found": AgentCode.FILE_GONE}
_ERRORS = {
    "file_not_found": AgentCode.FILE_GONE,
    "file_deleted": AgentCode.FILE_GONE,
    "missing_scope": AgentCode.FILE_ACCESS_DENIED,
    "access_denied": AgentCode.FILE_ACCESS_DENIED,
    "not_visible": AgentCode.FILE_ACCESS_DENIED,
    "not_allowed_token_type": AgentCode.FILE_ACCESS_DENIED,
}


def file_name(file: Mapping[str, Any]) -> str:
    """The name of a file, else its title, else its id."""
    return well_formed(str(file.get("name") or file.get("title") or file.get("id") or ""), "?")


def file_records(message: Mapping[str, Any]) -> tuple[str, ...]:
    """What a message says of its files, each as JSON with the fields that are needed to download it."""
    return tuple(
        json.dumps({name: file[name] for name in (*_FIELDS, _ADDRESS) if file.get(name)})
        for file in message.get("files") or ()
        if file.get("id")
    )


@dataclass(slots=True)
class SharedFiles:
    """Downloads files with the bot's token, when the agent asks for them."""

    client: WebClient

    def attached(self, asked: Iterable[str], earlier: Iterable[str]) -> "tuple[AttachedFile, ...]":
        """Files for the agent, from `file_records`: those of the question, then those before it."""
        from fetcher.agent import AttachedFile

        found: dict[str, AttachedFile] = {}
        lookup = _Lookup(self)
        for is_asked, records in ((True, asked), (False, earlier)):
            for record in records:
                file = json.loads(record)
                if str(file["id"]) in found or len(found) == MOST_FILES:
                    continue
                found[str(file["id"])] = AttachedFile(
                    name=file_name(file := lookup.completed(file)),
                    url=str(file.get("permalink") or f"https://slack.com/files/{file['id']}"),
                    download=partial(self._download, file),
                    media_type=_media_type(file),
                    asked=is_asked,
                )
        return tuple(found.values())

    def _download(self, file: Mapping[str, Any], most_bytes: int, seconds: float) -> bytes:
        """The content; raises ToolRefused. What a message says is checked once more where it fails."""
        client = waiting_once(self.client)
        if file.get("file_access") == CHECK:
            file = self.info(file, client)
        _require(file)
        download = self._get(file, most_bytes, seconds)
        if download.refused and not download.too_long:  # it may be gone since the message was read
            file = self.info(file, client)
            _require(file)
            download = self._get(file, most_bytes, seconds)
        if download.too_long:
            raise _refusal(AgentCode.ATTACHMENT_TOO_LARGE)
        if download.refused:
            fields = {"file": file.get("id"), "status": download.status, "host": download.host}
            log.warning("file_not_downloaded", extra={"fields": fields})
            down = download.status == 429 or download.status >= 500 or not download.status
            raise _refusal(AgentCode.FILE_DOWNLOAD_FAILED if down else AgentCode.FILE_ACCESS_DENIED)
        return download.content

    def info(self, file: Mapping[str, Any], client: WebClient) -> Mapping[str, Any]:
        """The file as Slack has it now; raises ToolRefused."""
        try:
            return dict(client.files_info(file=str(file["id"])).get("file") or {})
        except SLACK_FAILURES as error:
            raise _refusal(
                _ERRORS.get(post_error_from(error).code, AgentCode.FILE_DOWNLOAD_FAILED)
            ) from error

    def _get(self, file: Mapping[str, Any], most_bytes: int, seconds: float) -> Download:
        """Ask for the content; a redirect is followed only to a host that may have the token."""
        size = file.get("size")
        if isinstance(size, int) and size > most_bytes:
            return Download(too_long=True)
        url = str(file.get(_ADDRESS) or "")
        for _ in range(MOST_HOPS):
            if not self._may_have_token(url):
                return Download(status=403)
            try:
                download = get_bytes(self.client, url, most_bytes=most_bytes, seconds=seconds)
            except (SlackDown, PostError):
                return Download()
            if not download.location:
                return download._replace(status=403) if _is_sign_in(file, download) else download
            try:
                url = urljoin(url, download.location)
            except ValueError:
                return Download(status=403)
        return download

    def _may_have_token(self, url: str) -> bool:
        try:
            parts, api = urlsplit(url), urlsplit(self.client.base_url)
            is_api = (parts.scheme, parts.hostname, parts.port) == (api.scheme, api.hostname, api.port)
            is_slack = f"{parts.scheme}://{parts.hostname}" in FILE_HOSTS and parts.port in (None, 443)
        except ValueError:
            return False
        return (is_api or is_slack) and not parts.username


class _Lookup:
    """Completes the files of one question before it is asked.

    No answer waits for that: each call is tried once, and none is made after one that Slack did not answer.
    """

    def __init__(self, files: SharedFiles) -> None:
        self._files = files
        self._client = fenced(files.client, NoFence(), retries=False)
        self._is_slack_down = False

    def completed(self, file: Mapping[str, Any]) -> Mapping[str, Any]:
        """A file with its name and type, which decide how it is read; as it is if Slack does not tell them.

        Then its download asks once more, and fails with the reason.
        """
        from fetcher.agent import ToolRefused

        if file.get("file_access") != CHECK or self._is_slack_down:
            return file
        try:
            return {**file, **self._files.info(file, self._client)}
        except ToolRefused as error:
            self._is_slack_down = error.code is AgentCode.FILE_DOWNLOAD_FAILED
            return file


def _is_sign_in(file: Mapping[str, Any], download: Download) -> bool:
    """Whether a page came in place of the file: one to sign in, where the token is of no use."""
    if download.refused or download.content_type != "text/html":
        return False
    if file.get("mimetype") == CANVAS:
        return not download.content.lstrip().startswith(CANVAS_BEGINS)
    return file.get("mimetype") != "text/html"


def _media_type(file: Mapping[str, Any]) -> str:
    kind = str(file.get("mimetype") or "")
    return "text/html" if kind == CANVAS else kind


def _require(file: Mapping[str, Any]) -> None:
    """Raise ToolRefused if a file cannot be downloaded by what Slack says of it."""
    code = _MODES.get(str(file.get("mode") or "")) or _ACCESS.get(str(file.get("file_access") or ""))
    if code is None and file.get("is_external"):
        code = AgentCode.FILE_EXTERNAL
    if code is None and not file.get(_ADDRESS):
        code = AgentCode.FILE_ACCESS_DENIED
    if code is not None:
        raise _refusal(code)


def _refusal(code: AgentCode) -> Exception:
    from fetcher.agent import ToolRefused

    return ToolRefused(code, "The file cannot be downloaded from Slack")
