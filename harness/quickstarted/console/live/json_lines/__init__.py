"""`run --json`: one JSON object a line on standard output, for programs."""
