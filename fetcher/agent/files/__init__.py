"""Files that go with an answer: Excel, CSV, JSON and text that people can open safely."""
