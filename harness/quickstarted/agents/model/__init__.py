"""
Agents that are models: one loop, written once; a vendor's adapter only translates.

`vendor` is what an adapter must do, `loop` calls it, `toolset` carries out what a model asks for,
`calls` keeps a call within the attempt's limits, `patience` says when one is made again. For
adapters: `exchange` makes one call and reads its stream, `arguments` reads what a model wrote for a
tool, `answers` and `access` say what an answer means and what to do about it.
"""

from quickstarted.agents.model.loop import ModelAgent

__all__ = ["ModelAgent"]
