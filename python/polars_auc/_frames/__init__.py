"""The functions on frames."""
