"""Rules: pure functions from what is known to findings; one file for each group."""
