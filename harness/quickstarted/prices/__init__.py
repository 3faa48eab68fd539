"""
What calls of models cost: price tables, and what counts money while attempts run.

A price is looked up by the name that the vendor reported and for each call alone, since some prices
depend on how much one call holds. What has no price has no cost: never 0.
"""

from quickstarted.prices.choosing import PriceFlags, price_table
from quickstarted.prices.costing import Costing, no_price
from quickstarted.prices.meter import AttemptSpending, Meter, SpendMeter, spending_of
from quickstarted.prices.table import Price, PriceTable, Rates, has_price, price_record

__all__ = [
    "AttemptSpending",
    "Costing",
    "Meter",
    "Price",
    "PriceFlags",
    "PriceTable",
    "Rates",
    "SpendMeter",
    "has_price",
    "no_price",
    "price_record",
    "price_table",
    "spending_of",
]
