"""Files that go with an answer: CSV, JSON and text that people can open safely."""
