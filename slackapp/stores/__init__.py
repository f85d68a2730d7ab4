"""Where the app keeps what must survive a request: DynamoDB, or SQLite in a file."""
