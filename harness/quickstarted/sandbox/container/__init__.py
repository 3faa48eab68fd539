"""A sandbox's container: made, hardened, started, kept, removed."""
