"""The playground's page in the browser and what it asks of the server. Read `page.py` first."""
