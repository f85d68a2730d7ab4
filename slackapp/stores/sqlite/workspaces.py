"""The rows of one workspace in SQLite: those with its id between the colons of their key."""

from slackapp.stores.sqlite.database import Tables

DELETIONS = (
    "DELETE FROM dedupe WHERE instr(':' || dedupe_key || ':', ':' || :team || ':') > 0",
    "DELETE FROM rate_limit WHERE instr(':' || meter || ':', ':' || :team || ':') > 0",
    "DELETE FROM existence_check_cache WHERE instr(':' || subject || ':', ':' || :team || ':') > 0",
)


class SQLiteWorkspaces(Tables):
    """Implements `Workspaces`."""

    def delete_workspace(self, team: str) -> int:
        with self._database.transaction() as execute:
            deleted = sum(execute(statement, team=team).rowcount for statement in DELETIONS)
        self._database.truncate_log()
        return deleted
