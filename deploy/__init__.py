"""What is built for AWS."""
