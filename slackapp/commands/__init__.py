"""Commands for operators: the manifest, the store's tables, the whitelist. Each module is one command."""
