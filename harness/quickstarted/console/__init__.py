"""Readers that show: progress while a run goes on, the story afterwards, reports as Markdown."""
