"""The sentences of the offline reader; a catalogue has them in its language."""

from collections.abc import Sequence
from typing import Protocol

from fetcher.agent.errors import ToolRefused
from fetcher.web.errors import FetchError


class OfflinePhrases(Protocol):
    def no_model(self) -> str:
        """One line: the answer quotes pages as they are, and no model was used."""

    def no_link(self) -> str:
        """The question has no link: what to send, kindly, with an example."""

    def nothing_read(self) -> str:
        """None of the pages could be read; the reasons stand below."""

    def failed(self, url: str, error: FetchError | ToolRefused) -> str:
        """This page could not be read, and why."""

    def out_of_time(self, url: str) -> str:
        """This page was not read before the time was up."""

    def too_many_links(self, left_out: int, most: int) -> str:
        """So many links were left out, since at most so many pages are read for a question."""

    def no_match(self) -> str:
        """No passage bears on the question; how the page begins follows."""

    def page_words(self) -> str:
        """One line above a passage that tells its reader what to do: these are the page's words."""

    def empty_page(self) -> str:
        """The page has no text."""

    def outline(self) -> str:
        """A label, with its colon, for the list of a page's headings that follows."""

    def table(self, number: int) -> str:
        """The name of a page's n-th table that has none."""

    def file_made(self, table: str, file_name: str, rows: int) -> str:
        """This table of so many rows is attached under this file name."""

    def other_tables(self, tables: Sequence[str]) -> str:
        """The page has these tables besides; name one to get it."""

    def no_table(self) -> str:
        """A file was asked for, but the pages have no table."""

    def not_selected(self, table: str) -> str:
        """Columns or rows of this table were asked for in words that are not understood: all is attached."""

    def format_not_made(self, formats: Sequence[str]) -> str:
        """Files of these formats were asked for and are not made."""

    def not_rewritten(self) -> str:
        """A translation, another form or a comparison takes a model: these are the page's own words."""

    def file_refused(self, table: str, error: ToolRefused) -> str:
        """No file was made of this table, and why (too large, type not allowed, too many files)."""

    def file_cut(self, file_name: str) -> str:
        """The table in this file may lack rows, since it or its page was too large."""
