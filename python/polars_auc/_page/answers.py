"""The summary of a report: the paragraph at the top of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from polars_auc._page.about import areas_below_one_half, unfinished_periods, untested
from polars_auc._page.text import counted
from polars_auc._plots.forest import FEW_ROWS, group_name, has_few_rows
from polars_auc._plots.names import score_text, visible
from polars_auc._plots.numbers import after_adjustment, cell
from polars_auc._report.options import ReportOptions

# Largest number of names in a list.
_MAX_NAMES = 4

# Rule of thumb for a shift, and the group size for which it is valid.
_SHIFT, _ROWS = 0.25, 200

_WHOM = {
    "rest": "the rest",
    "pooled_rest": "the rows of the rest",
    "overall": "all rows",
    "previous": "the one before",
}

_COMPARED = (
    "psi",
    "p_adjusted",
    "calibration_p_adjusted",
    "delta_auc_p_adjusted",
    "change_p_adjusted",
    "alarm_p_adjusted",
    "calibration_alarm_p_adjusted",
)

# Reserved names: no user column has them.
_GROUP, _FEW, _EXCESS = "polars_auc: group", "polars_auc: few", "polars_auc: excess"


def answers(
    table: pl.DataFrame, level: float, *, versus: object = None, checks: Sequence[tuple[bool, str]] = ()
) -> list[tuple[bool, str]]:
    """Return the summary of a report as sentences, each with whether it needs attention."""
    if table.is_empty():
        return []
    keys = table.columns[1 : table.columns.index("score")]
    name = group_name(keys, table.schema) if keys else pl.lit(None, dtype=pl.String)
    labelled = table.with_columns(
        score_text(),
        # NaN sorts above every number.
        *(pl.col(column).fill_nan(None) for column in _COMPARED if column in table.columns),
        pl.when(pl.col("scope") == "group").then(name).alias(_GROUP),
        has_few_rows(table.schema).alias(_FEW),
    )
    overall, groups = (labelled.filter(pl.col("scope") == scope) for scope in ("overall", "group"))
    first = str(labelled["score"][0])
    whom = _WHOM.get(versus, versus) if isinstance(versus, str) else "what they are compared with"
    sentences = [*answers_of_all_groups(table, level), *_areas(overall), *_calibration(overall, level)]
    others = pl.col("score") != first
    has_several = table["score"].n_unique() > 1
    deltas = ("delta_auc", "delta_auc_p_adjusted")
    if "observed_expected" in groups.columns:
        groups = groups.with_columns((pl.col("observed_expected") - 1).alias(_EXCESS))
    observed = "Observed over expected positives not 1"
    for rows, what, (effect, p_value), noun in (
        (groups, observed, (_EXCESS, "calibration_p_adjusted"), "test" if has_several else "group"),
        (groups, f"Different from {whom}", ("difference", "p_adjusted"), "test" if has_several else "group"),
        (overall.filter(others), f"Different from {first}", deltas, "score"),
        (groups.filter(others), f"Different from {first} in groups", deltas, "test"),
        (labelled, "Changed since the earlier report", ("change", "change_p_adjusted"), "AUC"),
        (labelled, "Fallen since an earlier period", ("alarm_change", "alarm_p_adjusted"), "AUC"),
        (
            *(labelled, "Observed minus expected positives of the periods not 0"),
            *(("calibration_alarm_mean", "calibration_alarm_p_adjusted"), "test"),
        ),
    ):
        if p_value in table.columns:
            adjusted = after_adjustment(table, p_value)
            sentences += _found(
                rows, what, effect, p_value, noun, level, adjusted=adjusted, has_several=has_several
            )
    sentences += [(True, f"{line[0].upper()}{line[1:]}") for line in untested(table)]
    if "psi" in table.columns:
        sentences += _moved(overall, groups)
    failed = [text.splitlines()[0] for passed, text in checks if not passed]
    if checks:
        sentences.append(
            (bool(failed), f"Checks that failed: {len(failed) or 'none'} of {len(checks)}{_list(failed)}")
        )
    return sentences


def findings(
    table: pl.DataFrame,
    options: ReportOptions,
    checks: Sequence[tuple[bool, str]] = (),
    nan_lines: Sequence[str] = (),
    without: Sequence[str] = (),
) -> list[tuple[bool, str]]:
    """Return the sentences at the head of a report, each with whether it needs attention."""
    return [
        *answers_of_nan(nan_lines, without),
        *((True, line) for line in areas_below_one_half(options, table, visible)),
        *answers(table, options.level, versus=options.versus, checks=checks),
        *((False, line) for line in unfinished_periods(options, table)),
    ]


def answers_of_all_groups(table: pl.DataFrame, level: float) -> list[tuple[bool, str]]:
    """Return the test of equal AUCs over all groups, and the mean AUC within groups."""
    if "within_auc" not in table.columns:
        return []
    overall = table.filter(pl.col("scope") == "overall").with_columns(
        score_text(), pl.col("within_auc", "heterogeneity_p_value").fill_nan(None)
    )
    has_several = overall.height > 1

    def parts(column: str) -> list[str]:
        defined = overall.select("score", column).drop_nulls(column)
        texts = ((score, cell(column, value)) for score, value in defined.rows())
        return [f"{score} {text}" if has_several else text for score, text in texts]

    found: list[tuple[bool, str]] = []
    if tests := parts("heterogeneity_p_value"):
        differs = (overall["heterogeneity_p_value"] <= 1 - level).any()
        found.append((bool(differs), f"Test that all groups have the same AUC, p-value{_list(tests, ', ')}"))
    if means := parts("within_auc"):
        found.append(
            (
                False,
                f"Mean AUC within groups{_list(means, ', ')}; the AUC of all rows also ranks rows of "
                "different groups against each other, so it can be higher or lower than that of every group",
            )
        )
    return found


def answers_of_nan(nan_lines: Sequence[str], without: Sequence[str]) -> list[tuple[bool, str]]:
    """Return the scores that are NaN with a hint, and the scores without curves and tables on the page."""
    sentences = []
    if nan_lines:
        *where, hint = nan_lines
        sentences = [where[0][0].upper() + "; ".join(where)[1:], hint]
    if without:
        names = pl.Series(list(without)).to_frame("score").select(score_text())["score"].to_list()
        sentences.append(
            f"No curve, distribution, gains and thresholds of all rows, because of NaN{_list(names, ', ')}"
        )
    return [(True, text) for text in sentences]


def few_rows(table: pl.DataFrame, ci: str) -> str | None:
    """Return the meaning of the mark for groups of few rows, if any exist."""
    number = table.filter(pl.col("scope") == "group", has_few_rows(table.schema)).height
    if not number:
        return None
    meaning = (
        "DeLong's intervals are too short, and p-values too small" if ci == "delong" else "wide intervals"
    )
    return (
        f"fewer than {FEW_ROWS} positives or negatives, in {counted(number, 'row')} of the table: {meaning}"
    )


def _areas(overall: pl.DataFrame) -> Iterator[tuple[bool, str]]:
    parts = [
        f"{score} {cell('auc', auc)}"
        + ("" if lower is None or lower != lower else f" ({cell('', lower)} to {cell('', upper)})")
        for score, auc, lower, upper in overall.select("score", "auc", "lower", "upper").rows()
    ]
    yield False, f"AUC of all rows{_list(parts, ', ')}"


def _calibration(overall: pl.DataFrame, level: float) -> Iterator[tuple[bool, str]]:
    """Return the ratio of observed to expected positives of each score."""
    if "observed_expected" not in overall.columns:
        return
    defined = overall.filter(pl.col("observed_expected").is_not_null())
    parts = []
    for score, ratio, p in defined.select("score", "observed_expected", "calibration_p_adjusted").rows():
        p_text = "" if p is None else f" (p {cell('p_value', p)})".replace("p <", "p < ")
        parts.append(f"{score} {prevalence_error(ratio)}{p_text}")
    if parts:
        is_off = defined.filter(pl.col("calibration_p_adjusted") <= 1 - level).height > 0
        yield is_off, f"Calibration of all rows{_list(parts)}"


def prevalence_error(ratio: float | None) -> str:
    """Describe the ratio of observed to expected positives; empty if it is undefined."""
    if ratio is None or ratio != ratio:
        return ""
    percent = f"{100 * abs(ratio - 1):.3g} %"
    return f"positives {percent} {'more' if ratio >= 1 else 'less'} frequent than predicted"


def _found(
    rows: pl.DataFrame,
    what: str,
    effect: str,
    p_value: str,
    noun: str,
    level: float,
    *,
    adjusted: str,
    has_several: bool,
) -> Iterator[tuple[bool, str]]:
    """Return the rows that differ and their effects, in descending order of the effect."""
    tested = rows.filter(pl.col(p_value).is_not_null())
    if tested.is_empty():
        return
    found = tested.filter(pl.col(p_value) <= 1 - level).sort(
        pl.col(effect).abs(), descending=True, maintain_order=True
    )
    parts = [
        _difference(row, effect, p_value, has_several=has_several) for row in found.iter_rows(named=True)
    ]
    of = f"{found.height or 'none'} of {counted(tested.height, noun)}"
    yield bool(parts), f"{what}{adjusted}: {of}{_list(parts)}"


def _difference(row: dict[str, Any], effect: str, p_value: str, *, has_several: bool) -> str:
    names = [row[_GROUP], row["score"] if has_several or row[_GROUP] is None else None]
    direction = "higher" if row[effect] > 0 else "lower"
    p = cell(p_value, row[p_value])
    p = p.replace("<", "< ") if p.startswith("<") else f"= {p}"
    few = ", few rows" if row[_FEW] else ""
    name = ", ".join(name for name in names if name is not None)
    return f"{name}: {direction} by {cell(effect, abs(row[effect]))} (p {p}{few})"


def _moved(overall: pl.DataFrame, groups: pl.DataFrame) -> Iterator[tuple[bool, str]]:
    """Return the population stability index of all rows, and the groups with shifted scores."""
    defined = overall.filter(pl.col("psi").is_not_null())
    if defined.height:
        parts = [f"{score} {cell('psi', psi)}" for score, psi in defined.select("score", "psi").rows()]
        yield defined.filter(pl.col("psi") >= _SHIFT).height > 0, f"Psi of all rows{_list(parts, ', ')}"
    defined = groups.filter(pl.col("psi").is_not_null())
    if defined.height:
        shifted = defined.filter(pl.col("psi") >= _SHIFT).sort("psi", descending=True, maintain_order=True)
        large = shifted.filter(pl.col("psi_n") >= _ROWS)
        parts = [
            f"{group}, {score} {cell('psi', psi)}"
            for group, score, psi in large.select(_GROUP, "score", "psi").rows()
        ]
        small = shifted.height - large.height
        chance = f", and {small} of fewer rows, where it happens by chance" if small else ""
        tested = counted(defined.filter(pl.col("psi_n") >= _ROWS).height, "row")
        of = f"{large.height or 'none'} of {tested} of groups with {_ROWS} rows or more"
        yield large.height > 0, f"Psi of {_SHIFT} or more: {of}{chance}{_list(parts)}"


def _list(parts: Sequence[str], between: str = "; ") -> str:
    """Join the first parts, and append the number of omitted ones."""
    if not parts:
        return ""
    more = len(parts) - _MAX_NAMES
    return ": " + between.join([*parts[:_MAX_NAMES], *([f"and {more} more"] if more > 0 else [])])
