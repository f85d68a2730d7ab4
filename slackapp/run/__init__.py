"""How the app is put together and reached: Socket Mode, HTTP, Lambda's events. Read `wiring.py` first."""
