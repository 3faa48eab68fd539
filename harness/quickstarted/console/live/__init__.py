"""What a call with many attempts shows while it goes on: a table, labelled lines, JSON lines."""
