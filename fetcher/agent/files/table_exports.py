"""Tables of pages as files, chosen by the words of a question (A5, A6)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy, Kind, table_file, workbook_file
from fetcher.agent.files.file_names import distinct_name, distinct_names
from fetcher.agent.files.table_selection import Selection, selected
from fetcher.agent.offline.findings import NumberedPage, section
from fetcher.agent.offline.intent import Intent
from fetcher.agent.offline.phrases import OfflinePhrases
from fetcher.agent.offline.table_wishes import is_part_wanted, wished
from fetcher.agent.tools.incomplete import may_lack_rows
from fetcher.agent.values import GeneratedFile
from fetcher.codes import AgentCode
from fetcher.web.reading.markdown import escape
from fetcher.web.search.ranking import rank
from fetcher.web.values import Table

_MOST_UNNAMED = 3
"""Tables of a page that are all exported when the question names none of them."""
_MOST_MENTIONED = 10
_NEARLY_BEST = 0.85
"""The share of the best score from which a table is as likely meant as the best one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTable:
    name: str
    table: Table
    may_lack_rows: bool = False

    @property
    def shown(self) -> str:
        """The name as Markdown; it is the page's text."""
        return escape.inline(self.name)

    @property
    def label(self) -> str:
        return f"# {self.name}\n{' '.join(self.table.header)}"

    @property
    def searchable(self) -> str:
        return "\n".join([self.label, *(" ".join(row) for row in self.table.rows)])


@dataclass(slots=True, kw_only=True)
class Exporter:
    """Makes the files of one answer."""

    intent: Intent
    policy: FilePolicy
    max_files: int
    phrases: OfflinePhrases
    files: list[GeneratedFile] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)

    def export(self, page: NumberedPage) -> str:
        """Make files of the page's tables that bear on the question; return what to tell the asker."""
        tables = named_tables(page, self.phrases)
        wanted = chosen(tables, self.intent)
        if not wanted:
            refusal = ToolRefused(AgentCode.NO_SUCH_TABLE, f"The page has {len(tables)} tables")
            self.undone.append(self.phrases.file_refused(self.phrases.table(self.intent.table), refusal))
        made = []
        for kind in self.intent.files:
            together = [wanted] if kind == "xlsx" else [[table] for table in wanted]
            made += [line for group in together if group for line in self._make(group, kind)]
        others = [table.shown for table in tables if table not in wanted][:_MOST_MENTIONED]
        mention = self.phrases.other_tables(others) if others else ""
        return section(page, "\n".join(made), mention)

    def _make(self, tables: Sequence[NamedTable], kind: Kind) -> list[str]:
        """Make one file of tables; return the lines that announce them, none where it was refused."""
        first, parts = tables[0], dict[str, Table]()
        try:
            for name, each in zip(distinct_names([table.name for table in tables]), tables, strict=True):
                selection = wished(self.intent.asked, each.table, each.name)
                if selection == Selection() and is_part_wanted(self.intent.asked):
                    self.undone.append(self.phrases.not_selected(each.shown))
                parts[name] = selected(each.table, selection)
            if len(parts) > 1:
                file = workbook_file(parts, first.name, self.policy)
            else:
                file = table_file(parts[first.name], kind=kind, name=first.name, policy=self.policy)
            if len(self.files) >= self.max_files:
                raise ToolRefused(AgentCode.FILE_LIMIT, f"At most {self.max_files} files can be made")
        except ToolRefused as refusal:
            self.undone.append(self.phrases.file_refused(first.shown, refusal))
            return []
        name = distinct_name(file.file_name, [other.file_name for other in self.files])
        self.files.append(replace(file, file_name=name))
        if any(table.may_lack_rows for table in tables):
            self.undone.append(self.phrases.file_cut(name))
        shown, sizes = escape.inline(name), [len(part.rows) for part in parts.values()]
        made = zip(tables, sizes, strict=True)
        return [f"- {self.phrases.file_made(each.shown, shown, rows)}" for each, rows in made]


def named_tables(page: NumberedPage, phrases: OfflinePhrases) -> list[NamedTable]:
    """The page's tables under their captions, else the headings above them, else numbers."""
    document = page.page.document
    headings = page.digest.table_headings
    if len(headings) != len(document.tables):  # a table inside a list or a table has no block
        headings = ("",) * len(document.tables)
    tables, cut = document.tables, page.page.cut
    return [
        NamedTable(
            name=" ".join(table.caption.split()) or heading or phrases.table(number),
            table=table,
            may_lack_rows=may_lack_rows(table, tables, page_cut=cut),
        )
        for number, (table, heading) in enumerate(zip(tables, headings, strict=True), start=1)
    ]


def chosen(tables: Sequence[NamedTable], intent: Intent) -> list[NamedTable]:
    """Those that the question names, by number, title or columns.

    If it names none: the one whose cells bear on it, else a few.
    """
    on_page = [table for table in tables if table.table.page == intent.page] if intent.page else []
    if intent.table:
        return list(tables[intent.table - 1 : intent.table])
    if intent.everything or on_page:
        return on_page or list(tables)
    found: list[int] = []
    for texts in ([f"# {table.name}" for table in tables], [table.label for table in tables]):
        found = found or rank(intent.topic, texts, most=_MOST_UNNAMED, floor=_NEARLY_BEST)
    found = found or rank(intent.topic, [table.searchable for table in tables], most=1)
    if not found and len(tables) > _MOST_UNNAMED:
        return [max(tables, key=lambda each: len(each.table.rows))]
    return [tables[at] for at in found] or list(tables)
