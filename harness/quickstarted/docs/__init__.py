"""The documentation client: the agent's only way to read remote pages."""
