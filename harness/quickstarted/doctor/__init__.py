"""
What is wrong with a machine, and the command that mends it.

`facts` is what is known, gathered by `engine`, `machine`, `agents`, `tasks` and `sandboxes`, each
of which asks one part of the world; `rules/` turns facts into findings and asks nobody, so that a
machine which nobody has can be tested. `examination` puts both together.
"""
