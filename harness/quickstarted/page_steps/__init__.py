"""
What a reader would do with the code of a page: commands to run, files to write, blocks to pass by.

Nothing here runs anything. `steps_of` is the whole of it: from the blocks of a page to steps, with
the reason for each block and command that is left out.
"""

from quickstarted.page_steps.model import Command, Skipped, Step, WriteFile
from quickstarted.page_steps.reading import commands_in, steps_of

__all__ = ["Command", "Skipped", "Step", "WriteFile", "commands_in", "steps_of"]
