"""Data that must survive a request, in DynamoDB or in an SQLite file. Read `contract.py` first."""
