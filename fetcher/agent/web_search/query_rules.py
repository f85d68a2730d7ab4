"""Which words may go to a search provider: a query leaves the company.

A page may tell the model to search for what people said in the thread. So a query is short, and holds no long
run of another person's words. It is compared twice: as it stands, with its signs and spaces, and by its
letters and digits alone. Width, case and the kind of kana make no difference, nor do accents among letters.
The comparison does not see through encodings, translations or words in another order: SECURITY.md says how
much can leave.
"""

from collections.abc import Iterable
from unicodedata import normalize

from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.fencing import plain_label, visible
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
    asked = [{form[at : at + RUN] for at in range(len(form) - RUN + 1)} for form in compared(query)]
    for text in others if any(asked) else ():
        pairs = zip(asked, compared(text), strict=True)
        if any(run in form for runs, form in pairs for run in runs):
            message = (
                f"The query repeats {RUN} or more characters of another person's message or file, and would "
                "leave the company. Search for a few words of the question instead"
            )
            raise ToolRefused(AgentCode.QUERY_QUOTES_OTHERS, message)


def compared(text: str) -> tuple[str, str]:
    """A text in one form: as one line, and its letters and digits alone."""
    line, letters = list[str](), list[str]()
    for at in range(0, len(text), PIECE):
        piece = normalize("NFKD", visible(text[at : at + PIECE]))
        piece = normalize("NFKD", piece.casefold()).translate(_HIRAGANA)
        line.append(normalize("NFC", piece))
        letters.append(normalize("NFC", "".join(filter(str.isalnum, piece))))  # accents are no letters
    return " ".join("".join(line).split()), "".join(letters)
