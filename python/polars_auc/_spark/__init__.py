"""The parts of :mod:`polars_auc.spark`."""
