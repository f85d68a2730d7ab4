"""The four tables in SQLite. A column named `expires_at` says from which second a row counts as gone."""

SCHEMAS = {
    "dedupe": (
        """
        CREATE TABLE dedupe (
            dedupe_key TEXT PRIMARY KEY,
            owner TEXT,
            state TEXT,
            attempt INTEGER,
            incoming TEXT,
            delivery TEXT,
            lease_until REAL,
            stopped INTEGER NOT NULL DEFAULT 0,
            stopped_by TEXT,
            linked TEXT,
            feedback TEXT,
            press TEXT,
            reason TEXT,
            given_at REAL,
            urls TEXT,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
        "CREATE INDEX working ON dedupe (lease_until) WHERE state = 'working'",
        "CREATE INDEX dedupe_expiry ON dedupe (expires_at)",
    ),
    "whitelist": (
        """
        CREATE TABLE whitelist (
            entity_type TEXT NOT NULL,
            entity_id TEXT NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (entity_type, entity_id)
        ) WITHOUT ROWID
        """,
    ),
    "rate_limit": (
        """
        CREATE TABLE rate_limit (
            meter TEXT PRIMARY KEY,
            empty_at INTEGER,
            used INTEGER,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
        "CREATE INDEX rate_limit_expiry ON rate_limit (expires_at)",
    ),
    "existence_check_cache": (
        """
        CREATE TABLE existence_check_cache (
            subject TEXT PRIMARY KEY,
            value TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
        "CREATE INDEX existence_check_cache_expiry ON existence_check_cache (expires_at)",
    ),
}

ADDED = (
    ("dedupe", "urls", "ALTER TABLE dedupe ADD COLUMN urls TEXT"),
    ("dedupe", "stopped_by", "ALTER TABLE dedupe ADD COLUMN stopped_by TEXT"),
    ("dedupe", "press", "ALTER TABLE dedupe ADD COLUMN press TEXT"),
    ("dedupe", "reason", "ALTER TABLE dedupe ADD COLUMN reason TEXT"),
)
"""Columns that files of earlier versions do not have: table, column and the statement that adds it."""

DUE = {
    "dedupe": """
        SELECT * FROM dedupe
        WHERE state = 'working' AND expires_at > :now AND lease_until <= :now
        ORDER BY lease_until LIMIT :limit
    """
}
"""What `Tables.due` reads."""
