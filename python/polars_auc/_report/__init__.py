"""The table of a report."""
