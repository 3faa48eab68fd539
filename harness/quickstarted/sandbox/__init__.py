"""Where commands run: the protocol, and the backends that keep it."""
