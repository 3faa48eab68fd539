"""Which attempts a call is to make."""
