"""Files: their uploads, their contents, and the messages that share them."""

import copy
import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from fetcher.clock import Clock
from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json


@dataclass(slots=True, kw_only=True)
class StoredFile:
    """A file and its present state."""

    id: str
    name: str
    length: int
    user: str
    created: int
    title: str = ""
    content: bytes | None = None
    """None before the upload, and after newer files have taken its room."""
    completed: bool = False
    deleted: bool = False
    shares: dict[str, dict[str, list[Json]]] = field(default_factory=dict)
    """The messages that show it: by `public` or `private`, then by channel."""

    @property
    def mimetype(self) -> str:
        return mimetypes.guess_type(self.name)[0] or "text/plain"


@dataclass(slots=True)
class Files:
    """Every file; the oldest contents are dropped when all contents together are too big."""

    clock: Clock
    max_bytes: int
    _bytes: int = field(default=0, init=False)
    _files: dict[str, StoredFile] = field(default_factory=dict, init=False)

    def create(self, name: str, length: int, user: str) -> StoredFile:
        """Registers a file without content, the first of the three steps of an upload."""
        file = StoredFile(
            id=f"F{len(self._files) + 1:08d}",
            name=name,
            title=name,
            length=length,
            user=user,
            created=int(self.clock.now().timestamp()),
        )
        self._files[file.id] = file
        return file

    def store_content(self, file: StoredFile, content: bytes) -> None:
        """The second step of an upload."""
        self._bytes += len(content) - len(file.content or b"")
        file.content = content
        for old in self._files.values():
            if self._bytes <= self.max_bytes or old is file:
                break
            self._bytes -= len(old.content or b"")
            old.content = None

    def add(self, name: str, content: bytes, user: str) -> StoredFile:
        """All steps of an upload at once, as by a person."""
        file = self.create(name, len(content), user)
        self.store_content(file, content)
        file.completed = True
        return file

    def find(self, file_id: str) -> StoredFile | None:
        file = self._files.get(file_id)
        return None if file is None or file.deleted else file

    def get(self, file_id: str) -> StoredFile:
        file = self.find(file_id)
        if file is None:
            raise ApiRefused("file_deleted" if file_id in self._files else "file_not_found")
        return file

    def all(self) -> tuple[StoredFile, ...]:
        return tuple(file for file in self._files.values() if not file.deleted)

    def delete(self, file: StoredFile) -> None:
        self._bytes -= len(file.content or b"")
        file.content = None
        file.deleted = True


def shown(file: StoredFile, base_url: str) -> Json:
    """A file as Slack describes it (docs.slack.dev/reference/objects/file-object)."""
    suffix = file.name.rpartition(".")[2].lower() if "." in file.name else "text"
    address, name = f"{base_url}files-pri/T0LOCAL-{file.id}/", quote(file.name.lower(), safe="")
    return {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title,
        "mimetype": file.mimetype,
        "filetype": suffix,
        "pretty_type": suffix.upper(),
        "user": file.user,
        "size": file.length,
        "mode": "hosted",
        "is_external": False,
        "is_public": "public" in file.shares,
        "url_private": address + name,
        "url_private_download": f"{address}download/{name}",
        "permalink": f"{base_url}files/{file.user}/{file.id}/{name}",
        "channels": list(file.shares.get("public", ())),
        "groups": [channel for channel in file.shares.get("private", ()) if channel[0] != "D"],
        "ims": [channel for channel in file.shares.get("private", ()) if channel[0] == "D"],
        "shares": copy.deepcopy(file.shares),
    }


def add_shares(
    found: Sequence[StoredFile], channel: str, kind: str, share: Json, base_url: str
) -> list[Json]:
    """Adds a message to the shares of files, and returns the files as the message shows them."""
    for file in found:
        shares = file.shares.setdefault("public" if kind == "channel" else "private", {})
        shares.setdefault(channel, []).append(dict(share))
    return [shown(file, base_url) for file in found]
