"""The Web API's methods, grouped as in Slack's documentation. Read `all_methods.py` first."""
