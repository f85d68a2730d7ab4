"""What Slack sends, as what people want: payloads become `Incoming`. Read `registration.py` first."""
