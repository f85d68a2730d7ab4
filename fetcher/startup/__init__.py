"""What every command does before its own work: variables, secrets, and errors as sentences."""
