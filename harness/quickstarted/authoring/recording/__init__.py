"""
Recording a quickstart: a person goes through it once in a sandbox, and it is written down.

`terminal` is the way with a terminal, `lines` the one without; both give `Done`s. `selection` says
which of them are the quickstart, `remains` what they left behind, `suggestion` what a check could
ask of it.
"""
