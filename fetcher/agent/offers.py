"""What an asker may want next, by what the pages of an answer have."""

import re
from collections.abc import Collection, Mapping

from fetcher.agent.values import Answer, Offer
from fetcher.web.values import Document

MOST_OFFERS = 3
LONG_ANSWER = 300
"""Characters; a longer answer can be made shorter."""
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_KANA = re.compile("[ぁ-ヿ]")


def offers(answer: Answer, documents: Mapping[str, Document], private: Collection[str]) -> tuple[Offer, ...]:
    """Offers about the public pages that an answer cites; `private` are the files of people.

    The offline reader can make files, and can neither shorten nor translate.
    """
    urls = dict.fromkeys(source.url.partition("#")[0] for source in answer.sources)
    public = [url for url in urls if url in documents and url not in private]
    if not public or not answer.answered:
        return ()
    found = []
    with_tables = [url for url in public if documents[url].tables]
    if with_tables and not any(file.mime_type == EXCEL for file in answer.files):
        found.append(Offer(kind="excel", url=with_tables[0]))
    if not answer.offline:
        if len(answer.text) > LONG_ANSWER:
            found.append(Offer(kind="shorter", url=public[0]))
        is_japanese = 10 * len(_KANA.findall(answer.text)) > len(answer.text)  # more than a quoted word
        kind = "english" if is_japanese else "japanese"
        found.append(Offer(kind=kind, url=public[0]))
    return tuple(found[:MOST_OFFERS])
