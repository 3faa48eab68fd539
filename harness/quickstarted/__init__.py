"""Can an agent that has only your docs reach the outcome they promise?"""

__version__ = "0.1.0"
