"""Tables: the rows of a group in bands of their scores."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from polars_auc._options import integer, listed, threshold
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["gains_table"]

_MOST_BANDS = 1_000_000


def gains_table(
    label: IntoExpr, score: IntoExpr, *, bands: int | None = None, edges: Sequence[float] | None = None
) -> pl.Expr:
    """Return the gains table: rows in bands of about equal size, with rates, gains, lift and KS.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    bands
        How many bands there are, from 1 to 1,000,000; 10 (deciles) unless told otherwise.
    edges
        The scores at which bands begin, ascending, instead of bands of equal size: a band holds
        ``edge <= score < next edge``, and the first and the last are open. Any numbers, compared with the
        scores in their own dtype and without rounding.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, the highest scores first:

        - ``band`` (UInt64): its number, 1 for the highest scores.
        - ``highest``, ``lowest`` (the score's dtype): the highest and the lowest score in the band.
        - ``n``, ``n_pos``, ``n_neg`` (UInt64): rows in the band, and those of either class.
        - ``rate`` (Float64): the share of positives in the band.
        - ``cum_n``, ``cum_pos``, ``cum_neg`` (UInt64): rows in this band and those above.
        - ``gain`` (Float64): ``cum_pos`` as a share of all positives: the tpr at ``lowest``.
        - ``cum_fpr`` (Float64): ``cum_neg`` as a share of all negatives: the fpr at ``lowest``.
        - ``lift`` (Float64): the band's rate, divided by that of all rows.
        - ``cum_lift`` (Float64): the same for this band and those above together.
        - ``ks`` (Float64): ``gain - cum_fpr``, with its sign.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    ValueError
        If ``bands`` is not an integer from 1 to 1,000,000, ``edges`` are not ascending numbers, or both are
        given.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    Siddiqi (2006, chapter 6). Rows that tie are never divided: a distinct score belongs to the band
    ``floor(rows that score higher * bands / all rows) + 1``. Without ties the bands differ by one row at
    most; with ties they may differ by more, and a band that no score falls into is left out. All numbers
    are quotients of exact integers, correctly rounded. The largest absolute ``ks`` of the table is at most
    that of :func:`polars_auc.ks_statistic`, which looks at every score. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 1, 0, 1, 0, 0], "points": [6, 5, 4, 3, 2, 1]})
    >>> table = loans.select(pa.gains_table("bad", "points", bands=3)).explode("points").unnest("points")
    >>> table.select("band", "highest", "lowest", "n_pos", "n_neg", "rate", "gain", "lift")
    shape: (3, 8)
    ┌──────┬─────────┬────────┬───────┬───────┬──────┬──────────┬──────┐
    │ band ┆ highest ┆ lowest ┆ n_pos ┆ n_neg ┆ rate ┆ gain     ┆ lift │
    │ ---  ┆ ---     ┆ ---    ┆ ---   ┆ ---   ┆ ---  ┆ ---      ┆ ---  │
    │ u64  ┆ i64     ┆ i64    ┆ u64   ┆ u64   ┆ f64  ┆ f64      ┆ f64  │
    ╞══════╪═════════╪════════╪═══════╪═══════╪══════╪══════════╪══════╡
    │ 1    ┆ 6       ┆ 5      ┆ 2     ┆ 0     ┆ 1.0  ┆ 0.666667 ┆ 2.0  │
    │ 2    ┆ 4       ┆ 3      ┆ 1     ┆ 1     ┆ 0.5  ┆ 1.0      ┆ 1.0  │
    │ 3    ┆ 2       ┆ 1      ┆ 0     ┆ 2     ┆ 0.0  ┆ 1.0      ┆ 0.0  │
    └──────┴─────────┴────────┴───────┴───────┴──────┴──────────┴──────┘
    """
    name = "gains_table"
    columns = {"score": score, "label": label}
    if edges is not None:
        if bands is not None:
            msg = f"{name}: give bands or edges, got bands={bands!r} and edges={edges!r}"
            raise ValueError(msg)
        numbers = listed(name, "edges", edges)
        kept = [threshold(name, "edges", number) for number in numbers]
        if any(low >= high for low, high in itertools.pairwise(numbers)):
            msg = f"{name}: edges must ascend, got {numbers!r}"
            raise ValueError(msg)
        return expression(name, columns, bands=1, edges=kept)
    number = 10 if bands is None else integer(name, "bands", bands, 1, _MOST_BANDS)
    return expression(name, columns, bands=number, edges=None)
