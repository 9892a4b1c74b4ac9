"""The definition of every statistic, in plain Python: all pairs of rows, exact fractions, no speed."""
