"""Commands on this machine, in a folder: nothing is enforced; for task authors and tests."""
