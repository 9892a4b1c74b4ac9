"""Stability: whether the scores of one sample are spread as those of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from polars_auc._gains import banding
from polars_auc._options import number, told
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["population_stability"]


def population_stability(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    empty_share: float = 0.0,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the population stability index: how far the scores of a sample have moved from a reference.

    Parameters
    ----------
    label
        Which sample a row belongs to: Boolean, or an integer or float column that holds only 0 and 1. True or
        1 is the reference, such as the rows that a model was built on; false or 0 is the sample that is held
        against it, such as this month's rows.
    score
        Any numeric or Boolean column.
    bands
        The number of bands of scores, from 1 to 1,000,000; 10 by default. Each holds about the same number of
        rows of the reference.
    edges
        The scores at which bands begin, ascending, instead: as in :func:`polars_auc.gains_table`.
    empty_share
        The share, from 0 to less than 1, that is taken for a band without rows of a sample. With 0 the index
        is infinite if a band has rows of one sample only. Some packages take 0.0001.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged, and the answer is that of all their rows; of a state with ``max_bins``, that of rows of which
        those in one bin have one score.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``psi`` (Float64): the index, 0 or above; infinite as said at ``empty_share``. Null without a row of
          the reference or without another row.
        - ``p_value`` (Float64): the probability of such an index or a larger one if both samples come from
          one population, asymptotically. Null with a single band, and where the index is infinite: a small
          sample may have no row in a band by chance.
        - ``n_bands`` (UInt64): the bands that have rows.
        - ``n_pos``, ``n_neg`` (UInt64): rows of the reference, and the other rows.

        NaN if a score is NaN. Rows with a null label or score are skipped.

    Raises
    ------
    ValueError
        If ``bands`` is not an integer from 1 to 1,000,000, ``edges`` are not ascending numbers, both are
        given, or ``empty_share`` is out of range.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    ``sum (e - a) ln(e / a)`` over the bands, with the shares e of the reference and a of the other sample
    (Siddiqi 2006, chapter 10; the divergence of Jeffreys 1946). By a rule of thumb 0.1 is worth a look and
    0.25 is a shift; but the index also grows as samples shrink. The p-value takes account of this: the index
    over ``1 / n_pos + 1 / n_neg`` follows a chi-square distribution with ``n_bands - 1`` degrees of freedom
    (Yurdakul and Naranjo 2020). Tied rows are always in the same band: a score of the reference belongs to
    the band ``floor(reference rows that score higher * bands / n_pos) + 1``, and any other score to the band
    of the reference's next higher score, or to the first. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"built": [1, 1, 1, 1, 0, 0, 0, 0], "score": [4, 3, 2, 1, 3, 1, 1, 1]})
    >>> rows.select(pa.population_stability("built", "score", bands=2)).unnest("score")
    shape: (1, 5)
    ┌──────────┬──────────┬─────────┬───────┬───────┐
    │ psi      ┆ p_value  ┆ n_bands ┆ n_pos ┆ n_neg │
    │ ---      ┆ ---      ┆ ---     ┆ ---   ┆ ---   │
    │ f64      ┆ f64      ┆ u64     ┆ u64   ┆ u64   │
    ╞══════════╪══════════╪═════════╪═══════╪═══════╡
    │ 0.274653 ┆ 0.458601 ┆ 2       ┆ 4     ┆ 4     │
    └──────────┴──────────┴─────────┴───────┴───────┘
    """
    name = "population_stability"
    columns = {"score": score, "label": label, "count": count, "state": state}
    if not 0 <= number(empty_share) < 1:
        msg = f"{name}: empty_share must be a share below 1, such as 0.0001, got {told(empty_share)}"
        raise ValueError(msg)
    return expression(name, columns, **banding(name, bands, edges), empty_share=float(empty_share))
