"""Commands in a sandbox: each one exec, with state carried over, ended exactly when they end."""
