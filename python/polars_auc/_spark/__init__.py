"""Modules of :mod:`polars_auc.spark`."""
