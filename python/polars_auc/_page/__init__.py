"""A report as text and as a page."""
