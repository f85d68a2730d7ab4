"""Which words may go to a search provider: a query leaves the company.

A page may tell the model to search for what people said in the thread. So a query is short, and holds no long
run of another person's words. The comparison sees letters and digits alone, whatever their width, case and
spacing, and hiragana for katakana. It does not see through encodings, translations or words in another order:
SECURITY.md says how much can leave.
"""

from collections.abc import Iterable
from unicodedata import normalize

from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.fencing import plain_label
from fetcher.codes import AgentCode

LONGEST_QUERY = 100
RUN = 24
"""Characters in a row of another person's text that a query may not have."""
PIECE = 65_536
"""Characters that are compared at a time: other threads run between two pieces."""
_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}


def cleaned(query: str) -> str:
    """The query as it would be sent: one line, without invisible characters; raises ToolRefused."""
    line = plain_label(query, longest=2 * LONGEST_QUERY)
    if not line or max(len(line), len(normalize("NFKC", line))) > LONGEST_QUERY:
        message = f"A query has 1 to {LONGEST_QUERY} characters: search for a few words"
        raise ToolRefused(AgentCode.QUERY_TOO_LONG, message)
    return line


def require_own_words(query: str, others: Iterable[str]) -> None:
    """Raise ToolRefused if the query repeats a run of what other people wrote."""
    asked = compared(query)
    runs = {asked[at : at + RUN] for at in range(len(asked) - RUN + 1)}
    for text in others if runs else ():
        folded = compared(text)
        if any(run in folded for run in runs):
            message = (
                f"The query repeats {RUN} or more characters of another person's message or file, and would "
                "leave the company. Search for a few words of the question instead"
            )
            raise ToolRefused(AgentCode.QUERY_QUOTES_OTHERS, message)


def compared(text: str) -> str:
    """The letters and digits of a text in one form."""
    pieces = (text[at : at + PIECE] for at in range(0, len(text), PIECE))
    folded = (normalize("NFKC", normalize("NFKC", piece).casefold()).translate(_HIRAGANA) for piece in pieces)
    return "".join("".join(filter(str.isalnum, piece)) for piece in folded)
