"""How surely things are told apart, where nobody says otherwise; the same for gate and `diff`."""

ALPHA = 0.05
"""At most so often a test finds what is not there."""
POWER = 0.8
"""So often what is called detectable is found."""
BETA = round(1 - POWER, 6)
MARGIN = 0.2
"""Tells 90% from 70% with 13 attempts on the average; half as much takes nearly four times that."""
LOW_MARGIN = 0.5
"""Of the rate, where `MARGIN` would reach down to a rate of nothing."""
