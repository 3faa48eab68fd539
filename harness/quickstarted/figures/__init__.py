"""Figures over attempts that one may publish, and gates that are right."""
