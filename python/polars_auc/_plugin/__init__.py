"""The edge to Polars: checks of options, and the call of the plugin."""
