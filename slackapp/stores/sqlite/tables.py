# ruff: noqa: S608 - the names of tables and columns are our own
"""The contract of rows in SQLite. A write is one transaction, which reads the row and replaces it.

SQLite carries no write out again by itself, so no write has to be recognised.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from slackapp.stores.sqlite.database import Database, Execute, present
from slackapp.stores.sqlite.schema import DUE
from slackapp.stores.tables import COUNTERS, KEYS, NAMELESS, NOTHING, Changes, Outcome, Row, Value, Values

FIND = "SELECT {table}.*, {when} AS holds FROM (SELECT 1) LEFT JOIN {table} ON {key} = :{key}"
"""One row, also if it does not exist: then all of its columns are NULL."""
TALLY = """
    SELECT substr(meter, length(:name) + 2) AS item, used FROM rate_limit
    WHERE meter > :name || ':' AND meter < :name || ';' AND instr(item, ':') = 0 AND expires_at > :now
"""


class SQLiteTables:
    """Implements `slackapp.stores.tables.Tables`."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.add_function("contains", lambda texts, text: _packed(text) in (texts or ""))

    def get(self, table: str, keys: Collection[str]) -> Mapping[str, Row]:
        names = {f"key{number}": key for number, key in enumerate(keys)}
        wanted = ", ".join(f":{name}" for name in names)
        rows = self.database.rows(f"SELECT * FROM {table} WHERE {KEYS[table]} IN ({wanted})", **names)
        return {row[KEYS[table]]: row for row in rows}

    def rows(self, table: str, *, key_contains: str = "") -> Sequence[Row]:
        where = f"WHERE instr({KEYS[table]}, :text)" if key_contains else ""
        return self.database.rows(f"SELECT * FROM {table} {where}", text=key_contains)

    def due(self, table: str, *, now: float, limit: int) -> Sequence[Row]:
        self.database.purge_in_time(now)  # the sweeper comes regularly, also where nobody asks
        return self.database.rows(DUE[table], now=now, limit=limit)

    def put(
        self, table: str, row: Values, *, when: str = "", values: Values = NOTHING, also: Values | None = None
    ) -> Outcome:
        with self.database.transaction() as execute:
            if when:
                holds, found = _find(execute, table, str(row[KEYS[table]]), when, values)
                if not holds:
                    return Outcome(False, found)
            _replace(execute, table, row)
            if also:
                _replace(execute, table, also)
        return Outcome(True, row)

    def update(
        self,
        table: str,
        key: str,
        changes: Changes,
        *,
        add: Values = NOTHING,
        when: str = "",
        values: Values = NOTHING,
        revision: int | None = None,
        once: bool = False,
    ) -> Outcome:
        given: Changes = {**changes} | {name: _text_or_number(value) for name, value in add.items()}
        sets = [f"{name} = :new_{name}" for name in changes] + [_addition(*each) for each in add.items()]
        statement = f"UPDATE {table} SET {', '.join(sets)} WHERE {KEYS[table]} = :key AND ({_sql(when)})"
        parameters = {f"new_{name}": value for name, value in given.items()}
        with self.database.transaction() as execute:  # one statement in the usual case, for others wait
            rows = execute(f"{statement} RETURNING *", key=key, **parameters, **values).fetchall()
            if rows:
                return Outcome(True, present(dict(rows[0])))
            holds, found = _find(execute, table, key, when, values)
            if not holds:
                return Outcome(False, found)
            row = present({KEYS[table]: key, **given})
            _replace(execute, table, row)
        return Outcome(True, row)

    def write_all(self, table: str, *, puts: Sequence[Values] = (), deletes: Sequence[Values] = ()) -> None:
        with self.database.transaction() as execute:
            for row in puts:
                _replace(execute, table, row)
            for key in deletes:
                _delete(execute, table, key)
        if deletes:
            self.database.truncate_log()

    def delete(self, table: str, key: Values) -> bool:
        with self.database.transaction() as execute:
            return _delete(execute, table, key)

    def add_tally(self, name: str, amounts: Mapping[str, int], *, expires_at: int) -> None:
        """Each amount is a row of its own."""
        for item, amount in amounts.items():
            self.update(COUNTERS, f"{name}:{item}", {"expires_at": expires_at}, add={"used": amount})

    def tally(self, name: str, *, now: float) -> Mapping[str, int]:
        return {row["item"]: row["used"] for row in self.database.rows(TALLY, name=name, now=now)}

    def create_tables(self) -> tuple[str, ...]:
        return self.database.create_tables()

    def close(self) -> None:
        self.database.close()


def _find(execute: Execute, table: str, key: str, when: str, values: Values) -> tuple[bool, Row]:
    """Whether a condition holds for a row, and the row."""
    sql = FIND.format(table=table, key=KEYS[table], when=f"({_sql(when)})")
    row = dict(execute(sql, **{KEYS[table]: key}, **values).fetchone())
    return bool(row.pop("holds")), present(row)


def _sql(when: str) -> str:
    """A condition as SQL."""
    return re.sub(r"attribute_not_exists\((.*?)\)", r"\1 IS NULL", when or "1").replace("#", "")


def _addition(name: str, value: Value) -> str:
    operator, nothing = ("||", "''") if isinstance(value, frozenset) else ("+", "0")
    return f"{name} = coalesce({name}, {nothing}) {operator} :new_{name}"


def _text_or_number(value: Value) -> Value:
    return _packed(*value) if isinstance(value, frozenset) else value


def _replace(execute: Execute, table: str, row: Values) -> None:
    columns, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    execute(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({values})", **row)


def _delete(execute: Execute, table: str, key: Values) -> bool:
    where = " AND ".join(f"{name} = :{name}" for name in key)
    return bool(execute(f"DELETE FROM {table} WHERE {where}", **key).rowcount)


def _packed(*texts: str) -> str:
    """Members of a set, in one text."""
    return "".join(f"<{'' if text == NAMELESS else text}>" for text in texts)
