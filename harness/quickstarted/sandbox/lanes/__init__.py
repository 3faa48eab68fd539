"""A closed network for each attempt, the sidecar on it, and how programs come to trust it."""
