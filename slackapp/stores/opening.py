"""Opens the store that the settings name."""

import os
from collections.abc import Mapping

from fetcher.settings import ConfigurationError
from slackapp.settings import SlackSettings
from slackapp.stores.store import Store

ON_LAMBDA = "AWS_LAMBDA_FUNCTION_NAME"


def open_store(settings: SlackSettings, environ: Mapping[str, str] = os.environ) -> Store:
    """Open the store. SQLite creates its tables here; a command creates those of DynamoDB."""
    if settings.store_kind != "sqlite":
        from slackapp.stores.dynamodb import DynamoDBStore, connect

        return DynamoDBStore(connect(settings), settings.table_name)
    if environ.get(ON_LAMBDA):
        # Each instance would have its own file, and answer again what another has answered (S3).
        raise ConfigurationError(
            "Configuration error: store: SQLite cannot be shared on Lambda; "
            "set STORE=dynamodb, or the names of its tables"
        )
    from slackapp.stores.sqlite import SQLiteStore

    store = SQLiteStore(settings.sqlite_file)
    store.create_tables()
    return store
