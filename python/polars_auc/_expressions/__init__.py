"""The expressions, one module for each family."""
