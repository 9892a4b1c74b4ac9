"""Comparison of modalities over several readers of the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from polars_auc._frames.inputs import called, column_of, like, rows_of
from polars_auc._plugin.call import expression
from polars_auc._plugin.options import format_value
from polars_auc._plugin.warning import warn

if TYPE_CHECKING:
    from polars_auc._frames.inputs import ArrowStream, Frame
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment

_EXAMPLE = 'mrmc_roc_auc(frame, "label", "score", reader="reader", modality="modality", case="case")'


@called("mrmc_roc_auc")
def mrmc_roc_auc(
    frame: Frame | ArrowStream,
    label: IntoExpr,
    score: IntoExpr,
    *,
    reader: IntoExpr,
    modality: IntoExpr,
    case: IntoExpr,
    fixed: Literal["readers", "cases"] | None = None,
    adjust: Adjustment | None = "holm",
    level: float = 0.95,
) -> Frame:
    """Return the mean AUCs of modalities over several readers of the same cases, and their comparison.

    This is a multi-reader multi-case study (MRMC): every reader scores every case with every modality. For
    example, radiologists read the images of two devices, or doctors work with and without a model.

    Parameters
    ----------
    frame
        The readings, one row for each reader, modality and case: a DataFrame, a LazyFrame, or a table of
        another library with the Arrow PyCapsule interface.
    label
        Whether the case is positive: Boolean, or an integer or float column that contains only 0 and 1. It
        must be the same in all readings of a case.
    score
        Any numeric or Boolean column; higher means more positive.
    reader, modality, case
        The columns with the reader, the modality and the case of each reading; any dtype except lists.
    fixed
        The effects treated as fixed. ``None``: the results apply to other readers and other cases.
        ``"readers"``: to these readers and other cases. ``"cases"``: to these cases and other readers.
    adjust
        The adjustment of the p-values of the differences for the number of differences: see
        :func:`polars_auc.adjust_p_values`.
    level
        The confidence level, between 0 and 1.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        One row:

        - ``modalities`` (List of Struct): for each modality, in ascending order, ``modality``, the mean of
          the readers' AUCs ``auc``, ``se``, ``df``, ``lower``, ``upper`` (Float64), from the readings of this
          modality only.
        - ``differences`` (List of Struct): for each pair ``modality_a``, ``modality_b``, the ``difference``
          of their mean AUCs, ``se``, ``df``, ``lower``, ``upper``, ``t``, ``p_value``, ``p_adjusted``
          (Float64).
        - ``f``, ``df1``, ``df2``, ``p_value`` (Float64): the test that all modalities have the same mean AUC.
        - ``ms_modality``, ``ms_reader``, ``ms_interaction`` (Float64): the mean squares of the AUCs.
        - ``variance``, ``cov1``, ``cov2``, ``cov3`` (Float64): the mean variance of an AUC, and the
          mean covariances of two AUCs: of one reader and two modalities, of two readers and one modality, and
          of two readers and two modalities.
        - ``n_modalities``, ``n_readers``, ``n_pos``, ``n_neg`` (UInt64): the numbers used; ``n_pos`` and
          ``n_neg`` count cases.
        - ``n_skipped`` (UInt64): cases that were skipped because a reading is missing.

        The lists and numbers are null with no positive or no negative cases. Standard errors and tests are
        null with fewer than two cases of a class, and with fewer than two readers unless readers are fixed.
        Tests are also null with a single modality. Degrees of freedom are null for the normal and chi-square
        distributions. All results are NaN or null if a score is NaN. A case without a label, or without a
        score of any reader with any modality, is skipped. If no complete case exists, for example because
        each reader has different cases, a warning is issued.

    Notes
    -----
    The method of Obuchowski and Rockette (1995) is an analysis of variance of the AUCs of I modalities and J
    readers. Their errors are correlated because the cases are the same. The statistic is
    ``F = MS(T) / (MS(T R) + J max(Cov2 - Cov3, 0))`` with DeLong's covariances. Its degrees of freedom are
    ``(MS(T R) + J max(Cov2 - Cov3, 0))² / (MS(T R)² / ((I - 1) (J - 1)))`` (Hillis 2007). For fixed readers
    the denominator of F is ``Var - Cov1 + (J - 1) max(Cov2 - Cov3, 0)`` and the distribution is chi-square.
    For fixed cases the denominator is ``MS(T R)``. The results equal those of R's MRMCaov with
    ``cov = DeLong``. The readings are collected and pivoted. O(k n log n + k² n) for k = I J columns of n
    cases.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> readings = pl.DataFrame(
    ...     {
    ...         "case": [1, 2, 3, 4, 5, 6] * 4,
    ...         "ill": [1, 1, 1, 0, 0, 0] * 4,
    ...         "reader": (["Ann"] * 6 + ["Bob"] * 6) * 2,
    ...         "device": ["new"] * 12 + ["old"] * 12,
    ...         "rating": [5, 4, 4, 1, 2, 3, 4, 5, 3, 2, 2, 3, 5, 3, 2, 1, 2, 4, 3, 5, 2, 2, 3, 3],
    ...     }
    ... )
    >>> study = pa.mrmc_roc_auc(
    ...     readings, "ill", "rating", reader="reader", modality="device", case="case"
    ... )
    >>> study.explode("differences").unnest("differences", separator="_").select(
    ...     "differences_modality_a", pl.col("differences_difference", "differences_p_value").round(4)
    ... ).row(0)
    ('new', 0.3056, 0.012)
    """
    name = "mrmc_roc_auc"

    def study(readers: list[int], modalities: list[int]) -> pl.Expr:
        columns: dict[str, IntoExpr | None] = {f"score_{cell}": str(cell) for cell in range(len(readers))}
        return expression(
            name,
            {**columns, "label": "label"},
            readers=readers,
            modalities=modalities,
            fixed=fixed,
            adjust=adjust,
            level=level,
        )

    # Invalid options raise before the readings are collected.
    study([0], [0])
    rows = rows_of(name, frame)
    arguments = {"label": label, "score": score, "reader": reader, "modality": modality, "case": case}
    columns = {role: column_of(name, role, column, rows, _EXAMPLE) for role, column in arguments.items()}
    readings = rows.select(column.alias(role) for role, column in columns.items()).collect()
    for role in ("reader", "modality", "case"):
        if readings.schema[role].is_nested() or readings.schema[role] == pl.Object:
            msg = f"{name}: {role} has dtype {readings.schema[role]}, which cannot be grouped"
            raise pl.exceptions.InvalidOperationError(msg)
    readings = readings.drop_nulls(["reader", "modality", "case"])
    wide, cells = _pivoted(name, readings)
    answer = study(*((cells[role].rank("dense") - 1).to_list() for role in ("reader", "modality")))
    names = cells["modality"].unique().sort()
    complete = wide.drop_nulls()
    if complete.is_empty() and not wide.is_empty():
        warn(_no_complete_case(name, readings, cells.height))
    result = complete.select(answer.alias("study")).unnest("study")
    n_skipped = pl.lit(wide.height - complete.height, dtype=pl.UInt64)
    return like(frame, _with_names(result, names).with_columns(n_skipped=n_skipped).lazy())


def _no_complete_case(name: str, readings: pl.DataFrame, n_readings: int) -> str:
    """Return the message of the warning that all numbers are null."""
    complete = readings.drop_nulls()
    most: Any = complete.group_by("case").len()["len"].max() or 0
    message = (
        f"{name}: all numbers are null, because no case is complete: a complete case has a label and "
        f"{n_readings} readings (every reader with every modality), and no case has more than {most}"
    )
    readers = complete.group_by("case").agg(pl.col("reader").n_unique())["reader"].max()
    if readers == 1:
        return (
            f"{message}. Each case has one reader, and split-plot studies are not supported. Hint: compare "
            "the AUCs of each reader, or use a package for split-plot studies, such as iMRMC"
        )
    return f"{message}. Hint: exclude readers or modalities with few readings"


def _pivoted(name: str, readings: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return one row for each case, and the reader and modality of each numbered column."""
    cells = (
        readings.select("modality")
        .unique()
        .sort("modality")
        .join(readings.select("reader").unique().sort("reader"), how="cross")
    )
    if cells.height < 2:
        msg = (
            f"{name}: expected at least two readers or two modalities, got {cells.height} of each. "
            f"Hint: write {_EXAMPLE}"
        )
        raise ValueError(msg)
    parts = pl.collect_all(_part(readings, cells, number) for number in range(cells.height))
    cases = parts[0].select("case", "label")
    if cases["case"].is_unique().all() and all(part.select("case", "label").equals(cases) for part in parts):
        # If all readings are in the same order, as usual, no join is needed.
        wide = cases.with_columns(part.to_series(2) for part in parts)
    else:
        wide = _joined(name, readings, cells, parts)
    return wide.drop("case"), cells


def _part(readings: pl.DataFrame, cells: pl.DataFrame, number: int) -> pl.LazyFrame:
    """Return the readings of one reader with one modality."""
    conditions = (pl.col(role) == pl.lit(cells[role].slice(number, 1)).first() for role in cells.columns)
    return readings.lazy().filter(*conditions).select("case", "label", pl.col("score").alias(str(number)))


def _joined(
    name: str, readings: pl.DataFrame, cells: pl.DataFrame, parts: list[pl.DataFrame]
) -> pl.DataFrame:
    """Return all cases with their readings; missing readings are null."""
    labels = pl.col("label").drop_nulls()
    cases = readings.group_by("case").agg(labels.first(), several=labels.n_unique() > 1)
    if cases["several"].any():
        msg = (
            f"{name}: case {format_value(cases.filter('several')['case'].sort()[0])} has several labels, but "
            "the label must be the same in all readings of a case"
        )
        raise ValueError(msg)
    wide = cases.drop("several")
    for number, part in enumerate(parts):
        if part["case"].is_duplicated().any():
            duplicate = part.filter(pl.col("case").is_duplicated())["case"].sort()[0]
            modality, reader = (format_value(cells[role][number]) for role in ("modality", "reader"))
            msg = (
                f"{name}: case {format_value(duplicate)} has several readings by reader {reader} with "
                f"modality {modality}. Hint: keep one, or average them"
            )
            raise ValueError(msg)
        wide = wide.join(part.drop("label"), on="case", how="left")
    return wide


def _with_names(found: pl.DataFrame, names: pl.Series) -> pl.DataFrame:
    """Replace the numbers of modalities by their values."""

    def with_names(column: str, fields: tuple[str, ...]) -> pl.Expr:
        inner: Any = found.schema[column]
        others = [field.name for field in inner.inner.fields if field.name not in fields]
        element = pl.element().struct
        values = (pl.lit(names).gather(element.field(field)).alias(field) for field in fields)
        return pl.col(column).list.eval(pl.struct(*values, *(element.field(other) for other in others)))

    return found.with_columns(
        with_names("modalities", ("modality",)), with_names("differences", ("modality_a", "modality_b"))
    )
