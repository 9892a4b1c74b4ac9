"""The interface to Polars: option checks and plugin calls."""
